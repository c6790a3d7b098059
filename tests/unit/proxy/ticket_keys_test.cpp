#include "proxy/ticket_keys.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

using namespace std::chrono_literals;
const SteadyTime kNow{1000h};

TEST(TicketKeys, KeyLasts_UntilItIsChanged) {
  TicketKeys keys;
  const auto first = keys.current(kNow);
  ASSERT_TRUE(first);
  EXPECT_EQ(keys.current(kNow + 11h)->name, first->name);
  EXPECT_NE(keys.current(kNow + 12h)->name, first->name);
  EXPECT_NE(keys.current(kNow + 12h)->cipher, first->cipher);
}

TEST(TicketKeys, TicketOfTheKeyBefore_IsTakenAndReplaced) {
  TicketKeys keys;
  const auto first = keys.current(kNow);
  EXPECT_TRUE(keys.find(first->name.data(), kNow)->current);
  keys.current(kNow + 12h);
  const auto old = keys.find(first->name.data(), kNow + 13h);
  ASSERT_TRUE(old);
  EXPECT_FALSE(old->current);
  EXPECT_EQ(old->key.cipher, first->cipher);
}

TEST(TicketKeys, OldAndUnknownKeys_AreNotFound) {
  TicketKeys keys;
  const auto first = keys.current(kNow);
  EXPECT_FALSE(keys.find(first->name.data(), kNow + 24h));
  keys.current(kNow + 12h);
  keys.current(kNow + 24h);
  EXPECT_FALSE(keys.find(first->name.data(), kNow + 24h));
  const std::array<unsigned char, 16> unknown{};
  EXPECT_FALSE(keys.find(unknown.data(), kNow + 24h));
}

}  // namespace
}  // namespace outrider
