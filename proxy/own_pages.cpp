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

// Two readers: one who has come straight to the proxy, perhaps because browsers leave out the proxy for this machine's
// own address, and who wants to know how to use it; and one who sees by this very page that it is in use.
std::string landing_page(const LandingPage& facts) {
  const std::string address = html_text(facts.address);
  const auto [host, port] = host_and_port(facts.address);
  const std::string_view title = facts.in_use ? "Your browser uses Outrider" : "Outrider is running";
  std::string content = fmt::format("<h1>{}</h1>\n", title);
  if (facts.in_use) {
    content += fmt::format(
        "<p>This page came to you through the proxy at <code>{}</code>, which stands between your browser and the web. "
        "Nothing is left to set up.</p>\n",
        address);
  } else {
    content += R"html(<p>This is a proxy: it stands between your browser and the web.</p>
<section aria-labelledby="check">
<h2 id="check">Does your browser use it?</h2>
<p>Open <a href="http://outrider.internal/">outrider.internal</a>, a name that exists only behind this proxy. If that
page opens, all is done. If it cannot be found, set up your browser as follows.</p>
</section>
)html";
  }
  content += fmt::format(
      R"html(<section aria-labelledby="use">
<h2 id="use">{heading}</h2>
<dl>
<dt>Proxy</dt><dd><code>{host}</code></dd>
<dt>Port</dt><dd><code>{port}</code></dd>
<dt>or script</dt><dd><code>http://{address}/proxy.pac</code></dd>
</dl>
<ul>
<li><strong>Firefox:</strong> Settings → General → Network Settings → Manual proxy configuration. Enter proxy and port as HTTP
Proxy and tick “Also use this proxy for HTTPS”.</li>
<li><strong>Chrome, Edge, Safari:</strong> they use the proxy of the system: look for “proxy” in the system settings, and enter
proxy and port for both HTTP and HTTPS.</li>
<li><strong>Programs in a terminal:</strong> set these variables.</li>
</ul>
<pre><code>export http_proxy=http://{address}
export https_proxy=http://{address}</code></pre>
</section>
<section aria-labelledby="more">
<h2 id="more">More</h2>
<ul>
<li><a href="/errors">What the error pages mean</a></li>
<li><a href="/proxy.pac">proxy.pac</a>: the script for automatic configuration</li>
<li><a href="/healthz">healthz</a>: “ok” for programs that watch this one</li>
)html",
      fmt::arg("heading", facts.in_use ? "Set up another browser or program" : "Set up your browser"),
      fmt::arg("host", host), fmt::arg("port", port), fmt::arg("address", address));
  if (facts.has_metrics) content += "<li><a href=\"/metrics\">metrics</a>: figures for Prometheus</li>\n";
  content += "</ul>\n</section>\n";
  const std::string footer = fmt::format("<p>Outrider {}</p>\n", html_text(facts.version));
  return html_page(title, content, footer, StyleIn::own_site);
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
