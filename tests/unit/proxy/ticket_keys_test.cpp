#include "proxy/ticket_keys.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

using namespace std::chrono_literals;
const SteadyTime kStart{1000h};

TEST(TicketKeys, KeyLasts_UntilItIsChanged) {
  TicketKeys keys;
  const auto first = keys.current(kStart);
  ASSERT_TRUE(first);
  EXPECT_EQ(keys.current(kStart + 11h)->name, first->name);
  EXPECT_NE(keys.current(kStart + 12h)->name, first->name);
  EXPECT_NE(keys.current(kStart + 12h)->cipher, first->cipher);
}

TEST(TicketKeys, TicketOfTheKeyBefore_IsTakenAndReplaced) {
  TicketKeys keys;
  const auto first = keys.current(kStart);
  EXPECT_TRUE(keys.find(first->name.data(), kStart)->current);
  keys.current(kStart + 12h);
  const auto old = keys.find(first->name.data(), kStart + 13h);
  ASSERT_TRUE(old);
  EXPECT_FALSE(old->current);
  EXPECT_EQ(old->key.cipher, first->cipher);
}

TEST(TicketKeys, OldAndUnknownKeys_AreNotFound) {
  TicketKeys keys;
  const auto first = keys.current(kStart);
  EXPECT_FALSE(keys.find(first->name.data(), kStart + 24h));
  keys.current(kStart + 12h);
  keys.current(kStart + 24h);
  EXPECT_FALSE(keys.find(first->name.data(), kStart + 24h));
  const std::array<unsigned char, 16> unknown{};
  EXPECT_FALSE(keys.find(unknown.data(), kStart + 24h));
}

}  // namespace
}  // namespace outrider
