// What a plugin is. Derive from Plugin, say in info() which hooks you use, override those. docs/plugins.md is a
// tutorial; plugins/example is its result.
//
// Threads. A plugin that is loaded from a file has a thread of its own and is called by it alone. The request, response
// and page hooks of one that is built in are called by the I/O threads, several at a time, and must not block; its
// other hooks are called by its own thread. Whatever a hook is given belongs to the call, unless it says otherwise.
//
// Failures. A hook has a budget of CPU time. One that throws or is late is counted; after the third time the plugin is
// set aside: it is called no more, pages pass without it, and the API says why (proxy/plugin_host.hpp).
#pragma once

#include "base/config.hpp"
#include "base/http_message.hpp"
#include "plugins/api/memory.hpp"
#include "plugins/api/page_filter.hpp"
#include "plugins/api/plugin_ports.hpp"
#include "plugins/api/plugin_stream.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace outrider {

struct RobotPage;  // plugins/api/robot.hpp

enum class Hook : std::uint16_t {
  request = 1 << 0,
  response = 1 << 1,
  page = 1 << 2,
  node = 1 << 3,
  visit = 1 << 4,
  robot_page = 1 << 5,
  task_end = 1 << 6,
  timer = 1 << 7,
  document = 1 << 8,
  card = 1 << 9,
};

// What is not named here is never called.
struct Hooks {
  std::uint16_t bits = 0;
  Hooks() = default;
  Hooks(std::initializer_list<Hook> hooks) {
    for (const Hook hook : hooks) bits = static_cast<std::uint16_t>(bits | static_cast<std::uint16_t>(hook));
  }
  bool has(Hook hook) const { return (bits & static_cast<std::uint16_t>(hook)) != 0; }
};

struct PluginInfo {
  std::string name;   // [a-z][a-z0-9-]*, at most 32: its place in URLs, settings and folders
  std::string title;  // for people
  std::string version;
  std::string description;
  Hooks hooks;
};

// A request of a browser. Robot requests are not shown to plugins.
struct PluginRequest {
  std::string url;
  Method method = Method::get;
  HeaderMap headers;       // end to end; on_request() may change them
  std::string user;        // "" = the one person at this machine, where nobody logs in; "@ADDRESS" = some other machine
  bool top_level = false;  // as far as can be told, a person opens this as a page
  bool local = false;      // comes from this machine
};

struct PluginResponse {
  int status = 200;
  HeaderMap headers;           // on_response() may change them; not what says how the body is coded or how long it is
  bool for_everybody = false;  // the memory keeps it, and not as something that is one person's
};

struct PluginAnswer {
  int status = 200;
  std::string content_type = "text/html; charset=utf-8";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers{};
  std::shared_ptr<PluginStream> stream{};  // instead of `body`; for documents
};

// A file that pages of any site may load from their own address, as /.well-known/outrider/NAME/FILE: a script that was
// put into them. No request for it reaches an origin, and it is the same whoever asks.
struct PluginResource {
  std::string file;
  std::string content_type;
  std::string body;
};

// A document under /plugins/NAME/ that is the same for everybody: answered without calling the plugin, so it waits for
// nothing that the plugin does.
struct PluginDocument {
  std::string path;  // behind /plugins/NAME, "/style.css"
  PluginAnswer answer;
};

// A request for a document under /plugins/NAME/.
struct PluginDocumentRequest {
  std::string path;   // behind /plugins/NAME, so at least "/"
  std::string query;  // without '?'
  Method method = Method::get;
  HeaderMap headers;
  std::string body;
  std::string user;       // "" = the one person at this machine, where nobody logs in; "@ADDRESS" = some other machine
  bool local = false;     // comes from this machine, from somebody whom access.local_users trusts
  bool own_page = false;  // the browser says that a page of ours asks (Origin, Sec-Fetch-Site or Referer)
};

class Plugin {
 public:
  virtual ~Plugin() = default;
  virtual PluginInfo info() const = 0;

  // Adds the plugin's section: a settings struct (base/config_schema.hpp) whose kSection is "plugins.NAME", with '_'
  // for a '-' of the name.
  virtual void describe_settings(ConfigSchema&) const {}
  virtual void configure(const Config&) {}   // at the start, and again whenever the configuration has changed
  virtual void start(const PluginPorts&) {}  // before the first hook
  virtual void stop() {}                     // after the last one
  virtual std::vector<PluginResource> resources() const { return {}; }  // asked once
  virtual std::vector<PluginDocument> documents() const { return {}; }  // asked once

  // A request goes out: change its headers, or answer it here. To block it, answer it with 403.
  virtual std::optional<PluginAnswer> on_request(PluginRequest&) { return std::nullopt; }
  virtual void on_response(const PluginRequest&, PluginResponse&) {}
  // A page that can be changed is about to pass: text/html, status 200, opened at top level. nullptr = not this one.
  // The filter is destroyed when the page has passed, maybe by another thread.
  virtual std::unique_ptr<PageFilter> on_page(const PluginRequest&, const PluginResponse&) { return nullptr; }

  virtual void on_node(const MemoryEvent&) {}  // node_new, node_changed, node_gone
  virtual void on_visit(const MemoryEvent&) {}
  virtual void on_robot_page(const RobotPage&) {}                                  // of one of the plugin's own tasks
  virtual void on_task_end(std::uint64_t /*task*/, std::string_view /*state*/) {}  // finished, stopped, expired, failed
  virtual void on_timer() {}                                                       // about once a second

  virtual PluginAnswer on_document(const PluginDocumentRequest&) { return {404, "text/plain", "not found\n"}; }
  // What the monitor shows: {"lines": [{"label", "value"}], "link"}; anything else is shown as it is.
  virtual boost::json::object card() { return {}; }
};

}  // namespace outrider
