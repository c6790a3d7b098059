#include "proxy/onboarding_page.hpp"

#include "proxy/html_text.hpp"
#include "proxy/onboarding_guide.hpp"
#include "proxy/page.hpp"

#include <fmt/format.h>

namespace outrider {
namespace {

// Yes and no are told by word and mark, not by colour alone (WCAG 2.1, 1.4.1).
std::string state_line(std::string_view id, std::string_view step, std::string_view what, std::string_view verdict,
                       std::string_view words) {
  return fmt::format("<li id=\"{}\" class=\"{}\"><a href=\"#{}\">{}</a><strong>{}</strong></li>\n", id, verdict, step,
                     what, words);
}

std::string state(const OnboardingPage& facts) {
  const bool trust = !facts.authority_name.empty();
  std::string list =
      fmt::format("<ul class=\"state\" id=\"state\" data-through=\"{}\">\n", facts.in_use ? "yes" : "no");
  list += facts.in_use ? state_line("uses", "use", "This browser uses Outrider", "yes", "yes")
                       : state_line("uses", "use", "This browser uses Outrider", "open", "not known");
  if (trust) {
    list += state_line("trusts", "trust", "It trusts Outrider’s certificate", "open", "not known");
    list += state_line("opens", "allow", "Outrider opens HTTPS pages", facts.intercepts ? "yes" : "no",
                       facts.intercepts ? "yes" : "no");
  }
  list += "</ul>\n<p id=\"verdict\" role=\"status\">&nbsp;</p>\n";
  if (!facts.in_use)
    list +=
        "<noscript><p>To find out without scripts, open <a href=\"http://outrider.internal/\">outrider.internal</a>: a "
        "name that exists only behind this proxy.</p></noscript>\n";
  if (trust)
    list +=
        "<noscript><p>To test the certificate without scripts, open <a href=\"https://outrider.internal/\">"
        "https://outrider.internal/</a>: it must open without a warning.</p></noscript>\n";
  return list;
}

// Who uses it already need not read how, but may have another device.
std::string use_step(const OnboardingPage& facts) {
  const std::string guide = proxy_guide(facts.address, facts.this_machine_only);
  if (!facts.in_use)
    return fmt::format(
        "<section aria-labelledby=\"use\">\n<h2 id=\"use\">1. Point your browser at Outrider</h2>\n{}</section>\n",
        guide);
  return fmt::format(
      "<section aria-labelledby=\"use\">\n<h2 id=\"use\">1. Use Outrider</h2>\n<details class=\"how\">\n"
      "<summary>Set up another browser, program or device</summary>\n{}</details>\n</section>\n",
      guide);
}

// Where a line may end: between bytes, not within one.
std::string breakable(std::string_view fingerprint) {
  std::string text;
  for (const char c : html_text(fingerprint)) text += c == ':' ? std::string{":<wbr>"} : std::string{c};
  return text;
}

std::string trust_step(const OnboardingPage& facts) {
  std::string step = R"html(<section aria-labelledby="trust">
<h2 id="trust">2. Let your browser trust it</h2>
<p>Almost every page is encrypted (HTTPS), and a proxy cannot see into it. So Outrider opens the connection, reads the page, and
encrypts it again with a certificate of its own. Your browser accepts that only if you add this certificate:</p>
)html";
  if (!facts.authority_warning.empty())
    step += fmt::format("<p class=\"note\">{}</p>\n", html_text(facts.authority_warning));
  step += fmt::format(
      R"html(<dl>
<dt>Name</dt><dd>{}</dd>
<dt>Fingerprint</dt><dd><code class="long">{}</code></dd>
</dl>
<p>It was made on the machine on which Outrider runs, and its key never leaves that machine. <code>outrider ca show</code> prints the
same fingerprint there.</p>
)html",
      html_text(facts.authority_name), breakable(facts.fingerprint));
  step += trust_guide(facts.address, facts.authority_name, facts.this_machine_only);
  return step + "</section>\n";
}

