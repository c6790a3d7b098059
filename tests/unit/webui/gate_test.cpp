// Rows "admin" of the hostile table: whatever is not right about a request, it changes nothing.
#include "webui/gate.hpp"

#include <gtest/gtest.h>

namespace outrider::webui {
namespace {

struct OneUser final : UserBook {
  bool is_there = true;
  std::optional<std::string> user_with_token(std::string_view token) const override {
    return is_there && token == "ann-secret" ? std::optional<std::string>{"ann"} : std::nullopt;
  }
  std::string mark = "1";
  std::optional<std::string> mark_of(std::string_view user) const override {
    return is_there && user == "ann" ? std::optional{mark} : std::nullopt;
  }
};

struct GateTest : ::testing::Test {
  std::shared_ptr<OneUser> users = std::make_shared<OneUser>();
  Gate gate{Tokens{"admin-secret", "reader-secret"}, users};

  WebRequest request(std::string_view token = "admin-secret", Method method = Method::get) const {
    WebRequest made;
    made.method = method;
    made.from_this_machine = true;
    made.host_is_ours = true;
    if (!token.empty()) made.headers.add(HeaderId::authorization, "Bearer " + std::string{token});
    return made;
  }
  WebRequest with_cookie(Role role, Method method = Method::get) const {
    WebRequest made = request("", method);
    const std::string cookie = gate.cookie_of({role, role == Role::user ? "ann" : ""});
    made.headers.add(HeaderId::cookie, "other=1; " + cookie.substr(0, cookie.find(';')));
    return made;
  }
  std::string verdict(const WebRequest& made, Role needed = Role::admin) const {
    const std::optional<ApiReply> refused = gate.refusal(made, needed);
    if (!refused) return "come in";
    EXPECT_EQ(refused->status, 403);
    const std::size_t at = refused->body.find("problems/") + 9;
    return refused->body.substr(at, refused->body.find('"', at) - at);
  }
};

TEST_F(GateTest, TheAdminToken_OpensEverything_TheReadersOnlyWhatIsToBeSeen) {
  EXPECT_EQ(verdict(request()), "come in");
  EXPECT_EQ(verdict(request("reader-secret"), Role::reader), "come in");
  EXPECT_EQ(verdict(request("reader-secret"), Role::admin), "read-only");
}

TEST_F(GateTest, NoToken_OrAnyOther_IsRefused) {
  for (const std::string_view token : {"", "admin-secre", "admin-secretx", "ADMIN-SECRET", "x"})
    EXPECT_EQ(verdict(request(token), Role::reader), "token-needed") << token;
  WebRequest basic = request("");
  basic.headers.add(HeaderId::authorization, "Basic admin-secret");
  EXPECT_EQ(verdict(basic, Role::reader), "token-needed");
}

TEST_F(GateTest, WithoutTokens_NobodyIsLetIn) {
  const Gate closed{Tokens{}};
  EXPECT_TRUE(closed.refusal(request(""), Role::reader));
  WebRequest empty = request("");
  empty.headers.add(HeaderId::authorization, "Bearer ");
  EXPECT_TRUE(closed.refusal(empty, Role::reader));
  WebRequest cookie = request("");
  cookie.headers.add(HeaderId::cookie, "outrider-session=");
  EXPECT_TRUE(closed.refusal(cookie, Role::reader));
}

TEST_F(GateTest, AForeignName_IsRefusedEvenWithTheToken) {
  WebRequest made = request();
  made.host_is_ours = false;
  EXPECT_EQ(verdict(made), "foreign-host");
}

TEST_F(GateTest, ThroughTheProxy_OnlyByOurOwnName) {
  WebRequest made = request();
  made.through_proxy = true;
  EXPECT_EQ(verdict(made), "alias");
  made.by_own_name = true;
  EXPECT_EQ(verdict(made), "come in");
}

TEST_F(GateTest, OtherMachines_AreRefused) {
  WebRequest made = request();
  made.from_this_machine = false;
  EXPECT_EQ(verdict(made), "local-only");
}

// A work group: the proxy runs elsewhere, and has asked who somebody is.
TEST_F(GateTest, OnOtherMachines_OnlyWhoHasLoggedInToTheProxy_ComesInWithTheirOwnToken) {
  const auto from_elsewhere = [](WebRequest made, std::string login) {
    made.from_this_machine = false;
    made.through_proxy = made.by_own_name = true;
    made.login = std::move(login);
    return made;
  };
  EXPECT_EQ(verdict(from_elsewhere(request("ann-secret"), "ann"), Role::user), "come in");
  EXPECT_EQ(verdict(from_elsewhere(with_cookie(Role::user), "ann"), Role::user), "come in");
  EXPECT_EQ(verdict(from_elsewhere(request("ann-secret"), "ann"), Role::reader), "own-only");
  EXPECT_EQ(verdict(from_elsewhere(request("ann-secret"), "bob"), Role::user), "token-needed") << "not his";
  EXPECT_EQ(verdict(from_elsewhere(request("ann-secret"), ""), Role::user), "local-only") << "nobody has logged in";
  for (const Role role : {Role::user, Role::reader, Role::admin})
    for (const std::string_view token : {"admin-secret", "reader-secret", "nonsense"})
      EXPECT_EQ(verdict(from_elsewhere(request(token), "ann"), role), "token-needed") << "as if it were wrong";
  EXPECT_EQ(verdict(from_elsewhere(with_cookie(Role::admin), "ann"), Role::reader), "token-needed");
  WebRequest direct = from_elsewhere(request("ann-secret"), "ann");
  direct.through_proxy = direct.by_own_name = false;
  EXPECT_EQ(verdict(direct, Role::user), "local-only") << "the proxy has not let this one in";
  WebRequest alias = from_elsewhere(request("ann-secret"), "ann");
  alias.by_own_name = false;
  EXPECT_EQ(verdict(alias, Role::user), "alias");
  WebRequest page = from_elsewhere(with_cookie(Role::user), "ann");
  page.sender = WebSender::foreign_page;
  EXPECT_EQ(verdict(page, Role::user), "foreign-page");
  users->is_there = false;
  EXPECT_EQ(verdict(from_elsewhere(request("ann-secret"), "ann"), Role::user), "token-needed");
}

TEST_F(GateTest, AForeignPage_IsRefusedWhateverItSends) {
  for (WebRequest made : {request(), with_cookie(Role::admin), with_cookie(Role::admin, Method::post)}) {
    made.sender = WebSender::foreign_page;
    EXPECT_EQ(verdict(made), "foreign-page");
    EXPECT_EQ(verdict(made, Role::nobody), "foreign-page");
  }
}

TEST_F(GateTest, ACookie_OpensWhatItsTokenDoes) {
  EXPECT_EQ(verdict(with_cookie(Role::admin)), "come in");
  EXPECT_EQ(verdict(with_cookie(Role::reader), Role::reader), "come in");
  EXPECT_EQ(verdict(with_cookie(Role::reader)), "read-only");
}

// Browsers send cookies by themselves: a change needs the proof that our own page asked for it.
TEST_F(GateTest, WithACookie_ChangesNeedOurOwnPage) {
  for (const Method method : {Method::post, Method::patch, Method::del}) {
    WebRequest made = with_cookie(Role::admin, method);
    EXPECT_EQ(verdict(made), "foreign-page");
    made.sender = WebSender::own_page;
    made.headers.add("X-Outrider-Session", gate.key_of({Role::admin, ""}));
    EXPECT_EQ(verdict(made), "come in");
  }
}

// Cookies do not know ports (RFC 6265 section 8.5): a server of somebody else on this machine can come by one.
TEST_F(GateTest, WithACookieAlone_NothingChanges) {
  WebRequest made = with_cookie(Role::admin, Method::post);
  made.sender = WebSender::own_page;
  EXPECT_EQ(verdict(made), "session-needed");
  const std::string cookie = gate.cookie_of({Role::admin, ""});
  for (const std::string& key :
       {std::string{}, cookie.substr(cookie.find('=') + 1, 64), gate.key_of({Role::reader, ""})}) {
    made.headers.set("X-Outrider-Session", key);
    EXPECT_EQ(verdict(made), "session-needed") << key;
  }
}

TEST_F(GateTest, ACookie_IsNotTheToken_AndHasItsFences) {
  const std::string cookie = gate.cookie_of({Role::admin, ""});
  EXPECT_EQ(cookie.find("admin-secret"), std::string::npos);
  EXPECT_NE(cookie.find("SameSite=Strict"), std::string::npos);
  EXPECT_NE(cookie.find("HttpOnly"), std::string::npos);
  EXPECT_NE(cookie.find("Path=/api/v1;"), std::string::npos);
  WebRequest swapped = request("");
  swapped.headers.add(HeaderId::cookie, "outrider-session=admin-secret");
  EXPECT_EQ(verdict(swapped), "token-needed");
  const std::string value = cookie.substr(cookie.find('=') + 1, 64);
  EXPECT_EQ(verdict(request(value)), "token-needed");
}

TEST_F(GateTest, AWrongAuthorization_IsNotRescuedByACookie) {
  WebRequest made = with_cookie(Role::admin);
  made.headers.add(HeaderId::authorization, "Bearer wrong");
  EXPECT_EQ(verdict(made), "token-needed");
}

TEST_F(GateTest, AUser_SeesTheirOwnAndNoMore) {
  EXPECT_EQ(verdict(request("ann-secret"), Role::user), "come in");
  EXPECT_EQ(verdict(request("ann-secret"), Role::reader), "own-only");
  EXPECT_EQ(verdict(request("ann-secret"), Role::admin), "own-only");
  EXPECT_EQ(gate.identity_of(request("ann-secret")).user, "ann");
  EXPECT_EQ(verdict(request("bob-secret"), Role::user), "token-needed");
  EXPECT_EQ(verdict(request("reader-secret"), Role::user), "come in");
}

TEST_F(GateTest, ACookieOfAUser_IsGoodForThisUser_AsLongAsThereIsOne) {
  EXPECT_EQ(verdict(with_cookie(Role::user), Role::user), "come in");
  EXPECT_EQ(gate.identity_of(with_cookie(Role::user)).user, "ann");
  WebRequest other = request("");
  const std::string cookie = gate.cookie_of({Role::user, "ann"});
  const std::string secret = cookie.substr(cookie.find('.') + 1, 64);
  other.headers.add(HeaderId::cookie, "outrider-session=626f62." + secret);  // bob
  EXPECT_EQ(verdict(other, Role::user), "token-needed");
  const WebRequest before = with_cookie(Role::user);
  users->is_there = false;
  EXPECT_EQ(verdict(before, Role::user), "token-needed");
  WebRequest empty = request("");
  empty.headers.add(HeaderId::cookie, "outrider-session=616e6e.");  // ann
  EXPECT_EQ(verdict(empty, Role::user), "token-needed");
}

TEST_F(GateTest, ACookieOfAUser_EndsWithTheTokenItWasGivenFor) {
  const WebRequest before = with_cookie(Role::user);
  const std::string key = gate.key_of({Role::user, "ann"});
  users->mark = "2";
  EXPECT_EQ(verdict(before, Role::user), "token-needed");
  EXPECT_NE(gate.key_of({Role::user, "ann"}), key);
  EXPECT_EQ(verdict(with_cookie(Role::user), Role::user), "come in");
}

}  // namespace
}  // namespace outrider::webui
