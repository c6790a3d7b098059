// Listens to one answer on its way to the client and hands it to the memory when it is over. It copies what a parser
// will want to read and nothing else, and never makes anybody wait.
#pragma once

#include "cache/exchange_response.hpp"
#include "cache/ingest.hpp"
#include "cache/policy_rules.hpp"
#include "cache/visit_signs.hpp"
#include "proxy/memory_rules.hpp"

#include <string>
#include <string_view>

namespace outrider {

class MemoryTap {
 public:
  // `ingest` may be nullptr: then nothing is remembered. What is pointed to must outlive it.
  MemoryTap(Ingest* ingest, const MemoryRules& rules, const Url& url, const RequestHead& request,
            const CacheRules& cache, std::string_view user);

  // The head that goes to the client; before its fields for the next hop are added.
  void begin(ExchangeResponse& response, WallTime now);
  void add(std::string_view bytes) {
    if (collecting_) collect(bytes);
  }
  void end(bool complete);
  // No answer came, and this is why.
  void failed(const Error& error, WallTime now);

 private:
  void collect(std::string_view bytes);

  Ingest* ingest_;  // nullptr: does not listen
  const MemoryRules& rules_;
  const Url& url_;
  const RequestHead& request_;
  VisitSigns signs_ = VisitSigns::none;
  bool collecting_ = false;
  const CacheRules& cache_;  // a site that is never cached is not remembered either
  std::string_view user_;
  std::unique_ptr<Arrival> arrival_;  // nullptr: nothing to tell (so far)
};

}  // namespace outrider
