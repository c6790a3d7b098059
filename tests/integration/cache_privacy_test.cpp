// Who may get a stored answer: what is for one person never reaches another, and nothing that is not in the key decides
// what others get.
#include "tests/support/cache_stage.hpp"
#include "tests/support/process.hpp"
#include "tests/support/secret_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace outrider::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kAnna = "127.0.0.1";
constexpr const char* kBert = "127.0.0.2";

// An origin whose answers show who asked for them.
struct CachePrivacy : ::testing::Test, CacheStage {
  // Each request gets a page of its own, with these fields.
  void own_pages(const std::string& target, const std::string& fields) {
    origin.on(target, [this, fields](const ScriptedOrigin::Request&) {
      return page("page " + std::to_string(++made), fields);
    });
  }
  // Asks as Anna with these fields, then as Bert with others: the page must not be the same, nor any of its fields.
  void expect_separate(const std::string& target, const std::string& anna, const std::string& bert) {
    const HttpAnswer hers = get(target, anna, kAnna);
    const HttpAnswer his = get(target, bert, kBert);
    EXPECT_EQ(hers.status, 200);
    EXPECT_EQ(his.status, 200);
    EXPECT_NE(hers.body, his.body) << target << "\n" << his.head;
    EXPECT_THAT(his.head, Not(HasSubstr("; hit"))) << target;
  }
  std::atomic<int> made{0};
};

// RFC 9111 section 3.5.
TEST_F(CachePrivacy, AnswerToAuthorization_IsForNobodyElse) {
  own_pages("/a", kFresh);
  expect_separate("/a", "Authorization: Basic YTpi\r\n", "");
  own_pages("/b", kFresh);
  expect_separate("/b", "Authorization: Basic YTpi\r\n", "Authorization: Basic YTpi\r\n");
  own_pages("/c", kFresh);
  expect_separate("/c", "", "Authorization: Basic YTpi\r\n");
}

TEST_F(CachePrivacy, AnswerToAuthorization_IsSharedIfTheOriginSaysSo) {
  for (const char* permission : {"public", "s-maxage=60", "must-revalidate"}) {
    const std::string target = "/" + std::string{permission};
    own_pages(target, "Cache-Control: max-age=60, " + std::string{permission} + "\r\n");
    EXPECT_EQ(get(target, "Authorization: Basic YTpi\r\n", kAnna).body, get(target, "", kBert).body) << permission;
  }
}

TEST_F(CachePrivacy, PrivateAnswer_IsForNobodyElse) {
  own_pages("/a", "Cache-Control: private, max-age=60\r\n");
  expect_separate("/a", "", "");
  own_pages("/b", "Cache-Control: max-age=60, private\r\nExpires: Tue, 01 Jan 2090 00:00:00 GMT\r\n");
  expect_separate("/b", "", "");
  // A field that is private is not given to others, the rest is (RFC 9111 section 5.2.2.7).
  origin.on("/c", page("c", "Cache-Control: max-age=60, private=\"X-Yours\"\r\nX-Yours: anna\r\nX-All: 1\r\n"));
  get("/c", "", kAnna);
  const HttpAnswer his = get("/c", "", kBert);
  EXPECT_THAT(his.head, Not(HasSubstr("anna")));
}

TEST_F(CachePrivacy, AnswerThatSetsACookie_IsForNobodyElse) {
  origin.on("/a", [this](const auto&) {
    const std::string number = std::to_string(++made);
    return page("page " + number, kFresh + "Set-Cookie: id=" + number + "\r\n");
  });
  expect_separate("/a", "", "");
  const HttpAnswer again = get("/a", "", kBert);
  EXPECT_THAT(again.field("Set-Cookie"), Not(HasSubstr("id=1")));
  // … unless the origin says that it is for everybody.
  origin.on("/b", page("b", "Cache-Control: public, max-age=60\r\nSet-Cookie: theme=dark\r\n"));
  get("/b", "", kAnna);
  EXPECT_THAT(get("/b", "", kBert).head, HasSubstr("; hit"));
}

TEST_F(CachePrivacy, AnswerToACookie_IsForNobodyElse) {
  own_pages("/a", kFresh);
  expect_separate("/a", "Cookie: id=anna\r\n", "Cookie: id=bert\r\n");
  own_pages("/b", kFresh);
  expect_separate("/b", "Cookie: id=anna\r\n", "");
  own_pages("/c", kFresh + "ETag: \"v1\"\r\n");
  expect_separate("/c", "Cookie: id=anna\r\n", "Cookie: id=anna\r\n");
}

