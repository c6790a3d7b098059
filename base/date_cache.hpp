// The current date as it stands in a Date header, formatted once a second.
#pragma once

#include "base/clock.hpp"
#include "base/http_date.hpp"

#include <string>
#include <string_view>

namespace outrider {

class DateCache {
 public:
  explicit DateCache(const Clock& clock) : clock_(clock) {}
  std::string_view now() {
    const auto second = std::chrono::floor<std::chrono::seconds>(clock_.now());
    if (second != at_ || text_.empty()) {
      at_ = second;
      text_ = format_http_date(second);
    }
    return text_;
  }

 private:
  const Clock& clock_;
  std::chrono::time_point<std::chrono::system_clock, std::chrono::seconds> at_{};
  std::string text_;
};

}  // namespace outrider
