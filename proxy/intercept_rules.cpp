#include "proxy/intercept_rules.hpp"

#include "proxy/intercept_presets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

namespace outrider {
namespace {

constexpr std::size_t kLargestFile = 16 << 20;

Error at(std::string_view where, std::string_view what) {
  return Error{ErrorKind::invalid_argument, Side::self, fmt::format("tls.{}: {}", where, what)};
}

std::string_view trimmed(std::string_view line) {
  line = line.substr(0, line.find('#'));
  const std::size_t begin = line.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(" \t\r") - begin + 1);
}

// Nothing: it cannot be read.
std::optional<std::string> read_list(const std::filesystem::path& name) {
  std::ifstream file{name};
  std::ostringstream text;
  if (file) text << file.rdbuf();
  if (!file || text.str().size() > kLargestFile) return std::nullopt;
  return text.str();
}

}  // namespace

Result<std::shared_ptr<const InterceptRules>> InterceptRules::create(const TlsSettings& settings) {
  std::shared_ptr<InterceptRules> rules{new InterceptRules};
  rules->mode_ = settings.intercept;
  rules->pinned_for_ = settings.pinned_for;
  rules->client_speaks_first_ = settings.client_speaks_first;
  // Of equal patterns the first one added counts: a person's own word before a list that came with the program.
  for (const std::string& pattern : settings.refuse)
    if (Result<void> added = rules->refused_.add(pattern, 0); !added) return at("refuse", added.error().detail);
  if (Result<void> done = rules->add(settings.never_intercept, TunnelFate::pass, "never_intercept"); !done)
    return done.error();
  if (Result<void> done = rules->add(settings.always_intercept, TunnelFate::intercept, "always_intercept"); !done)
    return done.error();
  if (Result<void> done = rules->read_files(settings); !done) return done.error();
  if (Result<void> done = rules->read_presets(settings); !done) return done.error();
  if (Result<void> done = rules->read_ports(settings); !done) return done.error();
  for (const std::string& text : settings.never_intercept_clients) {
    const Result<IpPrefix> prefix = IpPrefix::parse(text);
    if (!prefix) return at("never_intercept_clients", prefix.error().detail);
    rules->unseen_clients_.push_back(*prefix);
  }
  return std::shared_ptr<const InterceptRules>{std::move(rules)};
}

Result<void> InterceptRules::add(const std::vector<std::string>& patterns, TunnelFate fate, std::string_view key) {
  for (const std::string& pattern : patterns)
    if (Result<void> added = hosts_.add(pattern, static_cast<std::uint32_t>(fate)); !added)
      return at(key, added.error().detail);
  return {};
}

Result<void> InterceptRules::add_list(std::string_view text, std::string_view name) {
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view pattern = trimmed(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    ++number;
    if (pattern.empty()) continue;
    if (Result<void> added = hosts_.add(pattern, static_cast<std::uint32_t>(TunnelFate::pass)); !added)
      return at(name, fmt::format("line {}: {}", number, added.error().detail));
  }
  return {};
}

Result<void> InterceptRules::read_presets(const TlsSettings& settings) {
  for (const std::string& wanted : settings.never_intercept_presets) {
    if (!settings.never_intercept_folder.empty()) {
      const std::filesystem::path own = std::filesystem::path{settings.never_intercept_folder} / (wanted + ".list");
      std::error_code ignored;
      if (std::filesystem::exists(own, ignored)) {
        const std::optional<std::string> text = read_list(own);
        if (!text) return at("never_intercept_folder", fmt::format("\"{}\" cannot be read", own.string()));
        if (Result<void> added = add_list(*text, fmt::format("never_intercept_folder: {}", own.string())); !added)
          return added;
        continue;
      }
    }
    const auto known = intercept_presets();
    const auto preset =
        std::find_if(known.begin(), known.end(), [&](const InterceptPreset& each) { return each.name == wanted; });
    if (preset == known.end())
      return at("never_intercept_presets",
                fmt::format("there is no list \"{}\": expected banks, health, government or a list in "
                            "tls.never_intercept_folder",
                            wanted));
    if (Result<void> added = add_list(preset->text, wanted); !added) return added;
  }
  return {};
}

Result<void> InterceptRules::read_files(const TlsSettings& settings) {
  for (const std::string& name : settings.never_intercept_files) {
    const std::optional<std::string> text = read_list(name);
    if (!text) return at("never_intercept_files", fmt::format("\"{}\" cannot be read", name));
    if (Result<void> added = add_list(*text, fmt::format("never_intercept_files: {}", name)); !added) return added;
  }
  return {};
}

Result<void> InterceptRules::read_ports(const TlsSettings& settings) {
  for (const std::string& text : settings.intercept_ports) {
    const Result<PortRange> range = text == "*" ? Result<PortRange>{PortRange{}} : PortRange::parse(text);
    if (!range) return at("intercept_ports", range.error().detail);
    ports_.push_back(*range);
  }
  return {};
}

std::string InterceptRules::refused_by(std::string_view host, std::uint16_t port) const {
  const HostPatterns::Match match = refused_.find(host, port);
  return match ? std::string{refused_.text(match)} : std::string{};
}

InterceptRules::Verdict InterceptRules::decide(std::string_view host, std::uint16_t port, const IpAddress& client,
                                               bool accepted) const {
  Verdict verdict;
  verdict.rule = refused_by(host, port);
  if (!verdict.rule.empty()) {
    verdict.fate = TunnelFate::refuse;
    return verdict;
  }
  const HostPatterns::Match match = hosts_.find(host, port);
  const auto fate = match ? static_cast<TunnelFate>(match.value) : TunnelFate::intercept;
  if (mode_ == InterceptMode::off || (mode_ == InterceptMode::onboarded && !accepted)) return verdict;
  if (fate == TunnelFate::pass || contains(unseen_clients_, unmapped(client))) return verdict;
  const bool fits =
      std::any_of(ports_.begin(), ports_.end(), [port](const PortRange& each) { return each.contains(port); });
  // A pattern that names its port needs no second permission.
  if (fits || (match && !match.ports.is_all())) verdict.fate = TunnelFate::intercept;
  return verdict;
}

}  // namespace outrider
