// The secret of a store (Store::secret()), in a file beside what depends on it. Without that file the next start throws
// everything else away; so taking it away is also how a store whose disk cannot be written to makes sure that nothing
// comes back that has been removed or replaced since. That needs no space.
#pragma once

#include "base/siphash.hpp"

#include <filesystem>

namespace outrider {

class StoreSecret {
 public:
  explicit StoreSecret(std::filesystem::path path) : path_(std::move(path)) {}  // a new one, in no file yet
  const SipKey& key() const { return key_; }                                    // any thread, once it has been read

  // Where the file is concerned: one thread at a time. False: it failed, or there is nothing to read.
  bool read();
  bool write();
  bool remove();
  bool kept() const { return kept_; }  // in the file

 private:
  const std::filesystem::path path_;
  SipKey key_ = SipKey::random();
  bool kept_ = false;
};

}  // namespace outrider
