// What strangers write and the built-in plugins show or judge: texts of links, addresses, forms, stored reports.
#include "plugins/api/document.hpp"
#include "plugins/linkcheck/link_report.hpp"
#include "plugins/rearmirror/page_picture.hpp"
#include "plugins/rearmirror/search_page.hpp"
#include "plugins/rearmirror/thumbnail_shelf.hpp"
#include "tests/fuzz/require.hpp"

#include <boost/json.hpp>

#include <cstddef>
#include <cstdint>

namespace {
using namespace outrider;

// One cell of one line, and no formula.
void check_cell(std::string_view text) {
  const std::string cell = csv_cell(text);
  require(cell.find_first_of("\r\n\t") == std::string::npos);
  const std::size_t first = cell.starts_with('"') ? 1 : 0;
  if (cell.size() > first) require(std::string_view{"=+-@"}.find(cell[first]) == std::string_view::npos);
  if (cell.starts_with('"')) require(cell.size() >= 2 && cell.ends_with('"'));
}

void check_report(std::string_view text) {
  const Result<LinkReport> report = report_from_json(text);
  if (!report) return;
  const std::string again = boost::json::serialize(to_json(*report));
  const Result<LinkReport> same = report_from_json(again);
  require(same && same->links.size() == report->links.size());
  to_csv(*report);
}

void check_search(std::string_view text) {
  const std::string asked = search_address("https://search.example/?q={url}&t={title}", text, text);
  require(asked.empty() || asked.starts_with("https://search.example/?q="));
  if (is_search_template(text)) require(!search_address(text, "https://a.example/x", "y").empty());
  static const SearchLinkClassifier classifier{RearMirrorSettings{}, "https://search.example/", "https://page.org/"};
  Link link;
  link.target = text;
  link.text = "words";
  const SearchLink judged = classifier.judge(link);
  if (judged.kind != SearchLinkKind::result) return;
  const Result<Url> target = Url::parse(judged.target);
  require(target && target->is_http() && !target->has_credentials());
  require(target->hostname() != "search.example" && target->host() != "page.org");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  check_cell(text);
  check_report(text);
  check_search(text);
  form_value(text, "url");
  picture_type(text);
  std::string decoded;
  if (picture_from_base64(text, decoded)) require(decoded.size() <= size);
  if (picture_may_load(text, "GET", "Image", false, "https://page.org/"))
    require(text.find("127.0.0.1/") != 7);  // "http://127.0.0.1/…"
  return 0;
}
