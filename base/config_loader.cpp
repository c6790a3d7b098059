#include "base/config_loader.hpp"

#include "base/config_sources.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>

extern char** environ;

namespace outrider {
namespace config_detail {

void Harvest::take(ConfigSchema::Place place, const ConfigValue& value, ValueSource source, Position at) {
  const std::string shown = source.kind == ValueSource::Kind::file ? source.name : source.to_string();
  if (auto refusal = builder_.assign(place, value, std::move(source))) {
    refuse(shown, at, schema().at(place).path, std::move(*refusal));
  }
}

void Harvest::refuse(std::string source, Position at, std::string key, std::string reason) {
  if (full()) {
    ++uncounted_;
  } else {
    problems_.push_back({std::move(source), at.line, at.column, std::move(key), std::move(reason)});
  }
}

void Harvest::sort_by_position() {
  std::stable_sort(problems_.begin(), problems_.end(), [](const ConfigProblem& a, const ConfigProblem& b) {
    return std::pair(a.line, a.column) < std::pair(b.line, b.column);
  });
}

ConfigResult Harvest::finish() && {
  // Conditions between keys make sense only for values that are valid themselves.
  for (std::size_t s = 0; s < schema().sections().size() && problems_.empty(); ++s) {
    if (auto refusal = builder_.check_section(s)) refuse("", {}, schema().sections()[s].path, std::move(*refusal));
  }
  if (problems_.empty()) return std::move(builder_).finish();
  if (uncounted_ > 0) problems_.push_back({"", 0, 0, "", fmt::format("and {} more mistakes", uncounted_)});
  return std::move(problems_);
}

}  // namespace config_detail

namespace {

using config_detail::Harvest;

class File {
 public:
  explicit File(const std::filesystem::path& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY)) {}
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

std::string system_message(int error) {
  return std::generic_category().message(error);
}

// Pipes are welcome too: --config <(…).
Parsed<std::string> read_file(const std::filesystem::path& path) {
  const File file(path);
  if (file.fd() < 0) return {std::nullopt, fmt::format("cannot be opened: {}", system_message(errno))};
  struct stat info {};
  if (::fstat(file.fd(), &info) == 0 && S_ISDIR(info.st_mode)) return {std::nullopt, "is a directory, not a file"};
  std::string text;
  while (text.size() <= kLargestConfigFile) {
    char buffer[16384];
    const ssize_t got = ::read(file.fd(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return {std::nullopt, fmt::format("cannot be read: {}", system_message(errno))};
    if (got == 0) return {std::move(text), {}};
    text.append(buffer, static_cast<std::size_t>(got));
  }
  return {std::nullopt, "is larger than 1 MiB"};
}

}  // namespace

std::string ConfigProblem::to_string() const {
  std::string text = source;
  if (line > 0) text += fmt::format(":{}:{}", line, column);
  if (!text.empty()) text += ": ";
  if (!key.empty()) text += key + ": ";
  return one_line(text + reason);
}

void throw_exception_from_error(const ConfigProblems& problems, const boost::source_location& where) {
  throw std::logic_error(fmt::format("{}:{}: unchecked configuration: {}", where.file_name(), where.line(),
                                     problems.empty() ? "" : problems.front().to_string()));
}

std::vector<std::pair<std::string, std::string>> ConfigSources::process_environment() {
  std::vector<std::pair<std::string, std::string>> variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    variables.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

ConfigResult load_config(const ConfigSchema& schema, const ConfigSources& sources) {
  Harvest harvest(schema);
  if (sources.file) {
    const Parsed<std::string> text = read_file(*sources.file);
    if (text.value) {
      config_detail::read_toml(*text.value, sources.file->string(), harvest);
    } else {
      harvest.refuse(sources.file->string(), {}, "", text.problem);
    }
  }
  config_detail::read_environment(sources.environment, harvest);
  config_detail::read_overrides(sources.overrides, harvest);
  return std::move(harvest).finish();
}

ConfigResult load_config_text(const ConfigSchema& schema, std::string_view toml, const std::string& name) {
  Harvest harvest(schema);
  config_detail::read_toml(toml, name, harvest);
  return std::move(harvest).finish();
}

Parsed<ConfigOverride> parse_override(std::string_view argument) {
  const std::size_t equals = argument.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    return {std::nullopt, fmt::format("{} is not of the form section.key=value", quoted(utf8_prefix(argument, 80)))};
  }
  std::string_view key = argument.substr(0, equals);
  while (key.ends_with(' ')) key.remove_suffix(1);
  return {ConfigOverride{std::string(key), std::string(argument.substr(equals + 1))}, {}};
}

}  // namespace outrider
