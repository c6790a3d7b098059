#include "proxy/cli/browser_profile.hpp"

#include "base/parent_proxy.hpp"
#include "proxy/cli/trust_stores.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>

namespace outrider::cli {
namespace {

namespace fs = std::filesystem;

Result<fs::path> make_folder(const fs::path& path) {
  std::error_code problem;
  fs::create_directory(path, problem);
  if (problem)
    return Error{ErrorKind::io, Side::self, fmt::format("cannot create {}: {}", path.string(), problem.message())};
  return path;
}

// Chromium takes its authorities from the home directory, so it gets one of its own. What connects it to the screen
// stays.
EnvironmentChanges own_home(const fs::path& home) {
  EnvironmentChanges changes{{"HOME", home.string()}, {"XDG_DATA_HOME", ""}, {"XDG_CONFIG_HOME", ""}};
  const char* real_home = std::getenv("HOME");
  std::error_code ignored;
  if (std::getenv("XAUTHORITY") == nullptr && real_home != nullptr &&
      fs::exists(fs::path{real_home} / ".Xauthority", ignored))
    changes["XAUTHORITY"] = (fs::path{real_home} / ".Xauthority").string();
  return changes;
}

Result<BrowserLaunch> prepare_chromium(const fs::path& program, const fs::path& folder, const ListenAddress& proxy,
                                       const Authority& authority) {
  const Result<fs::path> home = make_folder(folder / "home");
  if (!home) return home.error();
  const BrowserDatabase database{"Chromium", *home / ".pki" / "nssdb", false};
  if (Result<void> added = add_trust(database, authority); !added) return added.error();
  BrowserLaunch launch;
  // Without <-loopback> pages of this machine would bypass the proxy.
  launch.command = {program.string(),
                    "--user-data-dir=" + (folder / "profile").string(),
                    "--proxy-server=http://" + outrider::authority(proxy.host, proxy.port),
                    "--proxy-bypass-list=<-loopback>",
                    "--no-first-run",
                    "--no-default-browser-check"};
  launch.environment = own_home(*home);
  return launch;
}

Result<BrowserLaunch> prepare_firefox(const fs::path& program, const fs::path& folder, const ListenAddress& proxy,
                                      const Authority& authority) {
  const Result<fs::path> profile = make_folder(folder / "profile");
  if (!profile) return profile.error();
  if (Result<void> added = add_trust({"Firefox", *profile, false}, authority); !added) return added.error();
  std::ofstream preferences{*profile / "user.js"};
  preferences << fmt::format(R"js(user_pref("network.proxy.type", 1);
user_pref("network.proxy.http", "{host}");
user_pref("network.proxy.http_port", {port});
user_pref("network.proxy.ssl", "{host}");
user_pref("network.proxy.ssl_port", {port});
user_pref("network.proxy.no_proxies_on", "");
user_pref("network.proxy.allow_hijacking_localhost", true);
user_pref("network.proxy.failover_direct", false);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("browser.aboutwelcome.enabled", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("dom.security.https_first", false);
)js",
                             fmt::arg("host", proxy.host), fmt::arg("port", proxy.port));
  if (!preferences.flush())
    return Error{ErrorKind::io, Side::self, fmt::format("cannot write {}/user.js", profile->string())};
  BrowserLaunch launch;
  launch.command = {program.string(), "--no-remote", "--profile", profile->string()};
  return launch;
}

}  // namespace

std::optional<fs::path> find_browser(BrowserKind kind) {
  if (kind == BrowserKind::firefox) return find_program({"firefox", "firefox-esr"});
  return find_program({"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"});
}

Result<BrowserLaunch> prepare_browser(BrowserKind kind, const fs::path& program, const fs::path& folder,
                                      const ListenAddress& proxy, const Authority& authority) {
  return kind == BrowserKind::firefox ? prepare_firefox(program, folder, proxy, authority)
                                      : prepare_chromium(program, folder, proxy, authority);
}

}  // namespace outrider::cli
