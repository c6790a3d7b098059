// The program: the table of its commands, and the last catch.
#include "proxy/cli/command_line.hpp"
#include "proxy/cli/commands.hpp"
#include "proxy/cli/output.hpp"

#include <exception>
#include <new>

// Read by jemalloc. OpenSSL gives its buffer for several records back after every burst and asks for it again at once:
// a thread keeps a few blocks of that size, too (docs/decisions/0034-jemalloc.md).
extern "C" {
extern const char* const malloc_conf;
const char* const malloc_conf = "tcache_max:131072,tcache_nslots_large:8";
}

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
