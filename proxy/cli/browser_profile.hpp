// A fresh browser for a trial: a profile of its own that uses an Outrider as its proxy and trusts its authority, and
// the command that starts it.
#pragma once

#include "base/error.hpp"
#include "proxy/authority.hpp"
#include "proxy/cli/program.hpp"
#include "proxy/settings.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace outrider::cli {

struct BrowserLaunch {
  std::vector<std::string> command;  // without addresses to open
  EnvironmentChanges environment;
};

enum class BrowserKind : std::uint8_t { chromium, firefox };

// The program of this kind that is installed.
std::optional<std::filesystem::path> find_browser(BrowserKind kind);

// Fills the folder, which is empty and for its owner only.
Result<BrowserLaunch> prepare_browser(BrowserKind kind, const std::filesystem::path& program,
                                      const std::filesystem::path& folder, const ListenAddress& proxy,
                                      const Authority& authority);

}  // namespace outrider::cli
