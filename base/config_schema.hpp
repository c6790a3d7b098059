// What can be configured. Settings are plain structs that the rooms own; a static describe() names their keys, so a new
// setting never touches base:
//
//   struct ProxySettings {
//     std::string listen = "127.0.0.1:8282";
//     Duration header_timeout = 10s;
//     static constexpr std::string_view kSection = "proxy";
//     static void describe(SectionSchema<ProxySettings>& s) {
//       s.key("listen", &ProxySettings::listen, "Address and port that browsers connect to.", Change::needs_restart);
//       s.key("header_timeout", &ProxySettings::header_timeout, "…", Change::live, in_range(1s, 5min));
//     }
//   };
//
// Defaults are the members' initialisers. config_loader.hpp fills the structs, config.hpp hands them out.
#pragma once

#include "base/config_convert.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <typeindex>
#include <utility>
#include <vector>

namespace outrider {

// Whether a changed value takes effect by a reload (SIGHUP) or only by a new start.
enum class Change : std::uint8_t { live, needs_restart };

// A condition on one value beyond its type. Any callable Refusal(const T&) is a Rule; `text` documents it ("1s to 5m").
template <class T>
struct Rule {
  std::string text;
  std::function<Refusal(const T&)> check;

  Rule() = default;
  Rule(std::string description, std::function<Refusal(const T&)> f)
      : text(std::move(description)), check(std::move(f)) {}
  template <class F>
  requires std::is_invocable_r_v<Refusal, F, const T&> Rule(F f)
      : check(std::move(f)) {}  // NOLINT: implicit, so that a lambda can be given as it is
};

namespace detail {
inline std::string shown(const ConfigValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr ? *text : to_toml(value);
}

template <class A, class B>
struct RangeOf {
  A low;
  B high;
  template <class T>
  operator Rule<T>() const {  // NOLINT: implicit, becomes the rule of whatever key it is given to
    const T from = static_cast<T>(low);
    const T to = static_cast<T>(high);
    const std::string text = shown(ConfigType<T>::show(from)) + " to " + shown(ConfigType<T>::show(to));
    return {text, [from, to, text](const T& value) -> Refusal {
              if (value < from || to < value)
                return fmt::format("{} is outside {}", shown(ConfigType<T>::show(value)), text);
              return std::nullopt;
            }};
  }
};
}  // namespace detail

// Both ends included: in_range(1, 64), in_range(1s, 5min), in_range(1_KiB, 1_MiB).
template <class A, class B>
auto in_range(A low, B high) {
  return detail::RangeOf<A, B>{low, high};
}

// One setting, without its C++ type. The void pointers are the settings struct of the section.
struct KeySchema {
  std::string name;  // "header_timeout"
  std::string path;  // "proxy.header_timeout"
  std::string comment;
  std::string rule;  // "1s to 5m", or empty
  ConfigKind kind = ConfigKind::text;
  Change change = Change::needs_restart;
  bool secret = false;               // never shown: neither its value nor what is wrong with it
  std::vector<std::string> choices;  // of a ConfigKind::choice
  std::function<Refusal(void*, const ConfigValue&)> assign;
  std::function<ConfigValue(const void*)> show;

  std::string environment_name() const;  // "OUTRIDER__PROXY__HEADER_TIMEOUT"
};

struct SectionInfo {
  std::string path;     // "proxy", or "proxy.limits"
  std::string comment;  // kComment of the struct, if it has one
  std::type_index type = typeid(void);
  std::function<std::shared_ptr<void>()> make;  // with the defaults
  std::function<Refusal(const void*)> check;    // conditions between keys; may be empty
  std::vector<KeySchema> keys;
};

// What describe() is given.
template <class S>
class SectionSchema {
 public:
  explicit SectionSchema(SectionInfo& info) : info_(info) {}

  // Returned to add what is rare: s.key(…).secret().
  class Added {
   public:
    Added(SectionInfo& info) : info_(info) {}
    void secret() { info_.keys.back().secret = true; }

   private:
    SectionInfo& info_;
  };

  template <class T, class Owner>  // the member may be one of a base class
  requires std::derived_from<S, Owner> Added key(std::string_view name, T Owner::*member, std::string_view comment,
                                                 Change change, std::type_identity_t<Rule<T>> rule = {}) {
    KeySchema key;
    key.name = name;
    key.path = info_.path + "." + key.name;
    key.comment = comment;
    key.rule = rule.text;
    key.kind = ConfigType<T>::kKind;
    key.change = change;
    if constexpr (NamedEnum<T>) key.choices = names_of<T>();
    key.assign = [member, check = std::move(rule.check)](void* section, const ConfigValue& from) -> Refusal {
      T value{};
      if (auto refusal = ConfigType<T>::assign(from, value)) return refusal;
      if (check) {
        if (auto refusal = check(value)) return refusal;
      }
      static_cast<S*>(section)->*member = std::move(value);
      return std::nullopt;
    };
    key.show = [member](const void* section) { return ConfigType<T>::show(static_cast<const S*>(section)->*member); };
    info_.keys.push_back(std::move(key));
    return Added(info_);
  }

  // A condition between several keys, checked when all sources are read.
  void check(std::function<Refusal(const S&)> condition) {
    info_.check = [condition = std::move(condition)](const void* s) { return condition(*static_cast<const S*>(s)); };
  }

 private:
  SectionInfo& info_;
};

// All sections of the program. Built once, at start-up. A faulty description is a bug, hence std::logic_error.
class ConfigSchema {
 public:
  template <class S>
  void add() {
    SectionInfo info;
    info.path = S::kSection;
    if constexpr (requires { S::kComment; }) info.comment = S::kComment;
    info.type = typeid(S);
    info.make = [] { return std::static_pointer_cast<void>(std::make_shared<S>()); };
    SectionSchema<S> schema(info);
    S::describe(schema);
    add(std::move(info));
  }

  // A further condition on a key, for what the room that owns the key cannot judge.
  template <class T>
  void require(std::string_view path, std::function<Refusal(const T&)> condition) {
    KeySchema& key = key_at(path);
    key.assign = [assign = std::move(key.assign), condition = std::move(condition)](
                     void* section, const ConfigValue& from) -> Refusal {
      T value{};
      if (!ConfigType<T>::assign(from, value)) {  // it has the right type
        if (auto refusal = condition(value)) return refusal;
      }
      return assign(section, from);
    };
  }

  const std::vector<SectionInfo>& sections() const { return sections_; }

  struct Place {
    std::size_t section;
    std::size_t key;
  };
  std::optional<Place> find(std::string_view path) const;
  const KeySchema& at(Place place) const { return sections_[place.section].keys[place.key]; }

  // "proxy" is a section, if only because there is a "proxy.limits".
  bool is_section(std::string_view path) const;

  // For an unknown key or section: `, did you mean "proxy.listen"?`, or nothing.
  std::string suggest_key(std::string_view path) const;
  std::string suggest_section(std::string_view path) const;

 private:
  void add(SectionInfo info);
  KeySchema& key_at(std::string_view path);
  std::vector<SectionInfo> sections_;
};

// The annotated default configuration: conf/outrider.toml is this text.
std::string describe_as_toml(const ConfigSchema& schema);

}  // namespace outrider
