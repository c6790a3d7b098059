// A plugin that does whatever the path of a request tells it to, for the tests of those who have to live with it.
#include "plugins/api/plugin_library.hpp"

#include <stdexcept>
#include <thread>

namespace outrider {
namespace {

bool asks(const PluginRequest& request, std::string_view what) {
  return request.url.find(what) != std::string::npos;
}

void hang() {
  for (volatile bool forever = true; forever;) std::this_thread::yield();
}

class UnrulyFilter final : public PageFilter {
 public:
  explicit UnrulyFilter(std::string url) : url_(std::move(url)) {}
  PageInterest interest() const override { return PageInterest::in({{"b", ""}}); }
  void on_start_tag(const HtmlTag&, TagEdit& edit) override {
    edit.after("[bold]");
    if (url_.find("/filter-throws") != std::string::npos) throw std::runtime_error("on purpose");
    if (url_.find("/filter-hangs") != std::string::npos) hang();
  }
  std::string insert_at(PagePlace place) override {
    return place == PagePlace::head_end ? "<script src=\"/x.js\"></script>" : "";
  }

 private:
  const std::string url_;
};

class Unruly final : public Plugin {
 public:
  PluginInfo info() const override {
    return {"unruly",
            "Unruly",
            "1",
            "Does what it is told.",
            {Hook::request, Hook::response, Hook::page, Hook::document, Hook::card}};
  }
  void start(const PluginPorts& ports) override { ports_ = ports; }
  std::optional<PluginAnswer> on_request(PluginRequest& request) override {
    if (asks(request, "/blocked")) return PluginAnswer{403, "text/plain", "not here\n"};
    if (asks(request, "/empty")) return PluginAnswer{204, "text/plain", "HTTP/1.1 200 OK\r\n\r\n"};
    if (asks(request, "/request-throws")) {
      request.headers.set("X-Lost", "1");
      throw std::runtime_error("on purpose");
    }
    request.headers.set("X-Unruly", "1");
    request.headers.set("Host", "evil.example");
    return std::nullopt;
  }
  void on_response(const PluginRequest&, PluginResponse& response) override {
    response.headers.set("X-Unruly", "2");
    response.headers.set("Content-Length", "1");
    response.headers.set("bad name", "x");
  }
  std::unique_ptr<PageFilter> on_page(const PluginRequest& request, const PluginResponse&) override {
    if (asks(request, "/not-this")) return nullptr;
    return std::make_unique<UnrulyFilter>(request.url);
  }
  PluginAnswer on_document(const PluginDocumentRequest& request) override {
    if (request.path == "/throws") throw std::runtime_error("on purpose");
    if (request.method == Method::post) ports_.events->publish("posted", {{"body", request.body}});
    return {200, "text/plain", request.path + "?" + request.query + " " + request.body};
  }
  boost::json::object card() override { return {{"shown", true}}; }

 private:
  PluginPorts ports_;
};

}  // namespace
}  // namespace outrider

OUTRIDER_PLUGIN(outrider::Unruly, make_unruly_plugin)
