#include "proxy/cli/crawl_house.hpp"

#include "proxy/cli/robot_options.hpp"
#include "proxy/settings.hpp"
#include "robot/plain_ingest.hpp"

#include <sys/resource.h>

#include <algorithm>

namespace outrider::cli {
namespace {

constexpr std::size_t kLookupThreads = 16;
constexpr std::size_t kLookupQueue = 1024;
constexpr std::uint64_t kMostMemory =
    64 << 20;  // a crawl reads each page once: little of it is worth keeping in memory

void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

CrawlHouse::CrawlHouse() : lookups_(kLookupThreads, kLookupQueue) {}

CrawlHouse::~CrawlHouse() {
  if (robot_) robot_->stop(Duration::zero());
  plain_ingest_.reset();
  memory_.reset();
  lookups_.stop();
  // While the robot's reactor exists: the store's threads still have answers for it.
  if (cache_ && cache_->store() != nullptr) cache_->store()->close();
  robot_.reset();
}

Result<std::unique_ptr<CrawlHouse>> CrawlHouse::open(const Config& config, const CrawlHouseOptions& options) {
  raise_descriptor_limit();
  std::unique_ptr<CrawlHouse> house{new CrawlHouse};
  Result<DataDirectory> directory = DataDirectory::open(options.data_directory);
  if (!directory) return directory.error();
  house->directory_.emplace(std::move(*directory));
  TlsClientOptions tls;
  tls.extra_ca_file = config.get<TlsSettings>().origin_ca_file;
  Result<std::unique_ptr<TlsClient>> client = TlsClient::create(tls);
  if (!client) return client.error();
  house->tls_ = std::move(*client);
  CacheSettings cache_settings = config.get<CacheSettings>();
  cache_settings.memory.bytes = std::min<std::uint64_t>(cache_settings.memory.bytes, kMostMemory);
  Result<std::unique_ptr<Cache>> cache = Cache::open(cache_settings, options.data_directory, house->metrics_);
  if (!cache) return cache.error();
  house->cache_ = std::move(*cache);
  Result<std::shared_ptr<const ProxyPolicy>> policy = ProxyPolicy::create(config, {}, false);
  if (!policy) return policy.error();
  Result<std::unique_ptr<MemoryKeeper>> memory = MemoryKeeper::open(
      config.get<MemorySettings>(), options.data_directory, house->metrics_, Clock::system(), false, true);
  if (!memory) return memory.error();
  house->memory_ = std::move(*memory);
  if (!house->memory_) house->plain_ingest_ = std::make_unique<PlainIngest>();

  RobotOptions robot = robot_options(config, **policy, options.data_directory);
  if (options.is_lab) robot.lab_hosts = options.lab_hosts;
  robot.lookups = &house->lookups_;
  robot.tls = house->tls_.get();
  robot.cache = &house->cache_->shared();
  robot.ingest = house->memory_ ? &house->memory_->ingest() : house->plain_ingest_.get();
  Result<std::unique_ptr<RobotEngine>> made = RobotEngine::create(std::move(robot));
  if (!made) return made.error();
  house->robot_ = std::move(*made);
  return house;
}

}  // namespace outrider::cli
