// Plugins in the real program: pages are changed on their way, by plugins that are loaded from files, and pages keep
// flowing whatever such a plugin does.
#include "tests/support/raw_socket.hpp"
#include "tests/support/running_outrider.hpp"
#include "tests/support/test_origin.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <zlib.h>
#include <boost/json.hpp>

#include <filesystem>
#include <fstream>
#include <mutex>

namespace outrider::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::string kPage = "<html><head><title>t</title></head><body><b>x</b><a href='http://y/'>y</a></body></html>";
const std::string kNavigation = "Sec-Fetch-Dest: document\r\nSec-Fetch-Mode: navigate\r\n";

std::string file(const std::string& name) {
  return (std::filesystem::path{OUTRIDER_BINARY}.parent_path() / name).string();
}

std::string gzipped(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(compressBound(text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

// The body of a chunked message.
std::string body_of(const std::string& message) {
  std::string rest = message.substr(message.find("\r\n\r\n") + 4);
  if (message.find("chunked") == std::string::npos) return rest;
  std::string body;
  for (;;) {
    const std::size_t size = std::stoul(rest, nullptr, 16);
    rest.erase(0, rest.find("\r\n") + 2);
    if (size == 0) return body;
    body += rest.substr(0, size);
    rest.erase(0, size + 2);
  }
}

struct Plugins : ::testing::Test {
  std::mutex mutex;
  std::string last_request;
  std::string fields = "Content-Type: text/html\r\n";
  std::string body = kPage;
  TestOrigin origin{TestOrigin::answering([this](const std::string& request) {
    const std::lock_guard lock(mutex);
    last_request = request;
    if (request.find("If-None-Match: W/\"abc\"") != std::string::npos)
      return std::string{"HTTP/1.1 304 Not Modified\r\nETag: \"abc\"\r\n\r\n"};
    return "HTTP/1.1 200 OK\r\n" + fields + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  })};

  // With patience for a busy machine, except where a plugin hangs.
  static std::vector<std::string> loading(const std::string& files, const std::string& patience = "30s") {
    return {"--set", "plugins.load=" + files, "--set", "plugins.patience=" + patience};
  }
  std::string get(RunningOutrider& outrider, const std::string& path, const std::string& more = kNavigation) {
    RawSocket socket = RawSocket::connect(outrider.port());
    socket.send("GET " + origin.url(path) + " HTTP/1.1\r\nHost: x\r\n" + more + "\r\n");
    return socket.read_message();
  }
  static std::string own(RunningOutrider& outrider, const std::string& request, const std::string& content = "") {
    RawSocket socket = RawSocket::connect(outrider.port());
    socket.send(request + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(outrider.port()) + "\r\n" +
                "Content-Length: " + std::to_string(content.size()) + "\r\n\r\n" + content);
    return socket.read_message();
  }
  static std::string api(RunningOutrider& outrider, const std::string& request, const std::string& content = "") {
    std::ifstream in(outrider.data() / "admin-token");
    std::string token;
    in >> token;
    return own(outrider, request + " HTTP/1.1\r\nAuthorization: Bearer " + token + "\r\nX-Rest:", content);
  }
  // In a folder that nobody else can write.
  static std::string copied(RunningOutrider& outrider, const std::string& name, mode_t mode) {
    const std::string to = outrider.directory() + "/" + name;
    std::filesystem::copy_file(file(name), to, std::filesystem::copy_options::overwrite_existing);
    ::chmod(to.c_str(), mode);
    return to;
  }
};

TEST_F(Plugins, TheExample_MarksLinksAndShowsItsDocument) {
  RunningOutrider outrider{loading(file("example.so"))};
  const std::string answer = get(outrider, "/");
  EXPECT_THAT(body_of(answer), HasSubstr("<a title=\"elsewhere\" href='http://y/'>"));
  EXPECT_THAT(own(outrider, "GET /plugins/example/"), HasSubstr("1 links"));
  EXPECT_THAT(api(outrider, "GET /api/v1/plugins/example/card"), HasSubstr("\"value\":1"));
  EXPECT_THAT(api(outrider, "GET /api/v1/plugins/nobody/card"), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(own(outrider, "GET /plugins/example"), StartsWith("HTTP/1.1 301"));
  EXPECT_EQ(outrider.stop(), 0);
}

TEST_F(Plugins, SettingsOfALoadedPlugin_AreItsOwnSection) {
  std::vector<std::string> arguments = loading(file("example.so"));
  arguments.insert(arguments.end(), {"--set", "plugins.example.mark=away"});
  RunningOutrider outrider{arguments};
  EXPECT_THAT(body_of(get(outrider, "/")), HasSubstr("<a title=\"away\""));
}

TEST_F(Plugins, ChangedPage_HasATrueHead) {
  fields += "ETag: \"abc\"\r\nContent-MD5: x\r\nAccept-Ranges: bytes\r\nCache-Control: no-cache\r\n";
  RunningOutrider outrider{loading(file("unruly.so"))};
  const std::string answer = get(outrider, "/");
  EXPECT_EQ(body_of(answer),
            "<html><head><title>t</title><script src=\"/x.js\"></script></head><body><b>[bold]x</b>"
            "<a href='http://y/'>y</a></body></html>");
  EXPECT_THAT(answer, HasSubstr("ETag: W/\"abc+or."));
  EXPECT_THAT(answer, HasSubstr("Accept-Ranges: none"));
  EXPECT_THAT(answer, Not(HasSubstr("Content-Length")));
  EXPECT_THAT(answer, Not(HasSubstr("Content-MD5")));
  EXPECT_THAT(answer, HasSubstr("X-Unruly: 2"));
  EXPECT_THAT(answer, Not(HasSubstr("bad name")));
  EXPECT_THAT(last_request, HasSubstr("X-Unruly: 1"));
  EXPECT_THAT(last_request, Not(HasSubstr("evil.example")));

  // The client comes back with it: 304, with the tag of the changed page. After a switch the page comes whole.
  const std::size_t at = answer.find("W/\"abc");
  const std::string tag = answer.substr(at, answer.find("\r\n", at) - at);
  const std::string again = get(outrider, "/", kNavigation + "If-None-Match: " + tag + "\r\n");
  EXPECT_THAT(again, StartsWith("HTTP/1.1 304"));
  EXPECT_THAT(again, HasSubstr("ETag: " + tag));
  // A script that knows the tag gets the page itself, not the word that what it has is right.
  const std::string fetched = get(outrider, "/", "Sec-Fetch-Dest: empty\r\nIf-None-Match: " + tag + "\r\n");
  EXPECT_THAT(fetched, StartsWith("HTTP/1.1 200"));
  EXPECT_EQ(body_of(fetched), kPage);
  EXPECT_THAT(api(outrider, "PATCH /api/v1/plugins/unruly", "{\"on\":false}"), StartsWith("HTTP/1.1 200"));
  const std::string pristine = get(outrider, "/", kNavigation + "If-None-Match: " + tag + "\r\n");
  EXPECT_THAT(pristine, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(pristine, HasSubstr("ETag: \"abc\""));
  EXPECT_EQ(body_of(pristine), kPage);
}

TEST_F(Plugins, WhatIsNoTopLevelPage_PassesUntouched) {
  RunningOutrider outrider{loading(file("unruly.so"))};
  EXPECT_EQ(body_of(get(outrider, "/1", "Sec-Fetch-Dest: iframe\r\n")), kPage);
  EXPECT_EQ(body_of(get(outrider, "/2", "Accept: */*\r\n")), kPage);
  EXPECT_EQ(body_of(get(outrider, "/not-this")), kPage);
  fields = "Content-Type: text/html\r\nCache-Control: no-transform\r\n";
  EXPECT_EQ(body_of(get(outrider, "/3")), kPage);
  fields = "Content-Type: text/plain\r\n";
  EXPECT_EQ(body_of(get(outrider, "/4")), kPage);
}

TEST_F(Plugins, CodedPage_IsDecodedForThisMachine) {
  fields += "Content-Encoding: gzip\r\n";
  body = gzipped(kPage);
  RunningOutrider outrider{loading(file("unruly.so"))};
  const std::string answer = get(outrider, "/", kNavigation + "Accept-Encoding: gzip\r\n");
  EXPECT_THAT(answer, Not(HasSubstr("Content-Encoding")));
  EXPECT_THAT(body_of(answer), HasSubstr("[bold]"));
}

TEST_F(Plugins, RequestThatAPluginAnswers_DoesNotReachTheOrigin) {
  RunningOutrider outrider{loading(file("unruly.so"))};
  const std::string answer = get(outrider, "/blocked");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(answer, HasSubstr("not here"));
  EXPECT_EQ(origin.connections(), 0U);
}

// RFC 9112 section 6.3: behind the head of a 204 comes the next answer.
TEST_F(Plugins, AnswerThatMustBeEmpty_IsEmpty) {
  RunningOutrider outrider{loading(file("unruly.so"))};
  RawSocket socket = RawSocket::connect(outrider.port());
  socket.send("GET " + origin.url("/empty") + " HTTP/1.1\r\nHost: x\r\n\r\n");
  const std::string empty = socket.read_message();
  EXPECT_THAT(empty, StartsWith("HTTP/1.1 204"));
  EXPECT_THAT(empty, Not(HasSubstr("Content-Length")));
  socket.send("GET " + origin.url("/blocked") + " HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(socket.read_message(), StartsWith("HTTP/1.1 403"));
}

// HOSTILE: plugins that crash. Three times is enough, and pages pass all the time.
TEST_F(Plugins, PluginThatThrows_IsSetAsideAndPagesPass) {
  RunningOutrider outrider{loading(file("unruly.so"))};
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(get(outrider, "/request-throws/" + std::to_string(i)), StartsWith("HTTP/1.1 200"));
    EXPECT_THAT(last_request, Not(HasSubstr("X-Lost")));
  }
  EXPECT_THAT(body_of(get(outrider, "/filter-throws")), HasSubstr("</script></head><body><b>x</b>"));
  EXPECT_EQ(body_of(get(outrider, "/after")), kPage);
  const std::string list = api(outrider, "GET /api/v1/plugins");
  EXPECT_THAT(list, HasSubstr("\"state\":\"set aside\""));
  EXPECT_THAT(list, HasSubstr("on purpose"));
  EXPECT_THAT(api(outrider, "PATCH /api/v1/plugins/unruly", "{\"on\":true}"), HasSubstr("\"state\":\"running\""));
  EXPECT_THAT(body_of(get(outrider, "/again")), HasSubstr("[bold]"));
}

// HOSTILE: an endless loop. The page arrives whole, without the plugin, and so does every other page.
TEST_F(Plugins, PluginThatHangs_IsGivenUpAndPagesPass) {
  RunningOutrider outrider{loading(file("unruly.so"), "500ms")};
  EXPECT_EQ(body_of(get(outrider, "/filter-hangs")), kPage);
  EXPECT_EQ(body_of(get(outrider, "/other")), kPage);
  const std::string list = api(outrider, "GET /api/v1/plugins");
  EXPECT_THAT(list, HasSubstr("has not returned for"));
  EXPECT_THAT(list, HasSubstr("\"hangs\":1"));
  EXPECT_THAT(api(outrider, "PATCH /api/v1/plugins/unruly", "{\"on\":true}"), StartsWith("HTTP/1.1 409"));
  EXPECT_EQ(outrider.stop(), 0);
}

// HOSTILE: another ABI, a file that others may write. Refused, and the API says so; pages pass.
TEST_F(Plugins, FilesThatCannotBeTrusted_AreRefused) {
  RunningOutrider outrider;
  outrider.stop();
  const std::string world = copied(outrider, "example.so", 0646);
  const std::string group = copied(outrider, "unruly.so", 0664);
  const std::string text = outrider.directory() + "/text.so";
  std::ofstream{text} << "not a library";
  ::chmod(text.c_str(), 0644);
  const std::string files = world + "," + group + "," + file("wrong_abi.so") + "," + file("old_api.so") + "," +
                            file("other_build.so") + "," + text + "," + outrider.directory() + "/absent.so";
  outrider.start_again(loading(files));
  EXPECT_EQ(body_of(get(outrider, "/")), kPage);
  const std::string list = api(outrider, "GET /api/v1/plugins");
  EXPECT_THAT(list, HasSubstr("everybody may change the file"));
  EXPECT_THAT(list, HasSubstr("its group may change the file"));
  EXPECT_THAT(list, HasSubstr("it is built with some-other-abi"));
  EXPECT_THAT(list, HasSubstr("other_build.so is not loaded: it is built with gcc"));
  EXPECT_THAT(list, HasSubstr("it is built for version 9999 of the interface"));
  EXPECT_THAT(list, HasSubstr("No such file"));
  const boost::json::value listed = boost::json::parse(body_of(list));
  for (const boost::json::value& plugin : listed.at("plugins").as_array()) {
    if (plugin.at("origin").as_string() == "built in") continue;
    EXPECT_NE(plugin.at("state").as_string(), "running") << boost::json::serialize(plugin);
  }
}

TEST_F(Plugins, PluginThatCannotBeUsed_IsRefusedAndTheProgramStarts) {
  const std::string files =
      file("example.so") + "," + file("example.so") + "," + file("misfit.so") + "," + file("thrower.so");
  RunningOutrider outrider{loading(files)};
  const std::string list = api(outrider, "GET /api/v1/plugins");
  EXPECT_THAT(list, HasSubstr("\"name\":\"example\""));
  EXPECT_THAT(list, HasSubstr("there is another plugin of the name example"));
  EXPECT_THAT(list, HasSubstr("bad section name plugins.mis-fit"));
  EXPECT_THAT(list, HasSubstr("it threw at once"));
  EXPECT_THAT(get(outrider, "/"), HasSubstr("200 OK"));
}

TEST_F(Plugins, Documents_AreForOurOwnPages) {
  RunningOutrider outrider{loading(file("unruly.so"))};
  EXPECT_THAT(own(outrider, "GET /plugins/unruly/a/b?c=d"), HasSubstr("/a/b?c=d "));
  EXPECT_THAT(own(outrider, "GET /plugins/nobody/"), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(own(outrider, "GET /plugins/unruly/throws"), StartsWith("HTTP/1.1 500"));
  EXPECT_THAT(own(outrider, "POST /plugins/unruly/p", "hello"), HasSubstr("hello"));
  EXPECT_THAT(api(outrider, "GET /api/v1/plugin-events?after=0"), HasSubstr("\"posted\""));
  const std::string foreign =
      own(outrider, "POST /plugins/unruly/p HTTP/1.1\r\nOrigin: http://evil.example\r\nX-Rest:", "x");
  EXPECT_THAT(foreign, StartsWith("HTTP/1.1 403"));
}

// HOSTILE: a page asks what the reader visited.
TEST_F(Plugins, Documents_AreNotLoadedByOtherSites) {
  RunningOutrider outrider{loading(file("unruly.so"))};
  const auto asked = [&](const std::string& site, const std::string& into) {
    return own(outrider, "GET /plugins/unruly/a HTTP/1.1\r\nSec-Fetch-Site: " + site + "\r\nSec-Fetch-Dest: " + into +
                             "\r\nX-Rest:");
  };
  EXPECT_THAT(asked("cross-site", "image"), StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(asked("same-site", "script"), StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(asked("same-origin", "script"), StartsWith("HTTP/1.1 200"));
  const std::string shown = asked("cross-site", "document");
  EXPECT_THAT(shown, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(shown, HasSubstr("Cross-Origin-Resource-Policy: same-origin\r\n"));
  EXPECT_THAT(shown, HasSubstr("Content-Security-Policy: default-src 'self'; frame-ancestors 'self'\r\n"));
}

// Over plain HTTP a browser may say nothing about the sender but Referer.
TEST_F(Plugins, WhatIsKnown_IsForPagesThatShowThatTheyAreOurs) {
  RunningOutrider outrider;
  const std::string ours = "http://127.0.0.1:" + std::to_string(outrider.port()) + "/plugins/rearmirror/";
  const auto asked = [&](const std::string& more) {
    return own(outrider, "GET /plugins/rearmirror/events HTTP/1.1\r\n" + more + "X-Rest:");
  };
  EXPECT_THAT(asked(""), StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(asked("Referer: http://evil.example/\r\n"), StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(asked("Sec-Fetch-Site: cross-site\r\nSec-Fetch-Dest: iframe\r\nReferer: " + ours + "\r\n"),
              StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(asked("Referer: " + ours + "\r\n"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(asked("Sec-Fetch-Site: same-origin\r\n"), StartsWith("HTTP/1.1 200"));
}

TEST_F(Plugins, SwitchedOffForASite_PassesThere) {
  RunningOutrider outrider{loading(file("unruly.so"))};
  EXPECT_THAT(api(outrider, "PATCH /api/v1/plugins/unruly", "{\"on\":false,\"site\":\"127.0.0.1\"}"),
              HasSubstr("\"127.0.0.1\":false"));
  EXPECT_EQ(body_of(get(outrider, "/")), kPage);
  EXPECT_THAT(api(outrider, "PATCH /api/v1/plugins/unruly", "{\"on\":null,\"site\":\"127.0.0.1\"}"),
              HasSubstr("\"sites\":{}"));
  EXPECT_THAT(body_of(get(outrider, "/2")), HasSubstr("[bold]"));
}

TEST_F(Plugins, ThoseThatAreBuiltIn_AreThere) {
  RunningOutrider outrider;
  const std::string list = api(outrider, "GET /api/v1/plugins");
  EXPECT_THAT(list, HasSubstr("\"name\":\"rearmirror\""));
  EXPECT_THAT(list, HasSubstr("\"name\":\"linkcheck\""));
  EXPECT_THAT(list, Not(HasSubstr("set aside")));
  EXPECT_THAT(api(outrider, "GET /api/v1/plugins/linkcheck/card"), HasSubstr("\"link\":\"/plugins/linkcheck/\""));
  EXPECT_THAT(api(outrider, "GET /api/v1/plugins/rearmirror/card"), HasSubstr("Renderer"));
}

TEST_F(Plugins, BuiltInOnes_AreListed) {
  RunningOutrider outrider;
  const std::string answer = api(outrider, "GET /api/v1/plugins");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(answer, HasSubstr("\"name\":\"hyperscout\""));
}

// Link previews: the script is answered at every site's address, and nothing of it reaches an origin.
TEST_F(Plugins, FilesOfPlugins_AreAtTheAddressOfEverySite) {
  RunningOutrider outrider;
  EXPECT_THAT(get(outrider, "/.well-known/outrider/hyperscout/scout.js"),
              HasSubstr("\r\nContent-Type: text/javascript"));
  EXPECT_THAT(get(outrider, "/.well-known/outrider/hyperscout/other.js"), StartsWith("HTTP/1.1 404"));
}

}  // namespace
}  // namespace outrider::testing
