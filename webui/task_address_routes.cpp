// What a task came across: addresses with their fate, the graph of their links, and the same as a file.
#include "plugins/api/robot_task_json.hpp"
#include "webui/paging.hpp"
#include "webui/routes.hpp"
#include "webui/task_export.hpp"

#include <fmt/format.h>
#include <boost/json.hpp>

#include <limits>

namespace outrider::webui {
namespace {

using State = UrlFate::State;
constexpr State kStates[] = {State::queued, State::fetched, State::failed, State::rejected};

TaskId id_in(const ApiRequest& request) {
  const auto id = parse_number(request.in_path("id"));
  return id && *id <= std::numeric_limits<TaskId>::max() ? static_cast<TaskId>(*id) : 0;
}

Result<std::vector<State>> states_in(const ApiRequest& request) {
  std::vector<State> states;
  std::string_view names = request.parameter("state").value_or("");
  while (!names.empty()) {
    const std::string_view name = names.substr(0, names.find(','));
    names.remove_prefix(std::min(names.size(), name.size() + 1));
    const std::size_t before = states.size();
    for (const State state : kStates)
      if (to_string(state) == name) states.push_back(state);
    if (states.size() == before)
      return Error{ErrorKind::invalid_argument, Side::client,
                   fmt::format("\"state\" must be of queued, fetched, failed, rejected; not \"{}\"", name)};
  }
  return states;
}

ApiReply addresses(TaskExplorer& explorer, const ApiRequest& request) {
  const Result<Page> page = page_of(request, 100, 1000);
  const Result<std::vector<State>> states = states_in(request);
  if (!page || !states) return problem_of(page ? states.error() : page.error());
  const auto from = page->cursor.empty() ? std::optional<std::uint64_t>{0} : parse_number(page->cursor);
  if (!from || *from > TaskExplorer::kMostAddresses) return bad_request("\"cursor\" is not one of ours");
  const auto found = explorer.addresses(id_in(request), *states, static_cast<std::uint32_t>(*from), page->limit);
  if (!found) return problem_of(found.error());
  json::array list;
  for (const TaskAddress& one : found->found) list.push_back(json_of(one));
  return ApiReply::of(
      json::object{{"urls", std::move(list)},
                   {"next", found->next ? json::value(std::to_string(*found->next)) : json::value(nullptr)},
                   {"complete", found->complete},
                   {"incomplete", found->complete ? json::value(nullptr) : json::value(found->why_incomplete)}});
}

// "3.120.400"
std::optional<GraphPlace> parse_place(std::string_view text) {
  if (text.empty()) return GraphPlace{};
  const std::size_t first = text.find('.');
  const std::size_t second = first == std::string_view::npos ? first : text.find('.', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  const auto walk = parse_number(text.substr(0, first));
  const auto nodes = parse_number(text.substr(first + 1, second - first - 1));
  const auto edges = parse_number(text.substr(second + 1));
  constexpr std::uint64_t kMost = 1ULL << 40;  // so that sums are far from their end
  if (!walk || !nodes || !edges || *nodes > kMost || *edges > kMost) return std::nullopt;
  return GraphPlace{*walk, *nodes, *edges};
}

ApiReply graph(TaskExplorer& explorer, const ApiRequest& request) {
  const Result<Page> page = page_of(request, 500, 5000);
  if (!page) return problem_of(page.error());
  const auto place = parse_place(page->cursor);
  if (!place) return bad_request("\"cursor\" is not one of ours");
  const Result<TaskGraph> found = explorer.graph(id_in(request), *place, page->limit);
  if (!found) return problem_of(found.error());
  json::array nodes, edges;
  for (const TaskGraph::Spot& spot : found->nodes)
    nodes.push_back(json::object{
        {"number", spot.number}, {"url", spot.url}, {"depth", spot.depth}, {"state", to_string(spot.state)}});
  for (const auto& [from, to] : found->edges) edges.push_back(json::array{from, to});
  return ApiReply::of(
      json::object{{"nodes", std::move(nodes)},
                   {"edges", std::move(edges)},
                   {"begins_anew", found->begins_anew},
                   {"more", found->more},
                   {"next", fmt::format("{}.{}.{}", found->next.walk, found->next.nodes, found->next.edges)}});
}

ApiReply exported(TaskExplorer& explorer, WorkerPool& workers, const ApiRequest& request) {
  const std::string_view format = request.parameter("format").value_or("json");
  if (format != "json" && format != "csv") return bad_request("\"format\" must be json or csv");
  Result<std::vector<State>> states = states_in(request);
  if (!states) return problem_of(states.error());
  const TaskId task = id_in(request);
  const bool is_csv = format == "csv";
  auto file = std::make_shared<TaskExport>(explorer, workers, task, std::move(*states),
                                           is_csv ? TaskExport::Format::csv : TaskExport::Format::json);
  if (const Result<void> begun = file->begin(); !begun) return problem_of(begun.error());
  ApiReply reply = ApiReply::text(is_csv ? "text/csv; charset=utf-8" : "application/json", "");
  reply.stream = std::move(file);
  reply.headers.emplace_back("Content-Disposition", fmt::format("attachment; filename=\"task-{}.{}\"", task, format));
  return reply;
}

}  // namespace

void add_task_address_routes(Router& router, const Ports& ports, TaskExplorer* explorer, WorkerPool& workers) {
  const auto add = [&](std::string_view pattern, ApiReply (*handler)(TaskExplorer&, const ApiRequest&)) {
    router.add(Method::get, pattern, Role::reader, [&ports, explorer, handler](const ApiRequest& request) {
      if (explorer == nullptr) return no_robot(ports);
      return handler(*explorer, request);
    });
  };
  add("/api/v1/tasks/{id}/urls", addresses);
  add("/api/v1/tasks/{id}/graph", graph);
  router.add(Method::get, "/api/v1/tasks/{id}/export", Role::reader,
             [&ports, explorer, &workers](const ApiRequest& request) {
               return explorer == nullptr ? no_robot(ports) : exported(*explorer, workers, request);
             });
}

}  // namespace outrider::webui
