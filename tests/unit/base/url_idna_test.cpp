// UTS 46 (https://www.unicode.org/reports/tr46/), the Bidi rule of RFC 5893 and the joiner rules of RFC 5892.
#include "base/url_idna.hpp"

#include "tests/support/url_cases.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

std::string ascii_of(std::string_view domain) {
  return domain_to_ascii(test::ExactBuffer(domain)).value_or("failure");
}

TEST(UrlIdna, Names_AreMappedNormalizedAndEncoded) {
  EXPECT_EQ(ascii_of("B\u00dcCHER.example"), "xn--bcher-kva.example");
  EXPECT_EQ(ascii_of("bu\u0308cher.example"), "xn--bcher-kva.example");
  EXPECT_EQ(ascii_of("\u4f8b\u3048.\u30c6\u30b9\u30c8"), "xn--r8jz45g.xn--zckzah");
  EXPECT_EQ(ascii_of("a\u3002b\uff0ec\uff61d"), "a.b.c.d");  // other full stops
  EXPECT_EQ(ascii_of("\uff45\uff58"), "ex");
  EXPECT_EQ(ascii_of("\u00ad"), "");  // the host parser refuses the empty name
}

TEST(UrlIdna, DeviationCharacters_StayAsTheyAre) {  // nontransitional processing
  EXPECT_EQ(ascii_of("fa\u00df.de"), "xn--fa-hia.de");
  EXPECT_EQ(ascii_of("FA\u1e9e.de"), "xn--fa-hia.de");
  EXPECT_EQ(ascii_of("\u03b2\u03cc\u03bb\u03bf\u03c2"), "xn--nxasmm1c");
}

TEST(UrlIdna, AceLabelsNextToUnicode_AreChecked) {
  EXPECT_EQ(ascii_of("xn--bcher-kva.\u00df"), "xn--bcher-kva.xn--zca");
  EXPECT_EQ(ascii_of("XN--BCHER-KVA.\u00df"), "xn--bcher-kva.xn--zca");
  EXPECT_EQ(ascii_of("xn--a.\u00df"), "failure");       // not Punycode
  EXPECT_EQ(ascii_of("xn--.\u00df"), "failure");        // decodes to nothing
  EXPECT_EQ(ascii_of("xn--a-.\u00df"), "failure");      // decodes to ASCII
  EXPECT_EQ(ascii_of("xn---zca.\u00df"), "failure");    // delimiter without anything before it
  EXPECT_EQ(ascii_of("xn--8i7caa.\u00df"), "failure");  // full-width "www": not valid, only mapped
  EXPECT_EQ(ascii_of("xn--\u00df"), "failure");
}

TEST(UrlIdna, LabelsMustNotBeginWithAMark) {
  EXPECT_EQ(ascii_of("\u0301a"), "failure");
  EXPECT_EQ(ascii_of("a\u0301"), "xn--1ca");
  EXPECT_EQ(ascii_of("a.\u0301b"), "failure");
}

TEST(UrlIdna, Joiners_OnlyInContext) {  // RFC 5892 appendix A.1 and A.2
  EXPECT_EQ(ascii_of("a\u200db"), "failure");
  EXPECT_EQ(ascii_of("a\u200cb"), "failure");
  EXPECT_EQ(ascii_of("\u0d15\u0d4d\u200d"), "xn--bwc6iy31d");        // ZWJ after a virama
  EXPECT_NE(ascii_of("\u0628\u200c\u0628"), "failure");              // ZWNJ between joining letters
  EXPECT_NE(ascii_of("\u0628\u064b\u200c\u064b\u0628"), "failure");  // with transparent ones around it
  EXPECT_EQ(ascii_of("\u0627\u200c\u0628"), "failure");              // alef joins only to the right
  EXPECT_EQ(ascii_of("\u0628\u200c"), "failure");
}

TEST(UrlIdna, BidiRule) {  // RFC 5893 section 2, by number
  EXPECT_NE(ascii_of("\u05d0\u05d1.example"), "failure");
  EXPECT_EQ(ascii_of("1\u05d0"), "failure");        // 1
  EXPECT_EQ(ascii_of("\u05d0a"), "failure");        // 2
  EXPECT_EQ(ascii_of("\u05d0-"), "failure");        // 3
  EXPECT_NE(ascii_of("\u05d01"), "failure");        // 3
  EXPECT_EQ(ascii_of("\u05d01\u0661"), "failure");  // 4
  EXPECT_EQ(ascii_of("a\u05d0"), "failure");        // 5
  EXPECT_EQ(ascii_of("a-.\u05d0"), "failure");      // 6
  EXPECT_EQ(ascii_of("1a.\u05d0"), "failure");      // 1: all labels of a Bidi domain name are meant
  EXPECT_NE(ascii_of("1a.\u00e4"), "failure");
  EXPECT_NE(ascii_of("a..\u05d0"), "failure");  // VerifyDnsLength=false: empty labels pass
}

TEST(UrlIdna, CharactersNewerThanTheLibrary_AreKnown) {       // Unicode 15.1 to 17.0
  EXPECT_EQ(ascii_of("\U00010D50"), ascii_of("\U00010D70"));  // Garay, 16.0: capital letter
  EXPECT_EQ(ascii_of("\ua7cb"), ascii_of("\u0264"));          // 16.0: capital of an old letter
  EXPECT_EQ(ascii_of("\u1c89"), ascii_of("\u1c8a"));
  EXPECT_NE(ascii_of("\U000323B0"), "failure");                     // CJK extension J, 17.0
  EXPECT_NE(ascii_of("\U0002EBF0"), "failure");                     // CJK extension I, 15.1
  EXPECT_EQ(ascii_of("\u0897x\u00e4"), "failure");                  // a new combining mark
  EXPECT_EQ(ascii_of("\U000105D2\u0307"), ascii_of("\U000105C9"));  // composed since 16.0
  EXPECT_EQ(ascii_of("\u0378"), "failure");                         // still unassigned
  EXPECT_EQ(ascii_of("\u2183"), ascii_of("\u2184"));                // allowed since 16.0
}

TEST(UrlIdna, HugeNames_AreRefusedInReasonableTime) {
  std::string distinct;
  for (char32_t c = 0x4E00; c < 0x9000; ++c) {
    const char bytes[] = {static_cast<char>(0xE0 | c >> 12), static_cast<char>(0x80 | (c >> 6 & 0x3F)),
                          static_cast<char>(0x80 | (c & 0x3F))};
    distinct.append(bytes, 3);
  }
  EXPECT_EQ(ascii_of(distinct), "failure");  // Punycode would take quadratic time
  EXPECT_EQ(ascii_of("xn--" + std::string(100'000, 'a') + ".\u00df"), "failure");
  std::string joiners;
  for (int i = 0; i < 20'000; ++i) joiners += "\u0628\u064b\u200c";
  EXPECT_EQ(ascii_of(joiners), "failure");
}

}  // namespace
}  // namespace outrider
