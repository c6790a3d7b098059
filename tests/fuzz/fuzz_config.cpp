// Configuration text through the loader. Up to a NUL byte the input is a file, behind it an argument of --set, which is
// also tried as the value of environment variables.
#include "base/config_loader.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace {

using namespace outrider;
using namespace std::chrono_literals;

void require(bool condition) {
  if (!condition) __builtin_trap();
}

enum class Colour : std::uint8_t { red, green };
constexpr auto enum_names(Colour) {
  return std::to_array<std::pair<Colour, std::string_view>>({{Colour::red, "red"}, {Colour::green, "green"}});
}

struct Settings {
  std::string text = "t";
  Duration wait = 10s;
  ByteSize size{65536};
  std::vector<std::string> list;
  bool flag = false;
  Colour colour = Colour::red;
  std::int64_t whole = 4;
  std::uint16_t port = 80;
  double share = 0.5;
  std::string password;

  static constexpr std::string_view kSection = "a";
  static void describe(SectionSchema<Settings>& s) {
    s.key("text", &Settings::text, "Text.", Change::live);
    s.key("wait", &Settings::wait, "Text.", Change::live);
    s.key("size", &Settings::size, "Text.", Change::live);
    s.key("list", &Settings::list, "Text.", Change::live);
    s.key("flag", &Settings::flag, "Text.", Change::live);
    s.key("colour", &Settings::colour, "Text.", Change::live);
    s.key("whole", &Settings::whole, "Text.", Change::live);
    s.key("port", &Settings::port, "Text.", Change::live);
    s.key("share", &Settings::share, "Text.", Change::live, in_range(-1e9, 1e9));
    s.key("password", &Settings::password, "Text.", Change::live).secret();
  }
};

struct Nested {
  int depth = 1;
  static constexpr std::string_view kSection = "a.b";
  static void describe(SectionSchema<Nested>& s) {
    s.key("depth", &Nested::depth, "Text.", Change::live, in_range(1, 9));
  }
};

const ConfigSchema& schema() {
  static const ConfigSchema instance = [] {
    ConfigSchema all;
    all.add<Settings>();
    all.add<Nested>();
    return all;
  }();
  return instance;
}

std::string as_file(const Config& config) {
  std::string text;
  const auto& sections = config.schema().sections();
  for (std::size_t s = 0; s < sections.size(); ++s) {
    text += fmt::format("[{}]\n", sections[s].path);
    for (std::size_t k = 0; k < sections[s].keys.size(); ++k) {
      text += fmt::format("{} = {}\n", sections[s].keys[k].name, to_toml(config.value({s, k})));
    }
  }
  return text;
}

void check(const ConfigResult& result) {
  if (result.has_value()) {
    // What was accepted can be written down and read again without loss.
    const ConfigResult again = load_config_text(schema(), as_file(*result), "again");
    require(again.has_value());
    require(diff(*result, *again).empty());
    return;
  }
  require(!result.error().empty() && result.error().size() <= kMostConfigProblems + 1);
  for (const ConfigProblem& problem : result.error()) {
    require(!problem.reason.empty());
    require(is_plain_text(problem.to_string()));  // one line, whatever the input was
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t nul = input.find('\0');
  check(load_config_text(schema(), input.substr(0, nul), "fuzz.toml"));
  if (nul == std::string_view::npos) return 0;

  const std::string_view argument = input.substr(nul + 1);
  ConfigSources sources;
  if (auto parsed = parse_override(argument); parsed.value) sources.overrides.push_back(std::move(*parsed.value));
  const std::vector<KeySchema>& keys = schema().sections()[0].keys;
  const KeySchema& key = keys[argument.size() % keys.size()];
  sources.environment = {{key.environment_name(), std::string(argument)}};
  check(load_config(schema(), sources));
  sources.environment = {{"OUTRIDER__" + std::string(argument), "1"}};
  check(load_config(schema(), sources));
  return 0;
}
