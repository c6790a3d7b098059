// Settings with one key of every kind, shared by the tests of the configuration.
#pragma once

#include "base/config_schema.hpp"

namespace outrider::config_samples {

enum class Colour : std::uint8_t { red, dark_green };
constexpr auto enum_names(Colour) {
  return std::to_array<std::pair<Colour, std::string_view>>({{Colour::red, "red"}, {Colour::dark_green, "dark_green"}});
}

struct ProxySettings {
  std::string listen = "127.0.0.1:8282";
  Duration header_timeout = std::chrono::seconds(10);
  ByteSize header_limit{64 * 1024};
  std::vector<std::string> allow = {"::1"};
  bool verbose = false;
  Colour colour = Colour::red;
  int workers = 4;
  std::uint16_t port = 80;
  double ratio = 0.5;
  std::string password;

  static constexpr std::string_view kSection = "proxy";
  static constexpr std::string_view kComment = "The part that browsers talk to.";
  static void describe(SectionSchema<ProxySettings>& s) {
    s.key("listen", &ProxySettings::listen, "Address and port.", Change::needs_restart,
          [](const std::string& text) -> Refusal {
            return text.find(':') == std::string::npos ? Refusal("has no port") : std::nullopt;
          });
    s.key("header_timeout", &ProxySettings::header_timeout, "Time for a request's header.", Change::live,
          in_range(std::chrono::seconds(1), std::chrono::minutes(5)));
    s.key("header_limit", &ProxySettings::header_limit, "Largest header.", Change::live,
          in_range(ByteSize{1024}, ByteSize{1024 * 1024}));
    s.key("allow", &ProxySettings::allow, "Who may connect.", Change::live);
    s.key("verbose", &ProxySettings::verbose, "Say more.", Change::live);
    s.key("colour", &ProxySettings::colour, "Paint.", Change::live);
    s.key("workers", &ProxySettings::workers, "Threads.", Change::needs_restart, in_range(1, 64));
    s.key("port", &ProxySettings::port, "A port.", Change::live);
    s.key("ratio", &ProxySettings::ratio, "A share.", Change::live, in_range(0.0, 1.0));
    s.key("password", &ProxySettings::password, "For the parent proxy.", Change::live,
          [](const std::string& text) -> Refusal {
            return text == "short" ? Refusal("'" + text + "' is too short") : std::nullopt;
          })
        .secret();
    s.check([](const ProxySettings& p) -> Refusal {
      return p.workers > 32 && p.verbose ? Refusal("more than 32 workers cannot be verbose") : std::nullopt;
    });
  }
};

struct LimitSettings {
  int depth = 3;
  static constexpr std::string_view kSection = "proxy.limits";
  static void describe(SectionSchema<LimitSettings>& s) {
    s.key("depth", &LimitSettings::depth, "How deep.", Change::live);
  }
};

inline ConfigSchema schema() {
  ConfigSchema schema;
  schema.add<ProxySettings>();
  schema.add<LimitSettings>();
  return schema;
}

}  // namespace outrider::config_samples
