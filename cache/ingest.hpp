// From an answer that passed through to what the memory knows of it. Browser and robot hand their answers in here, and
// go on at once: decoding, parsing and writing happen on threads of their own, with low priority, behind the reader's
// back.
//
//   submit → decode, charset, scan links and head → deep parse → graph (one atomic batch) → on_scanned → search
//
// What the robot brings in bulk is put down on disk first and read when there is time (ingest_spool.hpp):
//
//   submit → spool → scan links → on_scanned            spool → decode, scan, deep parse → graph → search
#pragma once

#include "base/error.hpp"
#include "base/http_headers.hpp"
#include "base/url.hpp"
#include "plugins/api/link.hpp"
#include "plugins/api/node.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace outrider {

// What the memory made of an answer. Views into it end with the call.
struct Ingested {
  const Node& node;                // as it is now, with what the scan found
  const std::vector<Link>& links;  // redirects and Link: headers included
  bool is_new = false;             // the memory had not fetched it before
  bool changed = false;            // its content differs from the last time
  std::span<Url> urls = {};        // Arrival::only_links: of the first links, which have no `target`; may be taken
};

// A person seems to have opened the page (visit_signs.hpp).
struct VisitClaim {
  bool certain = false;  // false: it may also have been a frame of the referrer, whose links will tell
  std::string referrer;  // URL, "" = none
};

// One answer, or the failure to get one.
struct Arrival {
  Url url;
  FetchedBy by = FetchedBy::browser;
  std::string user;
  StorageClass storage = StorageClass::open;
  WallTime at{};
  int status = 0;
  HeaderMap headers;  // of the response, end to end
  std::string body;   // as it came, still in its content coding
  std::uint64_t wire_size = 0;
  bool body_complete = true;  // false: `body` is only the beginning
  NodeError error = NodeError::none;
  std::string error_text;
  std::optional<VisitClaim> visit;
  bool from_store = false;    // nothing new was fetched: only if the memory does not know it yet
  bool not_modified = false;  // the origin said that what is known is still right
  bool may_wait = false;      // nobody but the robot waits for it, and only for its links …
  bool only_links = false;    // … and not even for their texts
  bool only_tell = false;     // whoever asked hears of it, and nothing is remembered
  // Called from a thread of the ingest once the answer is in the graph or, if it may wait, in the spool: from then on
  // it is not lost any more. The robot follows links from here.
  std::function<void(const Ingested&)> on_scanned;
};

// What the memory calls a failure to get an answer.
NodeError node_error(const Error& error);

class Ingest {
 public:
  virtual ~Ingest() = default;
  // false: too much is waiting, and this answer is not taken. A browser's answer is then remembered by its URL alone;
  // the robot waits and asks again, with the same arrival: only what is taken is moved from.
  virtual bool submit(Arrival&& arrival) = 0;
  // True: what a browser loads beside the pages that somebody opens would be turned away now, and has been, as far as
  // anybody counts. Any thread, without waiting.
  virtual bool turns_away_asides() { return false; }
  virtual std::size_t queued() const = 0;
  virtual bool remembers() const { return true; }  // false: links are found, and nothing is kept
};

}  // namespace outrider
