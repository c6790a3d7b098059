#include "cache/policy_invalidation.hpp"

#include "base/http_chars.hpp"
#include "base/http_target.hpp"

#include <algorithm>
#include <array>

namespace outrider {
namespace {

// The path and query of `reference`, which was found at `base`, byte by byte; "" if it has none.
std::string as_written(std::string_view reference, const Url& base) {
  reference = trim_ows(reference.substr(0, reference.find('#')));
  if (reference.find("://") < reference.find_first_of("/?")) return path_and_query_of(reference);
  if (reference.empty() || reference.starts_with("//")) return {};
  if (reference.starts_with('/')) return std::string{reference};
  const std::string_view path = base.pathname();
  const std::string_view folder = path.substr(0, path.rfind('/') + 1);
  return std::string{reference.starts_with('?') ? path : folder} + std::string{reference};
}

// Another URL that the answer speaks of. Only of the same origin: nobody may empty somebody else's cache.
void add_location(Invalidation& out, const Url& url, const ResponseHead& response, HeaderId field) {
  const auto value = response.headers.find(field);
  if (!value) return;
  auto location = Url::parse(*value, &url);
  if (!location || !location->is_http() || location->origin() != url.origin()) return;
  std::string written = as_written(*value, url);
  if (written == location->path_and_query()) written.clear();
  out.others.push_back({std::move(*location), std::move(written)});
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
