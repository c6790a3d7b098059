// Requests: the outcome does not depend on how the bytes are split, and what is accepted is clean and survives being
// written anew. The first byte of the input seeds the splitting, the rest is the wire.
#include "base/http_validator.hpp"
#include "base/http_writer.hpp"
#include "tests/fuzz/llhttp_referee.hpp"
#include "tests/fuzz/require.hpp"
#include "tests/support/split_feeder.hpp"

#include <cstddef>
#include <cstdint>

namespace {

using namespace outrider;

// Independent of the validator's own way of looking at it.
void check_accepted(const RequestParser& parser, const RequestHead& head) {
  std::size_t lengths = 0, codings = 0, hosts = 0;
  for (const HeaderField& field : head.headers) {
    require(is_token(field.name) && is_field_value(field.value));
    require(field.value.find_first_of(std::string_view{"\r\n\0", 3}) == std::string_view::npos);
    if (equal_ignoring_case(field.name, "content-length")) ++lengths;
    if (equal_ignoring_case(field.name, "host")) ++hosts;
    if (equal_ignoring_case(field.name, "transfer-encoding")) {
      ++codings;
      require(equal_ignoring_case(field.value, "chunked"));
    }
  }
  require(hosts <= 1 && lengths + codings <= 1);
  require((parser.framing().kind == BodyFraming::Kind::chunked) == (codings == 1));
  require(head.version != HttpVersion::http11 || hosts == 1);
  for (const char c : head.target) require(c > ' ' && c < 0x7f && c != '#');
}

void check_rewriting(const RequestHead& head, const BodyFraming& framing) {
  std::string once;
  write_request_head(once, head, head.target);
  RequestParser again;
  const Result<ParseStep> step = again.feed(once);
  if (head.version == HttpVersion::http10 && !head.headers.has(HeaderId::host))
    return;  // written as HTTP/1.1, it lacks a Host
  require(step.has_value() && step->event == ParseEvent::head && step->consumed == once.size());
  require(again.framing() == framing);
  require(test::describe(again.head().headers) == test::describe(head.headers));
  require(again.head().method_text == head.method_text && again.head().target == head.target);
  std::string twice;
  write_request_head(twice, again.head(), again.head().target);
  require(once == twice);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view wire{reinterpret_cast<const char*>(data) + 1, size - 1};
  test::FeedOptions options;
  options.limits = {64, 256, 8, 64, 32};  // small, so that the limits are met
  const std::string whole = test::transcribe<RequestParser>({wire}, options);
  require(whole == test::transcribe<RequestParser>(test::cut_at_random(wire, data[0]), options));

  RequestParser parser;
  std::string_view rest = wire;
  while (true) {
    const Result<ParseStep> step = parser.feed(rest);
    if (!step || step->event == ParseEvent::need_more) break;
    const std::string_view taken = rest.substr(0, step->consumed);
    rest.remove_prefix(step->consumed);
    if (step->event == ParseEvent::head) {
      test::LlhttpReferee::check(HTTP_REQUEST, taken, parser.head().headers);
      check_accepted(parser, parser.head());
      check_rewriting(parser.head(), parser.framing());
    } else if (step->event == ParseEvent::done) {
      if (rest.empty()) break;
      parser.reset();
    }
  }
  return 0;
}
