// The folder of the full-text index: one Xapian database in a folder of its own, and the file CURRENT that says which.
// A new database (compacted, or begun anew) is written beside the old one and takes its place by renaming CURRENT; what
// CURRENT does not name is rubbish of an interrupted change, and is removed when the folder is opened for writing.
#pragma once

#include "base/error.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace outrider {

class SearchFolder {
 public:
  explicit SearchFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // Makes the folder if it is missing, for its owner alone.
  Result<void> prepare() const;
  // The database in use; nothing: there is none yet.
  std::optional<std::filesystem::path> current() const;
  // A name for the next one; nothing is there.
  std::filesystem::path next() const;
  // From now on, and after a loss of power, `database` is the current one.
  Result<void> switch_to(const std::filesystem::path& database) const;
  // Everything but the current one.
  void remove_others() const;

  std::uint64_t bytes() const;

 private:
  std::filesystem::path folder_;
};

}  // namespace outrider
