// The formats of the access log: how a record becomes a line that no client can forge.
#include "base/escape.hpp"
#include "proxy/access_log.hpp"

#include <fmt/format.h>

#include <iterator>

namespace outrider {
namespace {

// Not in quotes, so a space would begin the next field.
void append_field(std::string& out, std::string_view text) {
  if (text.empty()) out += '-';
  while (!text.empty()) {
    const std::size_t space = text.find(' ');
    append_escaped(out, text.substr(0, space));
    if (space == std::string_view::npos) return;
    out += "\\x20";
    text.remove_prefix(space + 1);
  }
}

void append_quoted(std::string& out, std::string_view text) {
  out += " \"";
  if (text.empty()) out += '-';
  append_escaped(out, text);
  out += '"';
}

// "[10/Oct/2000:13:55:36 +0000]": always UTC, so that the log has no repeated or missing hour.
void append_clf_time(std::string& out, WallTime time) {
  static constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                               "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const auto day = std::chrono::floor<std::chrono::days>(seconds);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{seconds - day};
  fmt::format_to(std::back_inserter(out), " [{:02}/{}/{:04}:{:02}:{:02}:{:02} +0000]",
                 static_cast<unsigned>(date.day()), kMonths[static_cast<unsigned>(date.month()) - 1],
                 static_cast<int>(date.year()), clock.hours().count(), clock.minutes().count(),
                 clock.seconds().count());
}

void append_clf(std::string& out, const ExchangeRecord& record, bool combined, bool with_query) {
  append_field(out, record.client);
  out += " - ";
  append_field(out, record.user);
  append_clf_time(out, record.time);
  out += " \"";
  append_field(out, record.method);
  out += ' ';
  append_field(out, without_query(record.url));
  if (with_query && !record.query.empty()) append_field(out, record.query);
  out += ' ';
  append_field(out, record.protocol);
  fmt::format_to(std::back_inserter(out), "\" {} {}", record.status, record.bytes_out);
  if (combined) {
    append_quoted(out, with_query ? std::string_view{record.referer} : without_query(record.referer));
    append_quoted(out, record.user_agent);
  }
  // Behind the standard fields, as other proxies do: cache verdict, milliseconds, exchange.
  out += ' ';
  append_field(out, record.cache);
  const double ms = std::chrono::duration<double, std::milli>(record.timings.total.value_or(Duration{})).count();
  fmt::format_to(std::back_inserter(out), " {:.3f} ", ms);
  append_field(out, record.id);
}

}  // namespace

void append_log_line(std::string& out, const ExchangeRecord& record, AccessLogFormat format, bool with_query) {
  switch (format) {
    case AccessLogFormat::off:
      return;
    case AccessLogFormat::common:
    case AccessLogFormat::combined:
      append_clf(out, record, format == AccessLogFormat::combined, with_query);
      break;
    case AccessLogFormat::json:
      append_json(out, record, with_query);
      break;
  }
  out += '\n';
}

}  // namespace outrider
