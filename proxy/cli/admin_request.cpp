#include "proxy/cli/admin_request.hpp"

#include "proxy/cli/admin_token.hpp"
#include "proxy/cli/locations.hpp"
#include "proxy/cli/plain_request.hpp"
#include "proxy/settings.hpp"

#include <fmt/format.h>

namespace outrider::cli {
namespace {

namespace json = boost::json;

Error mistaken(std::string detail) {
  return Error{ErrorKind::invalid_argument, Side::self, std::move(detail)};
}

// Where it listens: what was said, or the first address of the configuration.
Result<ListenAddress> address_of(const AdminOptions& options) {
  std::string text = options.address.value_or("");
  if (text.empty()) {
    ConfigProblems problems;
    const auto sources = options.config.sources(problems);
    if (!sources) return mistaken(problems.empty() ? "the configuration cannot be read" : problems.front().to_string());
    const ConfigResult config = load_config(settings_schema(), *sources);
    if (config.has_error()) return mistaken(config.error().front().to_string());
    text = config->get<ProxySettings>().listen.front();
  }
  return parse_listen_address(text);
}

}  // namespace

void AdminOptions::add_to(CLI::App& command) {
  config.add_to(command);
  command.add_option("--data", data, "Data directory of the running Outrider")->option_text("DIR");
  command.add_option("--address", address, "Where it listens (default: what the configuration says)")
      ->option_text("HOST:PORT");
}

std::filesystem::path AdminOptions::data_folder() const {
  return data ? std::filesystem::path{*data} : default_data_directory(process_variables());
}

Result<json::value> admin_request(const AdminOptions& options, std::string_view method, std::string_view path,
                                  const std::string& body, Duration patience) {
  const Result<ListenAddress> address = address_of(options);
  if (!address) return address.error();
  const Result<std::string> token = read_admin_token(options.data_folder() / "admin-token");
  if (!token) return token.error();
  const std::string request = fmt::format(
      "{} {} HTTP/1.1\r\nHost: localhost:{}\r\nAuthorization: Bearer {}\r\nConnection: close\r\n"
      "Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{}",
      method, path, address->port, *token, body.size(), body);
  const Result<PlainAnswer> answer = plain_request(*address, request, patience);
  if (!answer) return answer.error();
  boost::system::error_code not_json;
  json::value value = json::parse(answer->body, not_json);
  if (answer->status == 200 && !not_json) return value;
  if (!not_json && value.is_object() && value.get_object().contains("detail"))
    return Error{ErrorKind::invalid_argument, Side::self, std::string{value.at("detail").as_string()}};
  return Error{ErrorKind::bad_message, Side::self,
               fmt::format("the running Outrider answered {}{}", answer->status,
                           answer->status == 401 ? ": the token of this data directory is not its token" : "")};
}

}  // namespace outrider::cli
