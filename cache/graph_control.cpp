#include "cache/graph_control.hpp"

#include "base/config_types.hpp"

#include <boost/json.hpp>

namespace outrider {
namespace {

namespace json = boost::json;

Error wrong(std::string detail) {
  return Error{ErrorKind::invalid_argument, Side::client, std::move(detail)};
}

}  // namespace

Result<ForgetScope> parse_forget(const json::object& question, WallTime now) {
  if (question.size() != 1) return wrong("exactly one of url, prefix, site, last, user, all must be given");
  const std::string name{question.begin()->key()};
  const json::value& value = question.begin()->value();
  if (name == "all") {
    if (!value.is_bool() || !value.get_bool()) return wrong("\"all\" must be true");
    return ForgetScope::all();
  }
  // "" is the one person where nobody logs in.
  if (name == "user" && value.is_string()) return ForgetScope::of_user(std::string{value.get_string()});
  if (!value.is_string() || value.get_string().empty()) return wrong("\"" + name + "\" must be a text");
  const std::string text{value.get_string()};
  if (name == "site") return ForgetScope::of_site(text);
  if (name == "url") return ForgetScope::of_page(text);
  if (name == "prefix") return ForgetScope::of_prefix(text);
  if (name != "last") return wrong("there is no \"" + name + "\": expected url, prefix, site, last, user or all");
  const Parsed<Duration> span = parse_duration(text);
  if (!span.value) return wrong("\"last\" " + span.problem);
  return ForgetScope::since(now - std::chrono::duration_cast<WallTime::duration>(*span.value));
}

json::object json_of(const ForgetReport& report) {
  return {{"pages", report.pages}, {"visits", report.visits}, {"links", report.links}, {"events", report.events}};
}

}  // namespace outrider
