// inspect url: how Outrider understands a URL.
#include "base/escape.hpp"
#include "base/url_inspect.hpp"
#include "proxy/cli/command_line.hpp"
#include "proxy/cli/commands.hpp"
#include "proxy/cli/line_loop.hpp"
#include "proxy/cli/output.hpp"

#include <fmt/format.h>
#include <boost/json.hpp>

#include <algorithm>
#include <memory>
#include <optional>

namespace outrider::cli {
namespace {

struct Options {
  std::string url;
  std::optional<std::string> base;
  bool json = false;
  bool ndjson = false;
};

bool is_failure(const boost::json::object& facts) {
  const auto* failure = facts.if_contains("failure");
  return failure != nullptr && *failure == boost::json::value(true);
}

void print_aligned(const boost::json::object& facts, Output& out) {
  std::size_t width = 0;
  for (const auto& fact : facts) width = std::max(width, fact.key().size());
  for (const auto& fact : facts) {
    const boost::json::value& value = fact.value();
    const std::string text =
        value.is_string() ? one_line(std::string_view(value.get_string())) : boost::json::serialize(value);
    const std::string_view key = fact.key();
    out.line(text.empty() ? std::string(key) : fmt::format("{:<{}}  {}", key, width, text));
  }
}

void complain_about(const Options& options, const boost::json::object& facts) {
  std::string message = fmt::format("{} is not a valid URL", quoted(utf8_prefix(options.url, 200)));
  if (options.base) message += fmt::format(" with the base {}", quoted(utf8_prefix(*options.base, 200)));
  if (const auto* reason = facts.if_contains("reason"); reason != nullptr && reason->is_string()) {
    message += fmt::format(": {}", std::string_view(reason->get_string()));
  }
  complain(message);
}

int inspect_one(const Options& options) {
  const std::optional<std::string_view> base = options.base;
  const boost::json::object facts = inspect_url(options.url, base);
  const bool failed = is_failure(facts);
  Output out;
  if (options.json) {
    out.line(boost::json::serialize(facts));
  } else if (failed) {
    complain_about(options, facts);
  } else {
    print_aligned(facts, out);
  }
  return out.finish(failed ? kFailure : kSuccess);
}

int inspect_stream() {
  Output out;
  return answer_lines(out, inspect_url_ndjson_line, R"({"failure":true,"error":"line longer than 1 MiB"})");
}

int inspect(const Options& options, bool has_url) {
  if (options.ndjson && !has_url && !options.base && !options.json) return inspect_stream();
  if (options.ndjson) {
    complain(
        "--ndjson reads URLs and bases from standard input: give no URL, --base or --json (see outrider inspect url "
        "--help)");
    return kUsage;
  }
  if (!has_url) {
    complain("a URL is missing (see outrider inspect url --help)");
    return kUsage;
  }
  return inspect_one(options);
}

}  // namespace

void add_inspect(CommandLine& line) {
  const Command group =
      line.add_group("inspect", "Show how Outrider understands something", "outrider inspect url https://example.com/");
  const auto options = std::make_shared<Options>();
  const auto url_option = std::make_shared<std::optional<CommandOption>>();
  const Command command = line.add_command(
      group, "url", "Print the parts of a URL (WHATWG URL standard)",
      "outrider inspect url ../b --base https://example.com/a/\n"
      "  echo '{\"input\":\"../b\",\"base\":\"https://example.com/a/\"}' | outrider inspect url --ndjson",
      [options, url_option] { return inspect(*options, (*url_option)->given()); });
  *url_option = command.add_option("url", options->url, "The URL").option_text("URL");
  command.add_option("--base", options->base, "Resolve it against this URL").option_text("URL");
  command.add_flag("--json", options->json, "Print one JSON object");
  command.add_flag("--ndjson", options->ndjson,
                   "Read {\"input\",\"base\"} objects from standard input, one per line; answer each");
  add_inspect_robots(line, group);
  add_inspect_encoding(line, group);
  add_inspect_links(line, group);
  add_inspect_language(line, group);
}

}  // namespace outrider::cli
