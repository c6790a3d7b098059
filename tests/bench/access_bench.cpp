// What every request pays before it is forwarded: may this client, may it go there, through whom, has it looped, which
// fields go.
#include "base/hop_by_hop.hpp"
#include "proxy/access.hpp"
#include "proxy/destination_rules.hpp"
#include "proxy/loop_guard.hpp"
#include "proxy/parent_rules.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

namespace outrider {
namespace {

const IpAddress kLoopback = boost::asio::ip::make_address("127.0.0.1");
constexpr std::string_view kHost = "static.assets.example.com";

// As Chromium sends it to a proxy.
HeaderMap browser_request() {
  HeaderMap headers;
  headers.add("Host", kHost);
  headers.add("Proxy-Connection", "keep-alive");
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
  headers.add("Accept-Encoding", "gzip, deflate");
  headers.add("Accept-Language", "en-GB,en;q=0.9,de;q=0.8");
  headers.add("Cookie", "session=0123456789abcdef; theme=dark");
  return headers;
}

std::shared_ptr<const Access> access_without_login() {
  return Access::create({}).value();
}

std::string token;
std::shared_ptr<const Access> access_with_login() {
  std::string folder = "/tmp/outrider-bench-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) std::abort();
  AccessSettings settings;
  settings.users_file = folder + "/users";
  for (int i = 0; i < 100; ++i) token = add_token(settings.users_file, fmt::format("user{}", i)).value();
  auto access = Access::create(settings).value();
  std::remove(settings.users_file.c_str());
  std::remove(folder.c_str());
  return access;
}

std::shared_ptr<const DestinationRules> rules_with(int count) {
  DestinationSettings settings;
  for (int i = 0; i < count; ++i) settings.block.push_back(fmt::format(".tracker{}.ads{}.example", i, i % 977));
  return DestinationRules::create(settings, Installation{}).value();
}

void AdmitNow_Loopback(benchmark::State& state) {
  const auto access = access_without_login();
  const HeaderMap headers = browser_request();
  for (auto _ : state) benchmark::DoNotOptimize(access->admit_now(kLoopback, headers));
}
BENCHMARK(AdmitNow_Loopback);

void AdmitNow_RememberedLogin(benchmark::State& state) {
  const auto access = access_with_login();
  HeaderMap headers = browser_request();
  headers.add(HeaderId::proxy_authorization, "Bearer " + token);
  if (!access->admit_now(kLoopback, headers).value()) std::abort();
  for (auto _ : state) benchmark::DoNotOptimize(access->admit_now(kLoopback, headers));
}
BENCHMARK(AdmitNow_RememberedLogin);

void CheckDestination(benchmark::State& state) {
  const auto rules = rules_with(static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(rules->check(kHost, 443, true));
}
BENCHMARK(CheckDestination)->Arg(0)->Arg(1)->Arg(1000)->Arg(100'000);

// Different hosts each time, as from many clients: the table does not stay in the first-level cache.
void CheckDestination_ManyHosts(benchmark::State& state) {
  const auto rules = rules_with(100'000);
  std::vector<std::string> hosts;
  for (int i = 0; i < 4096; ++i) hosts.push_back(fmt::format("www.host{}.example.com", i * 7919));
  std::size_t next = 0;
  for (auto _ : state) benchmark::DoNotOptimize(rules->check(hosts[next++ & 4095], 443, true));
}
BENCHMARK(CheckDestination_ManyHosts);

void CheckDestination_Blocked(benchmark::State& state) {
  const auto rules = rules_with(100'000);
  for (auto _ : state) benchmark::DoNotOptimize(rules->check("www.tracker5.ads5.example", 443, true));
}
BENCHMARK(CheckDestination_Blocked);

void CheckAddress(benchmark::State& state) {
  DestinationSettings settings;
  for (int i = 0; i < 100'000; ++i)
    settings.block.push_back(fmt::format("{}.{}.{}.0/24", 11 + i / 65536, i / 256 % 256, i % 256));
  const auto rules = DestinationRules::create(settings, Installation{}).value();
  const IpAddress address = boost::asio::ip::make_address("93.184.216.34");
  for (auto _ : state) benchmark::DoNotOptimize(rules->policy_for_browser()->check(address, 443));
}
BENCHMARK(CheckAddress);

void BuildRules(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(rules_with(100'000));
}
BENCHMARK(BuildRules)->Unit(benchmark::kMillisecond);

void SelectParent(benchmark::State& state) {
  ParentSettings settings;
  settings.default_parent = "proxy.example:3128";
  settings.rules = {".corp.example = direct", "*.onion = socks5://127.0.0.1:9050"};
  const auto rules = ParentRules::create(settings).value();
  for (auto _ : state) benchmark::DoNotOptimize(&rules->select(kHost, 443));
}
BENCHMARK(SelectParent);

// Copying the fields into a warm map is part of the measurement of both; the difference is the stripping.
void CopyHeaders(benchmark::State& state) {
  const HeaderMap original = browser_request();
  HeaderMap headers = original;
  for (auto _ : state) {
    headers = original;
    benchmark::DoNotOptimize(headers);
  }
}
BENCHMARK(CopyHeaders);

void CopyAndStripHopByHop(benchmark::State& state) {
  const HeaderMap original = browser_request();
  HeaderMap headers = original;
  for (auto _ : state) {
    headers = original;
    strip_hop_by_hop(headers, Te::keep_trailers);
    benchmark::DoNotOptimize(headers);
  }
}
BENCHMARK(CopyAndStripHopByHop);

// Somebody who wants to keep us busy: all of a 64 KB head is nominations.
void StripHostileNominations(benchmark::State& state) {
  HeaderMap original;
  std::string all;
  for (int i = 0; all.size() < 50'000; ++i) all += fmt::format("x{},", i);
  original.add("Connection", all);
  for (int i = 0; i < 250; ++i) original.add(fmt::format("Y{}", i), "v");
  HeaderMap headers = original;
  for (auto _ : state) {
    headers = original;
    strip_hop_by_hop(headers);
  }
}
BENCHMARK(StripHostileNominations)->Unit(benchmark::kMicrosecond);

void LoopGuard(benchmark::State& state) {
  const std::string pseudonym = make_pseudonym();
  HeaderMap original = browser_request();
  original.add(HeaderId::via, "1.1 proxy.example.net (squid/5.7)");
  for (auto _ : state) benchmark::DoNotOptimize(has_looped(original, pseudonym));
}
BENCHMARK(LoopGuard);

// All of it, for a person's own browser with a block list of 100,000 names.
void OrdinaryRequest(benchmark::State& state) {
  const auto access = state.range(0) == 0 ? access_without_login() : access_with_login();
  const auto rules = rules_with(100'000);
  const auto parents = ParentRules::create({}).value();
  const std::string pseudonym = make_pseudonym();
  HeaderMap original = browser_request();
  if (state.range(0) != 0) original.add(HeaderId::proxy_authorization, "Bearer " + token);
  HeaderMap headers = original;
  for (auto _ : state) {
    headers = original;
    benchmark::DoNotOptimize(access->admit_now(kLoopback, headers));
    benchmark::DoNotOptimize(rules->check(kHost, 80, false));
    benchmark::DoNotOptimize(&parents->select(kHost, 80));
    benchmark::DoNotOptimize(has_looped(headers, pseudonym));
    strip_hop_by_hop(headers, Te::keep_trailers);
    add_via(headers, HttpVersion::http11, pseudonym);
  }
}
BENCHMARK(OrdinaryRequest)->ArgName("login")->Arg(0)->Arg(1);

}  // namespace
}  // namespace outrider
