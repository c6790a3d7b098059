#include "proxy/cli/robot_options.hpp"

#include "proxy/cli/version.hpp"

namespace outrider::cli {

RobotOptions robot_options(const Config& config, const ProxyPolicy& policy,
                           const std::filesystem::path& data_directory) {
  RobotOptions robot;
  robot.folder = data_directory / "robot";
  robot.settings = config.get<RobotSettings>();
  robot.identity.user_agent = robot_user_agent(robot.settings, version());
  robot.identity.from = robot.settings.from;
  robot.policy = policy.destinations->policy_for_robot();
  robot.timeouts = policy.timeouts.origin;
  robot.rules.cache = [rules = policy.cache](std::string_view host, std::uint16_t port) {
    return rules->of(host, port);
  };
  robot.rules.never_keep = [memory = policy.memory, rules = policy.cache](std::string_view host, std::uint16_t port) {
    return memory->never_keep(host, port) || rules->of(host, port)->never_keep;
  };
  robot.rules.parent = [rules = policy.parents](std::string_view host, std::uint16_t port) {
    return rules->select(host, port);
  };
  return robot;
}

}  // namespace outrider::cli
