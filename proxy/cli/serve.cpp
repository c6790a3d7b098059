#include "proxy/cli/serve.hpp"

#include "base/log.hpp"
#include "proxy/cli/command_line.hpp"
#include "proxy/cli/commands.hpp"
#include "proxy/cli/configuration.hpp"
#include "proxy/cli/data_directory.hpp"
#include "proxy/cli/locations.hpp"
#include "proxy/cli/output.hpp"
#include "proxy/cli/plugin_set.hpp"

#include <sys/stat.h>

#include <memory>

namespace outrider::cli {
namespace {

struct Arguments {
  ConfigOptions config;
  std::optional<std::string> data;
  std::optional<std::string> listen;
  std::optional<std::string> ready_file;
  bool check_config = false;
};

int serve(Arguments& given) {
  if (given.listen) given.config.override_key({"proxy.listen", *given.listen, "--listen"});
  ConfigProblems problems;
  if (given.data && given.data->empty()) problems.push_back({"--data", 0, 0, "", "the name is empty"});
  if (given.ready_file && given.ready_file->empty())
    problems.push_back({"--ready-file", 0, 0, "", "the name is empty"});
  const auto sources = given.config.sources(problems);
  if (!sources) {
    complain(problems);
    return kUsage;
  }
  PluginSet plugins = find_plugins(*sources);
  ConfigResult loaded = load_config(settings_schema(plugins), *sources);
  if (loaded.has_error()) {
    complain(loaded.error());
    // A plugin that was not loaded could not say what its settings are.
    for (const PluginHost::Refused& refused : plugins.refused) complain(refused.reason);
    return kUsage;
  }
  warn_of_misspelt_plugins(*loaded, plugins);
  if (given.check_config) {
    if (const ConfigProblems found = check_on_this_machine(*loaded); !found.empty()) {
      complain(found);
      return kUsage;
    }
    Output out;
    out.line("the configuration is correct");
    return out.finish();
  }

  ServeOptions options;
  options.data_directory =
      given.data ? std::filesystem::path(*given.data) : default_data_directory(process_variables());
  if (given.ready_file) options.ready_file = *given.ready_file;
  options.sources = *sources;
  options.plugins = std::move(plugins.found);
  options.refused_plugins = std::move(plugins.refused);
  Config config = *loaded;
  if (const auto configured = log::configure(config.get<LogSettings>()); !configured) {
    complain(configured.error().detail);
    return kFailure;
  }
  ::umask(077);  // whatever is written from now on, by whichever library: what a person reads is theirs
  const auto directory = DataDirectory::open(options.data_directory);
  if (!directory) {
    complain(directory.error().detail);
    return kFailure;
  }
  return run_server(options, config);
}

}  // namespace

void add_serve(CommandLine& line) {
  const auto given = std::make_shared<Arguments>();
  const Command command =
      line.add_command(line.app(), "serve", "Run the proxy",
                       "outrider serve --listen 127.0.0.1:8282 --data /var/lib/outrider --set log.level=debug",
                       [given] { return serve(*given); });
  command.add_footer(
      "\n\nSignals:\n"
      "  SIGTERM, SIGINT           Stop when running requests have ended (timeouts.drain); a second one: at once\n"
      "  SIGHUP                    Read the configuration again and reopen the logs");
  given->config.add_to(command);
  command
      .add_option("--data", given->data,
                  "Directory for everything Outrider remembers (default: ~/.local/share/outrider)")
      .option_text("DIR");
  command.add_option("--listen", given->listen, "Address and port for browsers; short for --set proxy.listen=…")
      .option_text("HOST:PORT");
  command.add_option("--ready-file", given->ready_file, "Write this file when connections are accepted")
      .option_text("FILE");
  command.add_flag("--check-config", given->check_config, "Only say whether the configuration is correct");
}

}  // namespace outrider::cli
