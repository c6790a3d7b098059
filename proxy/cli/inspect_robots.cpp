// inspect robots: may the robot fetch this?
#include "base/escape.hpp"
#include "proxy/cli/command_line.hpp"
#include "proxy/cli/commands.hpp"
#include "proxy/cli/line_loop.hpp"
#include "proxy/cli/output.hpp"
#include "robot/robots_inspect.hpp"
#include "robot/robots_txt.hpp"

#include <fmt/format.h>
#include <boost/json.hpp>

#include <fstream>
#include <memory>
#include <optional>

namespace outrider::cli {
namespace {

struct Options {
  std::string file;
  std::string url;
  std::string agent = "Outrider";
  bool json = false;
  bool ndjson = false;
};

// One byte more than counts, so that the parser knows that there was more.
std::optional<std::string> read_robots_txt(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string bytes(kRobotsTxtBytes + 1, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (file.bad()) return std::nullopt;
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return bytes;
}

void print(const boost::json::object& facts, const Options& options, Output& out) {
  const bool allowed = facts.at("allowed").as_bool();
  out.line(fmt::format("{} {} fetch {}", options.agent, allowed ? "may" : "may not", one_line(options.url)));
  const auto* rule = facts.if_contains("rule");
  out.line(rule != nullptr ? fmt::format("  {}", one_line(std::string_view(rule->get_string())))
                           : std::string("  no rule speaks about it"));
  if (const auto* delay = facts.if_contains("crawl_delay")) {
    out.line(fmt::format("  Crawl-delay: {} s", delay->as_double()));
  }
  if (const auto* sitemaps = facts.if_contains("sitemaps")) {
    for (const auto& sitemap : sitemaps->as_array()) {
      out.line(fmt::format("  Sitemap: {}", one_line(std::string_view(sitemap.get_string()))));
    }
  }
}

int inspect(const Options& options) {
  if (options.ndjson) {
    if (!options.file.empty()) {
      complain("--ndjson reads everything from standard input: give no FILE (see outrider inspect robots --help)");
      return kUsage;
    }
    Output out;
    return answer_lines(out, inspect_robots_ndjson_line, R"({"error":"line longer than 1 MiB"})");
  }
  if (options.file.empty() || options.url.empty()) {
    complain("a file or a URL is missing (see outrider inspect robots --help)");
    return kUsage;
  }
  const auto robots = read_robots_txt(options.file);
  if (!robots) {
    complain(fmt::format("{} cannot be read", outrider::quoted(options.file)));
    return kFailure;
  }
  const boost::json::object facts = inspect_robots(*robots, options.agent, options.url);
  Output out;
  if (options.json) {
    out.line(boost::json::serialize(facts));
  } else {
    print(facts, options, out);
  }
  return out.finish(kSuccess);
}

}  // namespace

void add_inspect_robots(CommandLine& line, const Command& group) {
  const auto options = std::make_shared<Options>();
  const Command command = line.add_command(
      group, "robots", "Tell whether a robots.txt lets the robot fetch a URL (RFC 9309)",
      "outrider inspect robots robots.txt https://example.com/private/\n"
      "  echo '{\"robots\":\"User-agent: *\\nDisallow: /x\",\"agent\":\"FooBot\",\"url\":\"https://example.com/x\"}' "
      "| outrider inspect robots --ndjson",
      [options] { return inspect(*options); });
  command.add_option("file", options->file, "The robots.txt").option_text("FILE");
  command.add_option("url", options->url, "The URL, or its path").option_text("URL");
  command.add_option("--agent", options->agent, "Name of the robot (default: Outrider)").option_text("NAME");
  command.add_flag("--json", options->json, "Print one JSON object");
  command.add_flag("--ndjson", options->ndjson,
                   "Read {\"robots\",\"agent\",\"url\"} objects from standard input, one per line; answer each");
}

}  // namespace outrider::cli
