// The web interface as the proxy sees it: the API under /api/v1 and the page of the monitor under /monitor. Thread
// safe.
#pragma once

#include "base/worker_pool.hpp"
#include "webui/feeds.hpp"
#include "webui/gate.hpp"
#include "webui/ports.hpp"
#include "webui/router.hpp"
#include "webui/task_explorer.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace outrider::webui {

class WebUi final : public WebSite {
 public:
  struct Options {
    std::string version;
    Tokens tokens;
    std::shared_ptr<const UserBook> users;  // nullptr: nobody logs in
    Ports ports;
    const Clock* clock = &Clock::system();
  };
  explicit WebUi(Options options);

  bool owns(std::string_view path) const override;
  WebAnswer refusal(const WebRequest& request) const override;
  Task<WebAnswer> answer(WebRequest request) override;

  const Router& router() const { return router_; }

 private:
  void add_routes();
  ApiReply overview(const ApiRequest& request) const;
  ApiReply log_in(const ApiRequest& request) const;
  ApiReply events(const ApiRequest& request);

  const std::string version_;
  const std::string server_;  // a new name for every run
  const Ports ports_;
  const Clock& clock_;
  const Gate gate_;
  const Feeds feeds_;
  const std::unique_ptr<TaskExplorer> explorer_;  // nullptr without a robot
  Router router_;
  WorkerPool workers_;  // last: what runs there uses the rest
};

}  // namespace outrider::webui
