// https://publicsuffix.org/list/ and https://url.spec.whatwg.org/#host-registrable-domain
#include "base/public_suffix.hpp"

#include "base/url.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace outrider {
namespace {

TEST(PublicSuffix, RegistrableDomain_IsOneLabelBelowTheSuffix) {
  EXPECT_EQ(registrable_domain("www.example.com"), "example.com");
  EXPECT_EQ(registrable_domain("example.com"), "example.com");
  EXPECT_EQ(registrable_domain("a.b.example.co.uk"), "example.co.uk");
  EXPECT_EQ(registrable_domain("com"), "");
  EXPECT_EQ(registrable_domain("co.uk"), "");
  EXPECT_EQ(registrable_domain(""), "");
}

TEST(PublicSuffix, PrivateSuffixWildcardAndException) {
  EXPECT_EQ(registrable_domain("github.io"), "");
  EXPECT_EQ(registrable_domain("pages.whatwg.github.io"), "whatwg.github.io");
  EXPECT_EQ(registrable_domain("a.b.c.ck"), "b.c.ck");  // *.ck
  EXPECT_EQ(registrable_domain("www.ck"), "www.ck");    // !www.ck
}

TEST(PublicSuffix, UnlistedTopLevel_IsASuffix) {  // the "*" rule
  EXPECT_EQ(registrable_domain("localhost"), "");
  EXPECT_EQ(registrable_domain("printer.local-net"), "printer.local-net");
}

TEST(PublicSuffix, InternationalisedNames) {
  EXPECT_EQ(registrable_domain("sub.example.xn--kgbechtv"), "example.xn--kgbechtv");
  EXPECT_EQ(registrable_domain("www.xn--85x722f.xn--55qx5d.cn"), "xn--85x722f.xn--55qx5d.cn");  // 食狮.公司.cn
}

TEST(PublicSuffix, FinalDot_Stays) {
  EXPECT_EQ(registrable_domain("www.example.com."), "example.com.");
  EXPECT_EQ(registrable_domain("com."), "");
  EXPECT_EQ(registrable_domain("."), "");
}

TEST(PublicSuffix, OddNames_DoNoHarm) {
  EXPECT_EQ(registrable_domain("a..com"), "");
  EXPECT_EQ(registrable_domain(".com"), "");
  std::string labels;
  for (int i = 0; i < 100'000; ++i) labels += "a.";
  EXPECT_EQ(registrable_domain(labels + "example.com"), "example.com");
  std::string label(100'000, 'a');
  label += ".com";
  EXPECT_EQ(registrable_domain(label).size(), 0U);
}

TEST(PublicSuffix, OfUrls_OnlyDomainsHaveOne) {
  EXPECT_EQ(Url::parse("https://user@www.Example.co.uk:81/x")->registrable_domain(), "example.co.uk");
  EXPECT_EQ(Url::parse("https://192.168.0.1/")->registrable_domain(), "");
  EXPECT_EQ(Url::parse("https://[::1]/")->registrable_domain(), "");
  EXPECT_EQ(Url::parse("foo://www.example.com/")->registrable_domain(), "");
  EXPECT_EQ(Url::parse("mailto:a@example.com")->registrable_domain(), "");
}

TEST(PublicSuffix, ManyThreads_ShareTheList) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&wrong] {
      for (int i = 0; i < 1000; ++i)
        if (registrable_domain("www.example.co.uk") != "example.co.uk") ++wrong;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace outrider
