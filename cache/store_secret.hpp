// The secret of a store (Store::secret()), in a file beside what depends on it. Without that file the next start throws
// everything else away; so taking it away is also how a store whose disk cannot be written to makes sure that nothing
// comes back that has been removed or replaced since. That needs no space.
#pragma once

#include "base/siphash.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

namespace outrider {

class StoreSecret {
 public:
  explicit StoreSecret(std::filesystem::path path) : path_(std::move(path)) {}  // a new one, in no file yet
  const SipKey& key() const { return key_; }                                    // any thread, once it has been read

  // Where the file is concerned: one thread at a time. False: it failed.
  enum class Read : std::uint8_t { fine, missing, failed };  // missing: or not to be understood; failed: see errno
  Read read();
  bool write();
  bool remove();
  bool kept() const { return kept_; }  // in the file
  const std::string& path() const { return path_.native(); }

 private:
  const std::filesystem::path path_;
  SipKey key_ = SipKey::random();
  bool kept_ = false;
};

}  // namespace outrider
