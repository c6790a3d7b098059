#include "cache/storage_class.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

struct Case {
  HeaderMap request, response;
  bool shareable = false, never_keep = false, keep_anyway = false;
  StorageClass verdict() const { return storage_class({request, response, shareable, never_keep, keep_anyway}); }
};

TEST(StorageClassTest, what_everybody_may_have_is_open_and_the_rest_is_personal) {
  Case c;
  EXPECT_EQ(c.verdict(), StorageClass::personal);
  c.shareable = true;
  EXPECT_EQ(c.verdict(), StorageClass::open);
}

TEST(StorageClassTest, no_store_is_never_kept_whoever_says_it) {
  Case answer;
  answer.response.add("Cache-Control", "no-store");
  EXPECT_EQ(answer.verdict(), StorageClass::never);
  Case question;
  question.shareable = true;
  question.request.add("Cache-Control", "no-store");
  EXPECT_EQ(question.verdict(), StorageClass::never);
}

TEST(StorageClassTest, answers_to_credentials_are_never_kept_even_if_shareable) {
  Case c;
  c.shareable = true;
  c.request.add("Authorization", "Basic eDp5");
  EXPECT_EQ(c.verdict(), StorageClass::never);
}

TEST(StorageClassTest, the_person_may_override_a_site_for_himself_alone) {
  Case c;
  c.keep_anyway = true;
  c.shareable = true;
  c.response.add("Cache-Control", "no-store");
  EXPECT_EQ(c.verdict(), StorageClass::personal);
  c.never_keep = true;
  EXPECT_EQ(c.verdict(), StorageClass::never);
}

}  // namespace
}  // namespace outrider
