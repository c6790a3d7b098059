// The life of `outrider serve`: start, tell whoever waits, mind the signals, stop.
#include "base/log.hpp"
#include "plugins/api/proxy_user.hpp"
#include "proxy/authority.hpp"
#include "proxy/cli/admin_token.hpp"
#include "proxy/cli/monitor.hpp"
#include "proxy/cli/output.hpp"
#include "proxy/cli/robot_side.hpp"
#include "proxy/cli/serve.hpp"
#include "proxy/cli/small_file.hpp"
#include "proxy/cli/version.hpp"
#include "proxy/live_settings.hpp"
#include "proxy/server.hpp"
#include "proxy/settings.hpp"
#include "proxy/systemd.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>
#include <boost/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <stop_token>
#include <thread>

namespace outrider::cli {
namespace {

// Blocked in every thread and fetched by this one: a signal never interrupts anything, it is just the next thing to do.
class Signals {
 public:
  Signals() {
    sigemptyset(&set_);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set_, signal);
    pthread_sigmask(SIG_BLOCK, &set_, nullptr);
    ::signal(SIGPIPE, SIG_IGN);
  }
  // 0: none came in that time.
  int next_within(Duration limit) const {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(limit);
    const timespec wait{seconds.count(), std::chrono::nanoseconds{limit - seconds}.count()};
    const int signal = sigtimedwait(&set_, nullptr, &wait);
    return signal < 0 ? 0 : signal;
  }

 private:
  sigset_t set_{};
};

std::string shown(const tcp::endpoint& endpoint) {
  return authority(endpoint.address().to_string(), endpoint.port());
}

// Where a browser on this machine finds the monitor: an address that can be typed.
std::string monitor_address(const tcp::endpoint& endpoint) {
  if (!endpoint.address().is_unspecified()) return fmt::format("http://{}/", shown(endpoint));
  return fmt::format("http://{}/", authority(endpoint.address().is_v6() ? "::1" : "127.0.0.1", endpoint.port()));
}

// The token is for eyes at a terminal: a log that others can read is not told. Behind '#' it never leaves the browser.
std::string monitor_link(const tcp::endpoint& endpoint, const std::string& token) {
  const std::string page = monitor_address(endpoint) + "monitor/";
  return ::isatty(STDOUT_FILENO) == 1 ? page + "#token=" + token : page;
}

void greet(const Server& server, const std::filesystem::path& token_file, const std::string& token) {
  Output out;
  const tcp::endpoint& first = server.endpoints().front();
  out.line(fmt::format("Outrider {} is running.", version()));
  for (const tcp::endpoint& endpoint : server.endpoints()) out.line(fmt::format("  proxy    {}", shown(endpoint)));
  out.line(fmt::format("  start    {}", monitor_address(first)));
  out.line(fmt::format("  monitor  {}", monitor_link(first, token)));
  out.line(fmt::format("  token    {}", token_file.string()));
  out.line("Set the proxy address in your browser; the start page says how.");
  out.line("Ctrl-C stops when running requests have ended, a second Ctrl-C at once.");
  out.flush();
}

Result<void> write_ready_file(const std::filesystem::path& path, const Server& server,
                              const std::filesystem::path& token_file) {
  const tcp::endpoint& first = server.endpoints().front();
  const boost::json::object ready{{"listen", shown(first)},
                                  {"admin", monitor_address(first)},
                                  {"token_file", token_file.string()},
                                  {"pid", static_cast<std::int64_t>(::getpid())}};
  return write_small_file(path, boost::json::serialize(ready) + "\n");
}

// New rules for what begins from now on; the log follows.
Result<void> apply(Server& server, RobotSide& robot, const Config& fresh) {
  if (Result<void> applied = server.reload(fresh); !applied) return applied;
  robot.apply(fresh);
  if (const auto configured = log::configure(fresh.get<LogSettings>()); !configured)
    log::error(Room::proxy, "log_not_changed", {{"reason", configured.error().detail}});
  return {};
}

void reload(LiveSettings& settings, const SystemdNotifier& systemd) {
  systemd.reloading(Clock::system().steady());
  if (const auto reopened = log::reopen(); !reopened)
    log::error(Room::proxy, "log_not_reopened", {{"reason", reopened.error().detail}});
  if (const Result<void> reloaded = settings.reload(); !reloaded) {
    log::error(Room::proxy, "reload_refused", {{"reason", reloaded.error().detail}});
  } else {
    log::info(Room::proxy, "reloaded", {});
  }
  systemd.ready("running");
}

// Tells the service manager that all is well, as long as that is true. Looks twice as often as it has to, so that a
// thread that is a little late does not cost the program its life.
class Watchdog {
 public:
  Watchdog(Server& server, const SystemdNotifier& systemd)
      : server_(server),
        systemd_(systemd),
        every_(systemd.watchdog_interval().value_or(Duration::zero()) / 2),
        next_(Clock::system().steady() + every_) {}
  // How long until it has to be fed; absent: nobody watches.
  std::optional<Duration> due() const {
    if (every_ == Duration::zero()) return std::nullopt;
    return std::max(next_ - Clock::system().steady(), Duration::zero());
  }
  void feed_if_due() {
    const SteadyTime now = Clock::system().steady();
    if (every_ == Duration::zero() || now < next_) return;
    next_ = now + every_;
    if (server_.all_threads_turn()) {
      systemd_.watchdog();
    } else {
      log::error(Room::proxy, "io_thread_hangs", {});
    }
  }

