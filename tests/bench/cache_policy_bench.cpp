// What every answer from the store pays for RFC 9111: key, choice of the variant, verdict, head of the answer.
#include "cache/key.hpp"
#include "cache/policy_answer.hpp"
#include "cache/policy_lookup.hpp"
#include "cache/policy_reuse.hpp"
#include "cache/policy_storability.hpp"
#include "cache/policy_stored_head.hpp"
#include "cache/policy_vary.hpp"

#include <benchmark/benchmark.h>

#include <cstdlib>

namespace outrider {
namespace {

const WallTime kNow{Seconds{1'700'000'000}};
constexpr SipKey kSecret{1, 2};

// As Chromium sends it, after the proxy took out what is for itself.
RequestHead browser_request() {
  RequestHead head;
  HeaderMap& headers = head.headers;
  headers.add("Host", "static.assets.example.com");
  headers.add("sec-ch-ua", R"("Chromium";v="130", "Not?A_Brand";v="99")");
  headers.add("sec-ch-ua-mobile", "?0");
  headers.add("sec-ch-ua-platform", "\"Linux\"");
  headers.add("User-Agent",
              "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36");
  headers.add("Accept", "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8");
  headers.add("Sec-Fetch-Site", "same-origin");
  headers.add("Sec-Fetch-Mode", "no-cors");
  headers.add("Sec-Fetch-Dest", "image");
  headers.add("Referer", "http://static.assets.example.com/index.html");
  headers.add("Accept-Encoding", "gzip, deflate, br, zstd");
  headers.add("Accept-Language", "en-GB,en;q=0.9,de;q=0.8");
  headers.add("Via", "1.1 outrider");
  return head;
}

ResponseHead origin_response(std::string_view vary) {
  ResponseHead head;
  HeaderMap& headers = head.headers;
  headers.add("Server", "nginx");
  headers.add("Date", "Tue, 14 Nov 2023 22:13:20 GMT");
  headers.add("Content-Type", "image/png");
  headers.add("Content-Length", "10240");
  headers.add("Last-Modified", "Wed, 01 Nov 2023 08:00:00 GMT");
  headers.add("ETag", "\"65420a80-2800\"");
  headers.add("Cache-Control", "public, max-age=604800, stale-while-revalidate=86400");
  headers.add("Accept-Ranges", "bytes");
  headers.add("Access-Control-Allow-Origin", "*");
  headers.add("Strict-Transport-Security", "max-age=63072000");
  if (!vary.empty()) headers.add("Vary", vary);
  return head;
}

const Url kUrl = Url::parse("http://static.assets.example.com/images/2023/11/picture.png?v=17").value();

StoredHead stored_head(std::string_view vary) {
  const RequestHead request = browser_request();
  const RequestDirectives directives;
  const ResponseHead response = origin_response(vary);
  StoredHead stored = make_stored_head({request, directives, kUrl, kUrl.path_and_query(), false, response},
                                       {true, Scope::shared, StoreReason::fresh}, kNow, kNow);
  settle_length(stored, 10240);
  return stored;
}

std::string_view vary_of(const benchmark::State& state) {
  return state.range(0) == 0 ? std::string_view{} : "Accept-Encoding";
}

void Key(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(CacheKey::of(kUrl, kUrl.path_and_query(), "", kSecret));
}
BENCHMARK(Key);

void RequestDirectives_Parse(benchmark::State& state) {
  const RequestHead request = browser_request();
  for (auto _ : state) benchmark::DoNotOptimize(parse_request_directives(request.headers));
}
BENCHMARK(RequestDirectives_Parse);

void ResponseDirectives_Parse(benchmark::State& state) {
  const ResponseHead response = origin_response("");
  for (auto _ : state) benchmark::DoNotOptimize(parse_response_directives(response.headers));
}
BENCHMARK(ResponseDirectives_Parse);

void Select(benchmark::State& state) {
  const RequestHead request = browser_request();
  const StoredHead stored = stored_head(vary_of(state));
  const StoredHead* variants[] = {&stored};
  for (auto _ : state) benchmark::DoNotOptimize(select_variant(variants, request));
}
BENCHMARK(Select)->Arg(0)->Arg(1);

void Judge(benchmark::State& state) {
  const RequestHead request = browser_request();
  const RequestDirectives directives;
  const StoredHead stored = stored_head("");
  const CacheRules rules;
  for (auto _ : state) benchmark::DoNotOptimize(judge(stored, request, directives, rules, kNow + Seconds{60}));
}
BENCHMARK(Judge);

void Judge_FactsRead(benchmark::State& state) {
  const RequestHead request = browser_request();
  const RequestDirectives directives;
  const StoredHead stored = stored_head("");
  const FreshnessFacts facts = read_facts(stored.response, stored.response_time);
  const CacheRules rules;
  for (auto _ : state) benchmark::DoNotOptimize(judge(stored, facts, request, directives, rules, kNow + Seconds{60}));
}
BENCHMARK(Judge_FactsRead);

// All that decides about a hit: look up?, which variant?, fresh (with facts read before)?, whole or 304?
void DecideHit(benchmark::State& state) {
  const RequestHead request = browser_request();
  const StoredHead stored = stored_head(vary_of(state));
  const FreshnessFacts facts = read_facts(stored.response, stored.response_time);
  const StoredHead* variants[] = {&stored};
  const CacheRules rules;
  for (auto _ : state) {
    const RequestDirectives directives = parse_request_directives(request.headers);
    if (why_bypass(request, directives, false, false, rules) != Bypass::none) std::abort();
    const Selection selection = select_variant(variants, request);
    if (!selection.found()) std::abort();
    const ReuseVerdict verdict = judge(stored, facts, request, directives, rules, kNow + Seconds{60});
    if (!verdict.answers()) std::abort();
    benchmark::DoNotOptimize(plan_answer(stored, request, kNow));
  }
}
BENCHMARK(DecideHit)->Arg(0)->Arg(1);

void BuildAnswer(benchmark::State& state) {
  const StoredHead stored = stored_head("");
  const AnswerPlan plan = plan_answer(stored, browser_request(), kNow);
  ResponseHead out;
  for (auto _ : state) build_answer(out, stored, plan, Seconds{60}, StaleMark::none);
}
BENCHMARK(BuildAnswer);

// A miss: may it be kept, and what is written down.
void Keep(benchmark::State& state) {
  const RequestHead request = browser_request();
  const RequestDirectives directives;
  const ResponseHead response = origin_response(vary_of(state));
  const CacheRules rules;
  for (auto _ : state) {
    const StoreQuestion question{request, directives, kUrl, kUrl.path_and_query(), false, response};
    const StoreVerdict verdict = may_store(question, rules, kNow);
    if (!verdict.keep) std::abort();
    benchmark::DoNotOptimize(make_stored_head(question, verdict, kNow, kNow));
  }
}
BENCHMARK(Keep)->Arg(0)->Arg(1);

}  // namespace
}  // namespace outrider
