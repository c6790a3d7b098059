#include "webui/event_stream.hpp"

#include "base/log.hpp"
#include "tests/support/asked_robot.hpp"
#include "tests/support/scripted_memory.hpp"

#include <gtest/gtest.h>
#include <boost/asio/co_spawn.hpp>

namespace outrider::webui {
namespace {

using namespace std::chrono_literals;

MemoryEvent visit_of(std::string url, std::string text = "") {
  MemoryEvent event;
  event.kind = MemoryEventKind::visit;
  event.url = std::move(url);
  event.text = std::move(text);
  return event;
}

struct ScriptedTraffic final : Traffic {
  struct Watch final : TrafficWatch {
    explicit Watch(TrafficBatch& b) : batch(b) {}
    TrafficBatch poll(std::size_t) override { return std::exchange(batch, {}); }
    TrafficBatch& batch;
  };
  TrafficBatch batch;
  std::uint64_t asked_after = 0;
  void add(std::uint64_t number, std::string host, std::string cache) {
    auto event = std::make_shared<TrafficEvent>();
    event->number = number;
    event->json = "{\"n\":" + std::to_string(number) + "}";
    event->host = std::move(host);
    event->cache = std::move(cache);
    batch.events.push_back(event);
  }
  std::unique_ptr<TrafficWatch> watch(std::uint64_t after) override {
    asked_after = after;
    return std::make_unique<Watch>(batch);
  }
  TrafficTotals totals() const override { return {}; }
};

struct NewsOfWatches final : PageWatches {
  Result<void> watch(std::string, std::optional<std::chrono::seconds>, std::string) override { return {}; }
  Result<void> unwatch(std::string_view) override { return {}; }
  std::vector<WatchedPage> watched() const override { return {}; }
  Result<void> look_now(std::string_view) override { return {}; }
  std::shared_ptr<void> on_news(std::function<void(const WatchNews&)> hear) override {
    auto kept = std::make_shared<std::function<void(const WatchNews&)>>(std::move(hear));
    listener = kept;
    return kept;
  }
  void tell(std::string kind) {
    WatchNews news;
    news.url = "http://a.example/";
    news.kind = std::move(kind);
    news.diff = "- old\n+ new";
    if (const auto heard = listener.lock()) (*heard)(news);
  }
  std::weak_ptr<std::function<void(const WatchNews&)>> listener;
};

struct EventStreamTest : ::testing::Test {
  ScriptedTraffic traffic;
  test::ScriptedMemory memory;
  Ports ports;
  Feeds feeds;
  FakeClock clock;
  WorkerPool workers{1, 8};
  std::unique_ptr<EventStream> stream;

