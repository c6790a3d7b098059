#include "cache/settings.hpp"

namespace outrider {

void CacheSettings::describe(SectionSchema<CacheSettings>& s) {
  using namespace size_literals;
  s.key("folder", &CacheSettings::folder,
        "Where it is kept; only its owner may look inside. Empty: \"cache\" in the data directory.",
        Change::needs_restart);
  s.key("memory", &CacheSettings::memory, "Memory that the cache may use, everything included.", Change::needs_restart,
        in_range(32_MiB, 1024_GiB));
  s.key(
      "disk", &CacheSettings::disk,
      "Disk space that the cache may use, everything included; 0 = keep nothing on disk. When it is used up, what was "
      "neither asked for again nor read by a person goes first.",
      Change::needs_restart, [](const ByteSize& value) -> Refusal {
        if (value == 0_B || value >= 64_MiB) return std::nullopt;
        return format_size(value) + " is too little: 0, or 64MiB and more";
      });
  s.key("max_object", &CacheSettings::max_object,
        "Larger bodies are passed on but not kept (nor those larger than an eighth of the disk space).",
        Change::needs_restart, in_range(1_KiB, 1024_GiB));
  s.key("max_memory_object", &CacheSettings::max_memory_object,
        "Larger bodies are kept on disk only (at most 8MiB, and at most an eighth of the memory).",
        Change::needs_restart, in_range(1_KiB, 8_MiB));
  s.key("read_threads", &CacheSettings::read_threads, "Threads that wait for the disk.", Change::needs_restart,
        in_range(1, 64));
}

}  // namespace outrider
