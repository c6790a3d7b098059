// Connections that are begun before anybody asks for them, because somebody surely will: a client that shakes hands
// with us in a tunnel will want the origin behind it in a moment. Used by base/egress, which hands out what was begun
// instead of beginning again. One per reactor.
#pragma once

#include "base/async_event.hpp"
#include "base/deadline_sweeper.hpp"
#include "base/error.hpp"
#include "base/reactor.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace outrider {

struct EgressConnection;

class EarlyConnections final : private Watched {
 public:
  static constexpr Duration kKeptFor = std::chrono::seconds{10};       // for whoever was expected and did not come
  static constexpr Duration kFailureCounts = std::chrono::seconds{1};  // then it may have got better
  static constexpr std::size_t kAtMost = 64;

  // One attempt. Whoever claims it shares it with the one who makes it.
  struct Attempt {
    explicit Attempt(const Executor& executor) : changed(executor) {}
    AsyncEvent changed;
    std::unique_ptr<Result<EgressConnection>> outcome;  // nullptr: not yet
    SteadyTime begun{};
    std::shared_ptr<const void> policy, parent;  // named by the key, so they must not make room for others
  };

  explicit EarlyConnections(Reactor& reactor) : reactor_(reactor) {}
  ~EarlyConnections();

  // A place for an attempt, to be filled by the caller; nullptr: there is one already, or there are too many.
  std::shared_ptr<Attempt> begin(const std::string& key);
  // The attempt that was begun for `key`, once; nullptr if there is none.
  std::shared_ptr<Attempt> claim(const std::string& key);

 private:
  void on_deadline() override;

  Reactor& reactor_;
  std::map<std::string, std::shared_ptr<Attempt>> attempts_;
};

}  // namespace outrider
