#include "webui/router.hpp"

#include "base/url_percent.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

namespace outrider::webui {
namespace {

std::vector<std::string> segments_of(std::string_view path) {
  std::vector<std::string> segments;
  if (path.starts_with('/')) path.remove_prefix(1);
  for (;;) {
    const std::size_t slash = path.find('/');
    segments.emplace_back(path.substr(0, slash));
    if (slash == std::string_view::npos) return segments;
    path.remove_prefix(slash + 1);
  }
}

bool is_name(std::string_view segment) {
  return segment.starts_with('{') && segment.ends_with('}');
}

using PathValues = std::vector<std::pair<std::string, std::string>>;

std::optional<PathValues> matched(const std::vector<std::string>& pattern, const std::vector<std::string>& path) {
  if (pattern.size() != path.size()) return std::nullopt;
  PathValues values;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (is_name(pattern[i])) {
      if (path[i].empty()) return std::nullopt;
      values.emplace_back(pattern[i].substr(1, pattern[i].size() - 2), percent_decode(path[i]));
    } else if (pattern[i] != path[i]) {
      return std::nullopt;
    }
  }
  return values;
}

void append_method(std::string& list, std::string_view method) {
  if (!list.empty()) list += ", ";
  list += method;
}

}  // namespace

void Router::add(Method method, std::string_view pattern, Role needed, Handler handler) {
  for (const Route& route : routes_)
    if (route.method == method && route.pattern == pattern)
      throw std::logic_error("two handlers for " + std::string{pattern});
  routes_.push_back({method, std::string{pattern}, segments_of(pattern), needed, std::move(handler)});
}

Router::Match Router::find(Method method, std::string_view path) const {
  if (method == Method::head) method = Method::get;
  const std::vector<std::string> segments = segments_of(path);
  Match match;
  bool exact = false;  // what is written out wins over what a name stands for
  for (const Route& route : routes_) {
    std::optional<PathValues> values = matched(route.segments, segments);
    if (!values) continue;
    append_method(match.allowed, outrider::to_string(route.method));
    if (route.method == Method::get) append_method(match.allowed, "HEAD");
    if (route.method != method || exact) continue;
    exact = values->empty();
    match.handler = &route.handler;
    match.needed = route.needed;
    match.path_values = std::move(*values);
  }
  return match;
}

std::vector<std::string> Router::listed() const {
  std::vector<std::string> lines;
  for (const Route& route : routes_)
    lines.push_back(std::string{outrider::to_string(route.method)} + " " + route.pattern);
  return lines;
}

}  // namespace outrider::webui
