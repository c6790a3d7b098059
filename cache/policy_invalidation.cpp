#include "cache/policy_invalidation.hpp"

#include <algorithm>
#include <array>

namespace outrider {
namespace {

// Another URL that the answer speaks of. Only of the same origin: nobody may empty somebody else's cache.
void add_location(Invalidation& out, const Url& url, const ResponseHead& response, HeaderId field) {
  const auto value = response.headers.find(field);
  if (!value) return;
  auto location = Url::parse(*value, &url);
  if (location && location->is_http() && location->origin() == url.origin()) out.others.push_back(std::move(*location));
}

}  // namespace

bool is_safe_method(const RequestHead& request) {
  static constexpr std::array<std::string_view, 4> kRegistered = {"PROPFIND", "REPORT", "SEARCH", "QUERY"};
  if (request.method != Method::other) return is_safe(request.method);
  return std::find(kRegistered.begin(), kRegistered.end(), request.method_text) != kRegistered.end();
}

Invalidation invalidated_by(const RequestHead& request, const Url& url, const ResponseHead& response) {
  Invalidation out;
  if (is_safe_method(request) || request.method == Method::connect) return out;
  if (response.status < 200 || response.status > 399) return out;  // it failed: nothing changed
  out.target = true;
  add_location(out, url, response, HeaderId::location);
  add_location(out, url, response, HeaderId::content_location);
  return out;
}

}  // namespace outrider
