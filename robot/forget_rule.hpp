// Which of the robot's records a request to forget means (cache/graph_control.hpp has the requests).
#pragma once

#include "base/error.hpp"
#include "cache/graph_types.hpp"

#include <string>
#include <string_view>

namespace outrider {

class ForgetRule {
 public:
  // Failures are for the person who asked.
  static Result<ForgetRule> of(const ForgetScope& scope);

  bool everything() const { return scope_.everything; }
  const std::optional<std::string>& user() const { return scope_.user; }
  // What happened in a span of time; else see means().
  bool is_span() const { return scope_.from || scope_.until; }
  bool then(WallTime at) const { return at >= from() && at < until(); }
  // Something that lasted so long happened then, too; an epoch as its end: it has not ended.
  bool during(WallTime begin, WallTime end) const { return begin < until() && (end == WallTime{} || end >= from()); }

  bool by_address() const { return !prefix_.empty(); }
  bool means(std::string_view url) const;  // by its address
  // A host by name and port, "www.example.com:8080", or a pattern of hosts, ".example.com": it is a site's.
  bool means_host(std::string_view host) const;
  bool is_named_in(std::string_view text) const;  // the site or the page, as people write it

 private:
  WallTime from() const { return scope_.from.value_or(WallTime::min()); }
  WallTime until() const { return scope_.until.value_or(WallTime::max()); }
  ForgetScope scope_;
  std::string prefix_;  // of resources: cache/graph_keys.hpp
  std::string spelt_;   // what the addresses contain, in any case
};

}  // namespace outrider
