#include "plugins/api/robot_judges.hpp"

namespace outrider {

void Attributes::set(std::string_view name, double value) {
  for (auto& [key, old] : values_) {
    if (key != name) continue;
    old = value;
    return;
  }
  values_.emplace_back(name, value);
}

std::optional<double> Attributes::get(std::string_view name) const {
  for (const auto& [key, value] : values_)
    if (key == name) return value;
  return std::nullopt;
}

}  // namespace outrider
