// The answer to the client, made from a stored response: the client's own conditions and ranges (RFC 9111
// section 4.3.2, RFC 9110 sections 13 and 14), then the head.
#pragma once

#include "base/http_message.hpp"
#include "cache/policy_ranges.hpp"
#include "cache/policy_reuse.hpp"
#include "cache/stored_head.hpp"

#include <cstdint>

namespace outrider {

struct AnswerPlan {
  enum class Kind : std::uint8_t {
    whole,          // the stored status with the whole body
    part,           // 206 with `bytes`
    not_modified,   // 304
    unsatisfiable,  // 416
    not_held,       // this entry holds not all of it: other parts (policy_combine.hpp) or the origin must help
  };
  Kind kind = Kind::whole;
  ByteRange bytes;                    // what is wanted: also with not_held
  std::uint64_t complete_length = 0;  // of the representation
  bool by_range = false;              // the client asked for a part, and gets 206

  bool has_body() const { return kind != Kind::not_modified && kind != Kind::unsatisfiable && complete_length > 0; }
};

// Does not ask whether it is fresh: that is judge()'s business.
AnswerPlan plan_answer(const StoredHead& stored, const RequestHead& request, WallTime now);

// Where plan.bytes begin in the stored body.
inline std::uint64_t body_offset(const StoredHead& stored, const AnswerPlan& plan) {
  return plan.bytes.first - (stored.range ? stored.range->first : 0);
}

// How the answer came about, for the marks on it.
enum class StaleMark : std::uint8_t { none, stale, origin_failed, offline };

// Whoever found all bytes of a not_held in several parts passes the plan as it is, with the newest of them as `stored`.
// Fills `out`: status, fields of the stored response as the plan needs them, Age (always), Content-Range, Warning on
// stale ones (obsolete, but the only mark that older software understands). Not: framing, Cache-Status, Via.
void build_answer(ResponseHead& out, const StoredHead& stored, const AnswerPlan& plan, Seconds age, StaleMark mark);

// A response that just came from the origin and is kept: may the client be answered 304 instead, because it has that
// version already?
bool client_has_it(const RequestHead& request, const ResponseHead& response, WallTime now);

}  // namespace outrider
