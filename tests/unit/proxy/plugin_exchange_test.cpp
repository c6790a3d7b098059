// One exchange through plugins, built in and isolated, without a network.
#include "proxy/plugin_exchange.hpp"

#include "base/config_loader.hpp"
#include "base/content_encoder.hpp"
#include "base/reactor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <boost/asio/co_spawn.hpp>

#include <filesystem>
#include <future>
#include <thread>

namespace outrider {
namespace {

using ::testing::HasSubstr;

class Bold final : public PageFilter {
 public:
  explicit Bold(std::string mark, std::function<void()> doing) : mark_(std::move(mark)), doing_(std::move(doing)) {}
  void on_head(HeaderMap& headers) override {
    headers.set("Content-Security-Policy", headers.joined("Content-Security-Policy") + mark_);
    headers.set("Content-Length", "1");  // not its business
  }
  PageInterest interest() const override { return PageInterest::in({{"b", ""}}); }
  void on_start_tag(const HtmlTag&, TagEdit& edit) override {
    edit.after(mark_);
    if (doing_) doing_();
  }

 private:
  const std::string mark_;
  const std::function<void()> doing_;
};

struct Marker : Plugin {
  explicit Marker(std::string n) : name(std::move(n)) {}
  PluginInfo info() const override { return {name, name, "1", "", {Hook::page, Hook::request}}; }
  std::unique_ptr<PageFilter> on_page(const PluginRequest&, const PluginResponse& response) override {
    for_everybody = response.for_everybody;
    return std::make_unique<Bold>("[" + name + "]", doing);
  }
  std::string name;
  std::function<void()> doing;
  bool for_everybody = false;
};

struct PluginExchangeTest : ::testing::Test {
  PluginExchangeTest()
      : folder(std::filesystem::temp_directory_path() / ("outrider-exchange-" + std::to_string(::getpid()))) {
    request.set_method(Method::get);
    request.headers.add("Sec-Fetch-Dest", "document");
    response.headers.add("Content-Type", "text/html");
    response.headers.add("ETag", "\"t\"");
    settings.patience = std::chrono::minutes{1};
    settings.budget = std::chrono::seconds{10};
  }
  ~PluginExchangeTest() override { std::filesystem::remove_all(folder); }

  void start() {
    host = std::make_unique<PluginHost>(settings, folder, metrics, PluginHost::Ports{});
    for (const std::shared_ptr<Marker>& plugin : {a, b}) host->add({plugin, "built in", false});
    ConfigSchema schema;
    schema.add<PluginSettings>();
    host->start(*load_config_text(schema, "", "test"));
  }

  // The page in pieces of `size`; what came out for each of them, with "|" between.
  Task<std::string> pass(std::string page, std::size_t size) {
    PluginExchange exchange{*host, reactor.executor(), url, request, "", local};
    co_await exchange.request();
    BodyFraming framing{BodyFraming::Kind::length, page.size()};
    const std::unique_ptr<PageTransform> transform = co_await exchange.response(response, framing, for_everybody);
    if (!transform) co_return "untouched";
    std::string out;
    for (std::size_t at = 0; at < page.size(); at += size) {
      const std::string piece = page.substr(at, size);
      std::string_view rest = piece;
      while (!rest.empty()) {
        const Result<std::string_view> got = co_await transform->feed(rest);
        if (!got) co_return "error " + got.error().to_string();
        largest = std::max(largest, got->size());
        out += *got;
      }
      out += split ? "|" : "";
    }
    const Result<std::string_view> last = co_await transform->finish();
    if (!last) co_return "error " + last.error().to_string();
    out += *last;
    co_return out;
  }
  std::string through(const std::string& page, std::size_t size = 1000) {
    std::string result;
    auto done = [&](const std::exception_ptr& failure, std::string out) {
      result = failure ? "exception" : std::move(out);
      reactor.stop();
    };
    reactor.context().restart();
    asio::co_spawn(reactor.executor(), pass(page, size), std::move(done));
    const auto guard = asio::make_work_guard(reactor.context());
    reactor.run();
    return result;
  }