// A cookie in a 304 is for the one who asked; the stored head is everybody's.
TEST_F(CachePrivacy, CookieOfA304_DoesNotReachOthers) {
  origin.on("/a", [](const ScriptedOrigin::Request& request) {
    if (request.field("If-None-Match").empty()) return page("a", kStale + "ETag: \"v1\"\r\n");
    return "HTTP/1.1 304 Not Modified\r\nETag: \"v1\"\r\n" + kFresh + "Set-Cookie: id=anna\r\n\r\n";
  });
  get("/a", "", kAnna);
  const HttpAnswer hers = get("/a", "", kAnna);
  EXPECT_EQ(hers.body, "a");
  EXPECT_EQ(hers.field("Set-Cookie"), "id=anna") << "she needs it";
  const HttpAnswer his = get("/a", "", kBert);
  EXPECT_EQ(his.body, "a");
  EXPECT_THAT(his.head, Not(HasSubstr("id=anna")));
}

TEST_F(CachePrivacy, EchoOfARequestInA304_ReachesWhoAsked_NotOthers) {
  origin.on("/a", [](const ScriptedOrigin::Request& request) {
    if (request.field("If-None-Match").empty()) return page("a", kStale + "ETag: \"v1\"\r\n");
    return "HTTP/1.1 304 Not Modified\r\nETag: \"v1\"\r\n" + kFresh +
           "Access-Control-Allow-Origin: " + request.field("Origin") + "\r\n\r\n";
  });
  get("/a", "", kBert);
  EXPECT_EQ(get("/a", "Origin: http://anna.example\r\n", kAnna).field("Access-Control-Allow-Origin"),
            "http://anna.example");
  EXPECT_EQ(get("/a", "", kBert).field("Access-Control-Allow-Origin"), "");
}

// RFC 9111 section 3.5: what is said to a password is for its bearer, and so is how long it is good.
TEST_F(CachePrivacy, AnswersToAuthorizationThatConfirm_ChangeNothingForOthers) {
  const std::string hers = "ETag: \"v1\"\r\nCache-Control: max-age=600\r\nX-Account: anna\r\n";
  for (const char* method : {"GET", "HEAD"}) {
    const std::string target = "/" + std::string{method};
    origin.on(target, [hers](const ScriptedOrigin::Request& request) {
      if (request.field("Authorization").empty()) return page("open", "Cache-Control: max-age=0\r\nETag: \"v1\"\r\n");
      if (request.method == "HEAD") return "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n" + hers + "\r\n";
      return "HTTP/1.1 304 Not Modified\r\n" + hers + "\r\n";
    });
    get(target, "", kBert);
    const HttpAnswer answer = ask(method, target, "Authorization: Bearer anna\r\n", kAnna);
    EXPECT_EQ(answer.status, 200) << target;
    EXPECT_EQ(answer.body, answer.field("Content-Length") == "4" && target == "/GET" ? "open" : "");
    EXPECT_EQ(answer.field("X-Account"), "anna") << target << "\n" << answer.head;
    EXPECT_EQ(answer.field("Cache-Control"), "max-age=600") << target;
    const HttpAnswer his = get(target, "", kBert);
    EXPECT_EQ(his.body, "open") << target;
    EXPECT_THAT(his.head, Not(HasSubstr("anna"))) << target;
    EXPECT_THAT(his.head, Not(HasSubstr("; hit"))) << target << ": nobody said so to him";
  }
}

TEST_F(CachePrivacy, A304ToAuthorization_IsForAllIfTheOriginSaysSo) {
  origin.on("/a", [](const ScriptedOrigin::Request& request) {
    if (request.field("If-None-Match").empty()) return page("open", "Cache-Control: max-age=0\r\nETag: \"v1\"\r\n");
    return std::string{"HTTP/1.1 304 Not Modified\r\nETag: \"v1\"\r\nCache-Control: public, max-age=600\r\n\r\n"};
  });
  get("/a", "", kBert);
  EXPECT_EQ(get("/a", "Authorization: Bearer anna\r\n", kAnna).body, "open");
  EXPECT_THAT(get("/a", "", kBert).head, HasSubstr("; hit"));
}

