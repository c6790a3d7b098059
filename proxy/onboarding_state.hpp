// Whether the person at this machine has agreed that Outrider looks into HTTPS. Asked at every CONNECT
// (tls.intercept = "onboarded"), changed by the switch on the onboarding page, kept in DATA/onboarding.
#pragma once

#include "base/error.hpp"

#include <atomic>
#include <filesystem>
#include <memory>

namespace outrider {

class OnboardingState {
 public:
  // No file, or one that says anything but yes: not accepted. Refuses a file that others may change.
  static Result<std::shared_ptr<OnboardingState>> open(std::filesystem::path file);
  // Only in memory: for whoever has no data directory.
  OnboardingState() = default;

  bool accepted() const { return accepted_.load(std::memory_order_relaxed); }
  // Any thread; waits for the disk. It counts from the moment that it is safely written.
  Result<void> set(bool accepted);

 private:
  std::filesystem::path file_;
  std::atomic<bool> accepted_{false};
};

}  // namespace outrider
