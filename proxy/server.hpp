// The proxy as a whole: its I/O threads and listeners, from bind to drain. Used by the wiring in proxy/cli.
#pragma once

#include "base/config.hpp"
#include "cache/cache.hpp"
#include "cache/memory_keeper.hpp"
#include "proxy/cache_control_port.hpp"
#include "proxy/heartbeat.hpp"
#include "proxy/listener.hpp"
#include "proxy/live_traffic.hpp"
#include "proxy/memory_control_port.hpp"
#include "proxy/proxy_shared.hpp"
#include "proxy/tls_control_port.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace outrider {

class Server {
 public:
  struct Options {
    std::string version;
    std::filesystem::path data_directory;
    std::vector<PluginHost::Source> plugins;
    std::vector<PluginHost::Refused> refused_plugins;
    std::vector<int> inherited_sockets;  // socket activation; empty = bind what the configuration says
  };

  // Binds; nothing is accepted before start(). Failures are for the person at the terminal.
  static Result<std::unique_ptr<Server>> create(const Config& config, const Options& options);
  ~Server();  // closes
  // What create() and reload() would say about these settings, without opening, binding or writing anything.
  static Result<void> check(const Config& config);

  // Before start(); without it plugins do nothing. `robot`: nullptr = there is none.
  void start_plugins(const Config& config, Robot* robot);
  void start();
  // Has every I/O thread done something since this was asked the last time? For a watchdog; only after start().
  bool all_threads_turn() { return heartbeat_->beat(); }
  // Says in the log what will soon need somebody; to be called once a day.
  void warn_in_time() const;
  // New rules for requests that begin from now on. What needs a restart is left as it is.
  Result<void> reload(const Config& config);
  // Stop accepting, let running requests finish, then close what is left. True: all had finished in time.
  bool drain(Duration grace);
  // Ends every thread that may still have something for a reactor, also for one that is not ours (the robot's): whoever
  // owns such a reactor calls this while it exists. Nothing may be asked of the server afterwards.
  void close();
  // Any thread: a drain that is under way does not wait any longer.
  void cut_off();

  // A lookup cannot be interrupted: whoever ends the process need not wait for it.
  bool lookups_pending() const { return lookups_.queued() > 0; }
  // Nor can a plugin that hangs.
  bool plugin_lost() const { return shared_->plugins && shared_->plugins->lost(); }
  PluginHost* plugins() { return shared_->plugins.get(); }  // nullptr: there are none
  const std::vector<tcp::endpoint>& endpoints() const { return shared_->endpoints; }
  Metrics& metrics() { return metrics_; }
  Traffic& traffic() { return *traffic_; }
  CacheControl& cache_control() { return *cache_control_; }
  TlsControl& tls_control() { return *tls_control_; }
  MemoryKeeper* memory() { return memory_.get(); }  // nullptr: nothing is remembered
  MemoryControl* memory_control() { return memory_control_ ? &*memory_control_ : nullptr; }
  // For whoever else goes out to the network: the robot.
  TlsClient& tls() { return *tls_; }
  CacheShared& cache() { return cache_->shared(); }
  Http2Homes& homes() { return shared_->homes; }
  std::shared_ptr<const ProxyPolicy> policy() const { return policy_; }  // of the last (re)load
  // Before start(). It is let go before anything that it may use.
  void set_web(std::shared_ptr<WebSite> web) { shared_->web = std::move(web); }
  // The same. It outlives the I/O threads: close() comes before it goes.
  void set_witness(BrowserWitness* witness) { shared_->witness = witness; }
  AccessLog& access_log() { return access_log_; }

 private:
  Server();
  Result<void> bind(const Config& config, const Options& options);
  void add_plugins(const Config& config, const Options& options);

  Metrics metrics_;
  WorkerPool workers_;
  WorkerPool lookups_;
  std::unique_ptr<TlsClient> tls_;
  std::unique_ptr<Cache> cache_;  // before the workers, whose exchanges use it
  std::unique_ptr<MemoryKeeper> memory_;
  AccessLog access_log_;
  ExchangeFeed feed_;
  std::unique_ptr<ProxyShared> shared_;
  std::unique_ptr<LiveTraffic> traffic_;
  std::unique_ptr<CacheControlPort> cache_control_;
  std::unique_ptr<TlsControlPort> tls_control_;
  std::optional<MemoryControlPort> memory_control_;
  std::shared_ptr<const ProxyPolicy> policy_;
  std::vector<std::unique_ptr<IoWorker>> io_workers_;
  std::vector<std::unique_ptr<Listener>> listeners_;
  std::vector<std::thread> threads_;
  std::unique_ptr<Heartbeat> heartbeat_;
  CallbackGauge connections_gauge_;
  bool shared_installation_ = false;
  bool closed_ = false;
};

}  // namespace outrider
