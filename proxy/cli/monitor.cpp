#include "proxy/cli/monitor.hpp"

#include "proxy/access.hpp"
#include "proxy/cli/user_tokens.hpp"
#include "proxy/cli/version.hpp"
#include "webui/web_ui.hpp"

namespace outrider::cli {
namespace {

struct Monitor {
  std::unique_ptr<LiveSettings> settings;
  std::unique_ptr<webui::WebUi> site;  // goes first: its threads use the rest
};

}  // namespace

void connect_monitor(Server& server, std::unique_ptr<LiveSettings> settings, webui::Tokens tokens, RobotEngine* robot) {
  webui::WebUi::Options options;
  options.version = version();
  options.tokens = std::move(tokens);
  options.users =
      std::make_shared<UserTokens>([all = settings.get()] { return all->current().get<AccessSettings>().users_file; });
  options.ports.metrics = &server.metrics();
  options.ports.traffic = &server.traffic();
  options.ports.cache = &server.cache_control();
  options.ports.tls = &server.tls_control();
  options.ports.settings = settings.get();
  if (MemoryKeeper* memory = server.memory()) options.ports.memory = &memory->graph();
  options.ports.memory_control = server.memory_control();
  if (robot != nullptr) {
    options.ports.robot = robot;
    options.ports.robot_control = robot;
    options.ports.hosts = robot;
    options.ports.watches = &robot->watches();
  }
  options.ports.plugins = server.plugins();
  auto monitor = std::make_shared<Monitor>();
  monitor->settings = std::move(settings);
  monitor->site = std::make_unique<webui::WebUi>(std::move(options));
  server.set_web(std::shared_ptr<WebSite>(monitor, monitor->site.get()));
}

}  // namespace outrider::cli
