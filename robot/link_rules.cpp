#include "robot/link_rules.hpp"

#include "base/ascii.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace outrider {
namespace {

std::string_view folder_of(std::string_view path) {
  return path.substr(0, path.rfind('/') + 1);
}

// "pdf" of "/a/b.PDF"; "" if there is none.
std::string extension_of(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? "" : ascii_lower(name.substr(dot + 1));
}

bool holds(const std::vector<std::string>& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

const std::string* prefix_of(const std::vector<std::string>& prefixes, std::string_view path) {
  for (const std::string& prefix : prefixes)
    if (path.starts_with(prefix)) return &prefix;
  return nullptr;
}

}  // namespace

HostList::HostList(const std::vector<std::string>& hosts) {
  for (const std::string& text : hosts) {
    Host host;
    host.text = text;
    host.with_below = text.starts_with('.');
    const std::size_t colon = text.rfind(':');
    if (colon != std::string::npos) {
      const char* const end = text.data() + text.size();
      const auto [stop, bad] = std::from_chars(text.data() + colon + 1, end, host.port);
      if (bad != std::errc{} || stop != end) host.port = 0;
      host.name = colon;
    }
    hosts_.push_back(std::move(host));
  }
}

bool HostList::contains(const Url& url) const {
  const std::string_view name = url.hostname();
  for (const Host& host : hosts_) {
    const std::string_view text = host.text;
    if (host.with_below) {
      if (name == text.substr(1) || name.ends_with(text)) return true;
    } else if (text == name || text == url.host()) {
      return true;
    } else if (host.port != 0 && text.substr(0, host.name) == name && host.port == url.effective_port()) {
      return true;  // the default port, written out
    }
  }
  return false;
}

Result<std::unique_ptr<LinkRules>> LinkRules::create(const TaskSpec& spec) {
  std::unique_ptr<LinkRules> rules{new LinkRules};
  rules->spec_ = spec;
  rules->hosts_ = HostList{spec.hosts};
  rules->include_hosts_ = HostList{spec.include_hosts};
  rules->exclude_hosts_ = HostList{spec.exclude_hosts};
  for (auto* list : {&rules->spec_.include_extensions, &rules->spec_.exclude_extensions, &rules->spec_.mime_types})
    for (std::string& each : *list) each = ascii_lower(each);
  std::vector<std::string> patterns;
  for (const std::string& pattern : spec.exclude) patterns.push_back("reject regex " + pattern);
  for (const std::string& pattern : spec.include) patterns.push_back("accept regex " + pattern);
  Result<UrlRules> compiled = UrlRules::parse(patterns);
  if (!compiled) return compiled.error();
  rules->patterns_ = std::move(*compiled);
  for (const std::string& text : spec.start) {
    const Result<Url> url = Url::parse(text);
    if (!url) return url.error();
    rules->starts_.push_back({std::string{url->host()}, std::string{folder_of(url->pathname())}});
  }
  return rules;
}

Rejection LinkRules::check_kind(const FoundLink& link) const {
  bool wanted = true;
  switch (link.kind) {
    case LinkKind::embedded:
      wanted = spec_.follow_embedded;
      break;
    case LinkKind::canonical:
    case LinkKind::alternate:
    case LinkKind::feed:
      wanted = spec_.follow_canonical;
      break;
    case LinkKind::pagination:
      wanted = spec_.follow_pagination;
      break;
    case LinkKind::form:
    case LinkKind::link_rel:
      wanted = false;
      break;
    default:
      break;
  }
  if (!wanted) return {Reason::kind, std::string{to_string(link.kind)}};
  return {};
}

Rejection LinkRules::check_restriction(const Url& url, const Url* from) const {
  const auto same_host = [&url](const Start& start) { return start.host == url.host(); };
  const auto below = [&url](const Start& start) {
    return start.host == url.host() && url.pathname().starts_with(start.folder);
  };
  bool inside = true;
  switch (spec_.restriction) {
    case Restriction::all:
      break;
    case Restriction::internal:
      inside = std::any_of(starts_.begin(), starts_.end(), same_host);
      break;
    case Restriction::external:
      inside = from == nullptr || from->host() != url.host();
      break;
    case Restriction::subdirectories:
      inside = std::any_of(starts_.begin(), starts_.end(), below);
      break;
    case Restriction::hosts:
      inside = hosts_.contains(url);
      break;
  }
  if (!inside) return {Reason::restriction, std::string{to_string(spec_.restriction)}};
  return {};
}

Rejection LinkRules::check_place(const Url& url) const {
  if (exclude_hosts_.contains(url)) return {Reason::host_rule, fmt::format("exclude_hosts: {}", url.host())};
  if (!include_hosts_.empty() && !include_hosts_.contains(url)) return {Reason::host_rule, "not in include_hosts"};
  const std::string_view path = url.pathname();
  if (const std::string* prefix = prefix_of(spec_.exclude_paths, path))
    return {Reason::path_rule, fmt::format("exclude_paths: {}", *prefix)};
  if (!spec_.include_paths.empty() && prefix_of(spec_.include_paths, path) == nullptr)
    return {Reason::path_rule, "not in include_paths"};
  if (!patterns_.empty()) {
    UrlDecision decision = patterns_.check(url);
    if (decision.decision == Decision::reject) return {Reason::url_rule, std::move(decision.reason)};
    if (decision.decision == Decision::none && patterns_.has_accept()) return {Reason::url_rule, "fits no include"};
  }
  if (spec_.query == QueryPolicy::skip && !url.search().empty()) return {Reason::query, ""};
  if (spec_.include_extensions.empty() && spec_.exclude_extensions.empty()) return {};
  const std::string extension = extension_of(path);
  if (holds(spec_.exclude_extensions, extension)) return {Reason::extension, extension};
  // A path without an extension may lead to anything, and through it.
  if (!spec_.include_extensions.empty() && !extension.empty() && !holds(spec_.include_extensions, extension))
    return {Reason::extension, extension};
  return {};
}

Rejection LinkRules::check(const FoundLink& link, const Url* from) const {
  if (link.url.href().empty()) return {Reason::scheme, ""};
  if (from != nullptr) {
    if (Rejection kind = check_kind(link)) return kind;
    if ((link.flags & LinkFlags::nofollow) != 0 && !spec_.follow_nofollow) return {Reason::nofollow, "rel=nofollow"};
  }
  if (link.url.href_without_fragment().size() > spec_.max_url_length) return {Reason::too_long, ""};
  if (from != nullptr) {
    if (Rejection outside = check_restriction(link.url, from)) return outside;
  }
  return check_place(link.url);
}

Rejection LinkRules::check_type(std::string_view type) const {
  if (spec_.mime_types.empty()) return {};
  const std::string essence = ascii_lower(type.substr(0, type.find_first_of("; \t")));
  for (const std::string& wanted : spec_.mime_types) {
    if (wanted == essence) return {};
    if (wanted.ends_with("/*") && essence.starts_with(wanted.substr(0, wanted.size() - 1))) return {};
  }
  return {Reason::mime, essence};
}

}  // namespace outrider
