// Puts one response into the store while it arrives, and lets any number of readers follow: they read body() through
// Store::read_now() and read(), also while it grows. Never waits: what the disk cannot take in time is not kept on
// disk. Used by one thread at a time. Destroyed without commit(), it leaves nothing behind; then what was read of the
// body so far stays valid, but the rest may not be readable any more.
#pragma once

#include "cache/store_entry.hpp"

#include <string_view>

namespace outrider {

class StoreWriter {
 public:
  virtual ~StoreWriter() = default;

  virtual void append(std::string_view bytes) = 0;  // keeps a copy
  virtual BodyPtr body() const = 0;
  // False: it has become too large, or there is no room for it, and commit() will give nullptr. Then it is a mere
  // buffer between the origin and the readers, in memory: bounded by whoever appends, with the help of release().
  virtual bool storing() const = 0;
  // No reader will ask for anything before `offset` again. Only of interest when !storing().
  virtual void release(std::uint64_t offset) = 0;
  // Before commit(): what became known of the response when it was complete.
  virtual void replace_head(StoredHead head) = 0;
  // The response is complete: from now on find() gives it. Returns the stored variant, or nullptr if !storing().
  // The head's body_length is filled in. Call once, and append nothing afterwards.
  virtual VariantPtr commit() = 0;
};

}  // namespace outrider
