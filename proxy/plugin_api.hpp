// The plugins for programs, at the proxy's own address; whoever holds the admin token may ask.
//
//   GET    /api/v1/plugins                    who is there, how they are: {"plugins":[…]}
//   (plugins/api/plugin_control.hpp) POST   /api/v1/plugins/NAME               {"on": bool, "site": HOST}: switch it,
//   without "site" everywhere DELETE /api/v1/plugins/NAME/sites/HOST    no longer anything special about this site GET
//   /api/v1/plugins/NAME/card          what the plugin shows on the monitor GET    /api/v1/plugin-events?after=N what
//   plugins published: {"events":[…],"next":N}
#pragma once

#include "base/async.hpp"
#include "proxy/answer.hpp"
#include "proxy/plugin_host.hpp"

#include <string>
#include <string_view>

namespace outrider {

// `host` nullptr: there are no plugins.
Task<Answer> plugin_api_answer(std::string path, std::string query, Method method, std::string body, PluginHost* host,
                               Executor home, AnswerFrame frame);

// A document under /plugins/NAME/. `path` begins behind /plugins/. Nothing: the plugin is not there, is off, has no
// documents, or does not answer.
Task<std::optional<PluginAnswer>> plugin_document(PluginHost& host, Executor home, std::string path,
                                                  PluginDocumentRequest request);

}  // namespace outrider
