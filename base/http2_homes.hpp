// Which reactor has the HTTP/2 connection to an origin, so that a process needs only one, however many of its reactors
// ask that origin (docs/decisions/0098-one-connection-for-all-reactors.md). A connection lives and dies on one thread;
// it is the requests that move. Asked only by who has no connection and does not know that the origin speaks HTTP/1.
// Thread safe.
#pragma once

#include "base/reactor.hpp"

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace outrider {

class HttpClient;

// A client as the other reactors see it.
class HttpHome final : public std::enable_shared_from_this<HttpHome> {
 public:
  HttpHome(Reactor& reactor, HttpClient& client) : reactor_(&reactor), client_(&client) {}

  // Has it done on the client's reactor, from any thread. False: the client is gone. If it goes before it comes to it,
  // `work` is destroyed without having been called.
  bool post(std::function<void(HttpClient&)> work);
  void close();  // by the client, on its reactor's thread

 private:
  std::mutex mutex_;  // guards reactor_
  Reactor* reactor_;
  HttpClient* client_;  // touched on its reactor's thread only
};

class Http2Homes {
 public:
  // Whoever is in here takes requests of the others. Who is not sends its own elsewhere, as long as there is anybody.
  void add(std::shared_ptr<HttpHome> home);
  void remove(const std::shared_ptr<HttpHome>& home);

  // Who sends the requests for this origin (pool_key()); nullptr: `me`. If it has been nobody's so far, it is `me` who
  // is about to connect, or somebody in whose place I should.
  std::shared_ptr<HttpHome> find(std::string_view key, const std::shared_ptr<HttpHome>& me, SteadyTime now);
  // The same, if somebody else has it already.
  std::shared_ptr<HttpHome> whose(std::string_view key, const std::shared_ptr<HttpHome>& me);
  void keep(std::string_view key, const std::shared_ptr<HttpHome>& me);     // a connection stands
  void release(std::string_view key, const std::shared_ptr<HttpHome>& me);  // there is none (any more)

 private:
  static constexpr Duration kAttempt = std::chrono::seconds{30};  // whoever wants to connect has done so by then
  static constexpr std::size_t kTidyBeyond = 4096;
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  struct Place {
    std::shared_ptr<HttpHome> home;
    SteadyTime until;
  };

  std::mutex mutex_;
  std::vector<std::shared_ptr<HttpHome>> homes_;
  std::unordered_map<std::string, Place, Hash, std::equal_to<>> places_;
};

}  // namespace outrider
