// THE shared pipeline: every request of a browser and of the robot is answered here, from the store or from the origin.
// The caller cannot tell which; it gets one head and one body to read. One per reactor; the store and the flights are
// shared by all.
//
//   answer_now() ── in the store, at hand ──────────────────────────────────────────────► StoredResponse
//   run() ── look on disk ── somebody is fetching it ── wait for the head ── it fits ───► FlightReader
//          ├ a part is in the store ── ask the origin for the rest ────────────────────► CombinedResponse
//          └ ask the origin ── 304 ── stored head freshened ────────────────────────────► StoredResponse
//                           ├ kept ── flight takes off ─────────────────────────────────► FlightReader
//                           ├ not kept ─────────────────────────────────────────────────► DirectResponse
//                           └ failed, and a stale one may be used ──────────────────────► StoredResponse
#pragma once

#include "base/ip_address.hpp"
#include "base/url.hpp"
#include "cache/cache_counters.hpp"
#include "cache/flight_reader.hpp"
#include "cache/flight_table.hpp"
#include "cache/policy_answer.hpp"
#include "cache/policy_freshness.hpp"
#include "cache/policy_lookup.hpp"
#include "cache/policy_reuse.hpp"
#include "cache/policy_status.hpp"
#include "cache/policy_storability.hpp"
#include "cache/policy_vary.hpp"
#include "cache/stored_response.hpp"
#include "plugins/api/browser_witness.hpp"

#include <memory>
#include <string>

namespace outrider {

// Who wants it: selects priority and identity, and whether anything is asked for in the background.
enum class Intent : std::uint8_t { browser, robot, revalidate };

// What a request means for the cache, as far as it has been found out.
struct Inquiry {
  bool begun = false;
  RequestDirectives directives;
  Bypass bypass = Bypass::none;
  CacheKey key;       // everybody's
  CacheKey personal;  // the person's own; empty if there cannot be one
  WallTime now{};
  std::uint64_t flights_ended = 0;  // before the store was asked
  bool on_disk = false;             // only the disk knows more
  EntryPtr entry;                   // nullptr = nothing is kept
  Selection selection;
  ReuseVerdict reuse;

  const StoredVariant& selected() const { return *entry->variants[selection.index]; }
};

struct ExchangeRequest {
  Intent intent = Intent::browser;
  const Url* url = nullptr;  // where it goes
  std::string_view
      path_and_query;           // what is asked for there, byte by byte as the client wrote it (RFC 9110 section 7.7)
  RequestHead* head = nullptr;  // end-to-end fields only; Host and framing are written by the exchange
  std::shared_ptr<BodySource> body;  // nullptr = none
  BodyFraming body_framing;
  bool upgrade = false;                         // the client asks to switch protocols; the answer may be a 101
  std::string_view user;                        // who asks, if somebody logged in …
  IpAddress client;                             // … and from where
  bool tell_client = false;                     // the origin may know the latter
  BrowserWitness* witness = nullptr;            // is told when the origin is asked, and of nothing that is at hand
  std::shared_ptr<const CacheRules> rules;      // of the site
  std::shared_ptr<const AddressPolicy> policy;  // required; the rules for whoever `intent` says
  ParentChoice way;
  ClientTimeouts timeouts;
  Deadline deadline;
  std::function<Task<>(const ResponseHead&)> on_informational;
  // Not empty: nothing that others did may show in this request. It goes to the origin whatever is kept or under way,
  // without conditions, over connections of those with the same word. The store neither gives nor gets anything.
  std::string_view apart;
  // Of a stored answer: whoever asks has its body already, and wants to know no more than that it is (still) right.
  std::function<bool(const StoredVariant&)> has_body;