std::string allow_step(const OnboardingPage& facts) {
  std::string step = R"html(<section aria-labelledby="allow">
<h2 id="allow">3. Allow it to open HTTPS</h2>
<ul>
<li>Pages that you load over HTTPS can then be kept, searched and loaded ahead, as those over HTTP are.</li>
<li>Banks, health services and public offices on its lists pass unseen, and so does every site that you add to
<code>tls.never_intercept</code> in the configuration.</li>
<li>What is kept stays on the machine on which Outrider runs. The certificates of sites are checked as strictly as by your
browser.</li>
<li>You can take it back here at any time; it counts for new connections.</li>
</ul>
<p class="note" id="untrusted" hidden>This browser does not trust the certificate yet: if you allow it now, HTTPS pages will show a
warning. Do step 2 first.</p>
)html";
  if (facts.fixed_by_configuration) {
    step += fmt::format(
        "<p><strong>The configuration says {}</strong> (<code>tls.intercept</code>), so there is no switch here.</p>\n",
        facts.intercepts ? "that HTTPS is always opened" : "that HTTPS is never opened");
  } else if (!facts.may_choose) {
    step += fmt::format("<p>HTTPS pages are {}. This can be changed only on the machine on which Outrider runs.</p>\n",
                        facts.intercepts ? "opened" : "not opened");
  } else {
    step += fmt::format(
        "<form method=\"post\" action=\"/interception\">\n<input type=\"hidden\" name=\"accept\" value=\"{}\">\n"
        "<button class=\"button{}\" type=\"submit\">{}</button>\n</form>\n",
        facts.intercepts ? "no" : "yes", facts.intercepts ? " quiet" : "",
        facts.intercepts ? "Stop opening HTTPS pages" : "Allow Outrider to open HTTPS pages");
  }
  return step + "</section>\n";
}

std::string more(const OnboardingPage& facts) {
  std::string list = R"html(<section aria-labelledby="more">
<h2 id="more">More</h2>
<ul>
<li><a href="/monitor/">The monitor</a>: what passes through Outrider, what it keeps, and its settings</li>
<li>Just a try, without touching your browser: <code>outrider browser</code> opens a fresh one that uses and trusts Outrider.</li>
<li>Remove everything: take the proxy out of your browser’s settings, and run <code>outrider ca remove</code>.</li>
<li><a href="/errors">What the error pages mean</a></li>
<li><a href="/proxy.pac">proxy.pac</a>: the script for automatic configuration</li>
<li><a href="/healthz">healthz</a>: “ok” for programs that watch this one</li>
)html";
  if (facts.has_metrics) list += "<li><a href=\"/metrics\">metrics</a>: figures for Prometheus</li>\n";
  return list + "</ul>\n</section>\n";
}

