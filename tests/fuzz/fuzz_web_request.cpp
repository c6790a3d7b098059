// What strangers send to the API before anybody knows who they are: path, query, cookies, positions in a stream, times.
// Whatever it is, nobody comes in without a token, and what is decoded is what was meant.
#include "webui/event_stream.hpp"
#include "webui/gate.hpp"
#include "webui/paging.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace {

using namespace outrider;
using namespace outrider::webui;

void require(bool property) {
  if (!property) __builtin_trap();
}

std::string_view next_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

const Gate& gate() {
  static const Gate made{Tokens{"a token that no fuzzer finds", "nor this one"}};
  return made;
}

Router routes() {
  const Handler none = [](const ApiRequest&) { return ApiReply::nothing(); };
  Router router;
  router.add(Method::get, "/api/v1/tasks", Role::reader, none);
  router.add(Method::get, "/api/v1/tasks/{id}", Role::reader, none);
  router.add(Method::post, "/api/v1/tasks/{id}/{verb}", Role::admin, none);
  return router;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Router router = routes();
  std::string_view text{reinterpret_cast<const char*>(data), size};
  const std::string_view path = next_line(text);
  const std::string_view query = next_line(text);
  const std::string_view cookie = next_line(text);
  const std::string_view authorization = next_line(text);

  const Router::Match match = router.find(Method::get, path);
  require((match.handler == nullptr) || !match.allowed.empty());
  for (const auto& [name, value] : match.path_values) require(!name.empty());

  const QueryPairs pairs = parse_query(query);
  require(pairs.size() <= query.size());

  WebRequest request;
  request.from_this_machine = true;
  request.host_is_ours = true;
  request.headers.add(HeaderId::cookie, cookie);
  require(gate().identity_of(request).role == Role::nobody);
  request.headers.add(HeaderId::authorization, authorization);
  require(gate().refusal(request, Role::reader).has_value());

  if (const auto position = StreamPosition::parse(query)) {
    const auto again = StreamPosition::parse(position->to_string());
    require(again && again->exchange == position->exchange && again->memory == position->memory);
  }
  if (const auto time = parse_time(query)) require(parse_time(shown(*time)).has_value());
  ApiRequest asked;
  asked.query = pairs;
  (void)page_of(asked, 10, 100);
  (void)filter_of(asked);
  return 0;
}
