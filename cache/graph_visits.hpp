// Visits: each under the person who made it, by time and by page.
//
//   user's space  t  id (8 bytes)                → VisitRecord
//   user's space  u  resource of the page  id    → nothing
#pragma once

#include "cache/graph_core.hpp"
#include "plugins/api/memory.hpp"

#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace outrider::graph {

class GraphVisits {
 public:
  explicit GraphVisits(GraphCore& core) : core_(core) {}
  Result<void> open();

  // The visit with its title, and where it came from; it is not yet in the batch.
  Result<Visit> complete(Visit visit) const;
  Result<VisitId> record(const Visit& visit);

  Result<std::vector<Visit>> find(const Viewer& viewer, const VisitQuery& query) const;
  Result<std::vector<Visit>> trail(const Viewer& viewer, VisitId visit, std::size_t limit) const;

  struct Summary {
    std::uint32_t count = 0;
    VisitId last = 0;
    WallTime last_at{};
  };
  Result<Summary> summary(std::string_view user_space, std::string_view resource) const;
  Result<std::vector<std::string>> user_spaces() const;
  // Of its owner; of an open page those of everybody, but only of so many people.
  Result<std::vector<VisitsOfPage>> of_page(const PageRef& page) const;

 private:
  Result<std::optional<Visit>> load(std::string_view user_space, VisitId id) const;
  Result<VisitId> latest_of(std::string_view user_space, std::string_view resource) const;
  Result<VisitId> from_origin(const Visit& visit, std::string_view user_space) const;
  Result<std::optional<std::string>> text_of_link(const Visit& visit, std::string_view from) const;
  // The visited address, and those from which redirects lead there.
  Result<std::vector<std::string>> ways_to(const Visit& visit) const;
  Result<std::string> title_of(const Visit& visit) const;

  struct Ids {
    VisitId next(WallTime at);
    std::mutex mutex;  // guards the rest
    VisitId last = 0, of_earlier_runs = 0;
    std::set<VisitId> taken;  // the latest of this run
  };

  GraphCore& core_;
  Ids ids_;
};

std::string visit_key(std::string_view user_space, VisitId id);
std::string visited_key(std::string_view user_space, std::string_view resource, VisitId id);

}  // namespace outrider::graph
