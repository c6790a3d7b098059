#include "proxy/page_head.hpp"

#include "base/http_lists.hpp"
#include "proxy/page_charset.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace outrider {
namespace {

constexpr std::string_view kMark = "+or.";  // and eight hexadecimal digits
constexpr std::size_t kMarkSize = 12;

constexpr std::array<std::string_view, 6> kDigests{"Content-MD5", "Digest",    "Content-Digest",
                                                   "Repr-Digest", "Signature", "Signature-Input"};

// "text/html; charset=x" → "text/html"
std::string_view media_type(std::string_view value) {
  value = value.substr(0, value.find(';'));
  while (!value.empty() && (value.back() == ' ' || value.back() == '\t')) value.remove_suffix(1);
  return value;
}

struct Tag {
  std::string_view opaque;  // without quotes and mark
  bool marked = false;
  PageMark mark = 0;
};

Tag read_tag(std::string_view text) {
  if (text.starts_with("W/")) text.remove_prefix(2);
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
  Tag tag{text};
  if (text.size() < kMarkSize || text.substr(text.size() - kMarkSize, kMark.size()) != kMark) return tag;
  const std::string_view digits = text.substr(text.size() - kMarkSize + kMark.size());
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), tag.mark, 16);
  if (error != std::errc{} || end != digits.data() + digits.size()) return tag;
  tag.marked = true;
  tag.opaque = text.substr(0, text.size() - kMarkSize);
  return tag;
}

}  // namespace

bool is_top_level(const RequestHead& request) {
  const HeaderMap& headers = request.headers;
  if (request.method != Method::get || headers.has("X-Requested-With")) return false;
  if (const auto purpose = headers.find(HeaderId::sec_purpose); purpose && purpose->starts_with("prefetch"))
    return false;
  if (const auto destination = headers.find(HeaderId::sec_fetch_dest)) return *destination == "document";
  if (!headers.has(HeaderId::upgrade_insecure_requests)) return false;
  return headers.joined(HeaderId::accept).find("text/html") != std::string::npos;
}

bool may_rewrite(const RequestHead& request, const ResponseHead& response) {
  const HeaderMap& headers = response.headers;
  if (request.method != Method::get || response.status != 200) return false;
  if (request.headers.has(HeaderId::range) || headers.has(HeaderId::content_range)) return false;
  if (request.headers.lists(HeaderId::cache_control, "no-transform")) return false;
  if (headers.lists(HeaderId::cache_control, "no-transform")) return false;
  if (headers.count(HeaderId::content_type) != 1) return false;
  const std::string_view type = *headers.find(HeaderId::content_type);
  if (!equal_ignoring_case(media_type(type), "text/html")) return false;
  if (const auto charset = find_parameter(type, "charset"); charset && !is_ascii_compatible(*charset)) return false;
  // A download is none of our business, even if it is HTML.
  const auto disposition = headers.find("Content-Disposition");
  return !disposition || !equal_ignoring_case(media_type(*disposition), "attachment");
}

void strip_digests(HeaderMap& headers) {
  for (const std::string_view name : kDigests) headers.remove(name);
}

void mark_rewritten(HeaderMap& headers, PageMark mark) {
  headers.remove(HeaderId::content_length);
  strip_digests(headers);
  headers.set("Accept-Ranges", "none");
  const std::string opaque{read_tag(headers.find(HeaderId::etag).value_or("")).opaque};
  headers.set(HeaderId::etag, fmt::format("W/\"{}{}{:08x}\"", opaque, kMark, mark));
  // Into a frame, or to a script, it goes unchanged.
  if (!headers.lists(HeaderId::vary, "*") && !headers.lists(HeaderId::vary, "Sec-Fetch-Dest"))
    headers.add(HeaderId::vary, "Sec-Fetch-Dest");
}

bool translate_conditions(HeaderMap& request, PageMark mark, const IsUnchanged& unchanged) {
  const bool has_tags = request.has(HeaderId::if_none_match);
  if (!has_tags) {
    // A copy without entity tag was stored before anything of ours changed it, or is never changed.
    const std::string date{request.find(HeaderId::if_modified_since).value_or("")};
    if (mark != 0 && !date.empty() && !(unchanged && unchanged(date))) request.remove(HeaderId::if_modified_since);
    return false;
  }
  const std::string given = request.joined(HeaderId::if_none_match);
  std::string kept;
  bool any_marked = false;
  bool kept_marked = false;
  bool date_counts = false;  // a tag that was nothing but our mark, and it fits: the date decides
  ListReader list{given};
  while (const auto element = list.next()) {
    const Tag tag = read_tag(*element);
    any_marked |= tag.marked;
    if (tag.marked ? tag.mark != mark : mark != 0 && !(unchanged && unchanged(*element))) continue;
    if (tag.marked && tag.opaque.empty()) {
      date_counts = true;
      continue;
    }
    if (!kept.empty()) kept += ", ";
    if (tag.marked) {
      kept_marked = true;
      kept += fmt::format("W/\"{}\"", tag.opaque);
    } else {
      kept += *element;
    }
  }
  if (mark == 0 && !any_marked) return false;
  if (!kept.empty()) {
    request.set(HeaderId::if_none_match, kept);
  } else {
    request.remove(HeaderId::if_none_match);
    if (!date_counts) request.remove(HeaderId::if_modified_since);
  }
  return mark != 0 && (kept_marked || date_counts);
}

std::uint64_t UnchangedPages::key(std::string_view url, std::string_view validator, PageMark mark) {
  if (validator.starts_with("W/")) validator.remove_prefix(2);
  return NotedHashes::hash({url, validator}, mark);
}

void UnchangedPages::note(std::string_view url, std::string_view validator, PageMark mark) {
  noted_.note(key(url, validator, mark));
}

bool UnchangedPages::has(std::string_view url, std::string_view validator, PageMark mark) const {
  return noted_.has(key(url, validator, mark));
}

}  // namespace outrider
