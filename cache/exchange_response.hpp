// What the exchange gives back: one head and one body to read, wherever they come from. Whoever reads cannot tell an
// answer of the origin from one of the store, and need not.
#pragma once

#include "base/body_source.hpp"
#include "base/http_client.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace outrider {

// What the cache had to do with an answer, for the access log and the monitor.
enum class CacheVerdict : std::uint8_t {
  bypass,       // does not concern the cache
  miss,         // from the origin
  collapsed,    // from the origin, by a fetch that somebody else had begun
  hit,          // from the store
  stale,        // from the store, past its lifetime
  revalidated,  // from the store, after the origin said that it is still right
};
std::string_view to_string(CacheVerdict verdict);

// What an origin said in whose place a stale answer stands.
struct OriginFailure {
  int status = 0;           // 0: it did not answer
  std::string retry_after;  // as it was sent
};

class ExchangeResponse : public BodySource {
 public:
  // End-to-end fields, Age, Cache-Status. Via, the connection's own fields and the framing are the caller's business.
  virtual ResponseHead& head() = 0;
  virtual BodyFraming framing() const = 0;

  // What is there already; nothing = read() would have to wait.
  virtual std::optional<Result<std::string_view>> read_now() = 0;
  virtual bool buffered() const = 0;  // the next read() will not have to wait
  // What is there behind the piece that was read last, so that both can be sent in one go: so many pieces at most.
  // Whoever asks takes them; like the one before they stay until the next read.
  static constexpr std::size_t kAlongAtMost = 6;
  virtual std::span<const std::string_view> read_along() { return {}; }
  virtual void pause() {}  // nobody waits for the body at the moment
  void cancel() override {}
  const HeaderMap& trailers() const override { return no_trailers(); }

  // Ends the exchange. Must be awaited (or finish_now() be true) before what the request points to goes away.
  virtual Task<> finish() { co_return; }
  virtual bool finish_now() { return true; }
  virtual bool upload_complete() const { return true; }
  // After 101: the connection to the origin.
  virtual OriginTunnel take_tunnel() { return {}; }

  // The head comes from the store, where it has been without fields for the next hop since it came in.
  bool is_stored() const { return verdict >= CacheVerdict::collapsed; }

  CacheVerdict verdict = CacheVerdict::bypass;
  ClientTimings timings;
  bool shareable = false;                 // by the rules of HTTP this answer is for everybody
  std::uint64_t variant = 0;              // under which the store keeps (or will keep) it; 0: not at all
  std::optional<std::uint64_t> left_out;  // length of a body that the asker has: ExchangeRequest::has_body
  std::unique_ptr<const OriginFailure> origin_failure;  // nullptr: none

 protected:
  static const HeaderMap& no_trailers();
};

}  // namespace outrider
