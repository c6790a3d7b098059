// The port to the cache (plugins/api/control.hpp): what is kept, and how to be rid of it.
#pragma once

#include "cache/exchange.hpp"
#include "plugins/api/control.hpp"

#include <string_view>
#include <vector>

namespace outrider {

// What of the cache a purge means; failures are for the person who asked.
using PurgeScopes = std::vector<PurgeScope>;
Result<PurgeScopes> parse_purge(std::string_view json, WallTime now);

class CacheControlPort final : public CacheControl {
 public:
  explicit CacheControlPort(CacheShared& cache) : cache_(cache) {}

  Result<boost::json::object> stats() const override;
  Result<boost::json::object> purge(std::string_view question, WallTime now) override;
  Result<boost::json::object> lookup(std::string_view url, WallTime now) override;

 private:
  CacheShared& cache_;
};

}  // namespace outrider
