// Server-Sent Events (WHATWG HTML section 9.2) out of a stream of bytes: as much of the format as our own API uses.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace outrider::cli {

class EventReader {
 public:
  // False: no more is wanted.
  using OnEvent = std::function<bool(std::string_view kind, std::string_view data)>;
  explicit EventReader(OnEvent on_event) : on_event_(std::move(on_event)) {}

  bool feed(std::string_view bytes);  // false: somebody said so

 private:
  bool line(std::string_view text);

  OnEvent on_event_;
  std::string unfinished_, kind_, data_;
};

}  // namespace outrider::cli
