// linkcheck: a check by a running Outrider, and its report.
#include "plugins/linkcheck/link_report.hpp"
#include "proxy/cli/api_client.hpp"
#include "proxy/cli/command_line.hpp"
#include "proxy/cli/commands.hpp"
#include "proxy/cli/output.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <boost/json.hpp>

#include <memory>
#include <thread>

namespace outrider::cli {
namespace {

namespace json = boost::json;

constexpr std::string_view kBase = "/plugins/linkcheck/";
constexpr auto kLookEvery = std::chrono::milliseconds{500};

struct Options {
  ApiClient api;
  std::string url;
  bool site = false;
  bool as_json = false;
  bool as_csv = false;
};

Result<json::value> ask(const Options& options, std::string_view method, const std::string& path,
                        const std::string& body = "") {
  return options.api.ask(method, std::string{kBase} + path, body);
}

std::string progress_of(const json::value& report) {
  const json::value& counts = report.at("counts");
  return fmt::format("{}{} of {} links, {} dead, {} moved", kClearLine, counts.at("done").to_number<std::uint64_t>(),
                     counts.at("links").to_number<std::uint64_t>(), counts.at("dead").to_number<std::uint64_t>(),
                     counts.at("moved").to_number<std::uint64_t>());
}

// At a terminal one line says how far it is; on standard error, so that a file gets the report alone.
Result<LinkReport> wait_for(const Options& options, std::uint64_t id) {
  const bool terminal = ::isatty(STDERR_FILENO) == 1;
  const std::string place = fmt::format("reports/{}.json", id);
  Result<json::value> report = ask(options, "GET", place);
  while (report && report->at("state").as_string() == "running") {
    if (terminal) write_error_stream(progress_of(*report));
    std::this_thread::sleep_for(kLookEvery);
    report = ask(options, "GET", place);
  }
  if (terminal) write_error_stream(kClearLine);
  if (!report) return report.error();
  return report_from_json(json::serialize(*report));
}

std::string line_of(const CheckedLink& link) {
  std::string words{to_string(link.verdict)};
  if (link.insecure) words += ", insecure";
  if (link.slow) words += ", slow";
  std::string line = fmt::format("{:<18} {}", words, link.url);
  if (!link.leads_to.empty()) line += " → " + link.leads_to;
  if (!link.note.empty()) line += fmt::format("  ({})", link.note);
  if (!link.places.empty()) line += fmt::format("\n{:<18}   on {}", "", link.places.front().page);
  return line;
}

int show(const LinkReport& report) {
  Output out;
  for (const CheckedLink& link : report.links)
    if (link.is_problem()) out.line(line_of(link));
  const LinkReport::Counts counts = report.counts();
  out.line(fmt::format(
      "{} pages, {} links: {} dead, {} moved, {} insecure, {} slow; {} closed to robots, {} not checked", report.pages,
      counts.all, counts.dead, counts.moved, counts.insecure, counts.slow, counts.closed, counts.unchecked));
  return out.finish();
}

int check(const Options& options) {
  std::string form = "url=" + url_encoded(options.url);
  if (options.site) form += "&site=on";
  const Result<json::value> begun = ask(options, "POST", "check", form);
  if (!begun) {
    complain(begun.error().detail);
    return kFailure;
  }
  const Result<LinkReport> report = wait_for(options, begun->at("id").to_number<std::uint64_t>());
  if (!report) {
    complain(report.error().detail);
    return kFailure;
  }
  int code = kSuccess;
  if (options.as_json || options.as_csv) {
    Output out;
    out.write(options.as_json ? json::serialize(to_json(*report)) + "\n" : to_csv(*report));
    code = out.finish();
  } else {
    code = show(*report);
  }
  if (report->state != LinkReport::State::finished) {
    complain(fmt::format("{}: {}", to_string(report->state), report->why));
    return kFailure;
  }
  const LinkReport::Counts counts = report->counts();
  return counts.dead + counts.moved + counts.insecure + counts.slow > 0 ? kFailure : code;
}

}  // namespace

void add_linkcheck(CommandLine& line) {
  const auto options = std::make_shared<Options>();
  const Command command =
      line.add_command(line.app(), "linkcheck", "Find dead, moved, insecure and slow links, with a running Outrider",
                       "outrider linkcheck https://example.org/ --site", [options] { return check(*options); });
  options->api.add_to(command);
  command.add_option("url", options->url, "The page").option_text("URL").required();
  command.add_flag("--site", options->site, "All pages of its site");
  command.add_flag("--json", options->as_json, "The whole report as JSON");
  command.add_flag("--csv", options->as_csv, "The whole report as CSV");
}

}  // namespace outrider::cli
