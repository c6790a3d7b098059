// A question to the API of a running Outrider, with the token of its data directory.
#pragma once

#include "base/error.hpp"
#include "proxy/cli/command_line.hpp"
#include "proxy/cli/configuration.hpp"

#include <boost/json.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace outrider::cli {

// Which Outrider is meant: options of every command that talks to one.
struct AdminOptions {
  ConfigOptions config;
  std::optional<std::string> data;
  std::optional<std::string> address;

  void add_to(CLI::App& command);
  std::filesystem::path data_folder() const;
};

// The answer, if it was 200. connect_refused: nobody runs there.
Result<boost::json::value> admin_request(const AdminOptions& options, std::string_view method, std::string_view path,
                                         const std::string& body, Duration patience);

}  // namespace outrider::cli
