#include "proxy/onboarding_guide.hpp"

#include "proxy/html_text.hpp"

#include <fmt/format.h>

#include <utility>

namespace outrider {
namespace {

// "[::1]:8282" is ("::1", "8282").
std::pair<std::string, std::string> host_and_port(std::string_view address) {
  const std::size_t colon = address.rfind(':');
  std::string_view host = address.substr(0, colon);
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  return {html_text(host), html_text(address.substr(colon + 1))};
}

std::string fold_out(std::string_view id, std::string_view title, std::string_view content) {
  return fmt::format("<details class=\"how\" id=\"{}\">\n<summary>{}</summary>\n{}</details>\n", id, title, content);
}

std::string other_devices(bool this_machine_only) {
  if (!this_machine_only) return {};
  return R"html(<p class="note">This Outrider answers only on the computer on which it runs, so a phone cannot use it yet. To change that, let
it listen on the address of your network and say who may use it: <code>proxy.listen</code> and <code>access</code> in its
configuration.</p>
)html";
}

}  // namespace

std::string proxy_guide(std::string_view address_text, bool this_machine_only) {
  const auto [host, port] = host_and_port(address_text);
  const std::string address = html_text(address_text);
  std::string guide = fmt::format(R"html(<dl>
<dt>Proxy</dt><dd><code>{0}</code></dd>
<dt>Port</dt><dd><code>{1}</code></dd>
<dt>or, as one address</dt><dd><code>http://{2}/proxy.pac</code></dd>
</dl>
<p>Enter proxy and port for both HTTP and HTTPS. If your browser offers “automatic proxy configuration”, the one address is
enough.</p>
)html",
                                  host, port, address);
  guide += fold_out("use-firefox", "Firefox", R"html(<ol>
<li>Open <b>Settings</b>, and at the bottom of <b>General</b> the <b>Network Settings</b>.</li>
<li>Choose <b>Manual proxy configuration</b>, enter proxy and port as <b>HTTP Proxy</b>, and tick <b>Also use this proxy for
HTTPS</b>.</li>
<li>To stop using it, choose <b>Use system proxy settings</b> there.</li>
</ol>
)html");
  guide += fold_out("use-system", "Chrome, Chromium, Edge, Safari",
                    fmt::format(R"html(<p>These use the proxy of the system.</p>
<ul>
<li><b>Windows:</b> Settings → Network &amp; internet → Proxy → Manual proxy setup.</li>
<li><b>macOS:</b> System Settings → Network → your connection → Details → Proxies: <b>Web proxy (HTTP)</b> and <b>Secure web
proxy (HTTPS)</b>.</li>
<li><b>Linux:</b> the network settings of your desktop, or start the browser with
<code>chromium --proxy-server={0}</code>.</li>
</ul>
<p>To stop using it, switch the same setting off.</p>
)html",
                                address));
  guide += fold_out("use-phone", "Android, iPhone, iPad",
                    other_devices(this_machine_only) + fmt::format(R"html(<ul>
<li><b>Android:</b> Settings → Network &amp; internet → Internet → your Wi-Fi → pencil → Advanced options → Proxy: Manual.</li>
<li><b>iPhone, iPad:</b> Settings → Wi-Fi → the ⓘ beside your network → Configure Proxy: Automatic, with
<code>http://{0}/proxy.pac</code>.</li>
</ul>
<p>To stop using it, set the same to “None” or “Off”.</p>
)html",
                                                                   address));
  guide += fold_out("use-terminal", "Programs in a terminal",
                    fmt::format(R"html(<pre><code>export http_proxy=http://{0}
export https_proxy=http://{0}</code></pre>
<p>To stop using it: <code>unset http_proxy https_proxy</code></p>
)html",
                                address));
  return guide;
}