  EventStreamTest() {
    ports.traffic = &traffic;
    ports.memory = &memory;
    clock.advance(1h);
  }
  void open(std::string_view query, std::optional<StreamPosition> from = std::nullopt) {
    ApiRequest request;
    request.query = parse_query(query);
    stream = std::make_unique<EventStream>(ports, workers, clock, EventStream::Hello{"1", "run", Role::admin},
                                           filter_of(request).value(), std::move(from), feeds);
  }
  std::string next() {
    asio::io_context here{1};
    std::string text;
    auto done = [&text](const std::exception_ptr& failure, std::string said) {
      EXPECT_FALSE(failure);
      text = std::move(said);
    };
    asio::co_spawn(here.get_executor(), stream->next(), std::move(done));
    here.run();
    return text;
  }
};

TEST_F(EventStreamTest, TheFirstEventSaysWhoIsThere) {
  open("kinds=hello");
  EXPECT_EQ(
      next(),
      "retry: 1000\nevent: hello\nid: run.0.0\ndata: {\"version\":\"1\",\"server\":\"run\",\"role\":\"admin\"}\n\n");
  EXPECT_EQ(next(), "");
}

TEST_F(EventStreamTest, Exchanges_HaveIdsThatCountUp_AndObeyTheFilters) {
  open("kinds=exchange&host=example.com&cache=hit");
  next();
  traffic.add(1, "www.example.com:443", "hit");
  traffic.add(2, "notexample.com", "hit");
  traffic.add(3, "example.com", "miss");
  traffic.add(4, "example.com", "hit");
  EXPECT_EQ(next(),
            "event: exchange\nid: run.1.0\ndata: {\"n\":1}\n\nevent: exchange\nid: run.4.0\ndata: {\"n\":4}\n\n");
}

TEST_F(EventStreamTest, WhoWasTooSlow_IsToldHowMuchIsLost) {
  open("");
  next();
  traffic.batch.lost = 17;
  EXPECT_NE(next().find("event: lost\nid: run.0.0\ndata: {\"exchanges\":17}\n\n"), std::string::npos);
}

// Markup and line breaks in titles: inert, and one event (WHATWG HTML section 9.2.6: a line break ends a field).
TEST_F(EventStreamTest, TextFromPages_CannotForgeAnEvent) {
  open("kinds=visit");
  next();
  memory.write(visit_of("http://a/", "x\n\nevent: hello\ndata: {}\r\r<script>"));
  const std::string text = next();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\r'), 0);
  EXPECT_TRUE(text.starts_with("event: visit\nid: run.0.1\ndata: {"));
}

TEST_F(EventStreamTest, SomebodyWhoIsNotWelcomeAnyMore_HearsNothing) {
  bool welcome = true;
  int looks = 0;
  EventStream::Hello hello{"1", "run", Role::user, "ann"};
  hello.still_welcome = [&] {
    ++looks;
    return welcome;
  };
  stream = std::make_unique<EventStream>(ports, workers, clock, hello, StreamFilter{}, std::nullopt, feeds);
  next();
  next();
  EXPECT_EQ(looks, 0);
  clock.advance(1s);
  next();
  next();
  EXPECT_EQ(looks, 1);
  EXPECT_FALSE(stream->ended());
  welcome = false;
  clock.advance(1s);
  memory.write(visit_of("http://a/"));
  EXPECT_EQ(next(), "");
  EXPECT_TRUE(stream->ended());
}

TEST_F(EventStreamTest, WithoutAPosition_OnlyWhatIsNewIsTold) {
  memory.write(visit_of("http://old/"));
  open("kinds=visit");
  next();
  memory.write(visit_of("http://new/"));
  const std::string text = next();
  EXPECT_EQ(text.find("old"), std::string::npos);
  EXPECT_NE(text.find("http://new/"), std::string::npos);
}

TEST_F(EventStreamTest, WhoComesBack_GoesOnWhereTheStreamBroke) {
  memory.write(visit_of("http://one/"));
  memory.write(visit_of("http://two/"));
  open("kinds=visit,exchange", StreamPosition::parse("run.41.1"));
  EXPECT_EQ(traffic.asked_after, 41U);
  const std::string text = next();
  EXPECT_EQ(text.find("http://one/"), std::string::npos);
  EXPECT_NE(text.find("http://two/"), std::string::npos);
}

TEST_F(EventStreamTest, NumbersOfAnotherRun_DoNotCount) {
  open("", StreamPosition::parse("before.41.0"));
  EXPECT_EQ(traffic.asked_after, 0U);
}

TEST_F(EventStreamTest, Stats_ComeOnceASecond) {
  open("kinds=stats");
  EXPECT_NE(next().find("event: stats\n"), std::string::npos);
  EXPECT_EQ(next(), "");
  clock.advance(1s);
  EXPECT_NE(next().find("event: stats\n"), std::string::npos);
}

TEST_F(EventStreamTest, Silence_IsBrokenByAComment) {
  open("kinds=visit");
  next();
  clock.advance(15s);
  EXPECT_EQ(next(), ":\n\n");
}

TEST(StreamPosition, IsReadAsItIsWritten_AndNothingElseIs) {
  const auto position = StreamPosition::parse("ab.12.7");
  ASSERT_TRUE(position);
  EXPECT_EQ(position->to_string(), "ab.12.7");
  for (const std::string_view text : {"", "ab", "ab.1", ".1.2", "ab.x.1", "ab.1.", "ab.-1.2", "ab.1.2.3"})
    EXPECT_FALSE(StreamPosition::parse(text)) << text;
}

TEST(StreamFilter, UnknownKinds_AreRefused) {
  ApiRequest request;
  for (const std::string_view query : {"kinds=exchange,nonsense", "with=nonsense"}) {
    request.query = parse_query(query);
    EXPECT_FALSE(filter_of(request)) << query;
  }
}

TEST_F(EventStreamTest, NewsOfWatchedPages_AreOneEventEach_AndUnchangedOnesAreNone) {
  NewsOfWatches watches;
  ports.watches = &watches;
  open("kinds=watch");
  next();
  watches.tell("unchanged");
  watches.tell("changed");
  const std::string text = next();
  EXPECT_NE(text.find("event: watch\n"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("diff":"- old\n+ new")"), std::string::npos) << text;
  EXPECT_EQ(text.find("unchanged"), std::string::npos);
  open("kinds=visit");
  EXPECT_TRUE(watches.listener.expired()) << "nobody listens who does not want to hear";
}

TEST_F(EventStreamTest, WhatPluginsPublish_IsToldOnce) {
  struct Published final : PluginControl {
    std::uint64_t newest = 3;
    boost::json::array list() const override { return {}; }
    Result<void> turn(std::string_view, std::string_view, bool) override { return {}; }
    Result<void> forget_site(std::string_view, std::string_view) override { return {}; }
    Result<boost::json::object> card(std::string_view) override { return boost::json::object{}; }
    boost::json::object events(std::uint64_t cursor) const override {
      boost::json::array found;
      for (std::uint64_t n = 1; n <= newest; ++n)
        if (n > cursor) found.push_back(boost::json::object{{"cursor", n}, {"plugin", "linkcheck"}});
      return {{"events", found}, {"next", newest}};
    }
  } plugins;
  ports.plugins = &plugins;
  open("kinds=plugin");
  next();
  ++plugins.newest;
  EXPECT_NE(next().find("event: plugin\nid: run.0.0\ndata: {\"cursor\":4,\"plugin\":\"linkcheck\"}\n"),
            std::string::npos);
  EXPECT_EQ(next(), "");
  open("kinds=visit");
  next();
  ++plugins.newest;
  EXPECT_EQ(next(), "");
}

TEST_F(EventStreamTest, AsLines_EveryEventIsOneObject) {
  ApiRequest request;
  stream = std::make_unique<EventStream>(ports, workers, clock, EventStream::Hello{"1", "run", Role::admin},
                                         filter_of(request).value(), std::nullopt, feeds, StreamFormat::lines);
  traffic.add(7, "example.org", "hit");
  const std::string text = next();
  EXPECT_TRUE(text.starts_with("{\"event\":\"hello\",\"id\":\"run.0.0\",\"data\":{")) << text;
  EXPECT_NE(text.find("\n{\"event\":\"exchange\",\"id\":\"run.7.0\",\"data\":{\"n\":7}}\n"), std::string::npos) << text;
  clock.advance(1min);
  EXPECT_EQ(next().find(":\n\n"), std::string::npos) << "a comment is no message";
}

TEST_F(EventStreamTest, ChangesOfTasks_AreToldOnce) {
  test::AskedRobot robot;
  robot.add(3, "http://a/");
  feeds.tasks = std::make_unique<TaskFeed>(robot);
  ApiRequest request;
  request.query = parse_query("kinds=task");
  stream = std::make_unique<EventStream>(ports, workers, clock, EventStream::Hello{"1", "run", Role::admin},
                                         filter_of(request).value(), std::nullopt, feeds);
  next();  // greets
  robot.tasks[3].state = TaskState::finished;
  clock.advance(1s);
  const std::string text = next();
  EXPECT_NE(text.find("event: task\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\"state\":\"finished\""), std::string::npos) << text;
  clock.advance(1s);
  EXPECT_EQ(next().find("event: task"), std::string::npos);
}

struct TwoSettings final : SettingsControl {
  json::object values{{"a.one", json::object{{"value", 1}}}, {"a.two", json::object{{"value", 2}}}};
  std::weak_ptr<Listener> listener;
  json::object all() const override { return values; }
  Result<void> change(const json::object&) override { return {}; }
  std::shared_ptr<void> on_change(Listener hear) override {
    auto kept = std::make_shared<Listener>(std::move(hear));
    listener = kept;
    return kept;
  }
  void set(const std::string& key, int value) {
    values[key].as_object()["value"] = value;
    if (const auto heard = listener.lock()) (*heard)({key});
  }
};

TEST_F(EventStreamTest, SettingsThatChange_AreToldWithTheirValues) {
  TwoSettings settings;
  ports.settings = &settings;
  open("kinds=settings");
  next();
  settings.set("a.two", 3);
  settings.set("a.two", 4);
  EXPECT_EQ(next(), "event: settings\nid: run.0.0\ndata: {\"settings\":[{\"key\":\"a.two\",\"value\":4}]}\n\n");
  EXPECT_EQ(next(), "");
  open("kinds=visit");
  EXPECT_TRUE(settings.listener.expired()) << "nobody listens who does not want to hear";
}

TEST_F(EventStreamTest, AState_IsToldWhenItHasChanged_AndLookedAtOnceASecond) {
  int looks = 0, state = 1;
  feeds.plugins = std::make_unique<StateFeed>(
      [&](WallTime) {
        return json::object{{"plugins", json::array{state}}, {"looks", ++looks}};
      },
      1s,
      [](json::object all) {
        all.erase("looks");
        return all;
      });
  open("kinds=plugins");
  next();
  EXPECT_EQ(next(), "") << "as it was when somebody came";
  EXPECT_EQ(looks, 1);
  state = 2;
  EXPECT_EQ(next(), "");
  clock.advance(1s);
  EXPECT_EQ(next(), "event: plugins\nid: run.0.0\ndata: {\"plugins\":[2],\"looks\":2}\n\n");
  clock.advance(1s);
  EXPECT_EQ(next(), "");
  EXPECT_EQ(looks, 3);
}

TEST_F(EventStreamTest, Figures_ComeOnlyToThoseWhoNameThem_AllOfThemAndThenTheChanges) {
  int looks = 0, pages = 7;
  feeds.health = std::make_unique<StateFeed>(
      [&](WallTime) {
        ++looks;
        return json::object{{"memory", json::object{{"pages", pages}, {"links", 1}}}, {"pinned", json::array{}}};
      },
      2s);
  open("");
  next();
  EXPECT_EQ(looks, 0) << "nobody wants to know";
  open("with=health&kinds=visit");
  EXPECT_NE(next().find("event: health\nid: run.0.0\ndata: {\"memory\":{\"pages\":7,\"links\":1},\"pinned\":[]}\n"),
            std::string::npos);
  clock.advance(2s);
  EXPECT_EQ(next(), "");
  pages = 8;
  clock.advance(2s);
  EXPECT_EQ(next(), "event: health\nid: run.0.0\ndata: {\"memory\":{\"pages\":8}}\n\n");
}

TEST_F(EventStreamTest, LinesOfTheLog_ComeOnlyToAnAdminWhoNamesThem) {
  log::warn(Room::webui, "before_anybody_came");
  open("kinds=log");
  next();
  log::warn(Room::webui, "somebody_listens", {{"n", 1}});
  const std::string text = next();
  EXPECT_NE(text.find("event: log\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\"event\":\"somebody_listens\",\"fields\":\"n=1\""), std::string::npos) << text;
  EXPECT_EQ(text.find("before_anybody_came"), std::string::npos);
  EXPECT_EQ(next(), "");
  open("");
  next();
  log::warn(Room::webui, "nobody_asked");
  EXPECT_EQ(next().find("event: log"), std::string::npos);
  ApiRequest request;
  request.query = parse_query("kinds=log");
  stream = std::make_unique<EventStream>(ports, workers, clock, EventStream::Hello{"1", "run", Role::reader},
                                         filter_of(request).value(), std::nullopt, feeds);
  next();
  log::warn(Room::webui, "not_for_readers");
  EXPECT_EQ(next(), "");
}

// The traffic of the others, and what the robot does for them, is nothing for one user.
TEST_F(EventStreamTest, AUser_HearsOfTheMemoryOnly) {
  TwoSettings settings;
  ports.settings = &settings;
  int seen = 0;
  feeds.plugins = std::make_unique<StateFeed>([&](WallTime) { return json::object{{"plugins", ++seen}}; }, 1s);
  test::AskedRobot robot;
  feeds.tasks = std::make_unique<TaskFeed>(robot);
  ApiRequest request;
  stream = std::make_unique<EventStream>(ports, workers, clock, EventStream::Hello{"1", "run", Role::user, "ann"},
                                         filter_of(request).value(), std::nullopt, feeds);
  traffic.add(7, "example.org", "hit");
  robot.add(3, "http://a/");
  settings.set("a.one", 9);
  memory.write(visit_of("http://hers/"));
  clock.advance(2s);
  const std::string text = next() + next();
  for (const std::string_view kind :
       {"event: exchange", "event: stats", "event: task", "event: settings", "event: plugins"})
    EXPECT_EQ(text.find(kind), std::string::npos) << kind;
  EXPECT_NE(text.find("http://hers/"), std::string::npos) << text;
  EXPECT_EQ(memory.last_viewer, "ann");
}

}  // namespace
}  // namespace outrider::webui
