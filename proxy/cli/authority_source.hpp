// The certificate authority that the commands `ca` and `browser` are about: that of a data directory, or the user's
// own.
#pragma once

#include "proxy/authority.hpp"
#include "proxy/cli/command.hpp"
#include "proxy/cli/configuration.hpp"
#include "proxy/settings.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace outrider::cli {

class AuthoritySource {
 public:
  void add_to(const Command& command);

  // Reads the configuration. An exit code: it was wrong, and has been complained about.
  std::optional<int> load();

  // After load():
  const Config& config() const { return *config_; }
  std::filesystem::path data_directory() const;
  std::filesystem::path folder() const { return data_directory() / "ca"; }
  bool is_own() const;  // tls.ca_certificate and tls.ca_key
  // Made if there is none yet, and the data directory with it. An own one must be valid now.
  Result<std::shared_ptr<const Authority>> open() const;
  // The same for those who only look at it: the time of an own one may be over.
  Result<std::shared_ptr<const Authority>> open_at_any_time() const;
  // Only its certificate, whatever state the key is in; nothing is made. Failures: not_found if there is none.
  Result<AuthorityCertificate> read_certificate() const;
  // As `outrider serve` makes it: only its owner may enter.
  Result<void> ensure_data_directory() const;
  // What was given on the command line, to be passed on to `outrider serve`.
  std::vector<std::string> arguments() const;

 private:
  ConfigOptions options_;
  std::optional<std::string> data_;
  std::optional<Config> config_;
};

}  // namespace outrider::cli
