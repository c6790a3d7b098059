#include "proxy/onboarding_state.hpp"

#include "tests/support/secret_folder.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

using testing::SecretFolder;

TEST(OnboardingState, NobodyHasAcceptedAtFirst) {
  const SecretFolder folder;
  EXPECT_FALSE(OnboardingState::open(folder.file("onboarding")).value()->accepted());
  EXPECT_EQ(folder.count(), 0U) << "looking writes nothing";
}

TEST(OnboardingState, TheAnswerOutlivesARestart) {
  const SecretFolder folder;
  const auto state = OnboardingState::open(folder.file("onboarding")).value();
  ASSERT_TRUE(state->set(true));
  EXPECT_TRUE(state->accepted());
  EXPECT_EQ(folder.mode("onboarding"), 0600U);
  EXPECT_TRUE(OnboardingState::open(folder.file("onboarding")).value()->accepted());
  ASSERT_TRUE(state->set(false));
  EXPECT_FALSE(state->accepted());
  EXPECT_FALSE(OnboardingState::open(folder.file("onboarding")).value()->accepted());
}

TEST(OnboardingState, DoubtMeansNo) {
  const SecretFolder folder;
  for (const char* text : {"", "interception accep", "interception not accepted\n", "yes\n", "\xFF\n"})
    EXPECT_FALSE(OnboardingState::open(folder.write("onboarding", text)).value()->accepted()) << text;
}

TEST(OnboardingState, WhatOthersMayChange_IsRefused) {
  const SecretFolder folder;
  EXPECT_FALSE(OnboardingState::open(folder.write("onboarding", "interception accepted\n", 0666)));
}

TEST(OnboardingState, UnwrittenAnswer_DoesNotCount) {
  const SecretFolder folder;
  const auto state = OnboardingState::open(folder.file("no/such/folder")).value();
  EXPECT_FALSE(state->set(true));
  EXPECT_FALSE(state->accepted());
}

TEST(OnboardingState, WithoutAFile_LivesInMemory) {
  OnboardingState state;
  ASSERT_TRUE(state.set(true));
  EXPECT_TRUE(state.accepted());
}

}  // namespace
}  // namespace outrider