  // Filled in. The fetch that is under way for this request, and the flight in which others may be waiting for it, too.
  const ClientRequest* own_fetch = nullptr;
  const Flight* own_flight = nullptr;
  // Nobody else wants it: closing its connection ends the exchange.
  bool fetches_for_itself() const;
  Inquiry inquiry;
};

// Whose answers these are, where they are not for everybody: the user's, or where nobody logs in, those of one program
// on one machine.
std::string person_of(const ExchangeRequest& request);

// What Cache-Status (RFC 9211) says where run() failed and there is no answer that could say it.
std::string status_of_failure(const ExchangeRequest& request, const Error& error);

// What all exchanges of a process share.
struct CacheShared {
  explicit CacheShared(Metrics& metrics) : counters(metrics) {}
  Store* store = nullptr;                  // nullptr = nothing is kept
  std::atomic<bool> personal_kept{false};  // there may be answers that are not for everybody
  FlightTable flights;
  SipKey key_secret;
  CacheCounters counters;
};

class Exchange {
 public:
  Exchange(Reactor& reactor, HttpClient& client, CacheShared& shared);

  // The answer, if it is in the store and can be had without waiting; else nullptr: run().
  std::unique_ptr<ExchangeResponse> answer_now(ExchangeRequest& request);
  // `request` and what it points to must stay alive until the response's finish().
  Task<Result<std::unique_ptr<ExchangeResponse>>> run(ExchangeRequest& request);

 private:
  using Answer = Result<std::unique_ptr<ExchangeResponse>>;
  struct Background;

  // exchange_lookup.cpp: what is in the store
  void inquire(ExchangeRequest& request);
  void consider(ExchangeRequest& request, EntryPtr personal, EntryPtr shared);
  Task<> look_on_disk(ExchangeRequest& request);
  std::unique_ptr<StoredResponse> stored_answer(ExchangeRequest& request);
  Task<std::unique_ptr<ExchangeResponse>> answer_from_store(ExchangeRequest& request);
  std::unique_ptr<StoredResponse> make_stored(ExchangeRequest& request, const StoredVariant& variant, Seconds age,
                                              const CacheStatus& status, StaleMark mark, WallTime now);
  void account(const ExchangeRequest& request, const StoredResponse& answer);
  void validate_in_background(const ExchangeRequest& request);
  Task<> validate(std::shared_ptr<Background> background, std::shared_ptr<Flight> flight);

  // exchange_fetch.cpp: what the origin says
  std::unique_ptr<Fetch> prepare(ExchangeRequest& request);
  static bool goes_direct(ExchangeRequest& request, const Error& error);
  bool holds_enough(ExchangeRequest& request);
  Result<std::unique_ptr<Fetch>> arrived(std::unique_ptr<Fetch> fetch,
                                         Result<std::unique_ptr<ClientResponse>> response);
  Task<Answer> pass(ExchangeRequest& request);
  Task<std::unique_ptr<ExchangeResponse>> follow(ExchangeRequest& request, std::shared_ptr<Flight> flight);
  std::unique_ptr<ExchangeResponse> join(ExchangeRequest& request, const std::shared_ptr<Flight>& flight);
  Task<Answer> complete(ExchangeRequest& request);  // exchange_complete.cpp
  Task<Answer> ask_origin(ExchangeRequest& request, std::shared_ptr<Flight> lead);
  Answer accept(ExchangeRequest& request, std::unique_ptr<Fetch> fetch, std::shared_ptr<Flight> lead);
  std::unique_ptr<ExchangeResponse> keep(ExchangeRequest& request, std::unique_ptr<Fetch>& fetch, StoredHead head,
                                         std::shared_ptr<Flight> flight, CacheStatus status);
  std::unique_ptr<StoredResponse> confirm(ExchangeRequest& request, Fetch& fetch, std::size_t index, bool update,
                                          EntryPtr& confirmed);
  std::unique_ptr<StoredResponse> stale_answer(ExchangeRequest& request, int forward_status);
  Task<> changes_are_safe();
  bool invalidate(const ExchangeRequest& request, const ResponseHead& response);  // something was there
  bool invalidate(const CacheKey& key);
  void apply_head(ExchangeRequest& request, const Fetch& fetch);

  Reactor& reactor_;
  HttpClient& client_;
  CacheShared& shared_;
  TaskGroup tasks_;  // last: its tasks use all of the above
};

}  // namespace outrider
