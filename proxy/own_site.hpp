// What is answered at the proxy's own address: to requests that come straight to it (origin-form), and to those for
// http(s)://outrider.internal/ through it. A few small pages without secrets; what is under
// /api and /monitor is answered by the web interface (plugins/api/web_site.hpp).
//
//   /             onboarding: what works, what to do       /healthz      "ok"
//   /proxy.pac    for automatic proxy configuration        /metrics      Prometheus; to this machine only
//   /errors       what each error of the proxy means       /outrider.css, /onboarding.js, /favicon.svg, /favicon.ico
//   /ca.pem, /ca.crt, /ca.mobileconfig    the certificate of the authority
//   /trusted      204: asked by the onboarding page over HTTP and HTTPS, to see whether it gets an answer
//   /plugins/NAME/…  documents of a plugin (proxy/plugin_documents)
//   /interception POST: the switch on the onboarding page
#pragma once

#include "base/ip_address.hpp"
#include "base/metrics.hpp"
#include "plugins/api/web_site.hpp"
#include "proxy/answer.hpp"
#include "proxy/authority.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace outrider {

// Resolved by nobody: only those who use the proxy can reach it. The suffix is reserved for private use (ICANN, 2024).
inline constexpr std::string_view kOwnHost = "outrider.internal";
bool is_own_host(std::string_view hostname);  // any case, with or without the final dot

struct OwnSiteContext {
  IpAddress client;         // who asks
  IpAddress local_address;  // the end of the connection that is ours: where browsers reach this proxy
  std::uint16_t local_port = 0;
  bool through_proxy = false;  // an absolute-form request for kOwnHost, so the Host field says nothing more
  std::string_view version;
  std::string_view exchange_id;
  std::string_view date;  // as DateCache has it
  bool close = false;
  std::span<const std::string>
      own_names;                     // further names under which people reach this machine; from the configuration
  const Metrics* metrics = nullptr;  // absent: /metrics does not exist
  std::string_view login;            // who has logged in to the proxy for this; "" = nobody
  std::string_view asked_host;       // through the proxy: host and port of the URL; otherwise the Host field counts
  WallTime now{};
  const Authority* authority = nullptr;  // absent: nothing to trust, nothing to switch
  bool intercepts = false;               // HTTPS is opened now
  bool intercept_is_fixed = false;       // by the configuration: there is no switch
};

// A refusal, if the request came under a name that is not ours (DNS rebinding).
std::optional<Answer> refuse_foreign_host(const RequestHead& request, const OwnSiteContext& context);

// A refusal, unless a page of ours on this very machine sent this: what the switch on the onboarding page needs.
std::optional<Answer> refuse_foreign_page(const RequestHead& request, const OwnSiteContext& context);
// What the switch says: "accept=yes" or "accept=no".
std::optional<bool> parse_switch(std::string_view body);
// Back to the page after the switch.
Answer back_to_onboarding(const RequestHead& request, const OwnSiteContext& context);

// A request for the API or the monitor (plugins/api/web_site.hpp), still without its body.
WebRequest web_request(const RequestHead& request, std::string_view path_and_query, const OwnSiteContext& context);

// `path` is that of the target; a query string is ignored.
Answer own_site_answer(const RequestHead& request, std::string_view path, const OwnSiteContext& context);

}  // namespace outrider
