#include "proxy/error_page.hpp"

#include "base/escape.hpp"
#include "base/http_writer.hpp"
#include "proxy/html_text.hpp"
#include "proxy/page.hpp"

#include <fmt/format.h>

namespace outrider {
namespace {

std::string_view name_of(Stop stop) {
  switch (stop) {
    case Stop::client:
      return "client";
    case Stop::proxy:
    case Stop::nowhere:
      return "proxy";
    case Stop::parent:
      return "parent";
    case Stop::origin:
      return "origin";
  }
  return "";
}

// "Your browser · Outrider · example.org", with the place marked where it stopped. The marks have words for those who
// hear the page.
void append_way(std::string& out, const Report& report) {
  const Stop stop = report.failure->stop;
  if (stop == Stop::nowhere) return;
  out += "<ol class=\"way\" aria-label=\"Where it stopped\">\n";
  const auto step = [&](Stop place, std::string_view name) {
    if (place == stop) {
      out += "<li class=\"stop\"><span class=\"spoken\">Stopped here: </span>";
    } else if (place > stop && place != Stop::proxy) {  // a page that can be read has reached the proxy
      out += "<li class=\"beyond\"><span class=\"spoken\">Not reached: </span>";
    } else {
      out += "<li>";
    }
    out += "<span>";
    append_html_text(out, name);
    out += "</span></li>\n";
  };
  step(Stop::client, "Your browser");
  step(Stop::proxy, "Outrider");
  if (stop == Stop::parent) step(Stop::parent, "Next proxy");
  step(Stop::origin, report.host.empty() ? std::string_view{"The site"} : report.host);
  out += "</ol>\n";
}

void append_advice(std::string& out, const Report& report) {
  if (report.failure->advice[0].empty()) return;
  out += "<section aria-labelledby=\"try\">\n<h2 id=\"try\">What you can try</h2>\n<ul>\n";
  for (const std::string_view advice : report.failure->advice) {
    if (advice.empty()) break;
    out += "<li>";
    append_html_text(out, with_host(advice, report.host));
    out += "</li>\n";
  }
  out += "</ul>\n</section>\n";
}

void append_details(std::string& out, const Report& report) {
  out += "<details>\n<summary>Technical details</summary>\n<dl>\n";
  const auto row = [&out](std::string_view term, std::string_view text) {
    if (text.empty()) return;
    out += "<dt>";
    out += term;
    out += "</dt><dd>";
    append_html_text(out, text);
    out += "</dd>\n";
  };
  row("Answer", fmt::format("{} {}", report.status, default_reason(report.status)));
  row("Error", report.proxy_error);
  row("Detail", report.detail);
  row("Site", report.host);
  row("Exchange", report.exchange_id);
  row("Time", report.date);
  out += "</dl>\n</details>\n";
}

}  // namespace

std::string Report::title() const {
  return with_host(failure->title, host);
}

std::string Report::what() const {
  std::string text;
  if (failure->id == FailureId::tls_untrusted) {
    const std::string_view reason = certificate_reason(detail);
    text += reason.empty() ? "Its certificate was refused." : reason;
    text += ' ';
  }
  return text + with_host(failure->what, host);
}

std::string error_page_html(const Report& report) {
  std::string content;
  append_way(content, report);
  content += "<h1>";
  append_html_text(content, report.title());
  content += "</h1>\n<p>";
  append_html_text(content, report.what());
  content += "</p>\n";
  append_advice(content, report);
  // An empty reference is the page itself: no script is needed to load it again.
  if (report.repeatable && report.failure->worth_repeating)
    content += "<p><a class=\"button\" href=\"\">Try again</a></p>\n";
  append_details(content, report);
  std::string footer = "<p>This page comes from Outrider, the proxy between your browser and the web";
  if (!report.host.empty()) footer += fmt::format(", not from {}", html_text(report.host));
  footer += ".</p>\n";
  return html_page(report.title(), content, footer, StyleIn::page);
}

std::string error_page_json(const Report& report) {
  std::string out = "{\"type\":\"http://outrider.internal/errors#";
  out += report.failure->name;
  out += "\",\"title\":";
  append_json_string(out, report.title());
  out += fmt::format(",\"status\":{}", report.status);
  const auto member = [&out](std::string_view name, std::string_view value) {
    if (value.empty()) return;
    out += fmt::format(",\"{}\":", name);
    append_json_string(out, value);
  };
  const std::string what = report.what();
  member("detail", report.detail.empty() ? what : report.detail);
  member("error", report.proxy_error);
  member("side", name_of(report.failure->stop));
  member("host", report.host);
  member("exchange", report.exchange_id);
  out += "}\n";
  return out;
}

std::string error_page_text(const Report& report) {
  std::string out = fmt::format("{} {}: {}\n{}\n", report.status, default_reason(report.status),
                                one_line(report.title()), one_line(report.what()));
  if (!report.detail.empty()) out += fmt::format("Detail: {}\n", one_line(report.detail));
  if (!report.exchange_id.empty()) out += fmt::format("Exchange: {}\n", one_line(report.exchange_id));
  return out;
}

}  // namespace outrider
