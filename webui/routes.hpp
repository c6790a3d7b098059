// The places of the API, by part. Each function adds the routes of one port.
#pragma once

#include "webui/ports.hpp"
#include "webui/router.hpp"

namespace outrider::webui {

void add_cache_routes(Router& router, const Ports& ports);     // cache_routes.cpp
void add_settings_routes(Router& router, const Ports& ports);  // settings_routes.cpp
void add_tls_routes(Router& router, const Ports& ports);       // tls_routes.cpp
void add_memory_routes(Router& router, const Ports& ports);    // memory_routes.cpp
void add_task_routes(Router& router, const Ports& ports);      // task_routes.cpp
void add_watch_routes(Router& router, const Ports& ports);     // watch_routes.cpp
void add_plugin_routes(Router& router, const Ports& ports);    // plugin_routes.cpp

}  // namespace outrider::webui
