// HTML pages: every byte is in exactly one token (seen to by the recorder), ranges lie inside their token, and neither
// tokens nor decoded text depend on how the page is cut into chunks. The first byte selects the options, the second
// seeds the cutting.
#include "base/html_tokenizer.hpp"
#include "tests/fuzz/require.hpp"
#include "tests/support/html_recorder.hpp"
#include "tests/support/split_feeder.hpp"

#include <cstddef>
#include <cstdint>

namespace {

using namespace outrider;

test::HtmlStart options_from(std::uint8_t byte) {
  static constexpr const char* kElements[] = {"p", "title", "style", "script", "plaintext", "p"};
  test::HtmlStart start;
  start.options.scripting = (byte & 1) != 0;
  if ((byte & 2) != 0) start.options.limits = {.token = 64, .attributes = 3};  // the smallest
  const unsigned content = (byte >> 2) % 6U;
  start.content = static_cast<HtmlContent>(content);
  start.last_start_tag = kElements[content];
  return start;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view page{reinterpret_cast<const char*>(data) + 2, size - 2};
  const test::HtmlStart start = options_from(data[0]);
  const std::vector<test::RecordedToken> whole = test::tokenize_html({page}, start);
  require(test::tokenize_html(test::cut_at_random(page, data[1]), start) == whole);
  require(test::tokenize_html(test::cut_at_random(page, data[1] + 1000U), start) == whole);
  std::vector<std::string_view> bytes;
  for (std::size_t at = 0; at < page.size(); ++at) bytes.push_back(page.substr(at, 1));
  require(test::tokenize_html(bytes, start) == whole);
  return 0;
}