  const std::filesystem::path folder;
  PluginSettings settings;
  Metrics metrics;
  Reactor reactor;
  Url url = *Url::parse("http://example.com/");
  RequestHead request;
  ResponseHead response;
  bool local = true;
  bool for_everybody = false;
  bool split = false;
  std::size_t largest = 0;  // of what came out at once
  std::shared_ptr<Marker> a = std::make_shared<Marker>("a");
  std::shared_ptr<Marker> b = std::make_shared<Marker>("b");
  std::unique_ptr<PluginHost> host;
};

TEST_F(PluginExchangeTest, BuiltIn_BothChangeThePage) {
  start();
  EXPECT_EQ(through("<p><b>x"), "<p><b>[a][b]x");
  EXPECT_THAT(std::string{*response.headers.find("ETag")}, HasSubstr("W/\"t+or."));
}

TEST_F(PluginExchangeTest, Plugins_AreToldWhetherThePageIsOnePersons) {
  for (const PluginIsolation isolate : {PluginIsolation::loaded, PluginIsolation::all}) {
    settings.isolate = isolate;
    start();
    for (const bool is : {true, false}) {
      for_everybody = is;
      through("<p><b>x");
      EXPECT_EQ(a->for_everybody, is);
    }
  }
}

TEST_F(PluginExchangeTest, Heads_AreChangedByOneAfterTheOther) {
  for (const PluginIsolation isolate : {PluginIsolation::loaded, PluginIsolation::all}) {
    settings.isolate = isolate;
    response.headers.set("Content-Security-Policy", "img-src *;");
    start();
    through("<p><b>x");
    EXPECT_EQ(response.headers.joined("Content-Security-Policy"), "img-src *;[a][b]");
    EXPECT_FALSE(response.headers.has("Content-Length"));
  }
}

// RFC 9111 section 3.2: the fields of a 304 replace those that the browser keeps, which admit what was inserted.
TEST_F(PluginExchangeTest, NotModified_LeavesTheBrowserItsPolicy) {
  start();
  through("<p><b>x");
  request.headers.set("If-None-Match", *response.headers.find("ETag"));
  response = ResponseHead{};
  response.status = 304;
  response.headers.add("ETag", "\"t\"");
  response.headers.add("Content-Security-Policy", "default-src 'none'");
  EXPECT_EQ(through(""), "untouched");
  EXPECT_FALSE(response.headers.has("Content-Security-Policy"));
  EXPECT_TRUE(response.headers.has("ETag"));
}

TEST_F(PluginExchangeTest, Isolated_TheSecondSeesWhatTheFirstMade) {
  settings.isolate = PluginIsolation::all;
  start();
  EXPECT_EQ(through("<p><b>x"), "<p><b>[b][a]x");
}

// The first byte goes out within the chunk it came in, also through codings.
TEST_F(PluginExchangeTest, Pieces_GoOutAsTheyCome) {
  start();
  split = true;
  EXPECT_EQ(through("<p>one<b>", 4), "<p>o|ne|<b>[a][b]|");
}

// Over plain HTTP nobody says whether a page fills the window or a frame; the page around it has said so.
TEST_F(PluginExchangeTest, FrameOfAPageThatPassed_IsLeftAlone) {
  for (const PluginIsolation isolate : {PluginIsolation::loaded, PluginIsolation::all}) {
    settings.isolate = isolate;
    start();
    request.headers = {};
    request.headers.add("Upgrade-Insecure-Requests", "1");
    request.headers.add("Accept", "text/html,*/*;q=0.8");
    url = *Url::parse("http://example.com/around.html");
    EXPECT_THAT(through("<p><b>x<iframe src='part.html?a=1&amp;b=2#top'></iframe>"), HasSubstr("[a]"));

    url = *Url::parse("http://example.com/part.html?a=1&b=2");
    EXPECT_THAT(through("<p><b>x"), HasSubstr("[a]")) << "typed in";
    request.headers.set("Referer", "http://example.com/elsewhere.html");
    EXPECT_THAT(through("<p><b>x"), HasSubstr("[a]")) << "linked from elsewhere";
    request.headers.set("Referer", "http://example.com/around.html");
    EXPECT_EQ(through("<p><b>x"), "untouched");

    response.status = 302;  // the frame's page is somewhere else now
    response.headers.set("Location", "/moved.html");
    EXPECT_EQ(through(""), "untouched");
    response.status = 200;
    url = *Url::parse("http://example.com/moved.html");
    EXPECT_EQ(through("<p><b>x"), "untouched");

    request.headers.set("Sec-Fetch-Dest", "document");  // who says it is believed
    EXPECT_THAT(through("<p><b>x"), HasSubstr("[a]"));
  }
}

TEST_F(PluginExchangeTest, CodingWithoutItsEnd_EndsThePageNormally) {
  start();
  response.headers.add("Content-Encoding", "gzip");
  std::string page = encode_content(ContentCoding::gzip, "<p><b>x");
  page.resize(page.size() - 8);  // RFC 1952 section 2.3: checksum and length
  EXPECT_EQ(through(page), "<p><b>[a][b]x");
}

// HOSTILE: decompression bombs.
TEST_F(PluginExchangeTest, Bomb_IsStopped) {
  start();
  response.headers.add("Content-Encoding", "gzip");
  const std::string bomb = encode_content(ContentCoding::gzip, std::string(20'000'000, ' '));
  EXPECT_THAT(through(bomb, bomb.size()), HasSubstr("error"));
}

TEST_F(PluginExchangeTest, LargeCodedChunk_IsNotInMemoryAllAtOnce) {
  for (const PluginIsolation isolate : {PluginIsolation::loaded, PluginIsolation::all}) {
    settings.isolate = isolate;
    start();
    ResponseHead coded = response;
    coded.headers.add("Content-Encoding", "gzip");
    std::swap(coded, response);
    std::string page;
    for (int i = 0; page.size() < 1'000'000; ++i) page += "<p>" + std::to_string(i * 7919 % 10007) + "</p>";
    const std::string bytes = encode_content(ContentCoding::gzip, page);
    ASSERT_GT(bytes.size(), 30'000U);
    EXPECT_TRUE(through(bytes, bytes.size()) == page);
    EXPECT_LT(largest, page.size() / 2);
    std::swap(coded, response);
    largest = 0;
  }
}

TEST_F(PluginExchangeTest, CodedPage_IdentityForThisMachine_CodedForOthers) {
  start();
  response.headers.add("Content-Encoding", "gzip");
  const ResponseHead coded = response;
  const std::string page = encode_content(ContentCoding::gzip, "<p><b>x");
  EXPECT_EQ(through(page, 5), "<p><b>[a][b]x");
  EXPECT_FALSE(response.headers.has("Content-Encoding"));
  response = coded;
  local = false;
  const std::string recoded = through(page, 5);
  EXPECT_EQ(*decode_content("gzip", recoded), "<p><b>[a][b]x");
  EXPECT_EQ(response.headers.find("Content-Encoding"), "gzip");
}

TEST_F(PluginExchangeTest, UnknownOrBrokenCodings) {
  start();
  response.headers.add("Content-Encoding", "rot13");
  EXPECT_EQ(through("<b>"), "untouched");
  EXPECT_EQ(response.headers.find("ETag"), "\"t\"");
  response.headers.set("Content-Encoding", "gzip");
  EXPECT_THAT(through("this is not gzip"), HasSubstr("error"));
}

TEST_F(PluginExchangeTest, OneThrows_TheOtherGoesOn) {
  a->doing = [] { throw std::runtime_error("broken"); };
  start();
  EXPECT_EQ(through("<b>x<b>y"), "<b>[b]x<b>[b]y");
  EXPECT_EQ(host->find("a")->report().exceptions, 1U);
  EXPECT_EQ(host->find("b")->report().exceptions, 0U);
}

// HOSTILE: an endless loop in a hook. What went in and did not come out is not lost.
TEST_F(PluginExchangeTest, OneHangs_ThePageGoesOnFromTheLastByte) {
  settings.isolate = PluginIsolation::all;
  settings.patience = std::chrono::milliseconds{100};
  auto free = std::make_shared<std::promise<void>>();
  auto waiting = std::make_shared<std::shared_future<void>>(free->get_future());
  b->doing = [waiting] { waiting->wait(); };
  start();
  EXPECT_EQ(through("one<i>two<b>three<i>", 5), "one<i>two<b>[a]three<i>");
  while (!host->lost()) std::this_thread::yield();  // the page does not wait for the watchdog to look
  EXPECT_FALSE(host->find("b")->running());
  EXPECT_EQ(host->find("b")->report().hangs, 1U);
  free->set_value();
}

TEST_F(PluginExchangeTest, SwitchedOff_ThePageIsUntouched) {
  start();
  EXPECT_TRUE(host->turn("a", "example.com", false));
  EXPECT_TRUE(host->turn("b", "", false));
  EXPECT_EQ(through("<b>"), "untouched");
}

TEST(AcceptedFields, WhatIsTheProxysStays) {
  HeaderMap original;
  original.add("Content-Length", "5");
  original.add("X", "1");
  HeaderMap changed;
  changed.add("Content-Length", "9");
  changed.add("Transfer-Encoding", "chunked");
  changed.add("X", "2");
  changed.add("bad name", "x");
  changed.add("Y", "a\r\nSet-Cookie: b");
  const HeaderMap accepted = accepted_fields(changed, original, HookSide::response);
  EXPECT_EQ(accepted.find("Content-Length"), "5");
  EXPECT_EQ(accepted.find("X"), "2");
  EXPECT_EQ(accepted.size(), 2U);
}

}  // namespace
}  // namespace outrider
