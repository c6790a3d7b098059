// Connects the web interface to the ports it stands on.
#pragma once

#include "proxy/live_settings.hpp"
#include "proxy/server.hpp"
#include "robot/robot.hpp"
#include "webui/gate.hpp"

#include <memory>

namespace outrider::cli {

// Before the server starts; `robot` may be nullptr. The settings live as long as the web interface, whose threads use
// them.
void connect_monitor(Server& server, std::unique_ptr<LiveSettings> settings, webui::Tokens tokens, RobotEngine* robot);

}  // namespace outrider::cli
