#include "proxy/own_site.hpp"

#include "base/http_target.hpp"
#include "base/parent_proxy.hpp"
#include "proxy/own_pages.hpp"
#include "proxy/page.hpp"
#include "proxy/responder.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace outrider {
namespace {

constexpr std::string_view kAllowed = "GET, HEAD";

struct HostAndPort {
  std::string_view host;  // without brackets
  std::string_view port;  // may be empty
};

HostAndPort split_authority(std::string_view text) {
  const std::size_t colon = text.find(':', text.starts_with('[') ? text.find(']') : 0);
  HostAndPort parts{text.substr(0, colon),
                    colon == std::string_view::npos ? std::string_view{} : text.substr(colon + 1)};
  if (parts.host.starts_with('[')) parts.host = parts.host.substr(1, parts.host.size() - 2);
  return parts;
}

// A page of a foreign site whose name was made to point at us (DNS rebinding) carries that foreign name in Host. Names
// are therefore believed only if they are ours; an address only if it is that of this machine.
bool is_ours(std::string_view host, const OwnSiteContext& context) {
  if (equal_ignoring_case(host, "localhost") || is_own_host(host)) return true;
  boost::system::error_code not_an_address;
  const IpAddress address = boost::asio::ip::make_address(host, not_an_address);
  if (!not_an_address) return is_loopback(address) || unmapped(address) == unmapped(context.local_address);
  return std::any_of(context.own_names.begin(), context.own_names.end(),
                     [host](const std::string& name) { return equal_ignoring_case(name, host); });
}

// Where the client reaches us: by the name it used, if that is a real one; it may have come through a forwarded port.
std::string reachable_at(std::string_view host_field, const OwnSiteContext& context) {
  const HostAndPort asked = split_authority(host_field);
  if (!context.through_proxy && !asked.host.empty() && !is_own_host(asked.host))
    return asked.port.empty() ? fmt::format("{}:80", host_field) : std::string{host_field};
  return authority(unmapped(context.local_address).to_string(), context.local_port);
}

ErrorContext error_context(const RequestHead& request, std::string_view accept, const OwnSiteContext& context) {
  ErrorContext error;
  error.method = request.method;
  error.accept = accept;
  error.exchange_id = context.exchange_id;
  error.date = context.date;
  error.close = context.close;
  return error;
}

Answer page(std::string_view type, std::string body, const RequestHead& request, const OwnSiteContext& context) {
  Answer answer = make_answer(200, type, std::move(body), AnswerFrame{request.method, context.date, context.close});
  HeaderMap& headers = answer.head.headers;
  headers.add(HeaderId::content_security_policy, page_policy(StyleIn::own_site));
  headers.add("Cross-Origin-Resource-Policy", "same-origin");
  return answer;
}

}  // namespace

bool is_own_host(std::string_view hostname) {
  if (hostname.ends_with('.')) hostname.remove_suffix(1);
  return equal_ignoring_case(hostname, kOwnHost);
}

std::optional<Answer> refuse_foreign_host(const RequestHead& request, const OwnSiteContext& context) {
  const std::string_view host = request.headers.find(HeaderId::host).value_or(std::string_view{});
  // Without Host it is HTTP/1.0, and no browser: nothing to rebind.
  if (context.through_proxy || host.empty()) return std::nullopt;
  if (is_host_and_port(host, PortRule::optional) && is_ours(split_authority(host).host, context)) return std::nullopt;
  const std::string accept = request.headers.joined(HeaderId::accept);
  ErrorContext error = error_context(request, accept, context);
  error.host = host;
  return answer_foreign_host(error);
}

Answer own_site_answer(const RequestHead& request, std::string_view path, const OwnSiteContext& context) {
  path = path.substr(0, path.find('?'));
  if (std::optional<Answer> refusal = refuse_foreign_host(request, context)) return std::move(*refusal);
  const std::string accept = request.headers.joined(HeaderId::accept);
  const ErrorContext error = error_context(request, accept, context);
  const std::string_view host = request.headers.find(HeaderId::host).value_or(std::string_view{});
  const std::string address = reachable_at(host, context);
  const bool from_here = is_loopback(context.client);
  const bool has_metrics = from_here && context.metrics != nullptr;
  const auto get = [&](std::string_view type, auto make_body) {
    if (request.method != Method::get && request.method != Method::head)
      return answer_method_not_allowed(kAllowed, error);
    return page(type, make_body(), request, context);
  };
  if (path == "/")
    return get(kHtmlType, [&] { return landing_page({address, context.version, has_metrics, context.through_proxy}); });
  if (path == "/healthz") return get("text/plain; charset=utf-8", [] { return std::string{"ok\n"}; });
  if (path == "/proxy.pac")
    return get("application/x-ns-proxy-autoconfig",
               [&] { return pac_file(address, is_loopback(context.local_address)); });
  if (path == "/errors") return get(kHtmlType, [] { return errors_page(); });
  if (path == "/outrider.css") return get("text/css; charset=utf-8", [] { return std::string{page_style()}; });
  if (path == "/favicon.svg" || path == "/favicon.ico")
    return get("image/svg+xml", [] { return std::string{kFavicon}; });
  if (path == "/metrics" && context.metrics != nullptr) {
    if (!from_here) return answer_local_only(error);
    return get("text/plain; version=0.0.4; charset=utf-8", [&] { return context.metrics->to_prometheus(); });
  }
  return answer_not_found(error);
}

}  // namespace outrider
