// The port by which pages are forgotten (plugins/api/control.hpp).
#pragma once

#include "cache/graph.hpp"
#include "cache/graph_control.hpp"
#include "plugins/api/control.hpp"

namespace outrider {

class MemoryControlPort final : public MemoryControl {
 public:
  MemoryControlPort(Graph& graph, const Clock& clock) : graph_(graph), clock_(clock) {}

  Result<boost::json::object> forget(const boost::json::object& question) override {
    const Result<ForgetScope> scope = parse_forget(question, clock_.now());
    if (!scope) return scope.error();
    const Result<ForgetReport> report = graph_.forget(*scope);
    if (!report) return report.error();
    return json_of(*report);
  }

 private:
  Graph& graph_;
  const Clock& clock_;
};

}  // namespace outrider