// Keys and tokens in fields of a site's own: two people with one browser at one address.
TEST_F(CachePrivacy, AnswerToAKeyOfAnyName_IsForTheSameKeyOnly) {
  for (const char* name : {"X-Api-Key", "X-Auth", "X-Access-Token", "Client-Secret", "X-Session-Id"}) {
    const std::string target = "/" + std::string{name};
    const std::string field = std::string{name} + ": ";
    own_pages(target, kFresh);
    EXPECT_EQ(get(target, field + "anna\r\n").body, get(target, field + "anna\r\n").body) << name;
    EXPECT_NE(get(target, field + "anna\r\n").body, get(target, field + "bert\r\n").body) << name;
    EXPECT_NE(get(target, field + "bert\r\n").body, get(target).body) << name;
  }
}

// Two people behind one address, told apart by their names; and one person at two.
TEST(CachePeople, LoggedInPeople_HaveTheirOwnAnswers) {
  const SecretFolder folder;
  const std::string file = folder.file("users");
  for (const char* name : {"anna", "bert"}) {
    testing_support::ProcessOptions options;
    options.input = "pw\n";
    ASSERT_EQ(testing_support::run_process(OUTRIDER_BINARY, {"user", "add", name, "--file", file}, options).exit_code,
              0);
  }
  CacheStage stage{{"access.users_file=" + file}};
  std::atomic<int> made{0};
  stage.origin.on("/a", [&](const auto&) { return page("page " + std::to_string(++made), kFresh); });
  const std::string cookie = "Cookie: id=1\r\nUser-Agent: same\r\n";
  const std::string anna = cookie + "Proxy-Authorization: Basic YW5uYTpwdw==\r\n";
  const std::string bert = cookie + "Proxy-Authorization: Basic YmVydDpwdw==\r\n";
  EXPECT_EQ(stage.get("/a", anna).body, "page 1");
  EXPECT_EQ(stage.get("/a", bert).body, "page 2");
  EXPECT_EQ(stage.get("/a", anna, kBert).body, "page 1") << "it is still she";
  EXPECT_EQ(stage.get("/a", bert, kBert).body, "page 2");
  EXPECT_EQ(stage.get("/a", cookie).status, 407);
  EXPECT_EQ(made, 2);
}

// --- one person's own Outrider (cache.one_person)

TEST(CachePeople, OnePerson_KeepsPrivateAnswersForTheSameProgramOnly) {
  CacheStage stage{{"cache.one_person=true"}};
  std::atomic<int> made{0};
  stage.origin.on("/a", [&](const auto&) {
    return page("page " + std::to_string(++made), "Cache-Control: private, max-age=60\r\n");
  });
  EXPECT_EQ(stage.get("/a").body, "page 1");
  EXPECT_EQ(stage.get("/a").body, "page 1");
  EXPECT_EQ(stage.get("/a", "", kBert).body, "page 2");
  EXPECT_EQ(stage.get("/a", "User-Agent: another\r\n").body, "page 3");
}

// --- nothing unkeyed decides what others get

// Fields that make some servers answer for another host, path or method.
TEST_F(CachePrivacy, FieldsThatAskForSomethingElse_DoNotPoisonTheCache) {
  for (const char* field :
       {"X-Forwarded-Host: evil.example", "X-Forwarded-Scheme: nothttps", "X-Forwarded-Proto: ftp", "X-Host: evil",
        "X-Original-URL: /admin", "X-Rewrite-URL: /admin", "X-HTTP-Method-Override: DELETE", "X-HTTP-Method: POST",
        "X-Method-Override: PUT", "X-Forwarded-Port: 1", "X-Forwarded-Prefix: /evil", "X-Unheard-Of: evil"}) {
    const std::string name = std::string{field}.substr(0, std::string_view{field}.find(':'));
    const std::string target = "/" + name;
    origin.on(target, [name](const ScriptedOrigin::Request& request) {
      return page(request.field(name).empty() ? "clean" : "poisoned", kFresh);
    });
    EXPECT_EQ(get(target, std::string{field} + "\r\n", kAnna).body, "poisoned");
    EXPECT_EQ(get(target, "", kBert).body, "clean") << field;
    EXPECT_EQ(get(target, "", kAnna).body, "clean") << field;
    EXPECT_EQ(get(target, std::string{field} + "\r\n", kAnna).status, 200);
    EXPECT_EQ(get(target, "", kBert).body, "clean") << field;
  }
}

