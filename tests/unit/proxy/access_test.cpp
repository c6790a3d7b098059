#include "proxy/access.hpp"

#include "base/config_loader.hpp"
#include "proxy/destination_rules.hpp"
#include "proxy/parent_rules.hpp"
#include "tests/support/reactor_fixture.hpp"
#include "tests/support/secret_folder.hpp"

#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <fmt/format.h>

namespace outrider {
namespace {

using namespace std::chrono_literals;
using testing::run_task;
using testing::SecretFolder;
using Kind = Admission::Kind;

IpAddress ip(const std::string& text) {
  return boost::asio::ip::make_address(text);
}

std::string basic(const std::string& credentials) {
  std::string encoded(4 * (credentials.size() / 3 + 1) + 1, '\0');
  const int length =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(encoded.data()),
                      reinterpret_cast<const unsigned char*>(credentials.data()), static_cast<int>(credentials.size()));
  encoded.resize(static_cast<std::size_t>(length));
  return "Basic " + encoded;
}

HeaderMap with(const std::string& authorization) {
  HeaderMap headers;
  headers.add("Host", "example.com");
  if (!authorization.empty()) headers.add(HeaderId::proxy_authorization, authorization);
  return headers;
}

std::string problem(const AccessSettings& settings) {
  const auto access = Access::create(settings);
  return access ? "" : access.error().detail;
}

// --- by address

TEST(AccessByAddress, Default_IsThisMachineOnly) {
  const auto access = Access::create({}).value();
  for (const char* own : {"127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"}) {
    const auto admission = access->admit_now(ip(own), with(""));
    ASSERT_TRUE(admission) << own;
    EXPECT_EQ(admission->kind, Kind::allowed) << own;
    EXPECT_EQ(admission->user, nullptr);
  }
  for (const char* other : {"192.168.1.1", "8.8.8.8", "fe80::1", "2002:7f00:1::1", "64:ff9b::7f00:1", "::7f00:1",
                            "::ffff:10.0.0.1", "0.0.0.0"}) {
    const auto admission = access->admit_now(ip(other), with(""));
    ASSERT_TRUE(admission) << other;
    EXPECT_EQ(admission->kind, Kind::denied) << other;
    EXPECT_NE(admission->reason.find(ip(other).to_string()), std::string::npos) << admission->reason;
  }
}

TEST(AccessByAddress, AllowList_IsExactlyThat) {
  AccessSettings settings;
  settings.allow = {"192.168.1.0/24", "2001:db8::/32"};
  const auto access = Access::create(settings).value();
  for (const char* yes : {"192.168.1.7", "::ffff:192.168.1.7", "2001:db8::9"})
    EXPECT_EQ(access->admit_now(ip(yes), with(""))->kind, Kind::allowed) << yes;
  for (const char* no : {"192.168.2.7", "127.0.0.1", "::1", "2001:db9::", "2002:c0a8:107::1", "64:ff9b::192.168.1.7"})
    EXPECT_EQ(access->admit_now(ip(no), with(""))->kind, Kind::denied) << no;
}

TEST(AccessByAddress, WhoWasLetInBefore_IsJudgedByTheRulesOfNow) {
  AccessSettings settings;
  settings.allow = {"192.168.1.0/24"};
  const auto access = Access::create(settings).value();
  EXPECT_TRUE(access->still_admits(ip("192.168.1.7"), nullptr));
  EXPECT_FALSE(access->still_admits(ip("192.168.2.7"), nullptr));
  const auto ann = std::make_shared<const std::string>("ann");
  EXPECT_FALSE(access->still_admits(ip("192.168.1.7"), ann)) << "there are no users any more";
}

TEST(AccessByAddress, EmbeddedZone_ChangesNothing) {
  AccessSettings settings;
  settings.allow = {"fe80::/10"};
  EXPECT_EQ(Access::create(settings).value()->admit_now(ip("fe80::1%1"), with(""))->kind, Kind::allowed);
}

TEST(AccessByAddress, ManyNetworks) {
  AccessSettings settings;
  for (int i = 0; i < 20'000; ++i) settings.allow.push_back(fmt::format("10.{}.{}.0/24", i / 200, i % 200));
  const auto access = Access::create(settings).value();
  EXPECT_EQ(access->admit_now(ip("10.99.199.1"), with(""))->kind, Kind::allowed);
  EXPECT_EQ(access->admit_now(ip("10.100.0.1"), with(""))->kind, Kind::denied);
}

TEST(AccessByAddress, Mistakes_NameTheKey) {
  AccessSettings settings;
  settings.allow = {"example.com"};
  EXPECT_NE(problem(settings).find("access.allow: \"example.com\""), std::string::npos);
  settings.allow = {"192.168.1.1/24"};
  EXPECT_NE(problem(settings).find("behind the prefix"), std::string::npos);
  settings.allow = {""};
  EXPECT_NE(problem(settings), "");
}

// --- where to listen

TEST(AccessCheckBind, WiderThanLoopback_NeedsAGuard) {
  const SecretFolder folder;
  const auto open = Access::create({}).value();
  for (const char* own : {"127.0.0.1", "::1", "::ffff:127.0.0.1"})
    EXPECT_TRUE(open->check_bind(ip(own)).has_value()) << own;
  for (const char* wide : {"0.0.0.0", "::", "192.168.1.1", "2002:7f00:1::1", "::ffff:0.0.0.0"}) {
    const Result<void> bind = open->check_bind(ip(wide));
    ASSERT_FALSE(bind.has_value()) << wide;
    for (const char* remedy : {"access.allow", "access.users_file", "127.0.0.1"})
      EXPECT_NE(bind.error().detail.find(remedy), std::string::npos) << bind.error().detail;
  }
  AccessSettings settings;
  settings.allow = {"192.168.0.0/16"};
  EXPECT_TRUE(Access::create(settings).value()->check_bind(ip("0.0.0.0")).has_value());
  settings.allow = {};
  ASSERT_TRUE(add_token(folder.file("users"), "ann").has_value());
  settings.users_file = folder.file("users");
  EXPECT_TRUE(Access::create(settings).value()->check_bind(ip("::")).has_value());
  settings.require_login = LoginRule::remote;
  EXPECT_TRUE(Access::create(settings).value()->check_bind(ip("::")).has_value());
  settings.require_login = LoginRule::optional;
  EXPECT_FALSE(Access::create(settings).value()->check_bind(ip("::")).has_value())
      << "a login that nobody needs is no guard";
}

TEST(AccessCheckBind, OpenToEveryone_IsWorthAWarning) {
  AccessSettings settings;
  settings.allow = {"192.168.0.0/16"};
  EXPECT_FALSE(Access::create(settings).value()->open_to_everyone());
  settings.allow = {"0.0.0.0/0"};
  EXPECT_TRUE(Access::create(settings).value()->open_to_everyone());
  EXPECT_FALSE(Access::create({}).value()->open_to_everyone());
}

// --- by login

const std::string kHash = "$2b$05$98OLbf3vpVU/G3mM/QkmN.O6JfkNHMYcrWabKzLZJMobDwDw71fCG";  // "secret"

struct AccessByLogin : ::testing::Test {
  SecretFolder folder;
  FakeClock clock;
  Reactor reactor;
  WorkerPool workers{2, 64};
  AccessSettings settings;
  std::shared_ptr<const Access> access;
  std::string token;

  void SetUp() override {
    folder.write("users", "ann:" + kHash +
                              "\nbob:$6$wAvK4tSYyEKb9iI6$aZtyN.wJezNvlykHJ0qP5/cxkiI1k0qp3P7TTC7/"
                              "DECOx8CF3mPOx7gneQdXqeTeAqgvFBbbXB627cVaYZd5h0\n");
    settings.users_file = folder.file("users");
    token = add_token(settings.users_file, "carol").value();
    reload();
  }
  void reload() { access = Access::create(settings, clock).value(); }
  std::optional<Admission> now(const std::string& authorization, const char* client = "192.0.2.1") {
    return access->admit_now(ip(client), with(authorization));
  }
  Admission ask(const std::string& authorization, const char* client = "192.0.2.1") {
    const HeaderMap headers = with(authorization);
    return run_task(reactor, access->admit(ip(client), headers, workers));
  }
  static std::string user(const Admission& admission) {
    if (admission.kind != Kind::allowed) return "(not allowed: " + admission.reason + ")";
    return admission.user ? *admission.user : "(anonymous)";
  }
};

TEST_F(AccessByLogin, WithoutCredentials_AChallenge) {
  const auto admission = now("");
  ASSERT_TRUE(admission);
  EXPECT_EQ(admission->kind, Kind::challenge);
  HeaderMap response;
  access->add_challenges(response);
  EXPECT_EQ(response.count(HeaderId::proxy_authenticate), 2U);
  EXPECT_EQ(response.joined(HeaderId::proxy_authenticate),
            "Basic realm=\"Outrider\", charset=\"UTF-8\", Bearer realm=\"Outrider\"");
}

TEST_F(AccessByLogin, RightPassword_IsAdmittedByName_AndThenAtOnce) {
  EXPECT_FALSE(now(basic("ann:secret"))) << "the hash is not computed on an I/O thread";
  EXPECT_EQ(user(ask(basic("ann:secret"))), "ann");
  EXPECT_EQ(user(ask(basic("bob:secret"))), "bob");
  const auto again = now(basic("ann:secret"));
  ASSERT_TRUE(again) << "verified a moment ago";
  EXPECT_EQ(user(*again), "ann");
  EXPECT_EQ(user(*now(basic("ann:secret"), "198.51.100.7")), "ann") << "from anywhere";
}

TEST_F(AccessByLogin, RememberedLogin_EndsInTime) {
  ask(basic("ann:secret"));
  clock.advance(settings.remember_login - 1s);
  EXPECT_TRUE(now(basic("ann:secret")));
  clock.advance(1s);
  EXPECT_FALSE(now(basic("ann:secret")));
}

TEST_F(AccessByLogin, WrongOnes_AreAllTheSame) {
  const std::string reason = ask(basic("ann:wrong"), "192.0.2.10").reason;
  for (const char* credentials : {"nobody:secret", "carol:secret", "ANN:secret", "ann:secret ", "ann:", "ann:Secret"}) {
    const Admission admission = ask(basic(credentials), "192.0.2.11");
    EXPECT_EQ(admission.kind, Kind::challenge) << credentials;
    EXPECT_EQ(admission.reason, reason) << "whether a name exists is nobody's business";
    clock.advance(1min);
  }
}

TEST_F(AccessByLogin, Malformed_IsAChallengeWithoutAnyWork) {
  for (const std::string& bad : {std::string{"Basic"}, std::string{"Basic !!!"}, basic(":secret"), basic("ann"),
                                 std::string{"Digest x"}, "Basic " + std::string(10'000, 'A'), std::string{"Bearer"}}) {
    const auto admission = now(bad);
    ASSERT_TRUE(admission) << bad;
    EXPECT_EQ(admission->kind, Kind::challenge) << bad;
  }
  const auto long_password = now(basic("ann:" + std::string(600, 'x')));
  ASSERT_TRUE(long_password) << "no hash can fit, so none is computed";
  EXPECT_EQ(long_password->kind, Kind::challenge);
}

TEST_F(AccessByLogin, NulByte_DoesNotEndThePassword) {
  EXPECT_EQ(ask(basic(std::string{"ann:secret\0x", 12})).kind, Kind::challenge);
}

TEST_F(AccessByLogin, TwoAuthorizationFields_AreRefused) {
  ask(basic("ann:secret"));
  HeaderMap headers = with(basic("ann:secret"));
  headers.add(HeaderId::proxy_authorization, basic("bob:secret"));
  EXPECT_EQ(access->admit_now(ip("192.0.2.1"), headers)->kind, Kind::challenge);
}

TEST_F(AccessByLogin, Token_IsAnsweredAtOnce_AsBearerAndAsPassword) {
  EXPECT_EQ(user(*now("Bearer " + token)), "carol");
  EXPECT_EQ(user(*now("bearer " + token)), "carol");
  EXPECT_EQ(user(*now(basic("carol:" + token))), "carol");
  EXPECT_EQ(now("Bearer " + token + "x")->kind, Kind::challenge);
  const auto other_name = now(basic("ann:" + token));
  EXPECT_TRUE(!other_name || other_name->kind != Kind::allowed) << "somebody else's token is just a wrong password";
  EXPECT_NE(user(ask(basic("ann:" + token))), "ann");
}

TEST_F(AccessByLogin, Guessing_GetsSlowerForTheGuesserOnly) {
  ask(basic("bob:secret"), "192.0.2.66");
  unsigned looked_at = 0;
  Admission last;
  for (int i = 0; i < 30; ++i) {
    last = ask(basic(fmt::format("ann:guess{}", i)), "192.0.2.66");
    looked_at += last.kind == Kind::challenge;
  }
  EXPECT_EQ(looked_at, LoginThrottle::kFreeFailures);
  EXPECT_EQ(last.kind, Kind::later);
  EXPECT_EQ(last.retry_after, 1s);
  EXPECT_EQ(ask(basic("ann:secret"), "192.0.2.66").kind, Kind::later) << "even the right one is not looked at";
  EXPECT_EQ(user(*now(basic("bob:secret"), "192.0.2.66")), "bob") << "who is logged in already is not locked out";
  EXPECT_EQ(user(*now("Bearer " + token, "192.0.2.66")), "carol");
  EXPECT_EQ(user(ask(basic("ann:secret"), "192.0.2.67")), "ann");
  clock.advance(1s);
  EXPECT_EQ(ask(basic("ann:guess"), "192.0.2.66").kind, Kind::challenge);
  EXPECT_EQ(ask(basic("ann:guess again"), "192.0.2.66").retry_after, 2s);
}

TEST_F(AccessByLogin, SameWrongPasswordAgain_IsNoNewGuess) {
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(ask(basic("ann:old password")).kind, Kind::challenge) << "a program with an old password";
  EXPECT_EQ(user(ask(basic("ann:secret"))), "ann");
}

TEST_F(AccessByLogin, GuessesAllAtOnce_AreNotAllFree) {
  std::vector<Admission> answers;
  std::vector<HeaderMap> headers;
  for (int i = 0; i < 40; ++i) headers.push_back(with(basic(fmt::format("ann:guess{}", i))));
  for (const HeaderMap& header : headers)
    asio::co_spawn(reactor.executor(), access->admit(ip("192.0.2.66"), header, workers),
                   [&answers](std::exception_ptr, Admission a) { answers.push_back(std::move(a)); });
  reactor.run();
  ASSERT_EQ(answers.size(), 40U);
  const auto looked_at =
      std::count_if(answers.begin(), answers.end(), [](const Admission& a) { return a.kind == Kind::challenge; });
  EXPECT_LE(looked_at, static_cast<long>(LoginThrottle::kFreeFailures + Logins::kParallelChecks));
}

TEST_F(AccessByLogin, Reload_ForgetsRemovedUsersAtOnce) {
  ask(basic("ann:secret"));
  ASSERT_TRUE(remove_user(settings.users_file, "ann").has_value());
  reload();
  EXPECT_EQ(ask(basic("ann:secret")).kind, Kind::challenge);
  EXPECT_EQ(user(ask(basic("bob:secret"))), "bob");
}

// Tunnels that are open go on by the word of whoever opened them.
TEST_F(AccessByLogin, WhoWasLetInBefore_MustStillBeAUser) {
  const auto ann = std::make_shared<const std::string>("ann"), carol = std::make_shared<const std::string>("carol");
  const auto dora = std::make_shared<const std::string>("dora");
  EXPECT_TRUE(access->still_admits(ip("192.0.2.1"), ann));
  EXPECT_TRUE(access->still_admits(ip("192.0.2.1"), carol)) << "has a token only";
  EXPECT_FALSE(access->still_admits(ip("192.0.2.1"), dora));
  EXPECT_FALSE(access->still_admits(ip("192.0.2.1"), nullptr)) << "a login is required now";
  settings.require_login = LoginRule::remote;
  reload();
  EXPECT_TRUE(access->still_admits(ip("127.0.0.1"), nullptr));
  EXPECT_FALSE(access->still_admits(ip("192.0.2.1"), nullptr));
}

TEST_F(AccessByLogin, WithoutAllowList_EverybodyMayTry_WithOneOnlyThoseListed) {
  EXPECT_EQ(now("", "8.8.8.8")->kind, Kind::challenge);
  EXPECT_EQ(now("", "127.0.0.1")->kind, Kind::challenge) << "everyone means everyone";
  settings.allow = {"192.0.2.0/24"};
  reload();
  EXPECT_EQ(now("", "8.8.8.8")->kind, Kind::denied);
  EXPECT_EQ(now("Bearer " + token, "8.8.8.8")->kind, Kind::denied) << "both have to fit";
  EXPECT_EQ(user(*now("Bearer " + token)), "carol");
}

TEST_F(AccessByLogin, RequireLogin_RemoteAndOptional) {
  settings.require_login = LoginRule::remote;
  reload();
  EXPECT_EQ(user(*now("", "127.0.0.1")), "(anonymous)");
  EXPECT_EQ(user(*now("Bearer " + token, "127.0.0.1")), "carol");
  EXPECT_EQ(now("Bearer wrong", "127.0.0.1")->kind, Kind::challenge) << "who says a name has to prove it";
  EXPECT_EQ(now("", "192.0.2.1")->kind, Kind::challenge);
  settings.require_login = LoginRule::optional;
  settings.allow = {"192.0.2.0/24"};
  reload();
  EXPECT_EQ(user(*now("")), "(anonymous)");
  EXPECT_EQ(user(*now("Bearer " + token)), "carol");
}

TEST_F(AccessByLogin, Realm_CannotBreakOutOfItsQuotes) {
  settings.realm = "Bob's \"proxy\" \\";
  reload();
  HeaderMap response;
  access->add_challenges(response);
  EXPECT_EQ(*response.find(HeaderId::proxy_authenticate),
            "Basic realm=\"Bob's \\\"proxy\\\" \\\\\", charset=\"UTF-8\"");
}

TEST_F(AccessByLogin, MistakesSayWhatToDo) {
  folder.write("users", "ann:" + kHash + "\n", 0644);
  EXPECT_NE(problem(settings).find("chmod 640"), std::string::npos);
  folder.write("users", "# nobody\n", 0600);
  EXPECT_NE(problem(settings).find("outrider user add"), std::string::npos);
  folder.write("users", "ann:plain\n");
  EXPECT_NE(problem(settings).find("line 1: the hash of \"ann\""), std::string::npos);
  settings.users_file = folder.file("missing");
  EXPECT_NE(problem(settings).find("access.users_file"), std::string::npos);
  settings.users_file = "";
  settings.require_login = LoginRule::everyone;
  EXPECT_NE(problem(settings).find("access.require_login"), std::string::npos);
}

// --- as settings

TEST(AccessSettings, AllSectionsCanBeDescribedAndWrittenOut) {
  ConfigSchema schema;
  schema.add<AccessSettings>();
  schema.add<DestinationSettings>();
  schema.add<ParentSettings>();
  const std::string toml = describe_as_toml(schema);
  for (const char* key : {"[access]", "users_file", "require_login", "[destinations]", "connect_ports", "private",
                          "[parents]", "credentials_file"})
    EXPECT_NE(toml.find(key), std::string::npos) << key;
  EXPECT_TRUE(schema.at(*schema.find("parents.rules")).secret) << "a rule may hold a password";
}

}  // namespace
}  // namespace outrider
