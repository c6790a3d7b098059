#include "cache/exchange.hpp"

#include "cache/cache.hpp"
#include "tests/support/http_client_fixture.hpp"
#include "tests/support/process.hpp"

#include <gmock/gmock.h>

namespace outrider {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
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

// Whom the robot steps back for, with a real store.
struct ExchangeWitnessTest : testing::HttpClientFixture {
  struct Witness final : BrowserWitness {
    void browser_asks(std::string_view host) override { asked.emplace_back(host); }
    void browser_saves_data() override {}
    void saw_safe_query(std::string_view) override {}
    std::vector<std::string> asked;
  };
  struct Session {
    Session(Reactor& reactor, HttpClient& client, const std::filesystem::path& folder)
        : cache(Cache::open(CacheSettings{}, folder, metrics).value()), exchange(reactor, client, cache->shared()) {}
    Metrics metrics;
    std::unique_ptr<Cache> cache;
    Exchange exchange;
  };
  struct Answer {
    Result<CacheVerdict> verdict{CacheVerdict::bypass};
    std::size_t length = 0;
    std::vector<std::string> told;  // to the witness
  };

  // As proxy/transaction does: what is at hand first. Whether the disk has it at hand is the system's business, so
  // `at_hand` false goes straight to where it may be waited for.
  Answer ask(const std::string& fields = "", bool at_hand = true) {
    return run_task(reactor, ask_task(fields, at_hand));
  }
  Task<Answer> ask_task(std::string fields, bool at_hand) {
    const Url url = Url::parse("http://127.0.0.1:" + std::to_string(server->port()) + "/").value();
    RequestHead head;
    if (!fields.empty()) head.headers.add(HeaderId::cache_control, fields);
    Witness witness;
    ExchangeRequest request;
    request.url = &url;
    request.path_and_query = "/";
    request.head = &head;
    request.policy = policy;
    request.deadline = Deadline::after(20s);
    request.rules = std::make_shared<const CacheRules>();
    request.witness = &witness;
    std::unique_ptr<ExchangeResponse> response;
    if (at_hand) response = session->exchange.answer_now(request);
    if (!response) {
      Result<std::unique_ptr<ExchangeResponse>> waited = co_await session->exchange.run(request);
      if (!waited) {
        Answer failed{waited.error(), 0, witness.asked};
        co_return failed;
      }
      response = std::move(*waited);
    }
    Answer answer{response->verdict, 0, {}};
    for (;;) {
      Result<std::string_view> piece = co_await response->read();
      if (!piece || piece->empty()) break;
      answer.length += piece->size();
    }
    co_await response->finish();
    answer.told = witness.asked;
    co_return answer;
  }

  void serve(const std::string& fields) {
    const std::string head = "HTTP/1.1 200 OK\r\n" + fields + "Content-Length: " + std::to_string(kLength) + "\r\n\r\n";
    servers.push_back(std::make_unique<ScriptedServer>(
        reactor, std::vector{ScriptedServer::answering(head + std::string(kLength, 'x'))}));
    server = servers.back().get();
    host = "127.0.0.1:" + std::to_string(server->port());
  }
  // Nothing is in memory any more.
  void restart() {
    session.reset();
    session.emplace(reactor, client, folder.path());
  }

  static constexpr std::size_t kLength = 400'000;  // too long to come along with its head from the disk
  testing_support::TemporaryDirectory folder;
  std::string host;
  std::vector<std::unique_ptr<ScriptedServer>> servers;
  ScriptedServer* server = nullptr;  // the last one
  std::optional<Session> session{std::in_place, reactor, client, folder.path()};
};

// Else a host could see by the robot's pause that pages of it are read again.
TEST_F(ExchangeWitnessTest, ReaderAnsweredFromTheDisk_LetsTheRobotGoOn) {
  serve("Cache-Control: max-age=600\r\n");
  const Answer first = ask();
  EXPECT_EQ(first.verdict.value(), CacheVerdict::miss);
  EXPECT_THAT(first.told, ElementsAre(host));

  restart();
  const Answer from_disk = ask("", false);
  EXPECT_EQ(from_disk.verdict.value(), CacheVerdict::hit);
  EXPECT_EQ(from_disk.length, kLength);
  EXPECT_THAT(from_disk.told, IsEmpty());

  const Answer from_memory = ask();
  EXPECT_EQ(from_memory.verdict.value(), CacheVerdict::hit);
  EXPECT_THAT(from_memory.told, IsEmpty());
}

TEST_F(ExchangeWitnessTest, ReaderForWhomTheOriginIsAsked_MakesTheRobotWait) {
  serve("Cache-Control: max-age=600\r\n");
  ask();
  EXPECT_THAT(ask("no-cache").told, ElementsAre(host));  // although it is kept
  EXPECT_THAT(ask("no-store").told, ElementsAre(host));
  serve("Cache-Control: max-age=60\r\nAge: 100\r\nETag: \"a\"\r\n");
  ask();
  restart();
  EXPECT_THAT(ask().told, ElementsAre(host));  // found on the disk, but it has to be confirmed
  serve("Cache-Control: no-store\r\n");
  EXPECT_THAT(ask().told, ElementsAre(host));
  EXPECT_THAT(ask().told, ElementsAre(host));
}

TEST_F(ExchangeWitnessTest, WhereNobodyIsAsked_TheRobotIsNotTold) {
  serve("Cache-Control: no-store\r\n");
  const Answer refused = ask("only-if-cached");
  ASSERT_FALSE(refused.verdict.has_value());
  EXPECT_EQ(refused.verdict.error().kind, ErrorKind::not_stored);
  EXPECT_THAT(refused.told, IsEmpty());
  EXPECT_EQ(server->accepted(), 0U);
}

}  // namespace
}  // namespace outrider
