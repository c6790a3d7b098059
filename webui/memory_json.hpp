// What the memory knows, as JSON: the shapes that the API documents (webui/openapi.json).
#pragma once

#include "plugins/api/memory.hpp"

#include <boost/json/object.hpp>

namespace outrider::webui {

boost::json::object json_of(const Node& node);
boost::json::object json_of(const KnownLink& link);
boost::json::object json_of(const Visit& visit);
boost::json::object json_of(const SearchHit& hit);
boost::json::object json_of(const MemoryEvent& event);
boost::json::object json_of(const MemoryStats& stats);

}  // namespace outrider::webui
