#include "proxy/failure.hpp"

namespace outrider {
namespace {

constexpr std::string_view kTryLater = "Wait a minute and try again.";
constexpr std::string_view kOtherSites = "Try another site, to see whether your own connection works.";
constexpr std::string_view kAskAdmin = "If you think this is wrong, ask whoever runs this proxy.";
constexpr std::string_view kOtherProgram = "If it keeps happening, try another browser or program.";

// clang-format off
constexpr std::array<Failure, static_cast<std::size_t>(FailureId::count_)> kFailures = {{
    {FailureId::bad_request, "bad_request", 400, "http_request_error", Stop::client, false,
     "The request could not be understood",
     "What arrived at the proxy does not follow the rules of HTTP, so it was not passed on.",
     {"Check the address for typing errors.", kOtherProgram}},
    {FailureId::target_too_long, "target_too_long", 414, "http_request_error", Stop::client, false,
     "The address is too long",
     "The requested address is longer than this proxy accepts.",
     {"Go back and open the page another way; sites that send you in circles often grow such addresses.",
      "The limit can be raised in the configuration."}},
    {FailureId::head_too_large, "head_too_large", 431, "http_request_error", Stop::client, false,
     "The request carries too much",
     "The header fields of the request are larger than this proxy accepts. Usually too many cookies are the reason.",
     {"Delete the cookies of $host and open the page again.", "The limit can be raised in the configuration."}},
    {FailureId::body_too_large, "body_too_large", 413, "http_request_error", Stop::client, false,
     "The upload is too large",
     "The request carries more data than this proxy accepts.",
     {"Send a smaller file.", "The limit can be raised in the configuration."}},
    {FailureId::unsupported, "unsupported", 501, "http_request_error", Stop::client, false,
     "The proxy cannot do that",
     "The request asks for something that this proxy does not support.",
     {"Check the first part of the address: only http and https are understood.", kOtherProgram}},
    {FailureId::bad_version, "bad_version", 505, "http_request_error", Stop::client, false,
     "Unknown version of HTTP",
     "The request is written in a version of HTTP that this proxy does not speak.",
     {"Set the program to HTTP/1.1."}},
    {FailureId::request_timeout, "request_timeout", 408, "http_request_error", Stop::client, true,
     "The request took too long",
     "The proxy waited for the rest of the request, but it did not arrive in time.",
     {"Try again.", "If this happens often, the connection between this device and the proxy is slow."}},
    {FailureId::method_not_allowed, "method_not_allowed", 405, "http_request_error", Stop::nowhere, false,
     "That cannot be done here",
     "The address exists, but not for this kind of request.",
     {"Open the address in a browser."}},

    {FailureId::dns_failure, "dns_failure", 502, "dns_error", Stop::origin, false,
     "$host could not be found",
     "There is no address for that name: it may be misspelt, or the site no longer exists.",
     {"Check the name for typing errors.", kOtherSites, "Names of a company network resolve only inside it (VPN)."}},
    {FailureId::dns_timeout, "dns_timeout", 504, "dns_timeout", Stop::proxy, true,
     "Names cannot be looked up at the moment",
     "The name server gave no answer for $host. That says nothing about the site itself.",
     {"Check that this computer is online.", kTryLater,
      "If all sites fail, restart the router or the network connection."}},
    {FailureId::connect_refused, "connect_refused", 502, "connection_refused", Stop::origin, true,
     "$host does not accept connections",
     "The machine is there, but nothing answers at that port: the site is down, or the port is wrong.",
     {kTryLater, "If the address contains a port (a number after a colon), check it."}},
    {FailureId::connect_failed, "connect_failed", 502, "destination_ip_unroutable", Stop::origin, true,
     "$host cannot be reached",
     "There is no working way to that machine from here.",
     {"Check that this computer is online.", kOtherSites,
      "If the site is in a company network, connect to its VPN first."}},
    {FailureId::connect_timeout, "connect_timeout", 504, "connection_timeout", Stop::origin, true,
     "$host does not answer",
     "The proxy tried to connect and got no reply at all. The site is down, overloaded, or blocked on the way.",
     {kTryLater, kOtherSites}},
    {FailureId::tls_failed, "tls_failed", 502, "tls_protocol_error", Stop::origin, true,
     "No secure connection to $host",
     "The proxy and the site could not agree on encryption, so nothing was sent.",
     {kTryLater, "Very old servers know only encryption that is no longer safe.",
      "Check that the port really is one for https."}},
    {FailureId::tls_untrusted, "tls_untrusted", 502, "tls_certificate_error", Stop::origin, false,
     "$host cannot prove who it is",
     "Nothing was sent to it, because somebody else could be posing as this site.",
     {"Check the date and time of this computer.", "In a hotel, train or café: open the network's log-in page first.",
      "Do not enter passwords on this site until it is repaired."}},

    {FailureId::response_timeout, "response_timeout", 504, "http_response_timeout", Stop::origin, true,
     "$host took too long to answer",
     "The request was sent, but the answer did not come in time.",
     {kTryLater, "If you were sending something, check whether it arrived before you send it again."}},
    {FailureId::closed_before_response, "closed_before_response", 502, "connection_terminated", Stop::origin, true,
     "$host hung up",
     "The site closed the connection without giving an answer.",
     {kTryLater, "If you were sending something, check whether it arrived before you send it again."}},
    {FailureId::closed_in_response, "closed_in_response", 502, "http_response_incomplete", Stop::origin, true,
     "$host stopped in the middle of its answer",
     "Only a part of the answer arrived, so it cannot be shown.",
     {kTryLater, "If you were sending something, check whether it arrived before you send it again."}},
    {FailureId::bad_response, "bad_response", 502, "http_protocol_error", Stop::origin, false,
     "$host sent an answer that makes no sense",
     "The answer breaks the rules of HTTP in a way that would be dangerous to pass on.",
     {"Check that the port really is one of a web server.",
      "Tell the operators of the site; the details below help them."}},
    {FailureId::response_head_too_large, "response_head_too_large", 502, "http_response_header_section_size", Stop::origin, false,
     "$host sent too many header fields",
     "The header fields of the answer are larger than this proxy accepts.",
     {"Delete the cookies of $host and try again.", "The limit can be raised in the configuration."}},
    {FailureId::response_body_too_large, "response_body_too_large", 502, "http_response_body_size", Stop::origin, false,
     "The answer of $host is too large",
     "The site sent more data than this proxy accepts.",
     {"The limit can be raised in the configuration."}},

    {FailureId::parent_refused, "parent_refused", 502, "destination_unavailable", Stop::parent, false,
     "The next proxy refused the request",
     "This proxy passes requests for $host to another one, and that one said no.",
     {"Its name and password may be wrong: check the parent proxy in the configuration.", kAskAdmin}},
    {FailureId::parent_failed, "parent_failed", 502, "destination_unavailable", Stop::parent, true,
     "The next proxy cannot be used",
     "This proxy passes requests for $host to another one, and that one does not work at the moment.",
     {"Check that this computer is in the network to which that proxy belongs (VPN).", kTryLater,
      "Check the parent proxy in the configuration."}},

    {FailureId::denied, "denied", 403, "http_request_denied", Stop::proxy, false,
     "This proxy does not allow $host",
     "A rule in the configuration of this proxy forbids the request. The site was not contacted.",
     {kAskAdmin}},
    {FailureId::address_denied, "address_denied", 403, "destination_ip_prohibited", Stop::proxy, false,
     "This proxy does not connect to $host",
     "The address belongs to a range that this proxy keeps away from, such as the machines of a private network.",
     {"To reach a device in your own network, except it from the proxy in the browser's settings.", kAskAdmin}},
    {FailureId::authentication_required, "authentication_required", 407, "http_request_denied", Stop::proxy, false,
     "This proxy wants to know who you are",
     "It serves only people who give a name and a password, or a token.",
     {"Reload the page and enter your name and password for the proxy.",
      "Programs take them from their proxy settings."}},
    {FailureId::too_many, "too_many", 429, "http_request_denied", Stop::proxy, true,
     "Too many attempts",
     "There were too many requests or wrong passwords from this device in a short time, so the proxy makes it wait.",
     {"Wait a minute and try again.", "Check the name and password in the proxy settings of all programs on this device."}},
    {FailureId::loop, "loop", 508, "proxy_loop_detected", Stop::proxy, false,
     "The request runs in a circle",
     "It has already passed this proxy once. Passing it on would never end.",
     {"Check the parent proxy in the configuration: it leads back to this proxy.",
      "Check that the site's name does not point to this proxy."}},
    {FailureId::busy, "busy", 503, "connection_limit_reached", Stop::proxy, true,
     "The proxy is busy",
     "It is handling as many requests as it is allowed to.",
     {"Wait a few seconds and try again."}},
    {FailureId::not_stored, "not_stored", 504, "", Stop::proxy, false,
     "There is no copy of this page",
     "Only a stored copy was asked for, or the proxy is offline, and it has none.",
     {"Open the page again when you are online: it is kept from then on.",
      "If you did not expect this, look whether cache.offline is set in the proxy's configuration."}},
    {FailureId::not_found, "not_found", 404, "", Stop::nowhere, false,
     "There is no such page",
     "The proxy itself has nothing at this address.",
     {"Check the address for typing errors."}},
    {FailureId::foreign_host, "foreign_host", 403, "http_request_denied", Stop::nowhere, false,
     "This is not $host",
     "The request came straight to the proxy, but under a name that is not the proxy's own.",
     {"To browse through this proxy, enter its address in the browser's proxy settings.",
      "The proxy's own page is at http://outrider.internal/ once that is done."}},
    {FailureId::local_only, "local_only", 403, "http_request_denied", Stop::nowhere, false,
     "Only for the machine itself",
     "This page of the proxy is shown only to the machine on which the proxy runs.",
     {"Open it there."}},
    {FailureId::cancelled, "cancelled", 499, "", Stop::client, true,
     "The request was given up",
     "Nobody waits for the answer any more.",
     {}},
    {FailureId::internal, "internal", 500, "proxy_internal_error", Stop::proxy, true,
     "Something went wrong inside the proxy",
     "This is not the fault of the site or of your browser.",
     {kTryLater, "If it keeps happening, report it with the exchange number below."}},
}};
// clang-format on

constexpr bool in_order() {
  for (std::size_t i = 0; i < kFailures.size(); ++i)
    if (static_cast<std::size_t>(kFailures[i].id) != i) return false;
  return true;
}
static_assert(in_order(), "kFailures is indexed by FailureId");

}  // namespace

const Failure& failure(FailureId id) {
  return kFailures[static_cast<std::size_t>(id)];
}

std::span<const Failure> all_failures() {
  return kFailures;
}

std::string with_host(std::string_view text, std::string_view host) {
  constexpr std::string_view kMark = "$host";
  std::string out;
  while (true) {
    const std::size_t at = text.find(kMark);
    out += text.substr(0, at);
    if (at == std::string_view::npos) return out;
    if (!host.empty()) {
      out += host;
    } else {
      out += out.empty() ? "The site" : "the site";
    }
    text.remove_prefix(at + kMark.size());
  }
}

std::string_view certificate_reason(std::string_view detail) {
  struct Reason {
    std::string_view openssl;  // part of X509_verify_cert_error_string()
    std::string_view meaning;
  };
  // clang-format off
  static constexpr auto kReasons = std::to_array<Reason>({
      {"certificate has expired", "The certificate has expired: its owner forgot to renew it, or this computer's date is wrong."},
      {"not yet valid", "The certificate is not valid yet: this computer's date is probably wrong."},
      {"ostname mismatch", "The certificate belongs to another site."},
      {"IP address mismatch", "The certificate belongs to another address."},
      {"self-signed certificate in certificate chain", "The certificate was issued by somebody whom this computer does not know."},
      {"self-signed certificate", "The site issued its certificate to itself, so nobody vouches for it."},
      {"unable to get local issuer", "The certificate was issued by somebody whom this computer does not know."},
      {"unable to get issuer", "The certificate was issued by somebody whom this computer does not know."},
      {"unable to verify the first certificate", "The site does not send the certificates that connect its own to a known issuer."},
      {"revoked", "The certificate was revoked by its issuer."},
      {"too weak", "The certificate is protected too weakly to be trusted."},
      {"too small", "The certificate is protected too weakly to be trusted."},
      {"unsuitable certificate purpose", "The certificate is not meant for web sites."},
      {"unsupported certificate purpose", "The certificate is not meant for web sites."},
  });
  // clang-format on
  for (const Reason& reason : kReasons)
    if (detail.find(reason.openssl) != std::string_view::npos) return reason.meaning;
  return {};
}

}  // namespace outrider
