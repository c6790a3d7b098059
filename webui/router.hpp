// Which function answers which request: method and path pattern → handler. Built at start-up, then only read, by any
// number of threads.
#pragma once

#include "webui/api_request.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace outrider::webui {

using Handler = std::function<ApiReply(const ApiRequest&)>;

class Router {
 public:
  // "/api/v1/tasks/{id}/pause": a name in braces stands for one segment that is not empty. A pattern twice is a bug:
  // std::logic_error.
  void add(Method method, std::string_view pattern, Role needed, Handler handler);

  struct Match {
    const Handler* handler = nullptr;  // nullptr: see `allowed`
    Role needed = Role::admin;
    std::vector<std::pair<std::string, std::string>> path_values;
    std::string allowed;  // methods of this path, if it exists: "GET, HEAD, DELETE"
  };
  Match find(Method method, std::string_view path) const;  // HEAD is GET without the body

  // "GET /api/v1/nodes", in the order they were added: the test of the documentation looks at these.
  std::vector<std::string> listed() const;

 private:
  struct Route {
    Method method;
    std::string pattern;
    std::vector<std::string> segments;
    Role needed;
    Handler handler;
  };
  std::vector<Route> routes_;  // a few dozen: looked through one by one
};

}  // namespace outrider::webui
