#include "proxy/own_pages.hpp"

#include "base/http_writer.hpp"
#include "proxy/failure.hpp"
#include "proxy/html_text.hpp"
#include "proxy/page.hpp"

#include <fmt/format.h>

namespace outrider {
namespace {

// "[::1]:8282" is ("::1", "8282").
std::pair<std::string, std::string> host_and_port(std::string_view address) {
  const std::size_t colon = address.rfind(':');
  std::string_view host = address.substr(0, colon);
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  return {html_text(host), html_text(address.substr(colon + 1))};
}

}  // namespace

std::string landing_page(const LandingPage& facts) {
  const std::string address = html_text(facts.address);
  const auto [host, port] = host_and_port(facts.address);
  std::string content = fmt::format(
      R"html(<h1>Outrider is running</h1>
<p>This is a proxy: it stands between your browser and the web. {state}</p>
<section aria-labelledby="use">
<h2 id="use">Tell your browser</h2>
<dl>
<dt>Proxy</dt><dd><code>{host}</code></dd>
<dt>Port</dt><dd><code>{port}</code></dd>
<dt>or script</dt><dd><code>http://{address}/proxy.pac</code></dd>
</dl>
<ul>
<li><strong>Firefox:</strong> Settings → Network Settings → Manual proxy configuration. Enter both as HTTP proxy and tick
“Also use this proxy for HTTPS”.</li>
<li><strong>Chrome, Edge, Safari:</strong> they use the proxy of the system: look for “proxy” in the system settings.</li>
<li><strong>Programs in a terminal:</strong> set these variables.</li>
</ul>
<pre><code>export http_proxy=http://{address}
export https_proxy=http://{address}</code></pre>
</section>
<section aria-labelledby="more">
<h2 id="more">More</h2>
<ul>
<li><a href="http://outrider.internal/">outrider.internal</a>: this page, as seen through the proxy. If it opens, your browser uses
Outrider.</li>
<li><a href="/proxy.pac">proxy.pac</a>: the script for automatic configuration</li>
<li><a href="/errors">What the error pages mean</a></li>
<li><a href="/healthz">Is it healthy?</a></li>
)html",
      fmt::arg("state", facts.in_use ? "Your browser uses it: this page came through it."
                                     : "It works once your browser is told to use it."),
      fmt::arg("host", host), fmt::arg("port", port), fmt::arg("address", address));
  if (facts.has_metrics) content += "<li><a href=\"/metrics\">Figures for Prometheus</a></li>\n";
  content += "</ul>\n</section>\n";
  const std::string footer = fmt::format("<p>Outrider {}</p>\n", html_text(facts.version));
  return html_page("Outrider is running", content, footer, StyleIn::own_site);
}

std::string errors_page() {
  std::string content = "<h1>What the error pages mean</h1>\n";
  for (const Failure& failure : all_failures()) {
    if (failure.id == FailureId::cancelled) continue;  // nobody ever sees it
    content +=
        fmt::format("<section id=\"{0}\" aria-labelledby=\"{0}-title\">\n<h2 id=\"{0}-title\">{1}</h2>\n<p>{2}</p>\n",
                    failure.name, html_text(with_host(failure.title, {})), html_text(with_host(failure.what, {})));
    content += fmt::format("<p>Status <code>{} {}</code>", failure.status, default_reason(failure.status));
    if (!failure.proxy_error.empty()) content += fmt::format(", Proxy-Status <code>{}</code>", failure.proxy_error);
    content += "</p>\n</section>\n";
  }
  return html_page("What the error pages mean", content, "<p><a href=\"/\">Outrider</a></p>\n", StyleIn::own_site);
}

std::string pac_file(std::string_view address, bool fall_back) {
  return fmt::format(R"js(// Proxy auto-configuration of Outrider.
function FindProxyForURL(url, host) {{
  var outrider = "PROXY {address}{otherwise}";
  host = host.toLowerCase();
  if (host === "outrider.internal") return "PROXY {address}";
  if (isPlainHostName(host) || host === "localhost" || dnsDomainIs(host, ".localhost") || dnsDomainIs(host, ".local") ||
      shExpMatch(host, "127.*.*.*") || host === "[::1]" || host === "::1") return "DIRECT";
  if (/^(https?|wss?):/i.test(url)) return outrider;
  return "DIRECT";
}}
)js",
                     fmt::arg("address", address), fmt::arg("otherwise", fall_back ? "; DIRECT" : ""));
}

}  // namespace outrider
