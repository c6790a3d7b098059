// What the robot is told by the configuration, whoever lets it run: `outrider serve` or `outrider crawl`.
#pragma once

#include "base/config.hpp"
#include "proxy/proxy_policy.hpp"
#include "robot/robot.hpp"

#include <filesystem>

namespace outrider::cli {

// Without the house (RobotOptions::lookups and what follows).
RobotOptions robot_options(const Config& config, const ProxyPolicy& policy,
                           const std::filesystem::path& data_directory);

}  // namespace outrider::cli
