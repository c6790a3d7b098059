#include "proxy/own_site.hpp"

#include "base/http_target.hpp"
#include "base/http_writer.hpp"
#include "base/parent_proxy.hpp"
#include "proxy/mobile_profile.hpp"
#include "proxy/onboarding_page.hpp"
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
// are therefore believed only if they are ours; an address only if it is that of this machine. kOwnHost is ours only
// through the proxy: whoever reaches us directly by it was sent here by a resolver, and that can be anybody's.
bool is_ours(std::string_view host, const OwnSiteContext& context) {
  if (equal_ignoring_case(host, "localhost")) return true;
  if (is_own_host(host)) return context.through_proxy;
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

std::string_view asked_host(const RequestHead& request, const OwnSiteContext& context) {
  return context.through_proxy ? context.asked_host : request.headers.find(HeaderId::host).value_or(std::string_view{});
}

// The host and port of an origin of ours ("http://127.0.0.1:8282"); nothing if it is that of some other site. Another
// server on this machine is a stranger, too: it has another port.
std::optional<std::string_view> host_of_own_origin(std::string_view origin, const OwnSiteContext& context) {
  const bool secure = origin.starts_with("https://");
  if (!secure && !origin.starts_with("http://")) return std::nullopt;
  const std::string_view host = origin.substr(secure ? 8 : 7);
  if (!is_host_and_port(host, PortRule::optional)) return std::nullopt;
  const HostAndPort parts = split_authority(host);
  const bool by_name = is_own_host(parts.host) && parts.port.empty();
  const bool by_address =
      !secure && is_ours(parts.host, context) && parts.port == fmt::format_int(context.local_port).str();
  if (by_name || by_address) return host;
  return std::nullopt;
}

// Asked by the script of the onboarding page, under one of our names, about another one. The pages of other sites are
// to learn nothing from it: they may not read the answer, and cannot tell one that they may not read from none.
Answer trusted_answer(const RequestHead& request, const ErrorContext& error, const OwnSiteContext& context) {
  const std::optional<std::string_view> origin = request.headers.find(HeaderId::origin);
  if (origin && !host_of_own_origin(*origin, context))
    return answer_denied("This is for the proxy's own pages.", error);
  Answer answer = page("text/plain", "", request, context);
  answer.head.status = 204;
  answer.head.reason = default_reason(204);
  answer.head.headers.remove(HeaderId::content_length);  // RFC 9110 section 8.6
  answer.head.headers.remove(HeaderId::content_type);
  answer.head.headers.add(HeaderId::vary, "Origin");
  if (origin) answer.head.headers.add("Access-Control-Allow-Origin", *origin);
  return answer;
}

std::string onboarding(std::string_view address, const OwnSiteContext& context) {
  const bool from_here = is_loopback(context.client);
  OnboardingPage facts;
  facts.address = address;
  facts.version = context.version;
  facts.has_metrics = from_here && context.metrics != nullptr;
  facts.in_use = context.through_proxy;
  facts.this_machine_only = is_loopback(context.local_address);
  facts.intercepts = context.intercepts;
  facts.may_choose = from_here;
  facts.fixed_by_configuration = context.intercept_is_fixed;
  std::string fingerprint;
  std::string warning;
  if (context.authority != nullptr) {
    fingerprint = context.authority->fingerprint();
    warning = context.authority->warning(context.now).value_or("");
    facts.authority_name = context.authority->name();
    facts.fingerprint = fingerprint;
    facts.authority_warning = warning;
  }
  return onboarding_page(facts);
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

// A page of some site can make a browser send this too, but not in our name: browsers state the origin themselves. The
// host it was sent to must be the same, and nobody but this machine may ask.
std::optional<Answer> refuse_foreign_page(const RequestHead& request, const OwnSiteContext& context) {
  if (std::optional<Answer> refusal = refuse_foreign_host(request, context)) return refusal;
  const std::string accept = request.headers.joined(HeaderId::accept);
  const ErrorContext error = error_context(request, accept, context);
  if (!is_loopback(context.client)) return answer_local_only(error);
  const std::string_view fetch_site = request.headers.find("Sec-Fetch-Site").value_or("same-origin");
  const std::string_view origin = request.headers.find(HeaderId::origin).value_or(std::string_view{});
  const std::optional<std::string_view> from = host_of_own_origin(origin, context);
  const bool ours = request.headers.count(HeaderId::origin) == 1 && from && fetch_site == "same-origin" &&
                    equal_ignoring_case(*from, asked_host(request, context));
  if (ours) return std::nullopt;
  return answer_denied("This can be changed only on the proxy's own page.", error);
}

WebRequest web_request(const RequestHead& request, std::string_view path_and_query, const OwnSiteContext& context) {
  WebRequest web;
  const std::size_t question = path_and_query.find('?');
  web.method = request.method;
  web.path = path_and_query.substr(0, question);
  if (question != std::string_view::npos) web.query = path_and_query.substr(question + 1);
  web.headers = request.headers;
  web.from_this_machine = is_loopback(context.client);
  web.through_proxy = context.through_proxy;
  web.login = context.login;
  const std::string_view host = asked_host(request, context);
  const std::string_view name = split_authority(host).host;
  web.by_own_name = is_own_host(name);
  // Without Host it is HTTP/1.0, and no browser: nothing to rebind.
  web.host_is_ours = host.empty() || (is_host_and_port(host, PortRule::optional) && is_ours(name, context));
  const std::string_view fetch_site = request.headers.find("Sec-Fetch-Site").value_or("");
  const bool same_page = fetch_site.empty() || fetch_site == "same-origin";
  const std::size_t origins = request.headers.count(HeaderId::origin);
  const std::string_view origin = request.headers.find(HeaderId::origin).value_or("");
  const std::optional<std::string_view> from = host_of_own_origin(origin, context);
  if (origins == 1 && from && equal_ignoring_case(*from, host) && same_page) {
    web.sender = WebSender::own_page;
  } else if (origins != 0 || (!same_page && fetch_site != "none")) {
    web.sender = WebSender::foreign_page;
  }
  return web;
}

std::optional<bool> parse_switch(std::string_view body) {
  if (body == "accept=yes") return true;
  if (body == "accept=no") return false;
  return std::nullopt;
}

Answer back_to_onboarding(const RequestHead& request, const OwnSiteContext& context) {
  Answer answer = page(kHtmlType, "", request, context);
  answer.head.status = 303;
  answer.head.reason = default_reason(303);
  answer.head.headers.add(HeaderId::location, "/#state");
  return answer;
}

Answer own_site_answer(const RequestHead& request, std::string_view path, const OwnSiteContext& context) {
  path = path.substr(0, path.find('?'));
  if (std::optional<Answer> refusal = refuse_foreign_host(request, context)) return std::move(*refusal);
  const std::string accept = request.headers.joined(HeaderId::accept);
  const ErrorContext error = error_context(request, accept, context);
  const std::string_view host = request.headers.find(HeaderId::host).value_or(std::string_view{});
  const std::string address = reachable_at(host, context);
  const bool from_here = is_loopback(context.client);
  const auto get = [&](std::string_view type, auto make_body) {
    if (request.method != Method::get && request.method != Method::head)
      return answer_method_not_allowed(kAllowed, error);
    return page(type, make_body(), request, context);
  };
  const auto download = [&](std::string_view type, std::string_view file, auto make_body) {
    if (context.authority == nullptr) return answer_not_found(error);
    Answer answer = get(type, make_body);
    if (answer.head.status != 200) return answer;
    // Not "attachment": Firefox then offers to trust it at once.
    answer.head.headers.add("Content-Disposition", fmt::format("inline; filename=\"{}\"", file));
    return answer;
  };
  if (path == "/") {
    Answer answer = get(kHtmlType, [&] { return onboarding(address, context); });
    if (answer.head.status != 200) return answer;
    answer.head.headers.set(HeaderId::content_security_policy, onboarding_policy());
    // With no-referrer a form would be sent with "Origin: null", and the switch is for our own pages only.
    answer.head.headers.set("Referrer-Policy", "same-origin");
    return answer;
  }
  if (path == "/onboarding.js")
    return get("text/javascript; charset=utf-8", [] { return std::string{onboarding_script()}; });
  if (path == "/ca.pem")
    return download("application/x-pem-file", "outrider-ca.pem", [&] { return context.authority->pem(); });
  if (path == "/ca.crt")
    return download("application/x-x509-ca-cert", "outrider-ca.crt", [&] { return context.authority->der(); });
  if (path == "/ca.mobileconfig")
    return download("application/x-apple-aspen-config", "outrider.mobileconfig", [&] {
      return mobile_profile(context.authority->name(), context.authority->der(), context.authority->fingerprint());
    });
  if (path == "/trusted") {
    if (request.method != Method::get) return answer_method_not_allowed("GET", error);
    return trusted_answer(request, error, context);
  }
  if (path == "/interception") return answer_method_not_allowed("POST", error);
  if (path == "/healthz") return get("text/plain; charset=utf-8", [] { return std::string{"ok\n"}; });
  if (path == "/proxy.pac")
    return get("application/x-ns-proxy-autoconfig",
               [&] { return pac_file(address, is_loopback(context.local_address)); });
  if (path == "/errors") return get(kHtmlType, [] { return errors_page(); });
  if (path == "/outrider.css")
    return get("text/css; charset=utf-8", [] { return std::string{page_style()} + std::string{onboarding_style()}; });
  if (path == "/favicon.svg" || path == "/favicon.ico")
    return get("image/svg+xml", [] { return std::string{kFavicon}; });
  if (path == "/metrics" && context.metrics != nullptr) {
    if (!from_here) return answer_local_only(error);
    return get("text/plain; version=0.0.4; charset=utf-8", [&] { return context.metrics->to_prometheus(); });
  }
  return answer_not_found(error);
}

}  // namespace outrider
