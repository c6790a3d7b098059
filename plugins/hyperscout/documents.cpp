#include "plugins/hyperscout/documents.hpp"

#include "base/url_percent.hpp"
#include "plugins/hyperscout/assets.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

namespace outrider::hyperscout {
namespace {

constexpr std::string_view kHtml = "text/html; charset=utf-8";
// Pictures come inside the answers; nothing is loaded from anywhere else, and nothing is framed.
constexpr std::string_view kFramedPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; form-action 'self'; "
    "base-uri 'none'; frame-ancestors http: https:";
constexpr std::string_view kPagePolicy =
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

// A page of ours, never in a frame. (Cross-Origin-Opener-Policy is not taken over plain HTTP.)
PluginAnswer page(std::string_view title, std::string_view body) {
  PluginAnswer answer{200, std::string{kHtml}, "", {}, nullptr};
  answer.body = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width\"><title>{0}</title><link rel=\"stylesheet\" href=\"/outrider.css\"><link "
      "rel=\"stylesheet\" href=\"switches.css\"></head>\n"
      "<body><main><h1>{0}</h1>\n{1}</main></body></html>\n",
      escaped(title), body);
  answer.headers = {{"Content-Security-Policy", std::string{kPagePolicy}},
                    {"Referrer-Policy", "same-origin"},  // with no-referrer a form would be sent by "null"
                    {"Cache-Control", "no-store"}};
  return answer;
}

std::string form(std::string_view site, bool on, std::string_view label) {
  return fmt::format(
      "<form method=\"post\" action=\"switch\"><input type=\"hidden\" name=\"site\" value=\"{}\">"
      "<input type=\"hidden\" name=\"on\" value=\"{}\"><button>{}</button></form>\n",
      escaped(site), on ? 1 : 0, label);
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string form_value(std::string_view form, std::string_view name) {
  while (!form.empty()) {
    const std::size_t end = std::min(form.find('&'), form.size());
    const std::string_view pair = form.substr(0, end);
    form.remove_prefix(std::min(end + 1, form.size()));
    const std::size_t equals = pair.find('=');
    if (pair.substr(0, equals) != name) continue;
    std::string value{equals == std::string_view::npos ? std::string_view{} : pair.substr(equals + 1)};
    std::replace(value.begin(), value.end(), '+', ' ');
    return percent_decode(value);
  }
  return {};
}

std::optional<PluginAnswer> asset_answer(std::string_view name) {
  const bool document = name == "card" || name == "marks";
  const Asset* const asset = find_asset(document ? std::string{name} + ".html" : std::string{name});
  if (asset == nullptr || (!document && name.ends_with(".html"))) return std::nullopt;
  PluginAnswer answer{200, std::string{asset->type}, std::string{asset->bytes}, {}, nullptr};
  answer.headers = {{"Cache-Control", "max-age=600"}, {"Referrer-Policy", "same-origin"}};
  if (document) answer.headers.emplace_back("Content-Security-Policy", kFramedPolicy);
  return answer;
}

PluginAnswer switch_page(std::string_view site, bool on_everywhere, bool on_there) {
  std::string body = on_everywhere ? "<p>Previews of links are on.</p>\n" : "<p>Previews of links are off.</p>\n";
  body += form("", !on_everywhere, on_everywhere ? "Switch them off" : "Switch them on");
  if (!site.empty()) {
    body += fmt::format("<h2>{}</h2>\n<p>On this site they are {}.</p>\n", escaped(site), on_there ? "on" : "off");
    body += form(site, !on_there, on_there ? "Not on this site" : "On this site again");
  }
  body += "<p>What changes here holds for pages that are loaded from now on.</p>\n";
  return page("Link previews", body);
}

PluginAnswer copy_page(const Node& node) {
  const std::time_t seen = std::chrono::system_clock::to_time_t(node.page_at);
  const std::string when =
      node.page_at == WallTime{} ? "last seen" : fmt::format("seen on {:%Y-%m-%d}", fmt::gmtime(seen));
  std::string body = fmt::format("<p>The text of <a href=\"{0}\" rel=\"noreferrer\">{0}</a> as it was {1}.</p>\n",
                                 escaped(node.url), when);
  std::string_view text = node.page.text;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end != 0) body += "<p>" + escaped(text.substr(0, end)) + "</p>\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return page(node.page.title.empty() ? std::string_view{node.url} : std::string_view{node.page.title}, body);
}

}  // namespace outrider::hyperscout
