#include "proxy/cli/robot_side.hpp"

#include "base/log.hpp"
#include "proxy/cli/robot_options.hpp"

namespace outrider::cli {
namespace {

// Its own, so that no look-up of the browser ever waits behind those of a crawl.
constexpr std::size_t kLookupThreads = 16, kLookupQueue = 1024;

}  // namespace

RobotSide::RobotSide(Server& server, const Config& config, const std::filesystem::path& data_directory)
    : server_(server), lookups_(kLookupThreads, kLookupQueue) {
  if (server.memory() == nullptr) return;
  RobotOptions options = robot_options(config, *server.policy(), data_directory);
  options.lookups = &lookups_;
  options.tls = &server.tls();
  options.cache = &server.cache();
  options.ingest = &server.memory()->ingest();
  options.homes = &server.homes();
  Result<std::unique_ptr<RobotEngine>> made = RobotEngine::create(std::move(options));
  if (!made) {
    log::error(Room::robot, "robot_off", {{"reason", made.error().detail}});
    return;
  }
  robot_ = std::move(*made);
  ahead_ = std::make_unique<ReadAhead>(server.memory()->graph(), *robot_);
  server.set_witness(robot_.get());
  apply(config);
}

// The server's threads have answers for the robot's reactor, and pages that they parsed for it, as long as they run.
RobotSide::~RobotSide() {
  stop(Duration::zero());
  server_.close();
  lookups_.stop();
}

void RobotSide::start() {
  if (!robot_) return;
  robot_->start();
  ahead_->start();
}

void RobotSide::stop(Duration grace) {
  if (!robot_) return;
  ahead_->stop();
  robot_->stop(grace);
}

void RobotSide::apply(const Config& fresh) {
  if (!robot_) return;
  RobotOptions options = robot_options(fresh, *server_.policy(), {});
  ahead_->set(options.settings.read_ahead, static_cast<std::size_t>(options.settings.read_ahead_links));
  robot_->set_settings(std::move(options.settings));
  robot_->set_rules(std::move(options.policy), std::move(options.rules));
}

}  // namespace outrider::cli
