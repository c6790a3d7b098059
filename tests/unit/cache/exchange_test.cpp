#include "cache/exchange.hpp"

#include "tests/support/http_client_fixture.hpp"

namespace outrider {
namespace {

using namespace std::chrono_literals;
using testing::run_task;
using testing::ScriptedServer;

struct ExchangeTest : testing::HttpClientFixture {
  Metrics metrics;
  CacheShared shared{metrics};  // nothing is kept
  Exchange exchange{reactor, client, shared};

  // The status, or the failure.
  Result<int> run(Intent intent, const std::string& url, std::shared_ptr<const AddressPolicy> rules) {
    return run_task(reactor, run_task_of(intent, Url::parse(url).value(), std::move(rules)));
  }
  Task<Result<int>> run_task_of(Intent intent, Url url, std::shared_ptr<const AddressPolicy> rules) {
    RequestHead head;
    ExchangeRequest request;
    request.intent = intent;
    request.url = &url;
    request.path_and_query = "/";
    request.head = &head;
    request.policy = std::move(rules);
    request.deadline = Deadline::after(20s);
    request.rules = std::make_shared<const CacheRules>();
    Result<std::unique_ptr<ExchangeResponse>> response = co_await exchange.run(request);
    if (!response) co_return response.error();
    const int status = (*response)->head().status;
    co_await (*response)->finish();
    co_return status;
  }
};

// The rules about names hold for everybody who uses the pipeline, not only for who comes through the proxy's door.
TEST_F(ExchangeTest, HostThatTheRulesForbid_IsNotConnectedTo) {
  ScriptedServer server{reactor, {ScriptedServer::answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")}};
  names["open.example"] = names["blocked.example"] = {asio::ip::make_address("127.0.0.1")};
  auto rules = std::make_shared<AddressPolicy>(AddressPolicy::personal());
  rules->host_rules = [](std::string_view host, std::uint16_t) -> Result<void> {
    if (host != "blocked.example") return {};
    return Error{ErrorKind::rule_denied, Side::self, "blocked by rule"};
  };
  const std::string port = std::to_string(server.port());
  for (const Intent intent : {Intent::browser, Intent::robot, Intent::revalidate}) {
    EXPECT_EQ(run(intent, "http://open.example:" + port, rules).value(), 200);
    const std::size_t connections = server.accepted();
    const Result<int> refused = run(intent, "http://blocked.example:" + port, rules);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().kind, ErrorKind::rule_denied);
    EXPECT_EQ(server.accepted(), connections);
  }
}

}  // namespace
}  // namespace outrider