// HOSTILE: target wins, Host is rewritten, the key is the target.
TEST_F(CachePrivacy, HostField_IsNotTheKey) {
  origin.on("/a", [](const ScriptedOrigin::Request& request) { return page("for " + request.field("Host"), kFresh); });
  RawSocket socket = RawSocket::connect(outrider.port());
  socket.send("GET " + origin.url("/a") + " HTTP/1.1\r\nHost: evil.example\r\n\r\n");
  const std::string mine = "for 127.0.0.1:" + std::to_string(origin.port());
  EXPECT_THAT(socket.read_message(), HasSubstr(mine));
  EXPECT_EQ(get("/a", "", kBert).body, mine);
  EXPECT_EQ(origin.count("/a"), 1U);
}

// "/account/x.css" is the account page on servers that ignore what follows: it is as private as its fields say,
// whatever its name looks like ("web cache deception").
TEST_F(CachePrivacy, ExtensionOfThePath_DecidesNothing) {
  for (const char* target :
       {"/account/x.css", "/account;x.js", "/account%2fx.png", "/account/.ico", "/account?x.css"}) {
    own_pages(target, "Content-Type: text/html\r\nCache-Control: private, max-age=60\r\n");
    expect_separate(target, "Cookie: id=anna\r\n", "Cookie: id=bert\r\n");
    own_pages(target, "Content-Type: text/html\r\n");
    expect_separate(target, "Cookie: id=anna\r\n", "");
    own_pages(target, "Content-Type: text/html\r\nSet-Cookie: x=1\r\n");
    expect_separate(target, "", "");
  }
}

// A GET with a body asks for more than its URL says.
TEST_F(CachePrivacy, BodyOfAGet_DoesNotPoisonTheCache) {
  origin.on("/a", [](const ScriptedOrigin::Request& request) { return page("asked " + request.body, kFresh); });
  EXPECT_EQ(ask("GET", "/a", "", kAnna, "for poison").body, "asked for poison");
  EXPECT_EQ(get("/a", "", kBert).body, "asked ");
}

TEST_F(CachePrivacy, MethodsDoNotMix) {
  origin.on("/a", [](const ScriptedOrigin::Request& request) { return page("by " + request.method, kFresh); });
  EXPECT_EQ(ask("POST", "/a", "", kAnna, "x").body, "by POST");
  EXPECT_EQ(ask("OPTIONS", "/a").body, "by OPTIONS");
  EXPECT_EQ(get("/a").body, "by GET");
  EXPECT_EQ(ask("OPTIONS", "/a").body, "by OPTIONS");
  EXPECT_EQ(ask("POST", "/a", "", kAnna, "x").body, "by POST");
}

// RFC 9110 section 9.3.3: a POST may answer a later GET only if it says so.
TEST_F(CachePrivacy, PostAnswer_IsKeptForGetOnlyIfItNamesItself) {
  origin.on("/a", [this](const ScriptedOrigin::Request& request) {
    return page("by " + request.method, kFresh + "Content-Location: " + origin.url("/a") + "\r\n");
  });
  EXPECT_EQ(ask("POST", "/a", "", kAnna, "x").body, "by POST");
  EXPECT_EQ(get("/a", "", kBert).body, "by POST");
  origin.on("/b", [this](const ScriptedOrigin::Request& request) {
    return page("by " + request.method, kFresh + "Content-Location: " + origin.url("/other") + "\r\n");
  });
  EXPECT_EQ(ask("POST", "/b", "", kAnna, "x").body, "by POST");
  EXPECT_EQ(get("/b", "", kBert).body, "by GET");
}

// CORS: an answer that only one site may read, without Vary: Origin.
TEST_F(CachePrivacy, AnswerForOneSitesScripts_IsNotGivenToAnother) {
  origin.on("/a", [](const ScriptedOrigin::Request& request) {
    return page("x", kFresh + "Access-Control-Allow-Origin: " + request.field("Origin") + "\r\n");
  });
  get("/a", "Origin: http://anna.example\r\n", kAnna);
  EXPECT_EQ(get("/a", "Origin: http://bert.example\r\n", kBert).field("Access-Control-Allow-Origin"),
            "http://bert.example");
}

}  // namespace
}  // namespace outrider::testing