constexpr std::string_view kStyle = R"css(:root{--good:#1d6b3c}
@media (prefers-color-scheme:dark){:root{--good:#86d6a2}}
.state{margin:1.25rem 0 .75rem;padding:0;list-style:none;border:1px solid var(--line);border-radius:.6rem}
.state li{display:flex;align-items:baseline;gap:.75rem;margin:0;padding:.6rem .9rem}
.state li+li{border-top:1px solid var(--line)}
.state a{flex:1 1 auto;color:inherit;text-decoration-color:var(--line);text-underline-offset:.2em}
.state a:hover{text-decoration-color:currentColor}
.state strong{flex:none;white-space:nowrap;color:var(--soft);font-weight:650}
.state li::before{flex:none;width:1.1rem;text-align:center;font-weight:700;color:var(--soft);content:"·"/""}
.state .yes::before{color:var(--good);content:"✓"/""}
.state .yes strong{color:var(--good)}
.state .no::before{color:var(--stop);content:"✗"/""}
.state .no strong{color:var(--stop)}
#verdict{min-height:1.55em;font-weight:600}
.how{margin:.5rem 0 0;padding:0;border:1px solid var(--line);border-radius:.6rem}
.how summary{padding:.5rem .9rem;color:var(--ink);font-weight:600}
.how[open] summary{border-bottom:1px solid var(--line)}
.how>:not(summary){margin-left:.9rem;margin-right:.9rem}
.how>ol,.how>ul{padding-left:1.25rem}
.how>:last-child{margin-bottom:.75rem}
.note{padding:.6rem .9rem;border-left:.25rem solid var(--stop);background:var(--ground)}
.long{padding:0;border:0;font-size:.8em;overflow-wrap:normal}
button.button{border:0;font:inherit;font-weight:600;cursor:pointer}
.button.quiet{background:transparent;color:var(--ink);box-shadow:inset 0 0 0 1px var(--soft)}
h2{scroll-margin-top:1rem}
)css";

// A name that exists only behind this proxy answers: the browser uses it. The same name over HTTPS answers: the browser
// trusts the certificate. Nobody but pages of ours may read these answers.
constexpr std::string_view kScript = R"js("use strict";
(() => {
  const by = id => document.getElementById(id);
  const through = by("state").dataset.through === "yes";

  async function answers(address) {
    try {
      const given = { mode: "cors", credentials: "omit", cache: "no-store", redirect: "error" };
      const answer = await fetch(address, { ...given, signal: AbortSignal.timeout(8000) });
      return answer.status === 204;
    } catch {
      return false;
    }
  }

  function tell(id, verdict, words) {
    const line = by(id);
    if (!line) return;
    line.className = verdict;
    line.querySelector("strong").textContent = words;
  }

  function sum_up(uses, trusts) {
    if (!uses) return "Next: step 1, point your browser at Outrider.";
    if (!by("trusts")) return "Nothing is left to do.";
    if (!trusts) return "Next: step 2, add the certificate. Then close the browser and open it again.";
    if (by("opens").className !== "yes") return "Next: step 3, allow it to open HTTPS pages.";
    return "Everything is set up.";
  }

  async function test() {
    const uses = through || await answers("http://outrider.internal/trusted");
    tell("uses", uses ? "yes" : "no", uses ? "yes" : "no");
    const trusts = uses && by("trusts") !== null && await answers("https://outrider.internal/trusted");
    tell("trusts", trusts ? "yes" : uses ? "no" : "open", trusts ? "yes" : uses ? "no" : "not known");
    if (by("untrusted")) by("untrusted").hidden = trusts || by("opens").className === "yes";
    by("verdict").textContent = sum_up(uses, trusts);
    document.documentElement.dataset.tested = "yes";
  }

  // Unfolds the steps for this device: nobody should have to look for them.
  function unfold() {
    const agent = navigator.userAgent;
    const firefox = /Firefox\//.test(agent);
    const phone = /Android|iPhone|iPad/.test(agent);
    const system = /Android/.test(agent) ? "android" : /iPhone|iPad/.test(agent) ? "ios"
      : firefox ? "firefox" : /Windows/.test(agent) ? "windows" : /Mac OS X/.test(agent) ? "macos" : "chromium";
    if (by("trusts") && by("trusts").className !== "yes" && by("how-" + system)) by("how-" + system).open = true;
    if (by("uses").className !== "yes") by(phone ? "use-phone" : firefox ? "use-firefox" : "use-system").open = true;
  }

  test().then(unfold);
  // Whoever has changed a setting in another window wants to see what it did.
  document.addEventListener("visibilitychange", () => { if (!document.hidden) test(); });
})();
)js";

}  // namespace

// Two readers: one who has come straight to the proxy, perhaps because browsers leave out the proxy for this machine's
// own address, and who wants to know how to use it; and one who sees by this very page that it is in use.
std::string onboarding_page(const OnboardingPage& facts) {
  const std::string_view title = facts.in_use ? "Your browser uses Outrider" : "Outrider is running";
  std::string content = fmt::format("<h1>{}</h1>\n", title);
  content +=
      facts.in_use
          ? fmt::format(
                "<p>This page came to you through the proxy at <code>{}</code>, which stands between your "
                "browser and the web.</p>\n",
                html_text(facts.address))
          : "<p>This is a proxy: it stands between your browser and the web, keeps what you read, and loads ahead "
            "what you may want to read next.</p>\n";
  content += state(facts);
  content += use_step(facts);
  if (!facts.authority_name.empty()) content += trust_step(facts) + allow_step(facts);
  content += more(facts);
  content += "<script src=\"/onboarding.js\" defer></script>\n";
  const std::string footer = fmt::format("<p>Outrider {}</p>\n", html_text(facts.version));
  return html_page(title, content, footer, StyleIn::own_site);
}

std::string_view onboarding_script() {
  return kScript;
}

std::string_view onboarding_style() {
  return kStyle;
}

std::string_view onboarding_policy() {
  return "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; connect-src 'self' "
         "http://outrider.internal https://outrider.internal; base-uri 'none'; form-action 'self'; frame-ancestors "
         "'none'";
}

}  // namespace outrider
