// The life of a cached response. The data are lines "Name: value": a request, an empty line, the origin's answer, an
// empty line, a 304. The first byte chooses rules, method and status. Checks: no-store is obeyed; what is kept answers
// the very request that brought it, holds no field for the next hop, and keeps its promises about age and range;
// updating it keeps all that true.
#include "cache/key.hpp"
#include "cache/policy_answer.hpp"
#include "cache/policy_invalidation.hpp"
#include "cache/policy_status.hpp"
#include "cache/policy_storability.hpp"
#include "cache/policy_stored_head.hpp"
#include "cache/policy_validation.hpp"
#include "cache/policy_vary.hpp"
#include "tests/fuzz/require.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace {

using namespace outrider;

const WallTime kNow{Seconds{1'700'000'000}};

HeaderMap read_fields(std::string_view& rest) {
  HeaderMap headers;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.empty()) break;
    const std::size_t colon = line.find(':');
    if (colon != line.npos && colon > 0) headers.add(line.substr(0, colon), line.substr(colon + 1));
  }
  return headers;
}

void check_stored(const StoredHead& stored, const RequestHead& request, const CacheRules& rules) {
  for (const HeaderId id : {HeaderId::connection, HeaderId::keep_alive, HeaderId::transfer_encoding, HeaderId::te,
                            HeaderId::content_length, HeaderId::proxy_authenticate})
    require(!stored.response.headers.has(id));
  require(stored.response.headers.count(HeaderId::date) >= 1);
  const StoredHead* variants[] = {&stored};
  require(vary_matches(stored, request.headers));
  const RequestDirectives directives = parse_request_directives(request.headers);
  for (const Seconds later : {Seconds{-100'000}, Seconds{0}, Seconds{60}, kLongest * 2}) {
    const ReuseVerdict verdict = judge(stored, request, directives, rules, kNow + later);
    require(verdict.age >= Seconds{0} && verdict.age <= kLongest && verdict.ttl <= kLongest);
    require(verdict.reuse != Reuse::fresh || !verdict.is_stale());
    require(!words(verdict.reason).empty());
  }
  const AnswerPlan plan = plan_answer(stored, request, kNow);
  if (plan.kind == AnswerPlan::Kind::part)
    require(body_offset(stored, plan) + plan.bytes.length() <= stored.body_length);
  ResponseHead out;
  build_answer(out, stored, plan, Seconds{5}, StaleMark::stale);
  require(out.headers.find(HeaderId::age) == "5");
  HeaderMap conditional = request.headers;
  add_conditions(conditional, variants, 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || size > 8192) return 0;
  const unsigned choice = data[0];
  std::string_view rest{reinterpret_cast<const char*>(data) + 1, size - 1};
  CacheRules rules;
  if (choice & 1) rules.kind = CacheKind::private_;
  if (choice & 2) rules.minimum_lifetime = Seconds{100};
  RequestHead request;
  if (choice & 4) request.set_method(Method::post);
  ResponseHead response;
  response.status = choice & 8 ? 206 : choice & 16 ? 599 : 200;
  request.headers = read_fields(rest);
  response.headers = read_fields(rest);
  ResponseHead not_modified;
  not_modified.status = 304;
  not_modified.headers = read_fields(rest);

  static const Url url = Url::parse("http://example.com/a?b").value();
  const RequestDirectives directives = parse_request_directives(request.headers);
  const StoreQuestion question{request, directives, url, url.path_and_query(), false, response};
  const StoreVerdict verdict = may_store(question, rules, kNow);
  invalidated_by(request, url, response);
  const ResponseDirectives said = parse_response_directives(response.headers);
  if (verdict.keep) {
    require(!said.no_store || said.must_understand);
    require(!directives.no_store);
    require(!said.is_private || (rules.kind == CacheKind::private_ && verdict.scope == Scope::personal));
    StoredHead stored = make_stored_head(question, verdict, kNow, kNow);
    if (!settle_length(stored, 1 + choice)) return 0;
    check_stored(stored, request, rules);
    const StoredHead* variants[] = {&stored};
    if (confirmed_by(not_modified, variants, 0).update &&
        freshen(stored, not_modified, request.headers, rules, kNow, kNow))
      check_stored(stored, request, rules);
  }
  return 0;
}
