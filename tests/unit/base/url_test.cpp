// Rules of https://url.spec.whatwg.org/ and of our own interface that the conformance cases (url_wpt_test) do not
// state.
#include "base/url.hpp"

#include "base/url_parser.hpp"
#include "tests/support/url_cases.hpp"

#include <gtest/gtest.h>

#include <unordered_set>

namespace outrider {
namespace {

using test::parse_exact;

Url parsed(std::string_view input) {
  Result<Url> url = parse_exact(input);
  EXPECT_TRUE(url) << input;
  return url ? *url : Url();
}

std::string href_of(std::string_view input, std::string_view base = {}) {
  std::optional<Url> base_url;
  if (!base.empty()) base_url = parsed(base);
  const Result<Url> url = parse_exact(input, base_url ? &*base_url : nullptr);
  return url ? url->href() : "failure";
}

TEST(Url, Parts_AreViewsOfOneString) {
  const Url url = parsed("https://user:pa%20ss@Example.com:8443/a/b?q=1#frag");
  EXPECT_EQ(url.href(), "https://user:pa%20ss@example.com:8443/a/b?q=1#frag");
  EXPECT_EQ(url.protocol(), "https:");
  EXPECT_EQ(url.scheme(), "https");
  EXPECT_EQ(url.username(), "user");
  EXPECT_EQ(url.password(), "pa%20ss");
  EXPECT_EQ(url.host(), "example.com:8443");
  EXPECT_EQ(url.hostname(), "example.com");
  EXPECT_EQ(url.port(), "8443");
  EXPECT_EQ(url.pathname(), "/a/b");
  EXPECT_EQ(url.search(), "?q=1");
  EXPECT_EQ(url.hash(), "#frag");
  EXPECT_EQ(url.origin(), "https://example.com:8443");
  EXPECT_EQ(url.path_and_query(), "/a/b?q=1");
  EXPECT_EQ(url.href_without_fragment(), "https://user:pa%20ss@example.com:8443/a/b?q=1");
  EXPECT_TRUE(url.has_credentials());
  EXPECT_EQ(url.pathname().data(), url.href().data() + url.href().find("/a/b"));
}

TEST(Url, AbsentAndEmptyQuery_AreDifferent) {
  EXPECT_EQ(parsed("http://h/").query(), std::nullopt);
  EXPECT_EQ(parsed("http://h/?").query(), "");
  EXPECT_EQ(parsed("http://h/?").search(), "");
  EXPECT_EQ(parsed("http://h/?").path_and_query(), "/?");  // goes over the wire as it is
  EXPECT_EQ(parsed("http://h/#").fragment(), "");
  EXPECT_EQ(parsed("http://h/#").hash(), "");
  EXPECT_EQ(parsed("http://h/?#x").href_without_fragment(), "http://h/?");
}

TEST(Url, EmptyPath_IsASlashInARequestTarget) {  // RFC 9112 section 3.2.1
  EXPECT_EQ(parsed("http://example.com").path_and_query(), "/");
  EXPECT_EQ(parsed("http://example.com?x").path_and_query(), "/?x");
  EXPECT_EQ(parsed("http://example.com#f").href(), "http://example.com/#f");
  EXPECT_EQ(parsed("http://example.com:81?x#f").href(), "http://example.com:81/?x#f");
}

TEST(Url, Ports_DefaultIsDroppedAndKnown) {
  EXPECT_EQ(parsed("http://h:80/").port_number(), std::nullopt);
  EXPECT_EQ(parsed("http://h:80/").href(), "http://h/");
  EXPECT_EQ(parsed("http://h/").effective_port(), 80);
  EXPECT_EQ(parsed("https://h/").effective_port(), 443);
  EXPECT_EQ(parsed("wss://h/").effective_port(), 443);
  EXPECT_EQ(parsed("ftp://h/").effective_port(), 21);
  EXPECT_EQ(parsed("https://h:80/").effective_port(), 80);
  EXPECT_EQ(parsed("http://h:0/").port_number(), 0);
  EXPECT_EQ(parsed("http://h:00000000000000008080/").port(), "8080");
  EXPECT_EQ(parsed("http://h:65535/").port_number(), 65535);
  EXPECT_EQ(parsed("ssh://h/").effective_port(), 0);
  EXPECT_EQ(parsed("file:///x").effective_port(), 0);
  EXPECT_EQ(parsed("http://h:/").href(), "http://h/");
  for (const char* bad :
       {"http://h:65536/", "http://h:-1/", "http://h:8 0/", "http://h:80a/", "http://h:99999999999999999999/"})
    EXPECT_FALSE(parse_exact(bad)) << bad;
}

TEST(Url, HostKind_TellsAddressesFromNames) {
  EXPECT_EQ(parsed("http://example.com/").host_kind(), HostKind::domain);
  EXPECT_EQ(parsed("http://EXAMPLE.com/").host_kind(), HostKind::domain);
  EXPECT_EQ(parsed("http://127.1/").host_kind(), HostKind::ipv4);
  EXPECT_EQ(parsed("http://[::1]/").host_kind(), HostKind::ipv6);
  EXPECT_EQ(parsed("foo://[::1]/").host_kind(), HostKind::ipv6);
  EXPECT_EQ(parsed("foo://127.1/").host_kind(), HostKind::opaque);
  EXPECT_EQ(parsed("foo:///").host_kind(), HostKind::none);
  EXPECT_EQ(parsed("file:///x").host_kind(), HostKind::none);
  EXPECT_EQ(parsed("file://localhost/x").host_kind(), HostKind::none);
  EXPECT_EQ(parsed("file://server/x").host_kind(), HostKind::domain);
  EXPECT_EQ(parsed("mailto:x@y").host_kind(), HostKind::none);
  const Url base = parsed("http://10.0.0.1/a");
  EXPECT_EQ(parse_exact("b", &base)->host_kind(), HostKind::ipv4);
}

TEST(Url, LoopbackInAnySpelling_BecomesOneHost) {  // an address policy sees only what comes out here
  for (const char* spelling :
       {"http://127.0.0.1/", "http://127.1/", "http://0x7f.1/", "http://0177.0.0.1/", "http://2130706433/",
        "http://0x7F000001/", "http://127.0.0.1./", "http://%31%32%37.0.0.1/", "http://１２７.０.０.１/",
        "http:\\\\127.0.0.1\\", "http:127.0.0.1", "http://x@127.0.0.1"})
    EXPECT_EQ(parsed(spelling).hostname(), "127.0.0.1") << spelling;
}

TEST(Url, Origin_OfEverySchemeKind) {  // https://url.spec.whatwg.org/#origin
  EXPECT_EQ(parsed("http://u:p@h:81/x").origin(), "http://h:81");
  EXPECT_EQ(parsed("ws://h/x").origin(), "ws://h");
  EXPECT_EQ(parsed("ftp://h/x").origin(), "ftp://h");
  EXPECT_EQ(parsed("file:///x").origin(), "null");
  EXPECT_EQ(parsed("data:text/plain,x").origin(), "null");
  EXPECT_EQ(parsed("blob:https://h:8443/uuid").origin(), "https://h:8443");
  EXPECT_EQ(parsed("blob:ftp://h/uuid").origin(), "null");
  EXPECT_EQ(parsed("blob:blob:https://h/").origin(), "null");
  EXPECT_EQ(parsed("blob:").origin(), "null");
}

TEST(Url, RelativeReferences_OfRfc3986) {  // RFC 3986 section 5.4.1; the results of the WHATWG algorithm are the same
  const std::pair<const char*, const char*> cases[] = {{"g:h", "g:h"},
                                                       {"g", "http://a/b/c/g"},
                                                       {"./g", "http://a/b/c/g"},
                                                       {"g/", "http://a/b/c/g/"},
                                                       {"/g", "http://a/g"},
                                                       {"//g", "http://g/"},
                                                       {"?y", "http://a/b/c/d;p?y"},
                                                       {"g?y", "http://a/b/c/g?y"},
                                                       {"#s", "http://a/b/c/d;p?q#s"},
                                                       {"g#s", "http://a/b/c/g#s"},
                                                       {";x", "http://a/b/c/;x"},
                                                       {"", "http://a/b/c/d;p?q"},
                                                       {".", "http://a/b/c/"},
                                                       {"..", "http://a/b/"},
                                                       {"../g", "http://a/b/g"},
                                                       {"../..", "http://a/"},
                                                       {"../../g", "http://a/g"},
                                                       {"../../../g", "http://a/g"},
                                                       {"/../g", "http://a/g"},
                                                       {"g.", "http://a/b/c/g."},
                                                       {"..g", "http://a/b/c/..g"},
                                                       {"g;x=1/../y", "http://a/b/c/y"},
                                                       {"g?y/../x", "http://a/b/c/g?y/../x"}};
  for (const auto& [input, expected] : cases) EXPECT_EQ(href_of(input, "http://a/b/c/d;p?q"), expected) << input;
}

TEST(Url, RelativeToOddBases) {
  EXPECT_EQ(href_of("x", "mailto:a@b"), "failure");
  EXPECT_EQ(href_of("#x", "mailto:a@b?s"), "mailto:a@b?s#x");
  EXPECT_EQ(href_of("b", "foo:/.//a"), "foo:/.//b");
  EXPECT_EQ(href_of("/..//b", "foo:/x"), "foo:/.//b");
  EXPECT_EQ(href_of("//h/..", "foo:/x"), "foo://h/");
  EXPECT_EQ(href_of("https:x", "https://u:p@h:1/a/b?q#f"), "https://u:p@h:1/a/x");
  EXPECT_EQ(href_of("http:x", "https://h/a/b"), "http://x/");
  const Url nothing;
  EXPECT_FALSE(Url::parse("x", &nothing));
}

TEST(Url, IllFormedUtf8_CountsAsReplacementCharacter) {
  EXPECT_EQ(href_of("http://h/\xFF"), "http://h/%EF%BF%BD");
  EXPECT_EQ(href_of("http://h/?\xE4\xB8#\xED\xA0\x80"), "http://h/?%EF%BF%BD#%EF%BF%BD%EF%BF%BD%EF%BF%BD");
  EXPECT_EQ(href_of("http://h\xFF/"), "failure");
  EXPECT_EQ(href_of("http://h%FF/"), "failure");
}

TEST(Url, ControlsAroundAndInside_AreRemovedOrEncoded) {
  EXPECT_EQ(href_of(" \x1F\tht\ntp://h\r/a\tb \n"), "http://h/ab");
  EXPECT_EQ(href_of(std::string_view("http://h/\0x", 11)), "http://h/%00x");
  EXPECT_EQ(href_of(std::string_view("http://h\0x/", 11)), "failure");
  EXPECT_EQ(href_of("http://h/\x7F"), "http://h/%7F");
  EXPECT_EQ(href_of(""), "failure");
  EXPECT_EQ(href_of(" \t"), "failure");
}

TEST(Url, HugeInputs_AreLinearOrRefused) {
  std::string dots = "http://h/";
  for (int i = 0; i < 200'000; ++i) dots += "a/../";
  EXPECT_EQ(href_of(dots), "http://h/");
  EXPECT_EQ(href_of("http://" + std::string(300'000, '@') + "h/").size(), std::string("http://@h/").size() + 899'997);
  EXPECT_EQ(href_of("http:" + std::string(1'000'000, '/') + "h"), "http://h/");
  EXPECT_EQ(parsed("http://" + std::string(1'000'000, 'a') + "/").hostname().size(), 1'000'000U);
  EXPECT_FALSE(Url::parse(std::string(Url::kMaxBytes + 1, 'a')));
  EXPECT_FALSE(
      Url::parse("http://h/" + std::string(Url::kMaxBytes - 100, ' ') + "x"));  // three times as long once encoded
}

TEST(Url, SettersReportWhatTheyRefuse) {
  Url url = parsed("http://example.com/a?b#c");
  EXPECT_FALSE(url.set_protocol("mailto"));
  EXPECT_FALSE(url.set_port("x"));
  EXPECT_FALSE(url.set_host(""));
  EXPECT_FALSE(url.set_hostname("a:80"));
  EXPECT_FALSE(url.set_href("nonsense"));
  EXPECT_EQ(url.href(), "http://example.com/a?b#c");
  EXPECT_TRUE(url.set_port("8080"));
  EXPECT_TRUE(url.set_username("j\xC3\xB6rg"));
  EXPECT_TRUE(url.set_pathname("x/../y z"));
  EXPECT_TRUE(url.set_search(""));
  EXPECT_TRUE(url.set_hash("#"));
  EXPECT_EQ(url.href(), "http://j%C3%B6rg@example.com:8080/y%20z#");
  EXPECT_TRUE(url.set_protocol("https"));
  EXPECT_TRUE(url.set_port("443"));
  EXPECT_EQ(url.port_number(), std::nullopt);
  EXPECT_TRUE(url.set_host("other.example:1x"));
  EXPECT_EQ(url.host(), "other.example:1");
  Url opaque = parsed("mailto:x");
  EXPECT_FALSE(opaque.set_pathname("y"));
  EXPECT_FALSE(opaque.set_host("y"));
  EXPECT_FALSE(opaque.set_username("y"));
  EXPECT_FALSE(opaque.set_port("1"));
  Url nothing;
  EXPECT_FALSE(nothing.set_hash("x"));
  EXPECT_FALSE(nothing.set_protocol("http"));
  EXPECT_EQ(nothing.href(), "");
}

TEST(Url, SetHost_KeepsKindAndOffsetsRight) {
  Url url = parsed("https://u:p@h:1/p?q#f");
  ASSERT_TRUE(url.set_host("[::0:1]"));
  EXPECT_EQ(url.host_kind(), HostKind::ipv6);
  EXPECT_EQ(url.href(), "https://u:p@[::1]:1/p?q#f");
  EXPECT_EQ(url.pathname(), "/p");
  EXPECT_EQ(url.hash(), "#f");
  Url file = parsed("file://server/x");
  ASSERT_TRUE(file.set_host("localhost"));
  EXPECT_EQ(file.href(), "file:///x");
  EXPECT_EQ(file.host_kind(), HostKind::none);
}

TEST(Url, EmptyValue_HasEmptyParts) {
  const Url url;
  for (std::string_view name : test::kAttributes)
    EXPECT_EQ(test::attribute(url, name), name == "origin" ? "null" : "") << name;
  EXPECT_EQ(url.effective_port(), 0);
  EXPECT_EQ(url.registrable_domain(), "");
}

TEST(Url, Values_CompareAndHashByHref) {
  const std::unordered_set<Url> set = {parsed("http://h"), parsed("http://H/"), parsed("http://h/x")};
  EXPECT_EQ(set.size(), 2U);
  EXPECT_TRUE(set.contains(parsed("HTTP://h:80/")));
}

TEST(Url, FailureSaysWhy) {
  const Result<Url> url = Url::parse("http://exa mple/");
  ASSERT_FALSE(url);
  EXPECT_EQ(url.error().kind, ErrorKind::invalid_argument);
  EXPECT_EQ(url.error().detail, "the host contains a forbidden character");
}

void expect_parsers_agree(const std::string& input, const Url* base = nullptr) {
  const test::ExactBuffer exact(input);
  const Result<Url> url = Url::parse(exact, base);
  UrlParser parser(input, base, {});
  ASSERT_EQ(parser.run() == nullptr, url.has_value()) << input;
  if (!url) return;
  const Url general = parser.take();
  for (std::string_view name : test::kAttributes)
    ASSERT_EQ(test::attribute(*url, name), test::attribute(general, name)) << input << " " << name;
  ASSERT_EQ(url->host_kind(), general.host_kind()) << input;
}

// The fast path may only accept what it treats as the general parser does: near misses of everything it checks.
TEST(Url, FastPath_AgreesWithGeneralParser) {
  const char* const hosts[] = {"h",  "a.b",  "a-b_c.d", "1.2.3.4", "a.1", "a.0x", "a.",
                               ".a", "a..b", "A",       "xn--a",   "",    "a.b1", "%61"};
  const char* const ports[] = {"", ":", ":0", ":80", ":443", ":8080", ":65535", ":65536", ":080", ":8a"};
  const char* const paths[] = {"",     "/",        "//",  "/.",      "/..",   "/a/.",      "/.a",
                               "/%2e", "/%2E%2e/", "/%2", "/a/../b", "/a b",  "/^",        "/a\\b",
                               "/~x",  "/%zz",     "/{",  "/a;b=c",  "/\x7F", "/\xC3\xA4", "\\a"};
  const char* const ends[] = {"", "?", "?a=b", "?'", "?a b", "#", "#x", "?x#y", "#`", "?`", "#x#y", "?x?y", " ", "\n"};
  for (const std::string scheme : {"http://", "https://", "HTTP://", "http:/", "httpx://"}) {
    for (const char* host : hosts)
      for (const char* port : ports)
        for (const char* path : {"", "/", "/a"}) expect_parsers_agree(scheme + host + port + path);
    for (const char* path : paths)
      for (const char* end : ends)
        for (const char* host : {"h", "h:81"}) expect_parsers_agree(scheme + host + path + end);
  }
}

TEST(Url, FastPathBelowABase_AgreesWithGeneralParser) {
  const char* const bases[] = {"http://h",          "https://h:81/a/b?q#f", "http://u:p@h/a",     "http://1.2.3.4/?",
                               "http://[::1]:8/a#", "file:///c:/a",         "mailto:x@h.example", "ws://h/a"};
  const char* const paths[] = {"",      "/",      "//",    "/\\x", "/a",    "/a/b.html", "/.",
                               "/..",   "/a/.",   "/.a",   "/%2e", "/a//",  "/a/../b",   "/a b",
                               "/^",    "/a\\b",  "/c:/x", "/%zz", "/\x7F", "/\xC3\xA4", "#",
                               "#part", "#a#b?c", "?x",    "a",    " /a",   "\n/a"};
  const char* const ends[] = {"", "?", "?a=b", "?'", "?a b", "#", "#x", "?x#y", "#`", "?`", " ", "\n", "\t#x"};
  for (const char* text : bases) {
    const Url base = parsed(text);
    for (const char* path : paths)
      for (const char* end : ends) expect_parsers_agree(std::string(path) + end, &base);
  }
}

TEST(ParseHost, AuthoritiesAndHostFields) {  // RFC 9112 section 3.2 says where such hosts stand
  EXPECT_EQ(*parse_host("Example.COM", true), "example.com");
  EXPECT_EQ(*parse_host("b\xC3\xBC\x63her.example", true), "xn--bcher-kva.example");
  EXPECT_EQ(*parse_host("[::FFFF:1.2.3.4]", true), "[::ffff:102:304]");
  EXPECT_EQ(*parse_host("0x7f.1", true), "127.0.0.1");
  EXPECT_EQ(*parse_host("Example", false), "Example");
  EXPECT_EQ(*parse_host("", false), "");
  for (const char* bad :
       {"", "a b", "a:80", "a/b", "[::1", "::1", "a@b", "1.2.3.256", "%", "a%zz", "\xFF", "[::1%25eth0]", "%00"})
    EXPECT_FALSE(parse_host(test::ExactBuffer(bad), true)) << bad;
}

}  // namespace
}  // namespace outrider
