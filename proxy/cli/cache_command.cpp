// cache show, cache purge: what a running Outrider keeps, and how to be rid of it.
#include "proxy/cli/api_client.hpp"
#include "proxy/cli/command_line.hpp"
#include "proxy/cli/commands.hpp"
#include "proxy/cli/configuration.hpp"
#include "proxy/cli/locations.hpp"
#include "proxy/cli/output.hpp"
#include "proxy/cli/plain_request.hpp"
#include "proxy/settings.hpp"

#include <fmt/format.h>
#include <boost/json.hpp>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

namespace outrider::cli {
namespace {

namespace json = boost::json;

struct Options {
  ApiClient api;
  std::optional<std::string> url, prefix, site, older_than;
  bool all = false;
  bool forget = false;
  bool json = false;
};

int failed(std::string_view why) {
  complain(std::string{why});
  return kFailure;
}

int ask(const Options& options, std::string_view method, const std::string& path, const std::string& body,
        const std::function<int(const json::value&)>& show) {
  const Result<json::value> answer = options.api.ask(method, path, body);
  if (!answer) return failed(answer.error().detail);
  if (!options.json) return show(*answer);
  Output out;
  out.line(json::serialize(*answer));
  return out.finish();
}

int show(const Options& options) {
  return ask(options, "GET", "/api/v1/cache", "", [](const json::value& stats) {
    Output out;
    const json::object& disk = stats.at("disk").as_object();
    const auto size = [](const json::value& value) {
      const auto bytes = value.to_number<std::uint64_t>();
      if (bytes < 10'000) return fmt::format("{} bytes", bytes);
      if (bytes < 10'000'000) return fmt::format("{} KB", bytes / 1000);
      return fmt::format("{} MB", bytes / 1'000'000);
    };
    out.line(fmt::format("in memory  {} entries, {}", stats.at("memory").at("entries").to_number<std::uint64_t>(),
                         size(stats.at("memory").at("bytes"))));
    out.line(fmt::format("on disk    about {} entries, {} in {} files",
                         disk.at("entries_estimate").to_number<std::uint64_t>(), size(disk.at("bytes")),
                         disk.at("segments").to_number<std::uint64_t>()));
    if (!disk.at("on").as_bool())
      out.line(fmt::format("the disk is not used at the moment{}",
                           disk.contains("off_because") ? ": " + std::string{disk.at("off_because").as_string()} : ""));
    return out.finish();
  });
}

int purge(const Options& options) {
  json::object what;
  if (options.url) what["url"] = *options.url;
  if (options.prefix) what["prefix"] = *options.prefix;
  if (options.site) what["site"] = *options.site;
  if (options.all) what["all"] = true;
  if (options.older_than) what["older_than"] = *options.older_than;
  if (options.forget) what["forget"] = true;
  return ask(options, "POST", "/api/v1/cache/purge", json::serialize(what), [](const json::value& report) {
    Output out;
    out.line(fmt::format("{} entries removed, {} bytes", report.at("entries").to_number<std::uint64_t>(),
                         report.at("bytes").to_number<std::uint64_t>()));
    return out.finish();
  });
}

}  // namespace

void add_cache_commands(CommandLine& line) {
  const Command group = line.add_group("cache", "See and remove what a running Outrider keeps", "outrider cache show");
  const auto options = std::make_shared<Options>();
  const Command showing =
      line.add_command(group, "show", "How much is kept", "outrider cache show", [options] { return show(*options); });
  options->api.add_to(showing);
  showing.add_flag("--json", options->json, "Print JSON");
  const Command purging =
      line.add_command(group, "purge", "Remove what is kept of a page, a path, a site or everything",
                       "outrider cache purge --site example.com --forget", [options] { return purge(*options); });
  options->api.add_to(purging);
  purging.add_flag("--json", options->json, "Print JSON");
  purging.add_option("--url", options->url, "This address only").option_text("URL");
  purging.add_option("--prefix", options->prefix, "Everything whose address begins so").option_text("URL");
  purging.add_option("--site", options->site, "A host and its subdomains").option_text("HOST");
  purging.add_flag("--all", options->all, "Everything");
  purging.add_option("--older-than", options->older_than, "Only what was fetched longer ago, such as 30d")
      .option_text("TIME");
  purging.add_flag("--forget", options->forget, "Leave no trace of it in any file (slower)");
}

}  // namespace outrider::cli
