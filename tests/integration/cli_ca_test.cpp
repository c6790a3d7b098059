// outrider ca … and outrider browser: what needs no browser. Those are in tests/e2e/run-onboarding.
#include "proxy/authority.hpp"
#include "tests/support/process.hpp"
#include "tests/support/secret_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace outrider {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using testing_support::ProcessOptions;
using testing_support::ProcessResult;

struct CliCa : ::testing::Test {
  testing::SecretFolder home;
  std::string data = home.file("data");

  // Without certutil and browsers on the PATH: nothing of this machine is touched.
  ProcessResult run(std::vector<std::string> arguments) const {
    ProcessOptions options;
    options.environment = {{"HOME", home.path()}, {"PATH", home.file("empty")}};
    arguments.insert(arguments.end(), {"--data", data});
    return testing_support::run_process(OUTRIDER_BINARY, arguments, options);
  }
  std::string fingerprint() const { return Authority::open_existing(data + "/ca").value()->fingerprint(); }
};

TEST_F(CliCa, FirstUse_MakesItForTheOwnerAlone) {
  const ProcessResult shown = run({"ca", "show"});
  ASSERT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("fingerprint  " + fingerprint() + "\n"));
  EXPECT_THAT(shown.out, HasSubstr("name         Outrider CA of "));
  EXPECT_EQ(home.mode("data"), 0700U);
  EXPECT_EQ(home.mode("data/ca"), 0700U);
  EXPECT_EQ(home.mode("data/ca/key.pem"), 0600U);
  EXPECT_EQ(run({"ca", "show"}).out, shown.out) << "and it stays";
}

TEST_F(CliCa, Export_NeverHoldsTheKey) {
  const auto pem = run({"ca", "export"});
  ASSERT_EQ(pem.exit_code, 0) << pem.err;
  const auto authority = Authority::open_existing(data + "/ca").value();
  EXPECT_EQ(pem.out, authority->pem());
  EXPECT_EQ(run({"ca", "export", "--format", "der"}).out, authority->der());
  EXPECT_THAT(run({"ca", "export", "--format", "mobileconfig"}).out, HasSubstr("com.apple.security.root"));
  EXPECT_EQ(run({"ca", "export", "--out", home.file("ca.pem")}).exit_code, 0);
  EXPECT_EQ(home.read("ca.pem"), authority->pem());
  EXPECT_EQ(run({"ca", "export", "--out", home.file("no/such/folder")}).exit_code, 1);
  EXPECT_EQ(run({"ca", "export", "--format", "p7"}).exit_code, 2);
}

TEST_F(CliCa, KeyOpenToOthers_StopsEverything) {
  run({"ca", "show"});
  ::chmod((data + "/ca/key.pem").c_str(), 0640);
  for (const auto& command : std::vector<std::vector<std::string>>{
           {"ca", "show"}, {"ca", "export"}, {"ca", "install"}, {"serve", "--listen", "127.0.0.1:0"}}) {
    const ProcessResult refused = run(command);
    EXPECT_EQ(refused.exit_code, 1) << command.back();
    EXPECT_THAT(refused.err, HasSubstr("chmod 600 " + data + "/ca/key.pem")) << command.back();
  }
}

TEST_F(CliCa, Renew_MakesAnotherOne) {
  EXPECT_EQ(run({"ca", "renew"}).exit_code, 1) << "there is none yet";
  run({"ca", "show"});
  const std::string before = fingerprint();
  const ProcessResult renewed = run({"ca", "renew"});
  ASSERT_EQ(renewed.exit_code, 0) << renewed.err;
  EXPECT_NE(fingerprint(), before);
  ::chmod((data + "/ca").c_str(), 0755);
  EXPECT_EQ(run({"ca", "renew"}).exit_code, 0) << "also out of an unsafe state";
  EXPECT_EQ(home.mode("data/ca"), 0700U);
}

TEST_F(CliCa, OwnAuthority_IsUsedAndNotRenewed) {
  testing::SecretFolder other;
  const auto own = Authority::open(other.path() / "ca", Clock::system().now()).value();
  const std::string certificate = "tls.ca_certificate=" + other.file("ca/certificate.pem");
  const std::string key = "tls.ca_key=" + other.file("ca/key.pem");
  EXPECT_EQ(run({"ca", "export", "--set", certificate, "--set", key}).out, own->pem());
  EXPECT_EQ(run({"ca", "renew", "--set", certificate, "--set", key}).exit_code, 2);
  const ProcessResult half = run({"ca", "show", "--set", certificate});
  EXPECT_EQ(half.exit_code, 2);
  EXPECT_THAT(half.err, HasSubstr("need each other"));
}

TEST_F(CliCa, WithoutCertutil_SaysWhatToInstall) {
  const ProcessResult result = run({"ca", "install"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("libnss3-tools"));
}

TEST_F(CliCa, Mistakes_AreOneLine) {
  for (const auto& [arguments, code] :
       std::vector<std::pair<std::vector<std::string>, int>>{{{"ca", "instal"}, 2},
                                                             {{"ca", "show", "--user"}, 2},
                                                             {{"browser", "opera"}, 2},
                                                             {{"browser", "chromium"}, 1},
                                                             {{"browser", "firefox"}, 1},
                                                             {{"browser"}, 1},
                                                             {{"browser", "--", "--kiosk"}, 2}}) {
    const ProcessResult result = run(arguments);
    EXPECT_EQ(result.exit_code, code) << result.err;
    EXPECT_THAT(result.err, MatchesRegex("outrider: [^\n]+\n"));
  }
}

}  // namespace
}  // namespace outrider
