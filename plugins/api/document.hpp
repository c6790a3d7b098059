// Small help for plugins that serve documents: what was asked, and the usual kinds of answers.
#pragma once

#include "plugins/api/plugin.hpp"

#include <boost/json/value.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace outrider {

// A file that is part of the program (cmake/plugin_page.cmake).
struct PluginFile {
  std::string_view name, type, bytes;
};

// A value of application/x-www-form-urlencoded text: a query, or the body of a form. The first one counts.
std::optional<std::string> form_value(std::string_view form, std::string_view name);

PluginAnswer file_answer(const PluginFile& file);
PluginAnswer json_answer(const boost::json::value& value, int status = 200);
// A refusal, as the API words them (RFC 9457): {"status", "detail"}.
PluginAnswer problem_answer(int status, std::string_view detail);
// Anything else that is made for this one request.
PluginAnswer fresh_answer(std::string type, std::string bytes);
// Server-Sent Events (WHATWG HTML section 9.2) that end at once: the browser asks again after a second and says with
// Last-Event-ID what it knows. `data` nullopt = nothing is new.
PluginAnswer event_answer(std::uint64_t id, const std::optional<boost::json::value>& data);
std::uint64_t last_event_id(const PluginDocumentRequest& request);  // 0 = none

// People on this machine may look where nobody logs in; from elsewhere only who has said, and shown, who he is: a bare
// address ("@192.168.1.7") is not enough.
inline bool may_look(const PluginDocumentRequest& request) {
  return request.local || (!request.user.empty() && request.user.front() != '@');
}

}  // namespace outrider
