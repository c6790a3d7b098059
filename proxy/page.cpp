#include "proxy/page.hpp"

#include "proxy/html_text.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <stdexcept>

namespace outrider {
namespace {

// Colours: text on its ground has a contrast of at least 4.5:1 in both schemes (WCAG 2.1, 1.4.3).
constexpr std::string_view kStyle = R"css(:root{color-scheme:light dark;
--ground:#f4f3ef;--card:#fff;--ink:#22262a;--soft:#5b636b;--line:#dcd9d1;--accent:#0b5a69;--on-accent:#fff;--stop:#a3361c}
@media (prefers-color-scheme:dark){:root{
--ground:#14171a;--card:#1c2024;--ink:#e4e7ea;--soft:#a2abb4;--line:#353c43;--accent:#7accdb;--on-accent:#0e1214;--stop:#f2937b}}
*,::before,::after{box-sizing:border-box}
body{margin:0;padding:6vh 1rem 2rem;background:var(--ground);color:var(--ink);
font:1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
main{max-width:40rem;margin:0 auto;padding:2rem 2.25rem;background:var(--card);border:1px solid var(--line);border-radius:.75rem}
footer{max-width:40rem;margin:1rem auto 0;padding:0 2.25rem;color:var(--soft);font-size:.875rem}
h1{margin:0 0 .75rem;font-size:1.6rem;line-height:1.25;font-weight:650;overflow-wrap:anywhere;text-wrap:balance}
h2{margin:1.75rem 0 .4rem;font-size:1.05rem;font-weight:650}
p,li,dd{overflow-wrap:anywhere}
p{margin:.5rem 0}
ul,ol{margin:.4rem 0;padding-left:1.25rem}
li{margin:.3rem 0}
a{color:var(--accent)}
code,pre{font:.925em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
code{padding:.1em .3em;border:1px solid var(--line);border-radius:.3em;overflow-wrap:anywhere}
pre{margin:.5rem 0;padding:.7rem .9rem;border:1px solid var(--line);border-radius:.5rem;overflow-x:auto}
pre code{padding:0;border:0}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.button{display:inline-block;margin-top:1.1rem;padding:.5rem 1.1rem;border-radius:.5rem;
background:var(--accent);color:var(--on-accent);font-weight:600;text-decoration:none}
.button:hover{filter:brightness(1.12)}
.way{display:flex;margin:0 0 1.6rem;padding:0;list-style:none;font-size:.85rem;color:var(--soft)}
.way li{position:relative;flex:1 1 0;min-width:0;margin:0;padding:1.25rem .3rem 0;text-align:center}
.way li span:last-child{display:block;overflow:hidden;white-space:nowrap;text-overflow:ellipsis}
.way li::before{content:"";position:absolute;z-index:1;top:.15rem;left:50%;width:.8rem;height:.8rem;margin-left:-.4rem;
border:2px solid var(--accent);border-radius:50%;background:var(--accent)}
.way li+li::after{content:"";position:absolute;top:.5rem;right:50%;width:100%;border-top:2px solid var(--accent)}
.way .beyond::before{border-color:var(--soft);background:var(--card)}
.way .beyond::after{border-top:2px dashed var(--line)}
.way .stop{color:var(--stop);font-weight:650}
.way .stop::before{top:.05rem;width:1rem;height:1rem;margin-left:-.5rem;border-color:var(--stop);background:var(--stop);
box-shadow:0 0 0 3px var(--card)}
.spoken{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
details{margin-top:1.75rem;padding-top:.9rem;border-top:1px solid var(--line)}
summary{cursor:pointer;color:var(--soft)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.3rem 1.2rem;margin:.8rem 0;font-size:.9rem}
dt{color:var(--soft)}
dd{margin:0}
@media (max-width:30rem){main{padding:1.5rem 1.2rem}footer{padding:0 1.2rem}dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:.5rem}}
@media print{body{padding:0}main{border:0}.button{display:none}}
)css";

std::string base64_sha256(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned size = 0;
  if (EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1)
    throw std::runtime_error("SHA-256 is not available");
  std::array<unsigned char, 4 * (EVP_MAX_MD_SIZE / 3 + 1) + 1> encoded;
  const int length = EVP_EncodeBlock(encoded.data(), digest.data(), static_cast<int>(size));
  return {encoded.begin(), encoded.begin() + length};
}

std::string make_policy(std::string_view style_source) {
  return fmt::format("default-src 'none'; style-src {}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
                     style_source);
}

}  // namespace

std::string_view page_style() {
  return kStyle;
}

std::string html_page(std::string_view title, std::string_view content, std::string_view footer, StyleIn style) {
  std::string page =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
      "<meta name=\"robots\" content=\"noindex\">\n<title>";
  append_html_text(page, title);
  page += "</title>\n";
  if (style == StyleIn::page) {
    page += "<style>";
    page += kStyle;
    page += "</style>\n";
  } else {
    page += "<link rel=\"icon\" href=\"/favicon.svg\">\n<link rel=\"stylesheet\" href=\"/outrider.css\">\n";
  }
  page += "</head>\n<body>\n<main>\n";
  page += content;
  page += "</main>\n<footer>\n";
  page += footer;
  page += "</footer>\n</body>\n</html>\n";
  return page;
}

std::string_view page_policy(StyleIn style) {
  static const std::string in_page = make_policy(fmt::format("'sha256-{}'", base64_sha256(kStyle)));
  static const std::string on_own_site = make_policy("'self'; img-src 'self'");
  return style == StyleIn::page ? in_page : on_own_site;
}

}  // namespace outrider
