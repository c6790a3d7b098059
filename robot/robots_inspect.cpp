#include "robot/robots_inspect.hpp"

#include "base/url.hpp"
#include "base/url_inspect.hpp"
#include "base/utf8.hpp"
#include "robot/robots_txt.hpp"

#include <openssl/evp.h>
#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <optional>

namespace outrider {
namespace {

namespace json = boost::json;

std::optional<std::string> text_of(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return std::string(std::string_view(value->get_string()));
}

std::optional<std::string> decoded_base64(std::string_view text) {
  std::string bytes(text.size() / 4 * 3 + 3, '\0');
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                   reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
  if (size < 0) return std::nullopt;
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
  bytes.resize(static_cast<std::size_t>(size) - padding);
  return bytes;
}

// What the robot would be asked for: the path and query of a URL as browsers parse it.
std::string path_of(std::string_view url) {
  if (url.starts_with('/')) return std::string(url.substr(0, url.find('#')));
  const Result<Url> parsed = Url::parse(url);
  return parsed ? std::string(parsed->path_and_query()) : std::string("/");
}

}  // namespace

json::object inspect_robots(std::string_view robots, std::string_view agent, std::string_view url) {
  const RobotsTxt txt = RobotsTxt::parse(robots, agent);
  const RobotsVerdict verdict = txt.check_path(path_of(url));
  json::object facts{{"allowed", verdict.allowed}};
  if (const std::string rule = txt.describe(verdict); !rule.empty()) facts["rule"] = rule;
  if (txt.crawl_delay()) facts["crawl_delay"] = std::chrono::duration<double>(*txt.crawl_delay()).count();
  if (!txt.sitemaps().empty()) {
    json::array sitemaps;
    for (const std::string& sitemap : txt.sitemaps()) {
      sitemaps.emplace_back(is_valid_utf8(sitemap) ? sitemap : replace_invalid_utf8(sitemap));
    }
    facts["sitemaps"] = std::move(sitemaps);
  }
  return facts;
}

std::string inspect_robots_ndjson_line(std::string_view line) {
  std::string text = replace_lone_surrogates(line);
  if (!is_valid_utf8(text)) text = replace_invalid_utf8(text);
  boost::system::error_code code;
  const json::value value = json::parse(text, code);
  if (code) return json::serialize(json::object{{"error", "not JSON: " + code.message()}});
  const json::object* object = value.if_object();
  if (object == nullptr) return R"({"error":"not an object"})";
  std::optional<std::string> robots = text_of(*object, "robots");
  if (!robots) robots = text_of(*object, "robots_b64");
  const auto agent = text_of(*object, "agent");
  const auto url = text_of(*object, "url");
  if (!robots || !agent || !url)
    return R"({"error":"not an object with the strings \"robots\", \"agent\" and \"url\""})";
  if (!object->contains("robots")) {
    robots = decoded_base64(*robots);
    if (!robots) return R"({"error":"\"robots_b64\" is not base64"})";
  }
  return json::serialize(inspect_robots(*robots, *agent, *url));
}

}  // namespace outrider
