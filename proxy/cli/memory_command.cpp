// node, links, search, history, forget, stats: what Outrider remembers.
#include "base/escape.hpp"
#include "proxy/cli/api_client.hpp"
#include "proxy/cli/command_line.hpp"
#include "proxy/cli/commands.hpp"
#include "proxy/cli/output.hpp"
#include "proxy/cli/typed_url.hpp"

#include <fmt/format.h>

#include <array>
#include <memory>

namespace outrider::cli {
namespace {

namespace json = boost::json;

struct Options {
  ApiClient api;
  std::vector<std::string> words;
  std::string url;
  std::optional<std::string> site, last, user;
  std::size_t limit = 20;
  bool in = false, out = false, json = false, all = false;
};

int failed(const Error& error) {
  complain(error.detail);
  return error.kind == ErrorKind::invalid_argument ? kUsage : kFailure;  // the question was wrong, or the world
}

// Safe for a terminal: what pages say may be anything.
std::string text(const json::value& object, std::string_view name) {
  const json::value* value = object.as_object().if_contains(name);
  if (value == nullptr || value->is_null()) return {};
  return value->is_string() ? one_line(value->get_string()) : json::serialize(*value);
}

// "2026-11-16 15:04" of "2026-11-16T15:04:05Z"
std::string when(const json::value& object, std::string_view name) {
  std::string time = text(object, name);
  if (time.size() < 16) return "never";
  time[10] = ' ';
  return time.substr(0, 16);
}

void print(Output& out, std::string_view name, const std::string& value) {
  if (!value.empty() && value != "0" && value != "never") out.line(fmt::format("{:<14}{}", name, value));
}

// Asks, and shows the answer as JSON if that is wanted.
template <class Show>
int look(const Options& options, const std::string& path, Show show) {
  const Result<json::value> answer = options.api.look(path);
  if (!answer) return failed(answer.error());
  Output out;
  if (options.json) {
    out.line(json::serialize(*answer));
  } else {
    show(*answer, out);
  }
  return out.finish();
}

// "https://a.example/ → https://b.example/"
std::string chain_of(const json::value& node) {
  std::string chain;
  if (const json::value* hops = node.as_object().if_contains("redirect_chain"); hops != nullptr && hops->is_array())
    for (const json::value& hop : hops->get_array())
      if (hop.is_string()) chain += (chain.empty() ? "" : " \u2192 ") + std::string{hop.get_string()};
  return chain.empty() ? text(node, "redirects_to") : chain;
}

// What the origin is asked with when the page is looked at again.
std::string validators_of(const json::value& node) {
  const std::string etag = text(node, "etag"), modified = text(node, "last_modified");
  return etag + (etag.empty() || modified.empty() ? "" : ", ") + modified;
}

// "http" of a page that answered 404: its status says the rest.
std::string error_of(const json::value& node) {
  const std::string kind = text(node, "error"), detail = text(node, "error_text");
  if (kind == "none") return {};
  return detail.empty() ? kind : kind + ": " + detail;
}

int show_node(const Options& options) {
  const std::string path = "/api/v1/nodes?url=" + url_encoded(with_scheme(options.url));
  return look(options, path, [](const json::value& node, Output& out) {
    const json::value& page = node.at("page");
    print(out, "title", text(page, "title"));
    print(out, "address", text(node, "url"));
    print(out, "leads to", chain_of(node));
    print(out, "description", text(page, "description"));
    print(out, "author", text(page, "author"));
    print(out, "site", text(page, "site_name"));
    print(out, "published", when(page, "published"));
    print(out, "modified", when(page, "modified"));
    print(out, "canonical", text(page, "canonical"));
    print(out, "language", text(page, "language"));
    print(out, "type", text(node, "mime"));
    print(out, "size", text(node, "decoded_size"));
    print(out, "words", text(page, "word_count"));
    print(out, "status", text(node, "status"));
    print(out, "error", error_of(node));
    print(out, "validators", validators_of(node));
    print(out, "fetched", when(node, "last_fetched"));
    print(out, "changed", when(node, "last_changed"));
    print(out, "first seen", when(node, "first_seen"));
    print(out, "visits", text(node, "visits"));
    print(out, "last visit", when(node, "last_visit"));
    print(out, "links here", text(node, "in_degree"));
    print(out, "links out", text(node, "out_degree"));
  });
}

int show_links(const Options& options) {
  const std::string_view direction = options.in ? "in" : "out";
  const std::string path =
      fmt::format("/api/v1/links?url={}&direction={}&limit={}", url_encoded(with_scheme(options.url)), direction,
                  std::min<std::size_t>(options.limit, 1000));
  return look(options, path, [&](const json::value& answer, Output& out) {
    for (const json::value& link : answer.at("links").as_array())
      out.line(fmt::format("{:<10} {}{}{}", text(link, "kind"), text(link, options.in ? "source" : "target"),
                           text(link, "text").empty() ? "" : "  ", text(link, "text")));
    if (answer.at("links").as_array().empty())
      out.line(options.in ? "No page is known that links there." : "No links of it are known.");
    if (!answer.at("next").is_null()) out.line("(there are more: --limit)");
  });
}

int search(const Options& options) {
  const std::string query = fmt::format("{}", fmt::join(options.words, " "));
  const std::string path =
      fmt::format("/api/v1/search?q={}&limit={}", url_encoded(query), std::min<std::size_t>(options.limit, 100));
  return look(options, path, [](const json::value& answer, Output& out) {
    if (const std::string other = text(answer, "suggestion"); !other.empty()) out.line("Did you mean: " + other);
    for (const json::value& hit : answer.at("hits").as_array()) {
      const std::string title = text(hit, "title");
      const std::string more = text(hit, "folded");
      out.line((title.empty() ? text(hit, "url") : title) +
               (more == "0" ? "" : fmt::format("  ({} more like it)", more)));
      if (!title.empty()) out.line("  " + text(hit, "url"));
      if (const std::string snippet = text(hit, "snippet"); !snippet.empty()) out.line("  " + snippet);
    }
    if (answer.at("hits").as_array().empty()) out.line("Nothing found.");
  });
}

int show_history(const Options& options) {
  std::string path = fmt::format("/api/v1/visits?limit={}", std::min<std::size_t>(options.limit, 1000));
  if (options.site) path += "&site=" + url_encoded(*options.site);
  return look(options, path, [](const json::value& answer, Output& out) {
    for (const json::value& visit : answer.at("visits").as_array())
      out.line(fmt::format("{}  {}{}{}", when(visit, "at"), text(visit, "url"),
                           text(visit, "title").empty() ? "" : "  ", text(visit, "title")));
    if (answer.at("visits").as_array().empty()) out.line("No visits are remembered.");
  });
}

int show_stats(const Options& options) {
  return look(options, "/api/v1/memory", [](const json::value& stats, Output& out) {
    for (const json::key_value_pair& each : stats.as_object())
      out.line(fmt::format("{:<16}{}", std::string_view{each.key()}, json::serialize(each.value())));
  });
}

// "12 pages, 25 visits, 30 stored copies"; "" of a report in which all is zero.
std::string counts_of(const json::value& report) {
  struct Count {
    const char *place, *one, *many;
  };
  static constexpr std::array<Count, 9> kCounts{{
      {"/memory/pages", "page", "pages"},
      {"/memory/visits", "visit", "visits"},
      {"/memory/links", "link", "links"},
      {"/memory/events", "event", "events"},
      {"/cache/entries", "stored copy", "stored copies"},
      {"/robot/tasks", "task of the robot", "tasks of the robot"},
      {"/robot/urls", "address in its queues", "addresses in its queues"},
      {"/robot/hosts", "note on a host", "notes on hosts"},
      {"/watches", "watch", "watches"},
  }};
  std::string counts;
  for (const Count& each : kCounts) {
    boost::system::error_code missing;
    const json::value* value = report.find_pointer(each.place, missing);
    const std::uint64_t number = value != nullptr ? value->to_number<std::uint64_t>() : 0;
    if (number > 0)
      counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", number, number == 1 ? each.one : each.many);
  }
  return counts;
}

// What was named as that which is to be forgotten.
std::vector<std::string> named(const Options& options) {
  std::vector<std::string> names;
  if (!options.url.empty()) names.push_back(outrider::quoted(options.url));
  if (options.last) names.emplace_back("--last");
  if (options.user) names.emplace_back("--user");
  if (options.all) names.emplace_back("--all");
  return names;
}

int forget(const Options& options) {
  const std::vector<std::string> names = named(options);
  if (names.empty()) {
    complain("say what: a host, an address, --last 1h, --user NAME or --all (see outrider forget --help)");
    return kUsage;
  }
  if (names.size() > 1) {
    complain(fmt::format("{} were given together: give one of them", fmt::join(names, " and ")));
    return kUsage;
  }
  json::object question;
  if (options.all) question["all"] = true;
  if (options.last) question["last"] = *options.last;
  if (options.user) question["user"] = *options.user;
  if (!options.url.empty()) question[options.url.find("://") == std::string::npos ? "site" : "url"] = options.url;
  const Result<json::value> answer = options.api.ask("POST", "/api/v1/forget", json::serialize(question));
  if (!answer) return failed(answer.error());
  const std::string counts = counts_of(*answer);
  Output out;
  if (options.json) {
    out.line(json::serialize(*answer));
  } else {
    out.line(counts.empty() ? "Nothing was known of it." : "Forgotten: " + counts + ".");
  }
  return out.finish();
}

}  // namespace

void add_memory_commands(CommandLine& line) {
  const auto add = [&line](const char* name, const char* description, const char* example,
                           int (*action)(const Options&)) {
    const auto options = std::make_shared<Options>();
    const Command command =
        line.add_command(line.app(), name, description, example, [options, action] { return action(*options); });
    options->api.add_to(command);
    command.add_flag("--json", options->json, "Print JSON");
    return std::pair{command, options};
  };
  const auto limited = [](const auto& added) {
    added.first.add_option("--limit", added.second->limit, "Not more than so many (default: 20)")
        .option_text("N")
        .at_least_one();
  };
  const auto node = add("node", "What is known about an address", "outrider node https://example.com/", show_node);
  node.first.add_option("url", node.second->url, "The address").option_text("URL").required();
  const auto links =
      add("links", "Where a page leads, or what leads there", "outrider links https://example.com/ --in", show_links);
  links.first.add_option("url", links.second->url, "The address").option_text("URL").required();
  links.first.add_flag("--in", links.second->in, "The pages that link to it");
  links.first.add_flag("--out", links.second->out, "The pages it links to (the default)");
  limited(links);
  const auto searching =
      add("search", "Find pages by their words", "outrider search water clock -tower site:example.com", search);
  searching.first.add_option("words", searching.second->words, "Words, \"phrases\", filters (docs/search.md)")
      .option_text("WORD...")
      .required();
  line.take_dashed_words(searching.first);
  limited(searching);
  const auto history = add("history", "The pages that were visited, the last one first",
                           "outrider history --site example.com", show_history);
  history.first.add_option("--site", history.second->site, "Only this host and what is below it").option_text("HOST");
  limited(history);
  const auto forgetting = add("forget", "Remove from memory, search and cache, so that no file contains it any more",
                              "outrider forget example.com\n  outrider forget --last 1h", forget);
  forgetting.first.add_option("what", forgetting.second->url, "A host with everything below it, or one address")
      .option_text("HOST|URL");
  forgetting.first.add_option("--last", forgetting.second->last, "What was seen in this time, such as 1h")
      .option_text("TIME");
  forgetting.first
      .add_option("--user", forgetting.second->user, "What belongs to this person: own pages, visits, places in search")
      .option_text("NAME");
  forgetting.first.add_flag("--all", forgetting.second->all, "Everything");
  add("stats", "How much is remembered", "outrider stats", show_stats);
}

}  // namespace outrider::cli
