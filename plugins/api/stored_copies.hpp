// The port to the answers that the cache keeps: for showing a picture or an icon that was loaded before, without
// asking anybody for it. Waits for a disk: call it from a plugin's own thread.
#pragma once

#include "base/error.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace outrider {

struct StoredCopy {
  std::string content_type;  // as the origin wrote it
  std::string body;          // decoded
};

class StoredCopies {
 public:
  virtual ~StoredCopies() = default;
  // What is kept for everybody under this address, fresh or not: a complete 200. Nothing: there is none, or it is
  // longer than `most`.
  virtual std::optional<StoredCopy> find(std::string_view url, std::size_t most) = 0;
};

}  // namespace outrider