std::string trust_guide(std::string_view address_text, std::string_view name_text, bool this_machine_only) {
  const std::string address = html_text(address_text);
  const std::string name = html_text(name_text);
  std::string guide = fold_out("how-chromium", "Chromium and Chrome on Linux",
                               fmt::format(R"html(<ol>
<li>In a terminal: <code>outrider ca install</code>. That does it for all browsers of your account.</li>
<li>Close the browser and open it again.</li>
</ol>
<p>By hand: <a href="/ca.pem" download="outrider-ca.pem">download the certificate</a>; then Settings → Privacy and security →
Security → Manage certificates → Custom, “Installed by you” → Trusted Certificates → Import.</p>
<p><b>Undo:</b> <code>outrider ca remove</code>, or delete “{0}” in the same place.</p>
)html",
                                           name));
  guide += fold_out("how-firefox", "Firefox",
                    fmt::format(R"html(<ol>
<li><a href="/ca.crt">Open the certificate in Firefox</a>.</li>
<li>Tick <b>Trust this CA to identify websites</b>, then OK.</li>
</ol>
<p>On Linux <code>outrider ca install</code> in a terminal does the same for all your profiles (close Firefox before).</p>
<p><b>Undo:</b> <code>outrider ca remove</code>, or Settings → Privacy &amp; Security → View Certificates → Authorities →
Outrider → “{0}” → Delete or Distrust.</p>
)html",
                                name));
  guide += fold_out("how-windows", "Windows: Chrome, Edge",
                    fmt::format(R"html(<ol>
<li><a href="/ca.crt" download="outrider-ca.crt">Download the certificate</a> and open it.</li>
<li><b>Install Certificate</b> → Current User → <b>Place all certificates in the following store</b> → Browse →
<b>Trusted Root Certification Authorities</b> → Finish → Yes.</li>
<li>Close the browser and open it again.</li>
</ol>
<p>Or in a terminal: <code>certutil -user -addstore Root outrider-ca.crt</code></p>
<p><b>Undo:</b> Start → <code>certmgr.msc</code> → Trusted Root Certification Authorities → Certificates → “{0}” → Delete.</p>
)html",
                                name));
  guide += fold_out("how-macos", "macOS: Safari, Chrome",
                    fmt::format(R"html(<ol>
<li><a href="/ca.pem" download="outrider-ca.pem">Download the certificate</a> and open it: Keychain Access adds it to your
<b>login</b> keychain.</li>
<li>Double-click “{0}” there, unfold <b>Trust</b>, and choose <b>Always Trust</b> for Secure Sockets Layer (SSL).</li>
</ol>
<p><b>Undo:</b> delete “{0}” in Keychain Access.</p>
)html",
                                name));
  guide += fold_out("how-ios", "iPhone, iPad",
                    other_devices(this_machine_only) + fmt::format(R"html(<ol>
<li>In Safari, <a href="/ca.mobileconfig">open the profile</a> and allow the download.</li>
<li>Settings → <b>Profile Downloaded</b> → Install.</li>
<li>Settings → General → About → <b>Certificate Trust Settings</b> → switch “{0}” on.</li>
</ol>
<p><b>Undo:</b> Settings → General → VPN &amp; Device Management → Outrider → Remove Profile.</p>
)html",
                                                                   name));
  guide += fold_out("how-android", "Android",
                    other_devices(this_machine_only) + fmt::format(R"html(<ol>
<li><a href="/ca.crt" download="outrider-ca.crt">Download the certificate</a>.</li>
<li>Settings → Security &amp; privacy → More security → Encryption &amp; credentials → Install a certificate →
<b>CA certificate</b> → Install anyway → choose the file.</li>
</ol>
<p>Chrome uses it at once. Firefox needs one more switch: Settings → About Firefox → tap the logo five times; then Settings →
Secret Settings → Use third party CA certificates. Most other apps do not use it: their connections pass unseen.</p>
<p><b>Undo:</b> the same place → User credentials → “{0}” → Uninstall.</p>
)html",
                                                                   name));
  guide += fold_out("how-curl", "curl and other programs",
                    fmt::format(R"html(<pre><code>curl -O http://{0}/ca.pem
curl --proxy http://{0} --cacert ca.pem https://example.com/</code></pre>
<p>For all programs of a Linux system: <code>outrider ca install --system</code>. Python:
<code>REQUESTS_CA_BUNDLE</code>; Node.js: <code>NODE_EXTRA_CA_CERTS=ca.pem</code>; Git: <code>http.sslCAInfo</code>.</p>
<p><b>Undo:</b> <code>outrider ca remove --system</code></p>
)html",
                                address));
  return guide;
}

}  // namespace outrider
