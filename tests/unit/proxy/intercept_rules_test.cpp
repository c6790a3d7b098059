#include "proxy/intercept_rules.hpp"

#include "proxy/intercept_presets.hpp"
#include "tests/support/secret_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace outrider {
namespace {

using ::testing::HasSubstr;

const IpAddress kLoopback = boost::asio::ip::make_address("127.0.0.1");

TlsSettings all() {
  TlsSettings settings;
  settings.intercept = InterceptMode::all;
  return settings;
}
std::shared_ptr<const InterceptRules> rules(const TlsSettings& settings) {
  return InterceptRules::create(settings).value();
}
TunnelFate fate(const TlsSettings& settings, std::string_view host, std::uint16_t port = 443,
                const IpAddress& client = kLoopback, bool accepted = false) {
  return rules(settings)->decide(host, port, client, accepted).fate;
}
std::string complaint(const TlsSettings& settings) {
  const auto made = InterceptRules::create(settings);
  return made ? "" : made.error().detail;
}

TEST(InterceptRules, ByDefault_NothingIsInterceptedBeforeSomebodyAccepts) {
  EXPECT_EQ(fate(TlsSettings{}, "www.example.com"), TunnelFate::pass);
  EXPECT_EQ(fate(TlsSettings{}, "www.example.com", 443, kLoopback, true), TunnelFate::intercept);
}

TEST(InterceptRules, OffIsOff_AllIsAll) {
  TlsSettings settings;
  settings.intercept = InterceptMode::off;
  EXPECT_EQ(fate(settings, "www.example.com", 443, kLoopback, true), TunnelFate::pass);
  EXPECT_EQ(fate(all(), "www.example.com"), TunnelFate::intercept);
}

TEST(InterceptRules, Ports_DecideUnlessAPatternNamesOne) {
  EXPECT_EQ(fate(all(), "a.example", 8443), TunnelFate::intercept);
  EXPECT_EQ(fate(all(), "a.example", 993), TunnelFate::pass);
  TlsSettings settings = all();
  settings.always_intercept = {"a.example:993"};
  EXPECT_EQ(fate(settings, "a.example", 993), TunnelFate::intercept);
  EXPECT_EQ(fate(settings, "b.example", 993), TunnelFate::pass);
  settings.intercept_ports = {"*"};
  EXPECT_EQ(fate(settings, "b.example", 993), TunnelFate::intercept);
}

TEST(InterceptRules, MostSpecificPattern_Decides) {
  TlsSettings settings = all();
  settings.never_intercept = {".example.com", "*.example.org:8443"};
  settings.always_intercept = {"www.example.com"};
  settings.refuse = {"bad.example.com"};
  EXPECT_EQ(fate(settings, "example.com"), TunnelFate::pass);
  EXPECT_EQ(fate(settings, "mail.example.com"), TunnelFate::pass);
  EXPECT_EQ(fate(settings, "www.example.com"), TunnelFate::intercept);
  EXPECT_EQ(fate(settings, "a.example.org", 8443), TunnelFate::pass);
  EXPECT_EQ(fate(settings, "a.example.org", 443), TunnelFate::intercept);
  EXPECT_EQ(fate(settings, "bad.example.com"), TunnelFate::refuse);
  EXPECT_EQ(rules(settings)->decide("bad.example.com", 443, kLoopback, false).rule, "bad.example.com");
}

TEST(InterceptRules, Refusals_ComeFirst) {
  TlsSettings settings = all();
  settings.refuse = {"*"};
  settings.never_intercept = {"bank.example"};
  settings.always_intercept = {"www.example.com"};
  EXPECT_EQ(fate(settings, "bank.example"), TunnelFate::refuse);
  EXPECT_EQ(fate(settings, "www.example.com"), TunnelFate::refuse);
  EXPECT_EQ(rules(settings)->refused_by("www.example.com", 443), "*");
}

TEST(InterceptRules, Refusals_DoNotDependOnInterception) {
  TlsSettings settings;
  settings.intercept = InterceptMode::off;
  settings.refuse = {".bad.example"};
  EXPECT_EQ(fate(settings, "www.bad.example"), TunnelFate::refuse);
}

TEST(InterceptRules, Clients_CanBeLeftAlone) {
  TlsSettings settings = all();
  settings.never_intercept_clients = {"192.0.2.0/24"};
  EXPECT_EQ(fate(settings, "a.example", 443, boost::asio::ip::make_address("192.0.2.7")), TunnelFate::pass);
  EXPECT_EQ(fate(settings, "a.example", 443, boost::asio::ip::make_address("::ffff:192.0.2.7")), TunnelFate::pass);
  EXPECT_EQ(fate(settings, "a.example", 443, boost::asio::ip::make_address("192.0.3.7")), TunnelFate::intercept);
}

TEST(InterceptRules, Presets_AreInForceUntilTheyAreTakenOut) {
  TlsSettings settings = all();
  for (const std::string_view host : {"www.paypal.com", "www.nhs.uk", "www.irs.gov", "service.gov.uk", "example.bank"})
    EXPECT_EQ(fate(settings, host), TunnelFate::pass) << host;
  EXPECT_EQ(fate(settings, "notpaypal.com"), TunnelFate::intercept);
  settings.always_intercept = {"www.irs.gov"};
  EXPECT_EQ(fate(settings, "www.irs.gov"), TunnelFate::intercept);
  settings.never_intercept_presets = {"health"};
  EXPECT_EQ(fate(settings, "www.paypal.com"), TunnelFate::intercept);
  EXPECT_EQ(fate(settings, "www.nhs.uk"), TunnelFate::pass);
  settings.never_intercept_presets = {"weather"};
  EXPECT_THAT(complaint(settings), HasSubstr("weather"));
}

// A person decides what is nobody's business, not a list that came with the program.
TEST(InterceptRules, Presets_AreReplacedByListsOfTheSameNameInTheFolder) {
  const testing::SecretFolder folder;
  TlsSettings settings = all();
  settings.never_intercept_folder = folder.path().string();
  EXPECT_EQ(fate(settings, "www.paypal.com"), TunnelFate::pass) << "there is no such list";
  folder.write("banks.list", "# mine\n.mybank.example\n");
  EXPECT_EQ(fate(settings, "www.mybank.example"), TunnelFate::pass);
  EXPECT_EQ(fate(settings, "www.paypal.com"), TunnelFate::intercept);
  EXPECT_EQ(fate(settings, "www.nhs.uk"), TunnelFate::pass) << "the others stay";
  folder.write("weather.list", ".weather.example\n");
  EXPECT_EQ(fate(settings, "a.weather.example"), TunnelFate::intercept) << "nobody named it";
  settings.never_intercept_presets = {"weather"};
  EXPECT_EQ(fate(settings, "a.weather.example"), TunnelFate::pass);
  folder.write("weather.list", "*bad*\n");
  EXPECT_THAT(complaint(settings), HasSubstr("weather.list"));
}

TEST(InterceptRules, EveryPreset_CanBeRead) {
  ASSERT_EQ(intercept_presets().size(), 3U);
  for (const InterceptPreset& preset : intercept_presets()) {
    TlsSettings settings = all();
    settings.never_intercept_presets = {std::string{preset.name}};
    EXPECT_EQ(complaint(settings), "") << preset.name;
  }
}

TEST(InterceptRules, OwnLists_AreReadFromFiles) {
  const testing::SecretFolder folder;
  TlsSettings settings = all();
  settings.never_intercept_files = {folder.write("mine", "# mine\n\n  .my.example  # and why\r\nother.example", 0600)};
  EXPECT_EQ(fate(settings, "www.my.example"), TunnelFate::pass);
  EXPECT_EQ(fate(settings, "other.example"), TunnelFate::pass);
  EXPECT_EQ(fate(settings, "third.example"), TunnelFate::intercept);
  settings.never_intercept_files = {folder.write("wrong", "good.example\nnot a host\n", 0600)};
  EXPECT_THAT(complaint(settings), HasSubstr("line 2"));
  settings.never_intercept_files = {(folder.path() / "missing").string()};
  EXPECT_THAT(complaint(settings), HasSubstr("cannot be read"));
}

TEST(InterceptRules, Mistakes_NameTheirKey) {
  TlsSettings settings = all();
  settings.intercept_ports = {"http"};
  EXPECT_THAT(complaint(settings), HasSubstr("tls.intercept_ports"));
  settings = all();
  settings.never_intercept_clients = {"10.0.0.1/8"};
  EXPECT_THAT(complaint(settings), HasSubstr("tls.never_intercept_clients"));
  settings = all();
  settings.refuse = {"a b"};
  EXPECT_THAT(complaint(settings), HasSubstr("tls.refuse"));
}

}  // namespace
}  // namespace outrider
