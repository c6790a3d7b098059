// The HTTP/2 connections to origins, shared by all requests of a reactor, and what is known about who speaks it. Used
// by base/http_client.
#pragma once

#include "base/async_event.hpp"
#include "base/http2_connection.hpp"
#include "base/http2_homes.hpp"

#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace outrider {

class Http2Origins final : public std::enable_shared_from_this<Http2Origins> {
 public:
  enum class Speaks : std::uint8_t {
    unknown,
    http1,       // chosen when both were offered
    http1_only,  // asked for: HTTP_1_1_REQUIRED
    http2,
  };

  // Somebody finds out what an origin speaks by connecting to it, once for all who want to know.
  struct Attempt {
    Attempt(const Executor& executor, const void* whose) : done(executor), policy(whose) {}
    AsyncEvent done;
    const void* policy;  // what is forbidden to one is not forbidden to all
    bool over = false;
    std::optional<Error> failure;
  };

  // `homes`, if there are others: they are told what `me` has.
  Http2Origins(Reactor& reactor, const HttpLimits& limits, Duration idle, Http2Homes* homes = nullptr,
               std::shared_ptr<HttpHome> me = nullptr);
  ~Http2Origins();

  // A connection that takes another request; nullptr: there is none, or another one may be opened beside it.
  std::shared_ptr<Http2Connection> find(std::string_view key);
  Speaks speaks(std::string_view key) const;
  void learn(std::string_view key, Speaks what);

  std::shared_ptr<Attempt> attempt(std::string_view key) const;  // that is under way; nullptr = none
  std::shared_ptr<Attempt> begin_attempt(std::string_view key, const void* policy);
  void end_attempt(std::string_view key, const std::shared_ptr<Attempt>& attempt, std::optional<Error> failure);

  std::vector<std::string> offer(std::string_view key) const;  // for ALPN
  // A new connection on which "h2" was agreed.
  std::shared_ptr<Http2Connection> add(std::string_view key, std::shared_ptr<Stream> stream);
  void close_idle();
  std::size_t connections() const { return connections_; }

 private:
  static constexpr std::size_t kOriginsKnown = 4096;
  static constexpr std::size_t kConnections = 512;
  static constexpr std::size_t kPerOrigin = 4;  // when the streams of one are used up
  static constexpr Duration kRememberHttp1 = std::chrono::minutes{10};

  struct Origin {
    std::string key;
    Speaks speaks = Speaks::unknown;
    SteadyTime learnt{};
    std::vector<std::shared_ptr<Http2Connection>> connections;
    std::shared_ptr<Attempt> attempt;
  };
  bool is_over(const Origin& origin) const;
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  using Place = std::list<Origin>::iterator;

  Origin& origin(std::string_view key);
  const Origin* known(std::string_view key) const;
  void make_room();
  void forget_closed(Origin& origin);
  void release_home(std::string_view key);  // if there is nothing to come back to
  Task<> look_after(std::string key, std::shared_ptr<Http2Connection> connection);

  Reactor& reactor_;
  Http2Limits limits_;
  Http2Homes* const homes_;
  const std::shared_ptr<HttpHome> me_;
  std::list<Origin> origins_;  // most recently used first
  std::unordered_map<std::string, Place, Hash, std::equal_to<>> places_;
  std::size_t connections_ = 0;
  TaskGroup tasks_;  // the connections' loops
};

// One attempt to connect, on which an origin may choose HTTP/2. However it ends, those who wait for it are told.
class HttpOffer {
 public:
  // Says in `target` what is offered.
  HttpOffer(std::shared_ptr<Http2Origins> origins, struct EgressTarget& target, const std::string& key);
  ~HttpOffer();
  HttpOffer(const HttpOffer&) = delete;
  HttpOffer& operator=(const HttpOffer&) = delete;

  void failed(const Error& error);
  // The connection, if HTTP/2 was chosen; else nullptr, and `stream` is the caller's.
  std::shared_ptr<Http2Connection> taken(std::string_view protocol, const std::shared_ptr<Stream>& stream);

 private:
  std::shared_ptr<Http2Origins> origins_;
  std::string key_;
  std::shared_ptr<Http2Origins::Attempt> attempt_;  // nullptr: nobody waits for us
  bool offered_ = false;
};

}  // namespace outrider
