// The commands of the program, one file each. Each function adds a command with its options to the command line.
#pragma once

namespace outrider::cli {

class Command;
class CommandLine;

void add_version(CommandLine& line);                                 // version.cpp: --version
void add_serve(CommandLine& line);                                   // serve.cpp
void add_inspect(CommandLine& line);                                 // inspect.cpp: inspect url, and those below
void add_inspect_robots(CommandLine& line, const Command& group);    // inspect_robots.cpp
void add_inspect_encoding(CommandLine& line, const Command& group);  // inspect_encoding.cpp
void add_inspect_links(CommandLine& line, const Command& group);     // inspect_page.cpp
void add_inspect_language(CommandLine& line, const Command& group);  // inspect_page.cpp
void add_config(CommandLine& line);                                  // config_command.cpp: config show, check, default
void add_cache_commands(CommandLine& line);                          // cache_command.cpp: cache show, purge
void add_ca_commands(CommandLine& line);      // ca_command.cpp: ca show, export, install, remove, renew
void add_browser(CommandLine& line);          // browser_command.cpp
void add_user_commands(CommandLine& line);    // user.cpp: user add, remove, list, token
void add_memory_commands(CommandLine& line);  // memory_command.cpp: node, links, search, history, forget, stats
void add_crawl(CommandLine& line);            // crawl_command.cpp
void add_watch(CommandLine& line);            // watch_command.cpp
void add_linkcheck(CommandLine& line);        // linkcheck_command.cpp
void add_tasks_commands(CommandLine& line);   // tasks_command.cpp: tasks list, show, add, …
void add_top(CommandLine& line);              // top_command.cpp
void add_completion(CommandLine& line);       // completion_command.cpp: completion bash, zsh, fish
void add_man(CommandLine& line);              // man_command.cpp

}  // namespace outrider::cli
