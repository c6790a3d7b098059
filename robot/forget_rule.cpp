#include "robot/forget_rule.hpp"

#include "base/url.hpp"
#include "cache/graph_keys.hpp"
#include "cache/key.hpp"

#include <algorithm>
#include <cctype>

namespace outrider {
namespace {

Error wrong(std::string detail) {
  return Error{ErrorKind::invalid_argument, Side::client, std::move(detail)};
}

bool in_a_name(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '-';
}

}  // namespace

Result<ForgetRule> ForgetRule::of(const ForgetScope& scope) {
  ForgetRule rule;
  rule.scope_ = scope;
  if (!scope.site.empty()) {
    const Result<Url> url = Url::parse("http://" + scope.site + "/");
    rule.prefix_ = graph::site_of(scope.site);
    if (rule.prefix_.empty() || !url) return wrong("a site is the name of a host, without a port");
    rule.spelt_ = url->hostname();
    if (rule.spelt_.ends_with('.')) rule.spelt_.pop_back();  // both spellings are meant
    return rule;
  }
  const std::string& address = scope.url.empty() ? scope.prefix : scope.url;
  if (address.empty()) return rule;
  const Result<Url> url = Url::parse(address);
  if (!url || !url->is_http()) return wrong("an address must be one of http or https");
  rule.prefix_ = scope.url.empty() ? CacheKey::path_prefix(*url, url->path_and_query()) : graph::resource_of(scope.url);
  rule.spelt_ = url->href_without_fragment();
  return rule;
}

// Most addresses are others, and that is seen without parsing them.
bool ForgetRule::means(std::string_view url) const {
  if (scope_.everything) return true;
  if (prefix_.empty()) return false;
  if (!scope_.site.empty() && url.find(spelt_) == std::string_view::npos) return false;
  return graph::resource_of(url).starts_with(prefix_);
}

bool ForgetRule::means_host(std::string_view host) const {
  if (scope_.everything) return true;
  if (scope_.site.empty()) return false;
  while (host.starts_with('.') || host.starts_with('*')) host.remove_prefix(1);
  return means("http://" + std::string{host} + "/");
}

bool ForgetRule::is_named_in(std::string_view text) const {
  if (spelt_.empty()) return false;
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  for (auto at = text.begin();; ++at) {
    at = std::search(at, text.end(), spelt_.begin(), spelt_.end(), same);
    if (at == text.end()) return false;
    const auto end = at + static_cast<std::ptrdiff_t>(spelt_.size());
    const bool begins = at == text.begin() || !in_a_name(*(at - 1));
    const bool ends = scope_.site.empty() || end == text.end() || !in_a_name(*end);
    if (begins && ends) return true;
  }
}

}  // namespace outrider
