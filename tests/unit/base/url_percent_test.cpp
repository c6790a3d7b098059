// https://url.spec.whatwg.org/#percent-encoded-bytes
#include "base/url_percent.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

std::string members(EncodeSet set) {
  std::string out;
  for (int c = 0x20; c < 0x7F; ++c)
    if (in_encode_set(static_cast<char>(c), set)) out.push_back(static_cast<char>(c));
  return out;
}

TEST(UrlPercent, Sets_AreThoseOfTheStandard) {
  EXPECT_EQ(members(EncodeSet::c0_control), "");
  EXPECT_EQ(members(EncodeSet::fragment), " \"<>`");
  EXPECT_EQ(members(EncodeSet::query), " \"#<>");
  EXPECT_EQ(members(EncodeSet::special_query), " \"#'<>");
  EXPECT_EQ(members(EncodeSet::path), " \"#<>?^`{}");
  EXPECT_EQ(members(EncodeSet::userinfo), " \"#/:;<=>?@[\\]^`{|}");
  EXPECT_EQ(members(EncodeSet::component), " \"#$%&+,/:;<=>?@[\\]^`{|}");
  EXPECT_EQ(members(EncodeSet::form), " !\"#$%&'()+,/:;<=>?@[\\]^`{|}~");
  for (int c = 0; c < 256; ++c)
    EXPECT_EQ(in_encode_set(static_cast<char>(c), EncodeSet::c0_control), c < 0x20 || c > 0x7E) << c;
}

TEST(UrlPercent, Encode_KeepsWhatIsFree) {
  std::string out = "x";
  append_percent_encoded(out, "a b\xC3\xA4%7e", EncodeSet::path);
  EXPECT_EQ(out, "xa%20b%C3%A4%7e");
}

TEST(UrlPercent, Decode_LeavesBrokenTriplets) {
  EXPECT_EQ(percent_decode("%41%4a%4A%zz%4%"), "AJJ%zz%4%");
  EXPECT_EQ(percent_decode("%25%s%1G"), "%%s%1G");  // the standard's example
  EXPECT_EQ(percent_decode("%2541"), "%41");        // once, not twice
}

}  // namespace
}  // namespace outrider
