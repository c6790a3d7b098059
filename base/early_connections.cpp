#include "base/early_connections.hpp"

#include "base/egress.hpp"

namespace outrider {

EarlyConnections::~EarlyConnections() = default;

std::shared_ptr<EarlyConnections::Attempt> EarlyConnections::begin(const std::string& key) {
  if (attempts_.size() >= kAtMost || attempts_.contains(key)) return nullptr;
  auto attempt = std::make_shared<Attempt>(reactor_.executor());
  attempt->begun = reactor_.sweeper().now();
  attempts_.emplace(key, attempt);
  if (deadline().is_never()) {
    if (!is_linked()) reactor_.sweeper().watch(*this);
    set_deadline(reactor_.sweeper().in(kKeptFor));
  }
  return attempt;
}

std::shared_ptr<EarlyConnections::Attempt> EarlyConnections::claim(const std::string& key) {
  if (attempts_.empty()) return nullptr;
  const auto found = attempts_.find(key);
  if (found == attempts_.end()) return nullptr;
  std::shared_ptr<Attempt> attempt = std::move(found->second);
  attempts_.erase(found);
  // One that has ended in the meantime is of no use, nor a failure of long ago; the next attempt is made by whoever
  // asked.
  const bool failed = attempt->outcome && !attempt->outcome->has_value();
  if (failed && reactor_.sweeper().now() - attempt->begun > kFailureCounts) return nullptr;
  if (attempt->outcome && attempt->outcome->has_value() && (*attempt->outcome)->stream->has_left()) return nullptr;
  return attempt;
}

void EarlyConnections::on_deadline() {
  const SteadyTime now = reactor_.sweeper().now();
  set_deadline(Deadline::never());
  std::erase_if(attempts_, [now](const auto& entry) { return now - entry.second->begun >= kKeptFor; });
  if (!attempts_.empty()) set_deadline(reactor_.sweeper().in(kKeptFor / 2));
}

}  // namespace outrider
