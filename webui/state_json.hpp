// States of the house as JSON: the same shapes where somebody asks for them and where the stream of events tells them
// (webui/openapi.json).
#pragma once

#include "base/log.hpp"
#include "plugins/api/control.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <vector>

namespace outrider::webui {

boost::json::object onboarding_json(const TlsControl& tls, WallTime now);
boost::json::array pinned_json(const TlsControl& tls, WallTime now);
boost::json::array settings_json(const SettingsControl& settings);
// Of these keys only.
boost::json::array settings_json(const SettingsControl& settings, const std::vector<std::string>& keys);
boost::json::object json_of(const log::Record& record);

// What has to be merged into `before` to make it `after` (RFC 7396). A member that is null is as good as none there,
// and so it is here.
boost::json::object merge_patch(const boost::json::object& before, const boost::json::object& after);

}  // namespace outrider::webui
