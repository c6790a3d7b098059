#include "proxy/onboarding_state.hpp"

#include "proxy/secret_file.hpp"

namespace outrider {
namespace {

constexpr std::string_view kAccepted = "interception accepted\n";
constexpr std::string_view kNotAccepted = "interception not accepted\n";

}  // namespace

Result<std::shared_ptr<OnboardingState>> OnboardingState::open(std::filesystem::path file) {
  auto state = std::make_shared<OnboardingState>();
  state->file_ = std::move(file);
  const Result<std::string> text = read_secret_file(state->file_.string());
  if (!text && text.error().kind != ErrorKind::not_found) return text.error();
  state->accepted_ = text && *text == kAccepted;
  return state;
}

Result<void> OnboardingState::set(bool accepted) {
  if (!file_.empty()) {
    const auto say = [accepted](const std::string&) -> Result<std::string> {
      return std::string{accepted ? kAccepted : kNotAccepted};
    };
    if (Result<void> written = edit_secret_file(file_.string(), say); !written) return written;
  }
  accepted_ = accepted;
  return {};
}

}  // namespace outrider
