// The directory that holds everything Outrider remembers. Owned by one running Outrider at a time.
#pragma once

#include "base/error.hpp"

#include <filesystem>

namespace outrider::cli {

class DataDirectory {
 public:
  // Creates it if it is missing (only its owner may enter), proves that it can be written to, and locks it.
  static Result<DataDirectory> open(const std::filesystem::path& path);

  DataDirectory(DataDirectory&& other) noexcept;
  DataDirectory& operator=(DataDirectory&&) = delete;
  ~DataDirectory();  // gives up the lock

 private:
  explicit DataDirectory(int lock) : lock_(lock) {}
  int lock_;
};

}  // namespace outrider::cli
