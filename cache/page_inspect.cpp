#include "cache/page_inspect.hpp"

#include "base/url_inspect.hpp"
#include "base/utf8.hpp"
#include "cache/language.hpp"
#include "cache/page_reader.hpp"
#include "cache/page_scan.hpp"

#include <boost/json.hpp>

#include <array>
#include <cmath>
#include <optional>
#include <utility>

namespace outrider {
namespace {

namespace json = boost::json;

json::object error(std::string_view message) {
  return {{"error", message}};
}

json::object describe(const Link& link) {
  constexpr std::array<std::pair<std::uint16_t, std::string_view>, 8> kFlags{{
      {LinkFlags::nofollow, "nofollow"},
      {LinkFlags::ugc, "ugc"},
      {LinkFlags::sponsored, "sponsored"},
      {LinkFlags::noopener, "noopener"},
      {LinkFlags::noreferrer, "noreferrer"},
      {LinkFlags::new_window, "new_window"},
      {LinkFlags::download, "download"},
      {LinkFlags::in_navigation, "in_navigation"},
  }};
  json::array flags;
  for (const auto& [flag, name] : kFlags)
    if (link.has(flag)) flags.emplace_back(name);
  json::object out{
      {"target", link.target}, {"kind", to_string(link.kind)}, {"reach", to_string(link.reach)}, {"text", link.text},
      {"rel", link.rel},       {"position", link.position},    {"flags", std::move(flags)}};
  if (!link.hreflang.empty()) out["hreflang"] = link.hreflang;
  return out;
}

json::object describe(const DetectedLanguage& language) {
  return {{"language", language.code},
          {"confidence", std::round(language.confidence * 1000.0) / 1000},
          {"letters", language.letters}};
}

// The object in a line; the reason why there is none goes to `problem`.
std::optional<json::object> parse_object(std::string_view line, std::string& problem) {
  std::string text = replace_lone_surrogates(line);
  if (!is_valid_utf8(text)) text = replace_invalid_utf8(text);
  boost::system::error_code code;
  json::value value = json::parse(text, code);
  if (code) {
    problem = "not JSON: " + code.message();
  } else if (!value.is_object()) {
    problem = "not an object";
  } else {
    return std::move(value.get_object());
  }
  return std::nullopt;
}

std::optional<std::string_view> member(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return std::string_view(value->get_string());
}

}  // namespace

json::object inspect_links(std::string_view html, std::string_view url, std::string_view charset) {
  const Result<Url> page = Url::parse(url);
  if (!page) return error("not a valid URL: " + page.error().detail);
  const PageScan scan = scan_page(html, *page, charset);
  json::array links;
  for (const Link& link : scan.links) links.push_back(describe(link));
  return {{"title", scan.page.title},
          {"description", scan.page.description},
          {"canonical", scan.page.canonical},
          {"declared_language", scan.page.declared_language},
          {"too_much_for_tree", scan.too_much_for_tree},
          {"links", std::move(links)}};
}

json::object inspect_language_of_text(std::string_view text, std::string_view declared) {
  return describe(detect_language(text, declared));
}

json::object inspect_language_of_page(std::string_view html) {
  const Url nowhere = Url::parse("about:blank").value();
  PageScan scan = scan_page(html, nowhere);
  read_page(html, scan);
  return describe(scan.page.language);
}

std::string inspect_links_ndjson_line(std::string_view line) {
  std::string problem;
  const auto object = parse_object(line, problem);
  if (!object) return json::serialize(error(problem));
  const auto html = member(*object, "html");
  const auto url = member(*object, "url");
  if (!html || !url) return json::serialize(error("not an object with strings \"html\" and \"url\""));
  return json::serialize(inspect_links(*html, *url, member(*object, "charset").value_or("")));
}

std::string inspect_language_ndjson_line(std::string_view line) {
  std::string problem;
  const auto object = parse_object(line, problem);
  if (!object) return json::serialize(error(problem));
  if (const auto text = member(*object, "text")) {
    return json::serialize(inspect_language_of_text(*text, member(*object, "declared").value_or("")));
  }
  if (const auto html = member(*object, "html")) return json::serialize(inspect_language_of_page(*html));
  return json::serialize(error("not an object with a string \"text\" or \"html\""));
}

}  // namespace outrider
