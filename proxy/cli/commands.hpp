// The commands of the program, one file each. Each function adds a command with its options to the command line.
#pragma once

namespace CLI {
class App;
}

namespace outrider::cli {

class CommandLine;

void add_version(CommandLine& line);         // version.cpp: --version
void add_serve(CommandLine& line);           // serve.cpp
void add_inspect(CommandLine& line);         // inspect.cpp: inspect url
void add_inspect_robots(CommandLine& line);  // inspect_robots.cpp, after add_inspect
void add_config(CommandLine& line);          // config_command.cpp: config show, check, default
void add_cache_commands(CommandLine& line);  // cache_command.cpp: cache show, purge
void add_search(CommandLine& line);          // search_command.cpp
void add_ca_commands(CommandLine& line);     // ca_command.cpp: ca show, export, install, remove, renew
void add_browser(CommandLine& line);         // browser_command.cpp
void add_user_commands(CommandLine& line);   // user.cpp: user add, remove, list, token
void add_crawl(CommandLine& line);           // crawl_command.cpp
void add_version(CommandLine& line);                            // version.cpp: --version
void add_serve(CommandLine& line);                              // serve.cpp
void add_inspect(CommandLine& line);                            // inspect.cpp: inspect url
void add_inspect_links(CommandLine& line, CLI::App& group);     // inspect_page.cpp
void add_inspect_language(CommandLine& line, CLI::App& group);  // inspect_page.cpp
void add_config(CommandLine& line);                             // config_command.cpp: config show, check, default
void add_cache_commands(CommandLine& line);                     // cache_command.cpp: cache show, purge
void add_ca_commands(CommandLine& line);    // ca_command.cpp: ca show, export, install, remove, renew
void add_browser(CommandLine& line);        // browser_command.cpp
void add_user_commands(CommandLine& line);  // user.cpp: user add, remove, list, token
// inspect_encoding.cpp: inspect encoding. After add_inspect.
void add_inspect_encoding(CommandLine& line);

}  // namespace outrider::cli
