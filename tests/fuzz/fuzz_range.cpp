// Range and Content-Range. The first two bytes are the length of the representation, the rest is both fields. Checks:
// what is promised lies inside the representation, and means the same when it is written down and read again; what a
// part serves lies inside the part.
#include "cache/policy_answer.hpp"
#include "cache/policy_combine.hpp"
#include "tests/fuzz/require.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace {

using namespace outrider;

void check_range(std::string_view field, std::uint64_t length) {
  const RangeAnswer answer = resolve_range(field, length);
  if (answer.kind != RangeAnswer::Kind::one) return;
  require(answer.range.first <= answer.range.last && answer.range.last < length);
  const std::string again = "bytes=" + std::to_string(answer.range.first) + "-" + std::to_string(answer.range.last);
  require(resolve_range(again, length).range == answer.range);
}

void check_content_range(std::string_view text) {
  const auto place = parse_content_range(text);
  if (!place) return;
  require(place->range.first <= place->range.last);
  if (!place->complete_length) return;
  require(place->range.last < *place->complete_length);
  const auto again = parse_content_range(format_content_range(place->range, *place->complete_length));
  require(again && again->range == place->range && again->complete_length == place->complete_length);
}

// The middle of the representation is held.
void check_plan(std::string_view field, std::uint64_t length) {
  if (length < 3) return;
  StoredHead part;
  part.response.status = 206;
  part.range = StoredRange{length / 3, length};
  part.body_length = length / 3;
  RequestHead request;
  request.headers.add(HeaderId::range, field);
  const AnswerPlan plan = plan_answer(part, request, WallTime{});
  require(plan.kind != AnswerPlan::Kind::whole);
  const StoredHead* parts[] = {&part};
  const bool held = plan.kind == AnswerPlan::Kind::part;
  if (held) require(body_offset(part, plan) + plan.bytes.length() <= part.body_length);
  if (held || plan.kind == AnswerPlan::Kind::not_held) require(pieces_for(parts, plan.bytes).empty() != held);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::uint64_t length = data[0] | std::uint64_t{data[1]} << 8;
  const std::string_view text{reinterpret_cast<const char*>(data) + 2, size - 2};
  check_range(text, length);
  check_content_range(text);
  check_plan(text, length);
  return 0;
}
