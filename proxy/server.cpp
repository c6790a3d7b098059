#include "proxy/server.hpp"

#include "base/log.hpp"
#include "proxy/loop_guard.hpp"
#include "proxy/settings.hpp"
#include "proxy/stored_copies_port.hpp"

#include <fmt/format.h>
#include <openssl/rand.h>
#include <sys/resource.h>
#include <unistd.h>
#include <boost/asio/co_spawn.hpp>

#include <future>
#include <latch>
#include <utility>

namespace outrider {
namespace {

Result<void> ca_files_need_each_other(const TlsSettings& settings) {
  if (settings.ca_certificate.empty() == settings.ca_key.empty()) return {};
  return Error{ErrorKind::invalid_argument, Side::self, "tls.ca_certificate and tls.ca_key need each other: set both"};
}

Result<std::shared_ptr<const Authority>> open_authority(const TlsSettings& settings,
                                                        const std::filesystem::path& data_directory) {
  const WallTime now = Clock::system().now();
  if (Result<void> complete = ca_files_need_each_other(settings); !complete) return complete.error();
  Result<std::shared_ptr<const Authority>> authority =
      settings.ca_key.empty() ? Authority::open(data_directory / "ca", now)
                              : Authority::open_own(settings.ca_certificate, settings.ca_key, now);
  return authority;
}

constexpr std::size_t kLookupThreads = 64;  // each may hang for as long as a dead name server lets it
constexpr std::size_t kLookupQueue = 1024;
constexpr std::size_t kWorkerQueue = 4096;

std::size_t cores() {
  return std::max(1U, std::thread::hardware_concurrency());
}

// A proxy needs two descriptors per exchange; the usual soft limit of 1,024 is for ordinary programs.
void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

void report_failed_handler(const char* reason) noexcept {
  try {
    log::error(Room::proxy, "handler_failed", {{"reason", reason}});
  } catch (...) {  // the log is not worth the program
  }
}

// What escapes a handler (out of memory, above all) ends that handler, not the program.
void run_until_stopped(IoWorker& worker) {
  const auto guard = asio::make_work_guard(worker.reactor().context());
  while (!worker.reactor().context().stopped()) {
    try {
      worker.reactor().run();
    } catch (const std::bad_alloc&) {
      // Nothing to be said: saying it needs memory too. The client it happened to is gone, the others go on.
    } catch (const std::exception& failure) {
      report_failed_handler(failure.what());
    }
  }
}

Result<Addresses> local_addresses(const std::string& host) {
  ErrorCode is_name;
  const IpAddress literal = asio::ip::make_address(host, is_name);
  if (!is_name) return Addresses{literal};
  Result<Addresses> found = Resolver::system_lookup(host);
  if (!found)
    return Error{ErrorKind::invalid_argument, Side::self, fmt::format("cannot listen on {}", found.error().detail)};
  return found;
}

// A name ("localhost") stands for all its addresses.
Result<std::vector<tcp::endpoint>> wanted_endpoints(const ProxySettings& settings) {
  std::vector<tcp::endpoint> wanted;
  for (const std::string& text : settings.listen) {
    Result<ListenAddress> address = parse_listen_address(text);
    if (!address) return address.error();
    Result<Addresses> addresses = local_addresses(address->host);
    if (!addresses) return addresses.error();
    for (const IpAddress& each : *addresses) wanted.emplace_back(each, address->port);
  }
  return wanted;
}

bool beyond_this_machine(const tcp::endpoint& endpoint) {
  return classify(endpoint.address()) != AddressClass::loopback;
}

Result<std::unique_ptr<TlsClient>> make_tls_client(const TlsSettings& settings) {
  TlsClientOptions options;
  options.extra_ca_file = settings.origin_ca_file;
  return TlsClient::create(options);
}

}  // namespace

Server::Server() : workers_(cores(), kWorkerQueue), lookups_(kLookupThreads, kLookupQueue) {}

Server::~Server() {
  close();
}

void Server::close() {
  if (std::exchange(closed_, true)) return;
  for (const auto& worker : io_workers_) worker->reactor().stop();
  for (std::thread& thread : threads_) thread.join();
  if (shared_) shared_->web.reset();
  // While the reactors exist: their threads still have answers for them. What one of them hangs in is left behind.
  if (shared_ && shared_->plugins && !shared_->plugins->stop()) static_cast<void>(shared_->plugins.release());
  workers_.stop();
  lookups_.stop();
  // While the reactors exist: its threads still have answers for them.
  if (memory_) memory_->close();
  if (cache_ && cache_->store() != nullptr) cache_->store()->close();
}

Result<std::unique_ptr<Server>> Server::create(const Config& config, const Options& options) {
  raise_descriptor_limit();
  std::unique_ptr<Server> server{new Server};
  Result<std::unique_ptr<TlsClient>> client = make_tls_client(config.get<TlsSettings>());
  if (!client) return client.error();
  server->tls_ = std::move(*client);
  if (Result<void> opened = server->access_log_.apply(config.get<AccessLogSettings>()); !opened) return opened.error();
  Result<std::unique_ptr<Cache>> cache =
      Cache::open(config.get<CacheSettings>(), options.data_directory, server->metrics_);
  if (!cache) return cache.error();
  server->cache_ = std::move(*cache);
  Result<std::unique_ptr<MemoryKeeper>> memory =
      MemoryKeeper::open(config.get<MemorySettings>(), options.data_directory, server->metrics_, Clock::system(), true);
  if (memory) {
    server->memory_ = std::move(*memory);
  } else {  // a full disk must not keep anybody from reading
    log::error(Room::proxy, "memory_off",
               {{"reason", memory.error().detail}, {"what_to_do", "nothing is remembered until the next start"}});
  }
  if (server->memory_) server->memory_control_.emplace(server->memory_->graph(), Clock::system());
  Result<std::shared_ptr<const Authority>> authority =
      open_authority(config.get<TlsSettings>(), options.data_directory);
  if (!authority) return authority.error();
  Result<std::shared_ptr<OnboardingState>> onboarding = OnboardingState::open(options.data_directory / "onboarding");
  if (!onboarding) return onboarding.error();
  Result<std::unique_ptr<Interception>> interception =
      Interception::create(*authority, config.get<TlsSettings>(), server->workers_);
  if (!interception) return interception.error();
  std::uint32_t random = 0;
  RAND_bytes(reinterpret_cast<unsigned char*>(&random), sizeof random);
  server->shared_.reset(new ProxyShared{.workers = server->workers_,
                                        .lookups = server->lookups_,
                                        .tls = *server->tls_,
                                        .metrics = server->metrics_,
                                        .cache = server->cache_->shared(),
                                        .access_log = server->access_log_,
                                        .feed = server->feed_,
                                        .counters = ExchangeCounters{server->metrics_},
                                        .ids = {Clock::system().now(), random},
                                        .slots = {},
                                        .pseudonym = make_pseudonym(),
                                        .version = options.version,
                                        .authority = std::move(*authority),
                                        .onboarding = std::move(*onboarding),
                                        .interception = std::move(*interception)});
  server->traffic_ = std::make_unique<LiveTraffic>(*server->shared_);
  server->cache_control_ = std::make_unique<CacheControlPort>(server->cache_->shared());
  server->tls_control_ = std::make_unique<TlsControlPort>(*server->shared_);
  if (server->memory_) server->shared_->ingest = &server->memory_->ingest();
  if (Result<void> bound = server->bind(config, options); !bound) return bound.error();
  server->add_plugins(config, options);
  server->connections_gauge_ = server->metrics_.gauge_from(
      "outrider_client_connections", "Open client connections.", {},
      [shared = server->shared_.get()] { return static_cast<double>(shared->slots.total()); });
  return server;
}

Result<void> Server::check(const Config& config) {
  const auto& tls = config.get<TlsSettings>();
  if (Result<std::unique_ptr<TlsClient>> client = make_tls_client(tls); !client) return client.error();
  if (Result<void> complete = ca_files_need_each_other(tls); !complete) return complete;
  if (!tls.ca_key.empty()) {
    if (auto own = Authority::open_own(tls.ca_certificate, tls.ca_key, Clock::system().now()); !own) return own.error();
  }
  Result<std::vector<tcp::endpoint>> wanted = wanted_endpoints(config.get<ProxySettings>());
  if (!wanted) return wanted.error();
  std::vector<std::uint16_t> ports;
  for (const tcp::endpoint& endpoint : *wanted) ports.push_back(endpoint.port());
  const bool shared = std::any_of(wanted->begin(), wanted->end(), beyond_this_machine);
  Result<std::shared_ptr<const ProxyPolicy>> policy = ProxyPolicy::create(config, std::move(ports), shared);
  if (!policy) return policy.error();
  for (const tcp::endpoint& endpoint : *wanted)
    if (Result<void> allowed = (*policy)->access->check_bind(endpoint.address()); !allowed) return allowed;
  return {};
}

// Without plugins there is no host, and traffic has nobody to ask.
void Server::add_plugins(const Config& config, const Options& options) {
  if (options.plugins.empty() && options.refused_plugins.empty()) return;
  PluginHost::Ports ports;
  if (memory_) {
    ports.memory = &memory_->graph();
    ports.news = [&graph = memory_->graph()](EventCursor after, std::size_t limit) {
      return graph.everybodys_events(after, limit);
    };
  }
  ports.copies = std::make_shared<StoredCopiesPort>(cache_->shared());
  auto host = std::make_unique<PluginHost>(config.get<PluginSettings>(), options.data_directory, metrics_, ports);
  for (const PluginHost::Refused& refused : options.refused_plugins) host->note_refused(refused);
  for (const PluginHost::Source& source : options.plugins) host->add(source);
  shared_->plugins = std::move(host);
}

void Server::start_plugins(const Config& config, Robot* robot) {
  if (shared_->plugins) shared_->plugins->start(config, robot);
}

void Server::warn_in_time() const {
  if (const std::optional<std::string> warning = shared_->authority->warning(Clock::system().now()))
    log::warn(Room::proxy, "authority_ends_soon", {{"what_to_do", *warning}});
}

Result<void> Server::bind(const Config& config, const Options& options) {
  const auto& settings = config.get<ProxySettings>();
  const std::size_t threads = settings.threads == 0 ? cores() : static_cast<std::size_t>(settings.threads);
  Result<std::shared_ptr<const ProxyPolicy>> policy = ProxyPolicy::create(config, {}, false);
  if (!policy) return policy.error();
  for (std::size_t i = 0; i < threads; ++i) io_workers_.push_back(std::make_unique<IoWorker>(*shared_, *policy));

  std::vector<tcp::endpoint> wanted;
  if (options.inherited_sockets.empty()) {
    Result<std::vector<tcp::endpoint>> configured = wanted_endpoints(settings);
    if (!configured) return configured.error();
    wanted = std::move(*configured);
  }
  for (tcp::endpoint& endpoint : wanted) {
    if (Result<void> allowed = (*policy)->access->check_bind(endpoint.address()); !allowed) return allowed.error();
    for (const auto& worker : io_workers_) {
      auto listener = Listener::bind(*worker, endpoint, threads > 1, worker == io_workers_.front());
      if (!listener) return listener.error();
      endpoint.port((*listener)->endpoint().port());  // port 0: the other threads follow the first
      listeners_.push_back(std::move(*listener));
    }
    shared_->endpoints.push_back(endpoint);
  }
  for (const int inherited : options.inherited_sockets) {
    for (const auto& worker : io_workers_) {
      auto listener = Listener::adopt(*worker, worker == io_workers_.back() ? inherited : ::dup(inherited));
      if (!listener) return listener.error();
      if (Result<void> allowed = (*policy)->access->check_bind((*listener)->endpoint().address()); !allowed)
        return allowed.error();
      if (worker == io_workers_.back()) shared_->endpoints.push_back((*listener)->endpoint());
      listeners_.push_back(std::move(*listener));
    }
  }
  shared_installation_ = std::any_of(shared_->endpoints.begin(), shared_->endpoints.end(), beyond_this_machine);
  return reload(config);  // now with the ports we really have
}

Result<void> Server::reload(const Config& config) {
  std::vector<std::uint16_t> ports;
  for (const tcp::endpoint& endpoint : shared_->endpoints) ports.push_back(endpoint.port());
  Result<std::shared_ptr<const ProxyPolicy>> policy =
      ProxyPolicy::create(config, std::move(ports), shared_installation_);
  if (!policy) return policy.error();
  for (const tcp::endpoint& endpoint : shared_->endpoints)
    if (Result<void> allowed = (*policy)->access->check_bind(endpoint.address()); !allowed) return allowed.error();
  if (Result<void> opened = access_log_.apply(config.get<AccessLogSettings>()); !opened) return opened.error();
  tls_control_->set_mode((*policy)->intercept->mode());
  if (shared_->plugins) shared_->plugins->reload(config);
  policy_ = *policy;
  for (const auto& worker : io_workers_) {
    if (threads_.empty()) {
      worker->set_policy(*policy);
    } else {
      worker->reactor().post([worker = worker.get(), fresh = *policy] { worker->set_policy(fresh); });
    }
  }
  return {};
}

void Server::start() {
  for (const auto& listener : listeners_) listener->start();
  std::vector<Reactor*> reactors;
  for (const auto& worker : io_workers_) {
    reactors.push_back(&worker->reactor());
    threads_.emplace_back([worker = worker.get()] { run_until_stopped(*worker); });
  }
  heartbeat_ = std::make_unique<Heartbeat>(reactors);
}

bool Server::drain(Duration grace) {
  const Deadline deadline = Deadline::after(grace);
  std::latch stopped(static_cast<std::ptrdiff_t>(io_workers_.size()));
  for (const auto& worker : io_workers_) {
    worker->reactor().post([this, worker = worker.get(), &stopped] {
      for (const auto& listener : listeners_)
        if (&listener->worker() == worker) listener->stop();
      worker->drain();
      stopped.count_down();
    });
  }
  stopped.wait();
  bool all = true;
  for (const auto& worker : io_workers_) {
    std::promise<bool> joined;
    worker->reactor().post([worker = worker.get(), deadline, &joined] {
      auto done = [&joined](const std::exception_ptr& failure, bool finished) {
        joined.set_value(!failure && finished);
      };
      asio::co_spawn(worker->reactor().executor(), worker->finish(deadline), std::move(done));
    });
    all = joined.get_future().get() && all;
  }
  // Not before all have finished: a worker may be sending the requests of another one.
  for (const auto& worker : io_workers_) worker->reactor().stop();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  return all;
}

void Server::cut_off() {
  for (const auto& worker : io_workers_) worker->reactor().post([worker = worker.get()] { worker->cut_off(); });
}

}  // namespace outrider
