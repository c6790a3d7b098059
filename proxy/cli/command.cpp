#include "proxy/cli/command.hpp"

#include "base/escape.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <filesystem>
#include <optional>
#include <type_traits>

namespace outrider::cli {
namespace {

// CLI11 2.1 reads "-1" as the largest number there is.
std::string below_zero(const std::string& text) {
  return text.starts_with('-') ? fmt::format("{} is below zero", outrider::quoted(text)) : "";
}

std::string below_one(const std::string& text) {
  const bool is_zero = !text.empty() && text.find_first_not_of('0') == std::string::npos;
  return is_zero ? fmt::format("{} is too few, 1 is the least", outrider::quoted(text)) : "";
}

template <class T>
constexpr bool kIsUnsigned = std::is_unsigned_v<T>;
template <class T>
constexpr bool kIsUnsigned<std::optional<T>> = kIsUnsigned<T>;

}  // namespace

CommandOption CommandOption::option_text(std::string text) const {
  option_->option_text(std::move(text));
  return *this;
}

CommandOption CommandOption::required() const {
  option_->required();
  return *this;
}

CommandOption CommandOption::among(std::vector<std::string> values) const {
  option_->check(CLI::IsMember(std::move(values)));
  return *this;
}

CommandOption CommandOption::one_at_a_time() const {
  option_->allow_extra_args(false);
  return *this;
}

CommandOption CommandOption::separated_by(char separator) const {
  option_->delimiter(separator);
  return *this;
}

CommandOption CommandOption::at_least_one() const {
  return checked(below_one);
}

CommandOption CommandOption::checked(std::string (*problem)(const std::string&)) const {
  option_->check([problem](const std::string& value) { return problem(value); });
  return *this;
}

bool CommandOption::given() const {
  return option_->count() > 0;
}

template <class T>
CommandOption Command::add_option(const std::string& name, T& into, const std::string& description) const {
  const CommandOption option{*app_->add_option(name, into, description)};
  if constexpr (kIsUnsigned<T>) option.checked(below_zero);
  return option;
}

CommandOption Command::add_flag(const std::string& name, bool& into, const std::string& description) const {
  return CommandOption{*app_->add_flag(name, into, description)};
}

void Command::add_footer(const std::string& text) const {
  app_->footer(app_->get_footer() + text);
}

using Text = std::string;
using Path = std::filesystem::path;
template CommandOption Command::add_option(const Text&, std::string&, const Text&) const;
template CommandOption Command::add_option(const Text&, std::optional<std::string>&, const Text&) const;
template CommandOption Command::add_option(const Text&, std::vector<std::string>&, const Text&) const;
template CommandOption Command::add_option(const Text&, Path&, const Text&) const;
template CommandOption Command::add_option(const Text&, std::optional<Path>&, const Text&) const;
template CommandOption Command::add_option(const Text&, int&, const Text&) const;
template CommandOption Command::add_option(const Text&, std::optional<int>&, const Text&) const;
template CommandOption Command::add_option(const Text&, std::size_t&, const Text&) const;
template CommandOption Command::add_option(const Text&, std::optional<std::size_t>&, const Text&) const;
template CommandOption Command::add_option(const Text&, unsigned&, const Text&) const;
template CommandOption Command::add_option(const Text&, double&, const Text&) const;

}  // namespace outrider::cli
