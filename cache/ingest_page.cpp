#include "cache/ingest_page.hpp"

#include "base/charset.hpp"
#include "base/content_coding.hpp"
#include "base/mime_sniff.hpp"
#include "base/mime_type.hpp"
#include "cache/page_headers.hpp"
#include "cache/page_reader.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace outrider {
namespace {

constexpr std::uint64_t kMostDecoded = 16 << 20;

std::string decoded(std::string body, const HeaderMap& headers) {
  const std::string coding = headers.joined(HeaderId::content_encoding);
  if (coding.empty()) return body;
  DecodeLimits limits;
  limits.size = kMostDecoded;
  Result<ContentDecoder> decoder = ContentDecoder::create(coding, limits);
  std::string out;
  if (!decoder) return out;
  out.reserve(body.size() * 4);
  // The beginning of a page is worth having, also where the rest is missing or a bomb.
  const auto append = [&out](std::string_view piece) { out.append(piece); };
  (void)decoder->feed(body, append);
  return out;
}

bool is_html_type(std::string_view mime) {
  return mime == "text/html" || mime == "application/xhtml+xml";
}

void note_redirect(Sighting& sighting, const Url& url, const HeaderMap& headers) {
  if (sighting.status < 300 || sighting.status >= 400 || sighting.status == 304) return;
  const auto location = headers.find(HeaderId::location);
  if (!location) return;
  if (const Result<Url> target = Url::parse(*location, &url)) sighting.redirects_to = target->href();
}

// Of a picture or a PDF they are all that is said about it, if anything is.
void note_headers(Sighting& sighting, const Url& url, const HeaderMap& headers) {
  if (!headers.has(HeaderId::link) && !headers.has(HeaderId::x_robots_tag)) return;
  PageScan scan;
  apply_headers(scan, url, headers);
  sighting.page = std::move(scan.page);
  sighting.links = std::move(scan.links);
  sighting.has_page = true;
}

}  // namespace

NodeError node_error(const Error& error) {
  switch (error.kind) {
    case ErrorKind::dns_failure:
      return NodeError::dns;
    case ErrorKind::connect_refused:
    case ErrorKind::connect_failed:
      return NodeError::connect;
    case ErrorKind::tls_failed:
    case ErrorKind::tls_untrusted:
      return NodeError::tls;
    case ErrorKind::timeout:
      return NodeError::timeout;
    case ErrorKind::address_denied:
    case ErrorKind::rule_denied:
      return NodeError::refused;
    default:
      return NodeError::protocol;
  }
}

ScannedAnswer scan_answer(Arrival& arrival, ScanFor what) {
  ScannedAnswer answer;
  Sighting& sighting = answer.sighting;
  sighting.url = arrival.url.href();
  if (arrival.storage == StorageClass::personal) sighting.owner = arrival.user;
  sighting.storage = arrival.storage;
  sighting.fetched_by = arrival.by;
  sighting.at = arrival.at;
  sighting.status = arrival.status;
  sighting.error = arrival.error;
  sighting.error_text = std::move(arrival.error_text);
  sighting.not_modified = arrival.not_modified;
  sighting.partial = !arrival.body_complete;
  sighting.wire_size = arrival.wire_size;
  if (arrival.status == 0) return answer;
  const HeaderMap& headers = arrival.headers;
  sighting.etag = headers.find(HeaderId::etag).value_or("");
  sighting.last_modified = headers.find(HeaderId::last_modified).value_or("");
  note_redirect(sighting, arrival.url, headers);

  const std::string_view content_type = headers.find(HeaderId::content_type).value_or("");
  std::string body = decoded(std::move(arrival.body), headers);
  arrival.body.clear();
  const bool nosniff = equal_ignoring_case(headers.find("X-Content-Type-Options").value_or(""), "nosniff");
  sighting.mime = sniff_mime(content_type, nosniff, std::string_view{body}.substr(0, kSniffBytes));
  // Of a part only its head tells how long the whole is, and of what is coded not even that.
  const bool tells_nothing = sighting.partial && headers.has(HeaderId::content_encoding);
  if (!tells_nothing) sighting.decoded_size = body.empty() || sighting.partial ? arrival.wire_size : body.size();
  answer.is_html = is_html_type(sighting.mime);
  if (sighting.status >= 400 && sighting.error == NodeError::none) sighting.error = NodeError::http;
  if (sighting.status < 200 || sighting.status >= 300) return answer;
  const bool is_text = answer.is_html || sighting.mime == "text/plain";
  if (!is_text) note_headers(sighting, arrival.url, headers);
  if (!is_text || body.empty()) return answer;

  if (what == ScanFor::everything) sighting.body_hash = XXH3_64bits(body.data(), body.size());
  const std::optional<MimeType> type = parse_mime_type(content_type);
  DecodedText text =
      decode_text(std::move(body), type ? type->parameter("charset").value_or("") : std::string_view{}, answer.is_html);
  PageScan scan;
  if (answer.is_html) scan = scan_page(text.utf8, arrival.url, text.charset, what);
  apply_headers(scan, arrival.url, headers);
  sighting.page = std::move(scan.page);
  sighting.links = std::move(scan.links);
  answer.urls = std::move(scan.urls);
  answer.for_tree = answer.is_html && !scan.too_much_for_tree;
  sighting.page.charset = std::move(text.charset);
  sighting.has_page = true;
  answer.utf8 = std::move(text.utf8);
  return answer;
}

void read_deeply(ScannedAnswer& answer) {
  if (answer.utf8.empty()) return;
  if (answer.is_html) {
    PageScan scan;
    scan.page = std::move(answer.sighting.page);
    scan.too_much_for_tree = !answer.for_tree;
    read_page(answer.utf8, scan);
    answer.sighting.page = std::move(scan.page);
  } else {
    read_plain_text(answer.utf8, answer.sighting.page);
  }
}

}  // namespace outrider
