#include "plugins/api/robot_task_json.hpp"
#include "webui/paging.hpp"
#include "webui/routes.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace outrider::webui {
namespace {

using RobotHandler = ApiReply (*)(Robot&, const ApiRequest&);

ApiReply status_reply(Robot& robot, TaskId task, int status = 200) {
  const Result<TaskStatus> found = robot.status(task);
  if (!found) return problem_of(found.error());
  return ApiReply::of(to_json(*found), status);
}

TaskId id_in(const ApiRequest& request) {
  const auto id = parse_number(request.in_path("id"));
  return id && *id <= std::numeric_limits<TaskId>::max() ? static_cast<TaskId>(*id) : 0;
}

Result<TaskSpec> spec_in(const ApiRequest& request, TaskSpec spec) {
  boost::system::error_code failed;
  const json::value body = json::parse(request.body, failed);
  if (failed) return Error{ErrorKind::invalid_argument, Side::client, "The body is not JSON."};
  if (Result<void> read = update_from_json(spec, body); !read) return read.error();
  return spec;
}

// The newest first. A cursor is the id of the last task of the page before.
ApiReply list(Robot& robot, const ApiRequest& request) {
  const Result<Page> page = page_of(request, 100, 1000);
  if (!page) return problem_of(page.error());
  const std::uint64_t before = page->cursor.empty() ? ~0ULL : parse_number(page->cursor).value_or(0);
  const std::vector<TaskStatus> all = robot.list();
  std::vector<const TaskStatus*> tasks;  // thousands of them are moved about: not themselves
  for (const TaskStatus& task : all)
    if (task.id < before) tasks.push_back(&task);
  const std::size_t shown = std::min(page->limit, tasks.size());
  std::partial_sort(tasks.begin(), tasks.begin() + static_cast<std::ptrdiff_t>(shown), tasks.end(),
                    [](const TaskStatus* a, const TaskStatus* b) { return a->id > b->id; });
  json::array entries;
  for (std::size_t i = 0; i < shown; ++i) entries.push_back(to_json(*tasks[i]));
  json::object reply{{"tasks", std::move(entries)}, {"next", nullptr}};
  if (shown < tasks.size() && shown != 0) reply["next"] = std::to_string(tasks[shown - 1]->id);
  return ApiReply::of(reply);
}

ApiReply create(Robot& robot, const ApiRequest& request) {
  Result<TaskSpec> spec = spec_in(request, TaskSpec{});
  if (!spec) return problem_of(spec.error());
  const Result<TaskId> id = robot.submit(std::move(*spec));
  if (!id) return problem_of(id.error());
  ApiReply reply = status_reply(robot, *id, 201);
  reply.headers.emplace_back("Location", "/api/v1/tasks/" + std::to_string(*id));
  return reply;
}

ApiReply one(Robot& robot, const ApiRequest& request) {
  return status_reply(robot, id_in(request));
}

ApiReply change(Robot& robot, const ApiRequest& request) {
  const TaskId id = id_in(request);
  const Result<TaskStatus> before = robot.status(id);
  if (!before) return problem_of(before.error());
  Result<TaskSpec> spec = spec_in(request, before->spec);
  if (!spec) return problem_of(spec.error());
  if (const Result<void> changed = robot.change(id, std::move(*spec)); !changed) return problem_of(changed.error());
  return status_reply(robot, id);
}

ApiReply remove(Robot& robot, const ApiRequest& request) {
  const Result<void> removed = robot.remove(id_in(request));
  return removed ? ApiReply::nothing() : problem_of(removed.error());
}

template <Result<void> (Robot::*action)(TaskId)>
ApiReply tell(Robot& robot, const ApiRequest& request) {
  const TaskId id = id_in(request);
  if (const Result<void> done = (robot.*action)(id); !done) return problem_of(done.error());
  return status_reply(robot, id);
}

ApiReply why_not(Robot& robot, const ApiRequest& request) {
  const auto url = request.parameter("url");
  if (!url) return bad_request("\"url\" is missing");
  const Result<UrlFate> fate = robot.why_not(id_in(request), *url);
  if (!fate) return problem_of(fate.error());
  return ApiReply::of(to_json(*fate));
}

}  // namespace

ApiReply no_robot(const Ports& ports) {
  return not_connected(ports.memory == nullptr ? "The memory is off (memory.enabled), and the robot needs it."
                                               : "This Outrider has no robot.");
}

void add_task_routes(Router& router, const Ports& ports) {
  const auto add = [&](Method method, std::string_view pattern, Role needed, RobotHandler handler) {
    router.add(method, pattern, needed, [&ports, handler](const ApiRequest& request) {
      if (ports.robot == nullptr) return no_robot(ports);
      return handler(*ports.robot, request);
    });
  };
  add(Method::get, "/api/v1/tasks", Role::reader, list);
  add(Method::post, "/api/v1/tasks", Role::admin, create);
  add(Method::get, "/api/v1/tasks/{id}", Role::reader, one);
  add(Method::patch, "/api/v1/tasks/{id}", Role::admin, change);
  add(Method::del, "/api/v1/tasks/{id}", Role::admin, remove);
  add(Method::post, "/api/v1/tasks/{id}/pause", Role::admin, tell<&Robot::pause>);
  add(Method::post, "/api/v1/tasks/{id}/resume", Role::admin, tell<&Robot::resume>);
  add(Method::post, "/api/v1/tasks/{id}/stop", Role::admin, tell<&Robot::stop>);
  add(Method::get, "/api/v1/tasks/{id}/why-not", Role::reader, why_not);
}

}  // namespace outrider::webui
