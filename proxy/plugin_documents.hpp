// Documents that plugins serve, at /plugins/NAME/ of the proxy's own address. Who may ask is proxy/transaction_page's
// business.
#pragma once

#include "base/async.hpp"
#include "proxy/plugin_host.hpp"

#include <optional>
#include <string>

namespace outrider {

// Where plugins' own files are at every site (PluginResource).
inline constexpr std::string_view kResourcePath = "/.well-known/outrider/";

// `path` begins behind /plugins/. Nothing: the plugin is not there, is set aside, or has no documents.
Task<std::optional<PluginAnswer>> plugin_document(PluginHost& host, Executor home, std::string path,
                                                  PluginDocumentRequest request);

}  // namespace outrider
