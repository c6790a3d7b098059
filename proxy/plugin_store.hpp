// A plugin's private data: a folder of its own (mode 0700) with one file for each key. Values are replaced whole or not
// at all. Made by proxy/plugin_host.
#pragma once

#include "plugins/api/plugin_ports.hpp"

#include <filesystem>

namespace outrider {

class FolderPluginStore final : public PluginStore {
 public:
  static constexpr std::size_t kLongestKey = 100;
  static constexpr std::size_t kLargestValue = 16 << 20;
  // The folder is made when something is put into it.
  explicit FolderPluginStore(std::filesystem::path folder) : folder_(std::move(folder)) {}

  Result<std::optional<std::string>> get(std::string_view key) const override;
  Result<void> put(std::string_view key, std::string_view value) override;
  Result<void> remove(std::string_view key) override;
  Result<std::vector<std::string>> keys() const override;

 private:
  Result<std::filesystem::path> file_of(std::string_view key) const;
  const std::filesystem::path folder_;
};

// Makes the folder and those above it, and refuses one that others could change.
Result<void> ensure_private_folder(const std::filesystem::path& folder);
// Replaces the file (mode 0600) in one step.
Result<void> replace_file(const std::filesystem::path& path, std::string_view text);

}  // namespace outrider
