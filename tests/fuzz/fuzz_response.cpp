// Responses: the outcome does not depend on how the bytes are split, and what is accepted is clean and survives being
// written anew. The first byte seeds the splitting, the second chooses the method that is answered and whether the
// origin closes.
#include "base/http_validator.hpp"
#include "base/http_writer.hpp"
#include "tests/fuzz/llhttp_referee.hpp"
#include "tests/fuzz/require.hpp"
#include "tests/support/split_feeder.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace {

using namespace outrider;

void check_accepted(ResponseParser& parser, Method method) {
  const ResponseHead& head = parser.head();
  std::size_t lengths = 0, codings = 0;
  for (const HeaderField& field : head.headers) {
    require(is_token(field.name) && is_field_value(field.value));
    lengths += equal_ignoring_case(field.name, "content-length");
    codings += equal_ignoring_case(field.name, "transfer-encoding");
  }
  require(head.status >= 100 && head.status <= 999 && is_field_value(head.reason));
  if (parser.framing().kind == BodyFraming::Kind::chunked || parser.framing().kind == BodyFraming::Kind::length) {
    require(codings <= 1);
    require(parser.framing_doubtful() || lengths + codings == 1);
  }
  if (parser.framing_doubtful() || parser.framing().kind == BodyFraming::Kind::until_close)
    require(!parser.keep_alive());

  std::string once;
  write_response_head(once, head);
  ResponseParser again;
  again.expect(method);
  const Result<ParseStep> step = again.feed(once);
  require(step.has_value() && step->event == ParseEvent::head && step->consumed == once.size());
  require(again.framing() == parser.framing());
  require(test::describe(again.head().headers) == test::describe(head.headers));
  require(again.head().status == head.status && again.head().reason == head.reason);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  constexpr std::array kMethods = {Method::get, Method::head, Method::connect, Method::post};
  const std::string_view wire{reinterpret_cast<const char*>(data) + 2, size - 2};
  test::FeedOptions options;
  options.limits = {64, 256, 8, 64, 32};  // small, so that the limits are met
  options.method = kMethods[data[1] % kMethods.size()];
  options.close = (data[1] & 0x80) != 0;
  const std::string whole = test::transcribe<ResponseParser>({wire}, options);
  require(whole == test::transcribe<ResponseParser>(test::cut_at_random(wire, data[0]), options));

  ResponseParser parser;
  parser.expect(options.method);
  std::string_view rest = wire;
  while (true) {
    const Result<ParseStep> step = parser.feed(rest);
    if (!step || step->event == ParseEvent::need_more) break;
    const std::string_view taken = rest.substr(0, step->consumed);
    rest.remove_prefix(step->consumed);
    if (step->event == ParseEvent::head) {
      test::LlhttpReferee::check(HTTP_RESPONSE, taken, parser.head().headers);
      check_accepted(parser, options.method);
    } else if (step->event == ParseEvent::done) {
      if (rest.empty()) break;
      parser.reset();
    }
  }
  return 0;
}
