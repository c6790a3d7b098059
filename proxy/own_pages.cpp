#include "proxy/own_pages.hpp"

#include "base/http_writer.hpp"
#include "proxy/failure.hpp"
#include "proxy/html_text.hpp"
#include "proxy/page.hpp"

#include <fmt/format.h>

namespace outrider {
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
