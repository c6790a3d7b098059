#include "proxy/cli/api_client.hpp"

#include "base/http_chars.hpp"
#include "cache/graph.hpp"
#include "cache/memory_settings.hpp"
#include "cache/search_index.hpp"
#include "cache/search_source.hpp"
#include "proxy/cli/admin_token.hpp"
#include "proxy/cli/event_reader.hpp"
#include "proxy/cli/locations.hpp"
#include "proxy/cli/plain_request.hpp"
#include "webui/routes.hpp"

#include <fmt/format.h>

namespace outrider::cli {
namespace {

namespace json = boost::json;

constexpr auto kPatience = std::chrono::minutes{10};  // forgetting rewrites files

Error failed(std::string why, ErrorKind kind = ErrorKind::io) {
  return Error{kind, Side::self, std::move(why)};
}

Result<json::value> read_reply(int status, std::string_view body) {
  boost::system::error_code not_json;
  json::value value = json::parse(body.empty() ? "null" : body, not_json);
  if (status >= 200 && status < 300 && !not_json) return value;
  if (!not_json && value.is_object() && value.get_object().contains("detail"))
    return failed(std::string{value.at("detail").as_string()},
                  status == 400 ? ErrorKind::invalid_argument : ErrorKind::io);
  return failed(fmt::format("the running Outrider answered {}{}", status,
                            status == 403 ? ": the token of this data directory is not its token" : ""));
}

// As the API would answer, from the files.
Result<json::value> look_at_files(const MemorySettings& settings, const std::filesystem::path& data,
                                  const std::string& path) {
  GraphOptions options = settings.graph_options(data);
  options.read_only = true;
  options.background = false;
  Metrics metrics;
  std::error_code missing;
  if (!std::filesystem::exists(options.folder, missing))
    return failed(fmt::format("nothing is remembered in {} yet", data.string()));
  Result<std::unique_ptr<Graph>> graph = Graph::open(options, metrics, Clock::system());
  if (!graph) return graph.error();
  SearchIndexOptions index_options;
  index_options.folder = data / "search";
  index_options.text_of = texts_of(**graph);
  Result<std::unique_ptr<SearchIndex>> index = SearchIndex::open_read_only(std::move(index_options));
  if (index)
    (*graph)->set_search([&index](const Viewer& viewer, const SearchRequest& request) {
      return (*index)->query(viewer, request, Clock::system().now());
    });
  webui::Ports ports;
  ports.memory = graph->get();
  webui::Router router;
  webui::add_memory_routes(router, ports);
  const std::size_t mark = path.find('?');
  const webui::Router::Match match = router.find(Method::get, path.substr(0, mark));
  if (match.handler == nullptr) return failed("no Outrider runs here");
  webui::ApiRequest request;
  request.role = webui::Role::admin;
  if (mark != std::string::npos) request.query = webui::parse_query(std::string_view{path}.substr(mark + 1));
  request.now = Clock::system().now();
  const webui::ApiReply reply = (*match.handler)(request);
  Result<json::value> value = read_reply(reply.status, reply.body);
  (*graph)->close();
  return value;
}

}  // namespace

struct ApiClient::Place {
  ListenAddress address;
  std::filesystem::path data;
  MemorySettings memory;
};

void ApiClient::add_to(const Command& command) {
  config_.add_to(command);
  command.add_option("--data", data_, "Data directory of the Outrider (default: ~/.local/share/outrider)")
      .option_text("DIR");
  command.add_option("--address", address_, "Where it listens (default: what the configuration says)")
      .option_text("HOST:PORT");
}

Result<ApiClient::Place> ApiClient::place() const {
  ConfigProblems problems;
  const auto sources = config_.sources(problems);
  if (!sources) return failed(problems.front().to_string(), ErrorKind::invalid_argument);
  const ConfigResult config = load_settings(*sources);
  if (config.has_error()) return failed(config.error().front().to_string(), ErrorKind::invalid_argument);
  Place place;
  place.memory = config->get<MemorySettings>();
  Result<ListenAddress> address =
      parse_listen_address(address_ ? *address_ : config->get<ProxySettings>().listen.front());
  if (!address) return address.error();
  place.address = std::move(*address);
  place.data = data_ ? std::filesystem::path{*data_} : default_data_directory(process_variables());
  return place;
}

Result<json::value> ApiClient::ask(const Place& place, std::string_view method, const std::string& path,
                                   const std::string& body, bool& nobody_there) const {
  const Result<std::string> token = read_admin_token(place.data / "admin-token");
  nobody_there = !token;
  if (!token) return token.error();
  const std::string request = fmt::format(
      "{} {} HTTP/1.1\r\nHost: localhost:{}\r\nAuthorization: Bearer {}\r\nConnection: close\r\n"
      "Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{}",
      method, path, place.address.port, *token, body.size(), body);
  const Result<PlainAnswer> answer = plain_request(place.address, request, kPatience);
  nobody_there = !answer;
  if (!answer) return answer.error();
  return read_reply(answer->status, answer->body);
}

Result<json::value> ApiClient::ask(std::string_view method, const std::string& path, const std::string& body) const {
  const Result<Place> where = place();
  if (!where) return where.error();
  bool nobody_there = false;
  return ask(*where, method, path, body, nobody_there);
}

bool ApiClient::somebody_there() const {
  const Result<Place> where = place();
  bool nobody_there = true;
  if (where) (void)ask(*where, "GET", "/api/v1/version", "", nobody_there);
  return !nobody_there;
}

Result<void> ApiClient::follow(const std::string& path,
                               const std::function<bool(std::string_view kind, const json::value&)>& on_event,
                               const std::function<bool()>& on_idle) const {
  const Result<Place> where = place();
  if (!where) return where.error();
  const Result<std::string> token = read_admin_token(where->data / "admin-token");
  if (!token) return token.error();
  EventReader reader{[&on_event](std::string_view kind, std::string_view data) {
    boost::system::error_code not_json;
    const json::value value = json::parse(data, not_json);
    return not_json || on_event(kind, value);
  }};
  const std::string request =
      fmt::format("GET {} HTTP/1.1\r\nHost: localhost:{}\r\nAuthorization: Bearer {}\r\nConnection: close\r\n\r\n",
                  path, where->address.port, *token);
  const Result<PlainAnswer> ended = plain_stream(
      reachable(where->address), request, [&reader](std::string_view bytes) { return reader.feed(bytes); }, on_idle);
  if (!ended) return ended.error();
  if (ended->status == 200) return {};
  const Result<json::value> problem = read_reply(ended->status, ended->body);
  return problem ? failed("the running Outrider has no such stream") : problem.error();
}

Result<json::value> ApiClient::look(const std::string& path) const {
  const Result<Place> where = place();
  if (!where) return where.error();
  bool nobody_there = false;
  Result<json::value> answer = ask(*where, "GET", path, "", nobody_there);
  if (nobody_there) return look_at_files(where->memory, where->data, path);
  return answer;
}

std::string url_encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                       c == '.' || c == '_' || c == '~';
    if (plain) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

}  // namespace outrider::cli
