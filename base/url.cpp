#include "base/url.hpp"

#include "base/public_suffix.hpp"

namespace outrider {

UrlScheme scheme_kind_of(std::string_view s) {
  switch (s.size()) {
    case 2:
      return s == "ws" ? UrlScheme::ws : UrlScheme::other;
    case 3:
      return s == "wss" ? UrlScheme::wss : s == "ftp" ? UrlScheme::ftp : UrlScheme::other;
    case 4:
      return s == "http" ? UrlScheme::http : s == "file" ? UrlScheme::file : UrlScheme::other;
    case 5:
      return s == "https" ? UrlScheme::https : UrlScheme::other;
    default:
      return UrlScheme::other;
  }
}

std::uint16_t default_port_of(UrlScheme scheme) {
  switch (scheme) {
    case UrlScheme::http:
    case UrlScheme::ws:
      return 80;
    case UrlScheme::https:
    case UrlScheme::wss:
      return 443;
    case UrlScheme::ftp:
      return 21;
    case UrlScheme::file:
    case UrlScheme::other:
      break;
  }
  return 0;
}

std::optional<std::string_view> Url::query() const {
  if (query_begin_ == kAbsent) return std::nullopt;
  return view(query_begin_ + 1, query_end());
}

std::optional<std::string_view> Url::fragment() const {
  if (hash_begin_ == kAbsent) return std::nullopt;
  return view(hash_begin_ + 1, size());
}

std::optional<std::uint16_t> Url::port_number() const {
  if (!has_port()) return std::nullopt;
  return static_cast<std::uint16_t>(port_);
}

std::uint16_t Url::effective_port() const {
  return has_port() ? static_cast<std::uint16_t>(port_) : default_port_of(scheme_kind_);
}

// https://url.spec.whatwg.org/#origin
std::string Url::origin() const {
  if (is_special() && scheme_kind_ != UrlScheme::file) {
    std::string out(protocol());
    out.append("//").append(host());
    return out;
  }
  if (scheme() == "blob") {
    const Result<Url> inner = parse(pathname());
    if (inner && inner->is_http()) return inner->origin();
  }
  return "null";
}

std::string_view Url::registrable_domain() const {
  return host_kind_ == HostKind::domain ? outrider::registrable_domain(hostname()) : std::string_view{};
}

}  // namespace outrider
