#include "robot/mailbox.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace outrider {
namespace {

TEST(Mailbox, WhoAsksMeanwhile_WaitsBehindAFew_NotBehindAll) {
  constexpr int kMany = 3000;
  Reactor reactor;
  std::vector<int> opened, before_the_question;
  const auto mailbox = std::make_shared<Mailbox<int>>(
      reactor,
      [&](std::vector<int> some) {
        if (opened.empty()) reactor.post([&] { before_the_question = opened; });
        opened.insert(opened.end(), some.begin(), some.end());
        if (opened.size() == kMany) reactor.stop();
      },
      [](int) { return 10; });
  for (int i = 0; i < kMany; ++i) mailbox->put(i);
  reactor.run();
  std::vector<int> all(kMany);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(opened, all) << "each once, in their order";
  EXPECT_LE(before_the_question.size(), 600U);
  EXPECT_GE(before_the_question.size(), 1U);
}

TEST(Mailbox, WhatComesLate_FindsNobody) {
  Reactor reactor;
  int opened = 0;
  const auto mailbox = std::make_shared<Mailbox<int>>(
      reactor, [&](std::vector<int>) { ++opened; }, [](int) { return 1; });
  mailbox->put(1);
  mailbox->close();
  mailbox->put(2);
  reactor.post([&] { reactor.stop(); });
  reactor.run();
  EXPECT_EQ(opened, 0);
}

}  // namespace
}  // namespace outrider
