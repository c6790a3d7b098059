// Reading nodes and links. Viewer's rule is kept here and nowhere else: spaces_of() says what may be read, and nothing
// outside of these spaces is.
#pragma once

#include "cache/graph_core.hpp"
#include "cache/graph_visits.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace outrider::graph {

class GraphReader {
 public:
  GraphReader(const GraphCore& core, const GraphVisits& visits) : core_(core), visits_(visits) {}

  Result<std::optional<Node>> node(const Viewer& viewer, std::string_view url, bool with_text,
                                   bool with_in_degree) const;
  // For the index: of this one record; visits are those of everybody who can see it.
  Result<std::optional<Node>> page(const PageRef& page, bool with_text) const;
  Result<LinkPage> links_from(const Viewer& viewer, std::string_view url, const LinkQuery& query) const;
  Result<LinkPage> links_to(const Viewer& viewer, std::string_view url, const LinkQuery& query) const;
  Result<std::vector<std::string>> anchor_texts(const PageRef& page, std::size_t limit) const;
  Result<std::optional<std::string>> body(const Viewer& viewer, std::string_view url) const;

 private:
  struct Found {
    std::string space;  // "" = it has never been fetched
    records::NodeRecord record;
  };
  Result<Found> newest(const std::vector<std::string>& spaces, std::string_view resource) const;
  Result<Node> complete(const Found& found, const std::vector<std::string>& spaces, std::string_view resource,
                        bool with_text, bool with_in_degree) const;
  struct InDegree {
    std::uint64_t count = 0;
    WallTime first_seen{};
  };
  Result<InDegree> in_degree(const std::vector<std::string>& spaces, std::string_view resource) const;

  const GraphCore& core_;
  const GraphVisits& visits_;
};

}  // namespace outrider::graph
