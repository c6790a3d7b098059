#include "plugins/api/document.hpp"

#include "base/url_percent.hpp"

#include <fmt/format.h>
#include <boost/json.hpp>

#include <algorithm>
#include <charconv>

namespace outrider {
namespace {

// What is shown is a person's own, and changes.
const std::vector<std::pair<std::string, std::string>> kFresh{
    {"Cache-Control", "no-store"}, {"X-Content-Type-Options", "nosniff"}, {"Referrer-Policy", "no-referrer"}};

}  // namespace

std::optional<std::string> form_value(std::string_view form, std::string_view name) {
  while (!form.empty()) {
    const std::string_view pair = form.substr(0, form.find('&'));
    form.remove_prefix(std::min(form.size(), pair.size() + 1));
    const std::size_t equals = std::min(pair.find('='), pair.size());
    if (pair.substr(0, equals) != name) continue;
    std::string value{pair.substr(std::min(pair.size(), equals + 1))};
    std::replace(value.begin(), value.end(), '+', ' ');
    return percent_decode(value);
  }
  return std::nullopt;
}

PluginAnswer file_answer(const PluginFile& file) {
  PluginAnswer answer{200, std::string{file.type}, std::string{file.bytes}, kFresh};
  answer.headers.front().second = "no-cache";
  answer.headers.back().second = "same-origin";  // over plain HTTP it is all that tells our pages from others
  return answer;
}

PluginAnswer json_answer(const boost::json::value& value, int status) {
  return {status, "application/json", boost::json::serialize(value) + "\n", kFresh};
}

PluginAnswer problem_answer(int status, std::string_view detail) {
  PluginAnswer answer = json_answer(boost::json::object{{"status", status}, {"detail", detail}}, status);
  answer.content_type = "application/problem+json";
  return answer;
}

PluginAnswer fresh_answer(std::string type, std::string bytes) {
  return {200, std::move(type), std::move(bytes), kFresh};
}

PluginAnswer event_answer(std::uint64_t id, const std::optional<boost::json::value>& data) {
  std::string text = "retry: 1000\n";
  if (data) text += fmt::format("id: {}\ndata: {}\n", id, boost::json::serialize(*data));
  return {200, "text/event-stream", text + "\n", kFresh};
}

std::uint64_t last_event_id(const PluginDocumentRequest& request) {
  const std::string_view text = request.headers.find("Last-Event-ID").value_or("");
  std::uint64_t id = 0;
  std::from_chars(text.data(), text.data() + text.size(), id);
  return id;
}

}  // namespace outrider
