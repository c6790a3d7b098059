// search: looks through everything that is kept, by asking a running Outrider; where none runs, in the index on disk.
#include "base/escape.hpp"
#include "base/url_percent.hpp"
#include "cache/search_index.hpp"
#include "proxy/cli/admin_request.hpp"
#include "proxy/cli/command_line.hpp"
#include "proxy/cli/commands.hpp"
#include "proxy/cli/output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <vector>

namespace outrider::cli {
namespace {

namespace json = boost::json;

constexpr auto kPatience = std::chrono::seconds{20};

struct Options {
  AdminOptions admin;
  std::vector<std::string> words;
  std::size_t limit = 10, offset = 0;
  bool as_json = false;

  std::string query() const { return fmt::format("{}", fmt::join(words, " ")); }
};

// As the API writes it, so that whoever reads JSON need not know who answered.
json::value as_json(const SearchAnswer& answer) {
  json::array hits;
  for (const SearchHit& hit : answer.hits) {
    json::array highlights;
    for (const auto& [begin, end] : hit.highlights) highlights.push_back(json::array{begin, end});
    hits.push_back(json::object{{"url", hit.url},
                                {"title", hit.title},
                                {"snippet", hit.snippet},
                                {"highlights", std::move(highlights)},
                                {"score", hit.score},
                                {"language", hit.language},
                                {"mime", hit.mime},
                                {"visits", hit.visit_count},
                                {"in_degree", hit.in_degree},
                                {"folded", hit.folded}});
  }
  return json::object{{"hits", std::move(hits)},
                      {"estimated_total", answer.estimated_total},
                      {"suggestion", answer.suggestion},
                      {"took_us", answer.took_us}};
}

Result<json::value> ask_the_disk(const Options& options) {
  SearchIndexOptions where;
  where.folder = options.admin.data_folder() / "search";
  const auto index = SearchIndex::open_read_only(std::move(where));
  if (!index) return index.error();
  const WallTime now = Clock::system().now();
  const auto answer = (*index)->query(Viewer{}, {options.query(), options.offset, options.limit}, now);
  if (!answer) return answer.error();
  return as_json(*answer);
}

Result<json::value> ask(const Options& options) {
  std::string path = "/api/v1/search?q=";
  append_percent_encoded(path, options.query(), EncodeSet::component);
  path += fmt::format("&limit={}", options.limit);
  if (options.offset > 0) path += fmt::format("&cursor={}", options.offset);
  Result<json::value> answer = admin_request(options.admin, "GET", path, "", kPatience);
  if (answer || answer.error().kind == ErrorKind::invalid_argument) return answer;  // the question is at fault
  Result<json::value> stored = ask_the_disk(options);
  // "no Outrider answers at …" is the better complaint where there is no index either.
  return stored || stored.error().kind == ErrorKind::invalid_argument ? stored : answer;
}

std::string text_of(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  return value != nullptr && value->is_string() ? std::string{value->get_string()} : std::string{};
}

void show_hit(Output& out, const json::object& hit, bool colours) {
  const std::string title = text_of(hit, "title"), url = text_of(hit, "url"), snippet = text_of(hit, "snippet");
  out.line(
      fmt::format("{}{}{}", colours ? "\x1b[1m" : "", one_line(title.empty() ? url : title), colours ? "\x1b[0m" : ""));
  std::string facts;
  if (const auto* folded = hit.if_contains("folded"); folded != nullptr && folded->to_number<std::uint64_t>() > 0)
    facts = fmt::format("  ({} more like it)", folded->to_number<std::uint64_t>());
  out.line("  " + one_line(url) + facts);
  if (!snippet.empty()) out.line("  " + one_line(snippet));
}

int search(const Options& options) {
  const Result<json::value> answer = ask(options);
  if (!answer) {
    complain(answer.error().detail);
    return answer.error().kind == ErrorKind::invalid_argument ? kUsage : kFailure;
  }
  Output out;
  if (options.as_json) {
    out.line(json::serialize(*answer));
    return out.finish();
  }
  const json::object* object = answer->if_object();
  const json::value* hits = object == nullptr ? nullptr : object->if_contains("hits");
  if (hits == nullptr || !hits->is_array()) {
    complain("the answer has no hits: is this Outrider of another version?");
    return kFailure;
  }
  const std::string suggestion = text_of(*object, "suggestion");
  if (!suggestion.empty()) out.line("Did you mean: " + one_line(suggestion));
  for (const json::value& hit : hits->get_array())
    if (hit.is_object()) show_hit(out, hit.get_object(), isatty(STDOUT_FILENO) != 0);
  if (hits->get_array().empty()) out.line("Nothing found.");
  return out.finish();
}

}  // namespace

void add_search(CommandLine& line) {
  const auto options = std::make_shared<Options>();
  CLI::App& command =
      line.add_command(line.app(), "search", "Search everything that is kept (docs/search.md)",
                       "outrider search red house site:example.org", [options] { return search(*options); });
  options->admin.add_to(command);
  command.add_option("words", options->words, "Words, \"phrases\", filters; -not after a --")->required();
  command.add_option("--limit", options->limit, "So many at most")->option_text("N")->check(CLI::Range(1, 100));
  command.add_option("--offset", options->offset, "Leave out the first ones")
      ->option_text("N")
      ->check(CLI::Range(0, 1000));
  command.add_flag("--json", options->as_json, "As JSON, for programs");
}

}  // namespace outrider::cli
