// Listens to one answer on its way to the client and hands it to the memory when it is over. It copies what a parser
// will want to read and nothing else, and never makes anybody wait.
#pragma once

#include "cache/exchange_response.hpp"
#include "cache/ingest.hpp"
#include "cache/policy_rules.hpp"
#include "cache/storage_class.hpp"
#include "cache/visit_signs.hpp"
#include "proxy/memory_rules.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace outrider {

class MemoryTap {
 public:
  // `ingest` may be nullptr: then nothing is remembered. What is pointed to must outlive it.
  MemoryTap(Ingest* ingest, const MemoryRules& rules, const Url& url, const RequestHead& request,
            const CacheRules& cache, std::string_view user);
  ~MemoryTap();
  MemoryTap(const MemoryTap&) = delete;
  MemoryTap& operator=(const MemoryTap&) = delete;

  // The head that goes to the client; before its fields for the next hop are added.
  void begin(ExchangeResponse& response, WallTime now);
  void add(std::string_view bytes) {
    passed_ += bytes.size();
    if (collecting_) collect(bytes);
  }
  void end(bool complete);
  // What began is kept, and everybody may see it.
  bool is_for_everybody() const { return arrival_ && arrival_->storage == StorageClass::open; }
  // No answer came, and this is why.
  void failed(const Error& error, WallTime now);

  // All taps together copy so much at a time; beyond, pages are remembered by their beginning.
  static constexpr std::uint64_t kMostOfAll = 64 << 20;
  static std::uint64_t held_by_all();

 private:
  StorageQuestion question_of(const HeaderMap& response) const;
  void expect(ExchangeResponse& response);
  void collect(std::string_view bytes);
  bool make_room(std::size_t bytes);
  bool worth_more();
  void stop_collecting();
  void give_back();

  Ingest* ingest_;  // nullptr: does not listen
  const MemoryRules& rules_;
  const Url& url_;
  const RequestHead& request_;
  VisitSigns signs_ = VisitSigns::none;
  bool collecting_ = false;
  bool looked_ = false;       // its first bytes said that it is text
  std::size_t most_ = 0;      // of the body
  std::uint64_t held_ = 0;    // of what all taps may hold
  std::uint64_t passed_ = 0;  // bytes of the body, copied or not
  const CacheRules& cache_;   // a site that is never cached is not remembered either
  std::string_view user_;
  std::unique_ptr<Arrival> arrival_;  // nullptr: nothing to tell (so far)
};

}  // namespace outrider
