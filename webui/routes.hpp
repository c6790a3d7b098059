// The places of the API, by part. Each function adds the routes of one port.
#pragma once

#include "base/worker_pool.hpp"
#include "webui/ports.hpp"
#include "webui/router.hpp"
#include "webui/task_explorer.hpp"

#include <functional>

namespace outrider::webui {

// `forgotten` is called when something was removed from the memory. cache_routes.cpp
void add_cache_routes(Router& router, const Ports& ports, std::function<void()> forgotten);
void add_settings_routes(Router& router, const Ports& ports);  // settings_routes.cpp
void add_tls_routes(Router& router, const Ports& ports);       // tls_routes.cpp
void add_memory_routes(Router& router, const Ports& ports);    // memory_routes.cpp
void add_task_routes(Router& router, const Ports& ports);      // task_routes.cpp
// nullptr = no robot. Files are made by the workers while they are read. task_address_routes.cpp
void add_task_address_routes(Router& router, const Ports& ports, TaskExplorer* explorer, WorkerPool& workers);
void add_log_routes(Router& router);                         // log_routes.cpp
void add_watch_routes(Router& router, const Ports& ports);   // watch_routes.cpp
void add_host_routes(Router& router, const Ports& ports);    // host_routes.cpp
void add_plugin_routes(Router& router, const Ports& ports);  // plugin_routes.cpp

ApiReply no_robot(const Ports& ports);  // 503, and why there is none. task_routes.cpp

}  // namespace outrider::webui
