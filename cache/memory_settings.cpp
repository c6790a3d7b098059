#include "cache/memory_settings.hpp"

namespace outrider {

void MemorySettings::describe(SectionSchema<MemorySettings>& s) {
  using namespace size_literals;
  s.key("enabled", &MemorySettings::enabled, "Remember pages; false: nothing is remembered, searched or tracked.",
        Change::needs_restart);
  s.key("folder", &MemorySettings::folder,
        "Where it is kept; only its owner may look inside. Empty: \"memory\" in the data directory.",
        Change::needs_restart);
  s.key("disk", &MemorySettings::disk,
        "Disk space that it may use, together with the full-text index. When it is used up, what the robot fetched and "
        "nobody visited goes first.",
        Change::needs_restart, in_range(64_MiB, 1024_GiB));
  s.key("remember", &MemorySettings::remember,
        "false: \"don't remember\". As long as it stands, nothing but address and time of visits is kept.",
        Change::live);
  s.key("never_keep", &MemorySettings::never_keep,
        "Hosts of which nothing but address and time of a visit is kept, such as \".bank.example\".", Change::live);
  s.key("keep_anyway", &MemorySettings::keep_anyway,
        "Hosts whose pages are remembered, for yourself alone, although their answers say no-store.", Change::live);
  s.key("threads", &MemorySettings::threads, "Threads that read pages, with low priority.", Change::needs_restart,
        in_range(1, 64));
  s.key(
      "unread", &MemorySettings::unread,
      "Disk space for pages that the robot loaded faster than they can be read; when it is used up, it waits for them.",
      Change::needs_restart, in_range(1_MiB, 1024_GiB));
  s.key("keep_text", &MemorySettings::keep_text,
        "How long the text of pages is kept that nobody visited; 0 = until the space is needed.",
        Change::needs_restart);
  s.key("keep_bodies", &MemorySettings::keep_bodies,
        "Keep also the pages themselves, byte by byte, apart from the cache.", Change::needs_restart);
  s.key("keep_body", &MemorySettings::keep_body, "... how long; 0 = until the space is needed.", Change::needs_restart);
  s.key("keep_events", &MemorySettings::keep_events,
        "How many of the latest events are kept for readers that come late.", Change::needs_restart,
        in_range(1000, 100'000'000));
  s.key("keep_events_for", &MemorySettings::keep_events_for, "... and how long.", Change::needs_restart);
}

GraphOptions MemorySettings::graph_options(const std::filesystem::path& data_directory) const {
  GraphOptions options;
  options.folder = folder.empty() ? data_directory / "memory" : std::filesystem::path{folder};
  options.disk_budget = disk.bytes;
  options.keep_text = keep_text;
  options.keep_bodies = keep_bodies;
  options.keep_body = keep_body;
  options.keep_events = static_cast<std::uint64_t>(keep_events);
  options.keep_events_for = keep_events_for;
  return options;
}

}  // namespace outrider
