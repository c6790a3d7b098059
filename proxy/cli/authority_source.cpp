#include "proxy/cli/authority_source.hpp"

#include "proxy/cli/locations.hpp"
#include "proxy/cli/output.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>

namespace outrider::cli {

namespace fs = std::filesystem;

void AuthoritySource::add_to(const Command& command) {
  options_.add_to(command);
  command.add_option("--data", data_, "Data directory of the Outrider (default: ~/.local/share/outrider)")
      .option_text("DIR");
}

std::optional<int> AuthoritySource::load() {
  ConfigProblems problems;
  if (data_ && data_->empty()) problems.push_back({"--data", 0, 0, "", "the name is empty"});
  const auto sources = options_.sources(problems);
  if (!sources) {
    complain(problems);
    return kUsage;
  }
  ConfigResult loaded = load_settings(*sources);
  if (loaded.has_error()) {
    complain(loaded.error());
    return kUsage;
  }
  const auto& tls = loaded->get<TlsSettings>();
  if (tls.ca_certificate.empty() != tls.ca_key.empty()) {
    complain("tls.ca_certificate and tls.ca_key need each other: set both");
    return kUsage;
  }
  config_ = *loaded;
  return std::nullopt;
}

fs::path AuthoritySource::data_directory() const {
  return data_ ? fs::path{*data_} : default_data_directory(process_variables());
}

bool AuthoritySource::is_own() const {
  return !config_->get<TlsSettings>().ca_key.empty();
}

Result<std::shared_ptr<const Authority>> AuthoritySource::open() const {
  const auto& tls = config_->get<TlsSettings>();
  if (is_own()) return Authority::open_own(tls.ca_certificate, tls.ca_key, Clock::system().now());
  return open_at_any_time();
}

Result<std::shared_ptr<const Authority>> AuthoritySource::open_at_any_time() const {
  const auto& tls = config_->get<TlsSettings>();
  if (is_own()) return Authority::open_own(tls.ca_certificate, tls.ca_key);
  if (Result<void> ready = ensure_data_directory(); !ready) return ready.error();
  return Authority::open(folder(), Clock::system().now());
}

Result<AuthorityCertificate> AuthoritySource::read_certificate() const {
  if (is_own()) return Authority::read_own_certificate(config_->get<TlsSettings>().ca_certificate);
  return Authority::read_certificate(folder());
}

Result<void> AuthoritySource::ensure_data_directory() const {
  const fs::path path = data_directory();
  std::error_code problem;
  fs::create_directories(fs::absolute(path).lexically_normal().parent_path(), problem);
  if (!problem && ::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
    problem = std::error_code{errno, std::generic_category()};
  if (problem)
    return Error{ErrorKind::io, Side::self,
                 fmt::format("data directory {} cannot be created: {}", path.string(), problem.message())};
  return {};
}

std::vector<std::string> AuthoritySource::arguments() const {
  std::vector<std::string> arguments = options_.arguments();
  arguments.insert(arguments.end(), {"--data", data_directory().string()});
  return arguments;
}

}  // namespace outrider::cli
