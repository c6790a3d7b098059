#include "proxy/cli/event_reader.hpp"

namespace outrider::cli {

bool EventReader::feed(std::string_view bytes) {
  unfinished_ += bytes;
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = unfinished_.find('\n', begin)) != std::string::npos; begin = end + 1)
    if (!line(std::string_view{unfinished_}.substr(begin, end - begin))) return false;
  unfinished_.erase(0, begin);
  return true;
}

bool EventReader::line(std::string_view text) {
  if (!text.empty()) {
    const std::size_t colon = text.find(": ");
    const std::string_view value = colon == std::string_view::npos ? "" : text.substr(colon + 2);
    if (text.starts_with("event: ")) kind_ = value;
    if (text.starts_with("data: ")) data_ = value;
    return true;
  }
  const bool go_on = data_.empty() || on_event_(kind_, data_);
  kind_.clear();
  data_.clear();
  return go_on;
}

}  // namespace outrider::cli
