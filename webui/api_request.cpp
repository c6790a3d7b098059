#include "webui/api_request.hpp"

#include "base/url_percent.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>

namespace outrider::webui {
namespace {

std::string decoded(std::string_view text) {
  std::string plain{text};
  std::replace(plain.begin(), plain.end(), '+', ' ');
  return percent_decode(plain);
}

const std::string* value_of(const std::vector<std::pair<std::string, std::string>>& pairs, std::string_view name) {
  const auto found = std::find_if(pairs.begin(), pairs.end(), [name](const auto& pair) { return pair.first == name; });
  return found == pairs.end() ? nullptr : &found->second;
}

}  // namespace

std::string_view to_string(Role role) {
  static constexpr std::string_view kNames[] = {"nobody", "user", "reader", "admin"};
  return kNames[static_cast<std::size_t>(role)];
}

QueryPairs parse_query(std::string_view query) {
  QueryPairs pairs;
  while (!query.empty()) {
    const std::string_view part = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), part.size() + 1));
    if (part.empty()) continue;
    const std::size_t equals = part.find('=');
    pairs.emplace_back(decoded(part.substr(0, equals)),
                       equals == std::string_view::npos ? std::string{} : decoded(part.substr(equals + 1)));
  }
  return pairs;
}

std::optional<std::string_view> ApiRequest::parameter(std::string_view name) const {
  const std::string* value = value_of(query, name);
  return value == nullptr ? std::nullopt : std::optional<std::string_view>{*value};
}

std::string_view ApiRequest::in_path(std::string_view name) const {
  const std::string* value = value_of(path_values, name);
  return value == nullptr ? std::string_view{} : std::string_view{*value};
}

ApiReply ApiReply::of(const json::value& value, int status) {
  ApiReply reply;
  reply.status = status;
  reply.body = json::serialize(value) + "\n";
  return reply;
}

ApiReply ApiReply::text(std::string_view type, std::string body) {
  ApiReply reply;
  reply.content_type = type;
  reply.body = std::move(body);
  return reply;
}

ApiReply ApiReply::nothing() {
  ApiReply reply;
  reply.status = 204;
  reply.content_type.clear();
  return reply;
}

}  // namespace outrider::webui