 private:
  Server& server_;
  const SystemdNotifier& systemd_;
  const Duration every_;  // zero: nobody watches
  SteadyTime next_;
};

// Running requests may finish, unless somebody asks a second time.
bool drain(Server& server, const Signals& signals, Duration grace) {
  constexpr Duration kLookEvery = std::chrono::milliseconds{50};
  const std::jthread second_signal{[&](const std::stop_token& drained) {
    while (!drained.stop_requested()) {
      const int signal = signals.next_within(kLookEvery);
      if (signal == SIGTERM || signal == SIGINT) server.cut_off();
    }
  }};
  return server.drain(grace);
}

constexpr Duration kRobotGrace = std::chrono::seconds{2};  // what it was loading, it loads after the next start

// For plugins whose programs go through us.
void introduce_proxy(const ServeOptions& options, const Server& server, const Config& config) {
  const auto& tls = config.get<TlsSettings>();
  const Result<AuthorityCertificate> authority = tls.ca_key.empty()
                                                     ? Authority::read_certificate(options.data_directory / "ca")
                                                     : Authority::read_own_certificate(tls.ca_certificate);
  std::string address = monitor_address(server.endpoints().front());  // "http://127.0.0.1:8282/"
  address = address.substr(7, address.size() - 8);
  for (const PluginHost::Source& source : options.plugins)
    if (auto* const user = dynamic_cast<ProxyUser*>(source.plugin.get()))
      user->use_proxy({address, authority ? authority->pem() : ""});
}

void report_bug(std::string_view what, std::string_view message) {
  log::error(Room::proxy, "internal_error", {{"in", what}, {"message", message}});
}

}  // namespace

int run_server(const ServeOptions& options, Config& config) {
  const Signals signals;
  const SystemdNotifier systemd = SystemdNotifier::from_process();
  TaskGroup::set_report(report_bug);

  Server::Options server_options;
  server_options.version = version();
  server_options.data_directory = options.data_directory;
  const Result<std::vector<ActivatedSocket>> activated = take_activated_sockets();
  if (!activated) {
    complain(activated.error().detail);
    return kFailure;
  }
  for (const ActivatedSocket& socket : *activated) server_options.inherited_sockets.push_back(socket.fd);
  const std::filesystem::path token_file = options.data_directory / "admin-token";
  const Result<std::string> token = ensure_admin_token(token_file);
  const Result<std::string> read_token = ensure_admin_token(options.data_directory / "read-token");
  if (!token || !read_token) {
    complain(token ? read_token.error().detail : token.error().detail);
    return kFailure;
  }
  server_options.plugins = options.plugins;
  server_options.refused_plugins = options.refused_plugins;
  std::unique_ptr<LiveSettings> opened =
      LiveSettings::open(config, options.sources, options.data_directory / "settings.json");
  LiveSettings& settings = *opened;
  config = settings.current();
  Result<std::unique_ptr<Server>> created = Server::create(config, server_options);
  if (!created) {
    complain(created.error().detail);
    return kFailure;
  }
  Server& server = **created;
  RobotSide robot{server, config, options.data_directory};
  settings.set_apply([&server, &robot](const Config&, const Config& fresh) { return apply(server, robot, fresh); });
  connect_monitor(server, std::move(opened), webui::Tokens{*token, *read_token}, robot.engine());
  introduce_proxy(options, server, settings.current());
  server.start_plugins(settings.current(), robot.engine());
  robot.start();  // before anybody can ask for it
  server.start();
  if (options.ready_file) {
    if (const Result<void> written = write_ready_file(*options.ready_file, server, token_file); !written) {
      complain(written.error().detail);
      return kFailure;
    }
  }
  greet(server, token_file, *token);
  systemd.ready("running");
  for (const tcp::endpoint& endpoint : server.endpoints())
    log::info(Room::proxy, "listening", {{"address", shown(endpoint)}});

  Watchdog watchdog{server, systemd};
  constexpr Duration kDay = std::chrono::hours{24};
  SteadyTime warned{};
  for (int signal = 0; signal != SIGTERM && signal != SIGINT;) {
    const SteadyTime now = Clock::system().steady();
    if (warned == SteadyTime{} || now - warned >= kDay) {
      server.warn_in_time();
      warned = now;
    }
    signal = signals.next_within(std::min(watchdog.due().value_or(kDay), warned + kDay - now));
    watchdog.feed_if_due();
    if (signal == SIGHUP) reload(settings, systemd);
  }
  systemd.stopping("finishing running requests");
  log::info(Room::proxy, "stopping", {});
  robot.stop(kRobotGrace);
  const bool finished = drain(server, signals, settings.current().get<TimeoutSettings>().drain);
  log::info(Room::proxy, "stopped", {{"all_finished", finished}});
  if (options.ready_file) {
    std::error_code ignored;
    std::filesystem::remove(*options.ready_file, ignored);
  }
  if (!finished || server.lookups_pending() || robot.lookups_pending() || server.plugin_lost()) {
    // Somebody is still busy (a name lookup or a plugin that hangs cannot be interrupted): write everything durable,
    // and just leave.
    server.access_log().stop();
    if (MemoryKeeper* memory = server.memory()) memory->close();
    if (Store* store = server.cache().store) store->close();
    std::fflush(nullptr);
    std::_Exit(kSuccess);
  }
  return kSuccess;
}

}  // namespace outrider::cli
