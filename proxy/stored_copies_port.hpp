// The port to what the cache keeps (plugins/api/stored_copies.hpp): complete answers that are everybody's.
#pragma once

#include "cache/exchange.hpp"
#include "plugins/api/stored_copies.hpp"

namespace outrider {

class StoredCopiesPort final : public StoredCopies {
 public:
  explicit StoredCopiesPort(CacheShared& cache) : cache_(cache) {}
  std::optional<StoredCopy> find(std::string_view url, std::size_t most) override;

 private:
  CacheShared& cache_;
};

}  // namespace outrider
