#include "base/http_message.hpp"

#include <array>

namespace outrider {
namespace {

// In the order of Method.
constexpr std::array<std::string_view, 10> kMethods = {"GET",     "HEAD",    "POST",  "PUT",   "DELETE",
                                                       "CONNECT", "OPTIONS", "TRACE", "PATCH", ""};
static_assert(kMethods.size() == static_cast<std::size_t>(Method::other) + 1);

}  // namespace

std::string_view to_string(Method method) {
  return kMethods[static_cast<std::size_t>(method)];
}

Method method_from(std::string_view token) {
  for (std::size_t i = 0; i + 1 < kMethods.size(); ++i)
    if (token == kMethods[i]) return static_cast<Method>(i);
  return Method::other;
}

bool is_safe(Method method) {
  return method == Method::get || method == Method::head || method == Method::options || method == Method::trace;
}

bool is_idempotent(Method method) {
  return is_safe(method) || method == Method::put || method == Method::del;
}

void RequestHead::clear() {
  set_method(Method::get);
  target.clear();
  version = HttpVersion::http11;
  headers.clear();
}

void ResponseHead::clear() {
  status = 200;
  reason.clear();
  version = HttpVersion::http11;
  headers.clear();
}

}  // namespace outrider
