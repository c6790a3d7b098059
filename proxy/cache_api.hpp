// The cache for programs, at the proxy's own address. Whoever holds the admin token may ask; proxy/transaction has
// checked that before it comes here.
//
//   GET  /api/v1/cache         what is kept: {"memory":{"entries","bytes"},"disk":{"on","bytes",…},…}
//   POST /api/v1/cache/purge   {"url"|"prefix"|"site"|"all", "older_than", "forget"} → {"entries","bytes"}
#pragma once

#include "cache/exchange.hpp"
#include "proxy/answer.hpp"

#include <string>
#include <string_view>

namespace outrider {

// What of the cache a purge means; failures are for the person who asked.
using PurgeScopes = std::vector<PurgeScope>;
Result<PurgeScopes> parse_purge(std::string_view json, WallTime now);

Task<Answer> cache_api_answer(std::string path, Method method, std::string body, CacheShared& cache, WallTime now,
                              AnswerFrame frame);

}  // namespace outrider
