#include "proxy/parent_rules.hpp"

#include "base/ascii.hpp"
#include "base/config_schema.hpp"
#include "base/http_header_id.hpp"
#include "proxy/secret_file.hpp"

#include <fmt/format.h>

namespace outrider {
namespace {

Error wrong(std::string_view key, std::string_view why) {
  return Error{ErrorKind::invalid_argument, Side::self, fmt::format("parents.{}: {}", key, why)};
}

// RFC 6761 section 6.3: "localhost" and what ends in it are always this machine.
bool is_this_machine(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  constexpr std::string_view kLocal = "localhost";
  if (host.size() >= kLocal.size() && equal_ignoring_case(host.substr(host.size() - kLocal.size()), kLocal))
    return host.size() == kLocal.size() || host[host.size() - kLocal.size() - 1] == '.';
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (!host.starts_with("127.") && !host.starts_with(':')) return false;
  boost::system::error_code code;
  const IpAddress address = boost::asio::ip::make_address(host, code);
  return !code && is_loopback(address);
}

}  // namespace

void ParentSettings::describe(SectionSchema<ParentSettings>& s) {
  using Self = ParentSettings;
  s.key("default", &Self::default_parent, "The parent of every request that no rule speaks about. Empty: direct.",
        Change::live)
      .secret();
  s.key("rules", &Self::rules,
        "Parents by host: \"pattern = parent\", for instance \".corp.example = direct\" or \"*.onion = "
        "socks5://127.0.0.1:9050\". "
        "Patterns as in [destinations]; the most specific one decides.",
        Change::live)
      .secret();
  s.key("credentials_file", &Self::credentials_file,
        "File with lines \"host:port user:password\" for the parents above (chmod 640), so that no password stands in "
        "this file.",
        Change::live);
}

Result<std::shared_ptr<const ParentRules>> ParentRules::create(const ParentSettings& settings) {
  std::shared_ptr<ParentRules> rules{new ParentRules};
  if (!trim(settings.default_parent, " \t\r").empty()) {
    const Result<std::uint32_t> choice = rules->add_choice(settings.default_parent);
    if (!choice) return wrong("default", choice.error().detail);
    rules->default_ = *choice;
  }
  for (const std::string& rule : settings.rules) {
    const std::size_t equals = rule.find('=');
    const std::string_view pattern = trim(std::string_view{rule}.substr(0, equals), " \t\r");
    if (equals == std::string::npos) return wrong("rules", "a rule is written \"pattern = parent\"");
    const Result<std::uint32_t> choice = rules->add_choice(std::string_view{rule}.substr(equals + 1));
    if (!choice) return wrong("rules", fmt::format("{}: {}", pattern, choice.error().detail));
    if (Result<void> added = rules->patterns_.add(pattern, *choice); !added)
      return wrong("rules", added.error().detail);
  }
  if (!settings.credentials_file.empty()) {
    if (Result<void> read = rules->read_credentials(settings.credentials_file); !read) return read.error();
  }
  return std::shared_ptr<const ParentRules>{std::move(rules)};
}

Result<std::uint32_t> ParentRules::add_choice(std::string_view text) {
  text = trim(text, " \t\r");
  if (text == "direct") return 0U;
  Choice choice;
  const std::size_t comma = text.rfind(',');
  if (comma != std::string_view::npos && trim(text.substr(comma + 1), " \t\r") == "direct") {
    choice.direct_fallback = true;
    text = trim(text.substr(0, comma), " \t\r");
  }
  Result<ParentProxy> parent = ParentProxy::parse(text);
  if (!parent) return parent.error();
  parents_.push_back(std::make_shared<ParentProxy>(std::move(*parent)));
  choice.parent = parents_.back();
  choices_.push_back(std::move(choice));
  return static_cast<std::uint32_t>(choices_.size() - 1);
}

// Only for parents whose own text names no user.
Result<void> ParentRules::read_credentials(const std::string& path) {
  const Result<std::string> text = read_secret_file(path);
  if (!text) return wrong("credentials_file", text.error().detail);
  std::string_view rest = *text;
  for (unsigned number = 1; !rest.empty(); ++number) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = trim(rest.substr(0, end), " \t\r");
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (line.empty() || line.starts_with('#')) continue;
    const std::size_t space = line.find_first_of(" \t");
    const std::string_view login =
        space == std::string_view::npos ? std::string_view{} : trim(line.substr(space), " \t\r");
    const std::size_t colon = login.find(':');
    const Result<ParentProxy> named = ParentProxy::parse(line.substr(0, space));
    if (!named || colon == std::string_view::npos || colon == 0)
      return wrong("credentials_file", fmt::format("{}: line {}: write \"host:port user:password\"", path, number));
    for (const std::shared_ptr<ParentProxy>& parent : parents_) {
      if (parent->has_credentials() || parent->host != named->host || parent->port != named->port) continue;
      Result<void> set = parent->set_credentials(login.substr(0, colon), login.substr(colon + 1));
      if (!set) return wrong("credentials_file", fmt::format("{}: line {}: {}", path, number, set.error().detail));
    }
  }
  return {};
}

const ParentRules::Choice& ParentRules::select(std::string_view host, std::uint16_t port) const {
  if (choices_.size() == 1) return choices_[0];
  if (const HostPatterns::Match match = patterns_.find(host, port)) return choices_[match.value];
  return choices_[default_ == 0 || is_this_machine(host) ? 0 : default_];
}

}  // namespace outrider
