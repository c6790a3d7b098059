// Who may use the API with a token of their own: those of access.users_file (outrider user token NAME). The file is
// read again when it has changed, so somebody who is removed is out at once. Any thread.
#pragma once

#include "proxy/user_file.hpp"
#include "webui/gate.hpp"

#include <filesystem>
#include <functional>
#include <mutex>

namespace outrider::cli {

class UserTokens final : public webui::UserBook {
 public:
  // The file as the settings have it now; "" = nobody logs in.
  explicit UserTokens(std::function<std::string()> file) : file_(std::move(file)) {}

  std::optional<std::string> user_with_token(std::string_view token) const override;
  std::optional<std::string> mark_of(std::string_view user) const override;

 private:
  std::vector<UserEntry> users() const;

  const std::function<std::string()> file_;
  mutable std::mutex mutex_;
  mutable std::string read_;  // this file, as it was then
  mutable std::filesystem::file_time_type changed_{};
  mutable std::vector<UserEntry> known_;
};

}  // namespace outrider::cli
