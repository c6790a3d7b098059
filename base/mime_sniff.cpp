#include "base/mime_sniff.hpp"

#include "base/mime_type.hpp"
#include "base/url_percent.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace outrider {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kWhiteSpace = "\t\n\f\r ";

// What Apache sent for everything that it did not know (section 5.1). Exactly these.
constexpr std::array kApacheBug = {"text/plain"sv, "text/plain; charset=ISO-8859-1"sv,
                                   "text/plain; charset=iso-8859-1"sv, "text/plain; charset=UTF-8"sv};

// In upper case; a space or ">" has to follow.
constexpr std::array kHtmlTags = {
    "<!DOCTYPE HTML"sv, "<HTML"sv, "<HEAD"sv,  "<SCRIPT"sv, "<IFRAME"sv, "<H1"sv,   "<DIV"sv, "<FONT"sv,
    "<TABLE"sv,         "<A"sv,    "<STYLE"sv, "<TITLE"sv,  "<B"sv,      "<BODY"sv, "<BR"sv,  "<P"sv};

bool starts_with_tag(std::string_view text, std::string_view upper) {
  if (text.size() <= upper.size() || (text[upper.size()] != ' ' && text[upper.size()] != '>')) return false;
  return std::equal(upper.begin(), upper.end(), text.begin(),
                    [](char a, char b) { return to_ascii_lower(a) == to_ascii_lower(b); });
}

// Section 3, "binary data byte".
bool is_binary(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte <= 0x08 || byte == 0x0B || (byte >= 0x0E && byte <= 0x1A) || (byte >= 0x1C && byte <= 0x1F);
}

bool holds_binary(std::string_view bytes) {
  return std::any_of(bytes.begin(), bytes.end(), is_binary);
}

std::string_view sniff_scriptable(std::string_view bytes) {
  const std::string_view text = bytes.substr(std::min(bytes.find_first_not_of(kWhiteSpace), bytes.size()));
  if (text.starts_with("<!--") ||
      std::any_of(kHtmlTags.begin(), kHtmlTags.end(), [&](auto tag) { return starts_with_tag(text, tag); }))
    return "text/html";
  if (text.starts_with("<?xml")) return "text/xml";
  if (bytes.starts_with("%PDF-")) return "application/pdf";
  return {};
}

// Section 7.1.
std::string_view sniff_unknown(std::string_view bytes, bool scriptable) {
  if (scriptable)
    if (const std::string_view found = sniff_scriptable(bytes); !found.empty()) return found;
  if (bytes.starts_with("%!PS-Adobe-")) return "application/postscript";
  if (bytes.size() >= 4 && (bytes.starts_with("\xFE\xFF") || bytes.starts_with("\xFF\xFE"))) return "text/plain";
  if (bytes.size() >= 4 && bytes.starts_with("\xEF\xBB\xBF")) return "text/plain";
  for (const auto match : {match_image, match_audio_or_video, match_archive})
    if (const std::string_view found = match(bytes); !found.empty()) return found;
  return holds_binary(bytes) ? "application/octet-stream" : "text/plain";
}

// Section 7.2.
std::string_view sniff_text_or_binary(std::string_view bytes) {
  const bool marked =
      bytes.starts_with("\xFE\xFF") || bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xEF\xBB\xBF");
  return marked || !holds_binary(bytes) ? "text/plain" : "application/octet-stream";
}

// Behind `end`; all if it is not there.
bool skip_behind(std::string_view& text, std::string_view end) {
  const std::size_t found = text.find(end);
  if (found == std::string_view::npos) return false;
  text.remove_prefix(found + end.size());
  return true;
}

// Section 7.3: the first element tells; comments, doctype and processing instructions before it do not.
std::string_view sniff_feed_or_html(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  while (true) {
    const std::size_t begin = text.find_first_not_of("\t\n\f\r ");
    if (begin == std::string_view::npos || text[begin] != '<') return "text/html";
    text.remove_prefix(begin + 1);
    if (text.starts_with("!--")) {
      text.remove_prefix(3);
      if (!skip_behind(text, "-->")) return "text/html";
    } else if (text.starts_with('!')) {
      if (!skip_behind(text, ">")) return "text/html";
    } else if (text.starts_with('?')) {
      if (!skip_behind(text, "?>")) return "text/html";
    } else {
      break;
    }
  }
  if (text.starts_with("rss")) return "application/rss+xml";
  if (text.starts_with("feed")) return "application/atom+xml";
  const auto holds = [&text](std::string_view needle) { return text.find(needle) != std::string_view::npos; };
  if (text.starts_with("rdf:RDF") && holds("http://purl.org/rss/1.0/") &&
      holds("http://www.w3.org/1999/02/22-rdf-syntax-ns#"))
    return "application/rss+xml";
  return "text/html";
}

bool is_font(const MimeType& mime) {
  return mime.type == "font" ||
         (mime.type == "application" && (mime.subtype.starts_with("font-") || mime.subtype.starts_with("x-font-") ||
                                         mime.subtype == "vnd.ms-fontobject"));
}

// What the bytes say within the family that the server named; empty: nothing, the server is right.
std::string_view sniff_within(const MimeType& mime, std::string_view bytes) {
  if (mime.essence() == "text/html") return sniff_feed_or_html(bytes);
  if (mime.type == "image") return match_image(bytes);
  if (mime.type == "audio" || mime.type == "video" || mime.essence() == "application/ogg")
    return match_audio_or_video(bytes);
  if (is_font(mime)) return match_font(bytes);
  return {};
}

}  // namespace

std::string sniff_mime(std::string_view content_type, bool nosniff, std::string_view first_bytes) {
  const std::string_view bytes = first_bytes.substr(0, kSniffBytes);
  const std::optional<MimeType> supplied = parse_mime_type(content_type);
  const std::string essence = supplied ? supplied->essence() : "";
  if (!supplied || essence == "unknown/unknown" || essence == "application/unknown" || essence == "*/*")
    return std::string(sniff_unknown(bytes, !nosniff));
  if (nosniff) return essence;
  if (std::find(kApacheBug.begin(), kApacheBug.end(), content_type) != kApacheBug.end())
    return std::string(sniff_text_or_binary(bytes));
  if (supplied->is_xml()) return essence;
  const std::string_view found = sniff_within(*supplied, bytes);
  return found.empty() ? essence : std::string(found);
}

}  // namespace outrider
