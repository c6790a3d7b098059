#include "proxy/cli/command.hpp"

#include <CLI/CLI.hpp>

#include <filesystem>
#include <optional>

namespace outrider::cli {

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

bool CommandOption::given() const {
  return option_->count() > 0;
}

template <class T>
CommandOption Command::add_option(const std::string& name, T& into, const std::string& description) const {
  return CommandOption{*app_->add_option(name, into, description)};
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
