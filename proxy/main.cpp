// The program: the table of its commands, and the last catch.
#include "proxy/cli/command_line.hpp"
#include "proxy/cli/commands.hpp"
#include "proxy/cli/output.hpp"

#include <exception>
#include <new>

int main(int argc, char** argv) {
  using namespace outrider::cli;
  try {
    secure_standard_streams();
    CommandLine line("outrider", "A caching forward proxy with a robot inside.");
    add_version(line);
    add_serve(line);
    add_inspect(line);
    add_config(line);
    add_browser(line);
    add_ca_commands(line);
    add_cache_commands(line);
    add_user_commands(line);
    add_memory_commands(line);
    add_crawl(line);
    add_watch(line);
    add_linkcheck(line);
    add_tasks_commands(line);
    add_top(line);
    add_completion(line);
    add_man(line);
    return line.run(argc, argv);
  } catch (const std::bad_alloc&) {
    complain("out of memory");
  } catch (const std::exception& bug) {
    complain(bug.what());
  }
  return kFailure;
}
