#include "proxy/exchange_record.hpp"

#include "base/escape.hpp"

#include <fmt/format.h>

#include <iterator>

namespace outrider {
namespace {

void append_time(std::string& out, WallTime time) {
  const auto ms = std::chrono::floor<std::chrono::milliseconds>(time);
  const auto day = std::chrono::floor<std::chrono::days>(ms);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{ms - day};
  fmt::format_to(std::back_inserter(out), ",\"time\":\"{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z\"",
                 static_cast<int>(date.year()), static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                 clock.hours().count(), clock.minutes().count(), clock.seconds().count(), clock.subseconds().count());
}

void append_text(std::string& out, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  out += ",\"";
  out += name;
  out += "\":";
  append_json_string(out, value);
}

// In milliseconds, as browsers show them.
void append_timings(std::string& out, const ExchangeTimings& timings) {
  out += ",\"ms\":{";
  bool first = true;
  const auto add = [&](std::string_view name, const std::optional<Duration>& value) {
    if (!value) return;
    const double ms = std::chrono::duration<double, std::milli>(*value).count();
    fmt::format_to(std::back_inserter(out), "{}\"{}\":{:.3f}", first ? "" : ",", name, ms);
    first = false;
  };
  add("queue", timings.queue);
  add("dns", timings.dns);
  add("connect", timings.connect);
  add("tls", timings.tls);
  add("first_byte", timings.first_byte);
  add("total", timings.total);
  out += '}';
}

void append_fields(std::string& out, std::string_view name, const ExchangeRecord::Fields& fields) {
  if (fields.empty()) return;
  fmt::format_to(std::back_inserter(out), ",\"{}\":[", name);
  for (const auto& [field, value] : fields) {
    if (&field != &fields.front().first) out += ',';
    out += '[';
    append_json_string(out, field);
    out += ',';
    append_json_string(out, value);
    out += ']';
  }
  out += ']';
}

}  // namespace

std::size_t ExchangeRecord::memory() const {
  std::size_t bytes = sizeof *this;
  for (const std::string* text : {&id, &client, &user, &method, &url, &query, &host, &protocol, &request_type,
                                  &response_type, &cache, &error, &user_agent, &referer})
    bytes += text->capacity();
  for (const Fields* fields : {&request_fields, &response_fields})
    for (const auto& [name, value] : *fields) bytes += sizeof(Fields::value_type) + name.capacity() + value.capacity();
  return bytes;
}

void append_json(std::string& out, const ExchangeRecord& record, bool with_query) {
  out += "{\"id\":";
  append_json_string(out, record.id);
  append_time(out, record.time);
  append_text(out, "client", record.client);
  append_text(out, "user", record.user);
  append_text(out, "method", record.method);
  append_text(out, "url", without_query(record.url));
  if (with_query) append_text(out, "query", record.query);
  append_text(out, "host", record.host);
  append_text(out, "protocol", record.protocol);
  fmt::format_to(std::back_inserter(out), ",\"status\":{},\"bytes_in\":{},\"bytes_out\":{}", record.status,
                 record.bytes_in, record.bytes_out);
  append_text(out, "request_type", record.request_type);
  append_text(out, "response_type", record.response_type);
  append_text(out, "cache", record.cache);
  append_text(out, "error", record.error);
  append_text(out, "user_agent", record.user_agent);
  append_text(out, "referer", with_query ? std::string_view{record.referer} : without_query(record.referer));
  if (record.reused_connection) out += ",\"reused\":true";
  append_timings(out, record.timings);
  append_fields(out, "request_fields", record.request_fields);
  append_fields(out, "response_fields", record.response_fields);
  out += '}';
}

}  // namespace outrider
