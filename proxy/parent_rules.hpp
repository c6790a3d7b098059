// Which parent proxy a request goes through: none, one for all, or one by host pattern.
#pragma once

#include "base/error.hpp"
#include "base/parent_proxy.hpp"
#include "proxy/host_patterns.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace outrider {

template <class S>
class SectionSchema;

struct ParentSettings {
  std::string default_parent;
  std::vector<std::string> rules;
  std::string credentials_file;

  static constexpr std::string_view kSection = "parents";
  static constexpr std::string_view kComment =
      "Proxies between us and the origins. A parent is written \"host:port\", \"http://user:password@host:port\", "
      "\"socks5://host:port\" or \"direct\" (none); with \", direct\" behind it origins are asked directly while it "
      "cannot be reached.";
  static void describe(SectionSchema<ParentSettings>& s);
};

// Immutable; any thread may ask.
class ParentRules {
 public:
  using Choice = ParentChoice;

  static Result<std::shared_ptr<const ParentRules>> create(const ParentSettings& settings);

  // `host` as in a URL. The answer lives as long as these rules. This machine itself (localhost, 127.0.0.1 …) is not
  // asked for through the default parent, where it would be another machine; a rule can say otherwise.
  const Choice& select(std::string_view host, std::uint16_t port) const;

 private:
  ParentRules() = default;
  Result<std::uint32_t> add_choice(std::string_view text);
  Result<void> read_credentials(const std::string& path);

  std::vector<Choice> choices_{Choice{}};  // the first one is direct
  std::vector<std::shared_ptr<ParentProxy>> parents_;
  std::uint32_t default_ = 0;
  HostPatterns patterns_;  // value: index into choices_
};

}  // namespace outrider
