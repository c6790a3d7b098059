#include "cache/settings.hpp"

namespace outrider {

void CacheSettings::describe(SectionSchema<CacheSettings>& s) {
  using namespace size_literals;
  s.key("enabled", &CacheSettings::enabled, "Keep answers; false: everything only passes through.",
        Change::needs_restart);
  s.key("one_person", &CacheSettings::one_person,
        "Only one person uses this Outrider: keep also what is for that person alone (Cache-Control: private).",
        Change::live);
  s.key("offline", &CacheSettings::offline, "Answer with whatever is kept, however old, and ask no origin.",
        Change::live);
  s.key("sites", &CacheSettings::sites,
        "Rules for sites: a host pattern, then never, at-least=TIME, at-most=TIME, ignore-reload, such as "
        "\".bank.example never\".",
        Change::live);
  s.key("heuristic_percent", &CacheSettings::heuristic_percent,
        "Where an origin says nothing: fresh for this part of the time since the last change.", Change::live,
        in_range(0, 100));
  s.key("heuristic_cap", &CacheSettings::heuristic_cap, "... but not longer than this.", Change::live);
  s.key(
      "stale_if_error", &CacheSettings::stale_if_error,
      "Answer with a copy that is past its lifetime by no more than this when the origin answers with a server error.",
      Change::live);
  s.key("folder", &CacheSettings::folder,
        "Where it is kept; only its owner may look inside. Empty: \"cache\" in the data directory.",
        Change::needs_restart);
  s.key("memory", &CacheSettings::memory, "Memory that the cache may use, everything included.", Change::needs_restart,
        in_range(32_MiB, 1024_GiB));
  s.key(
      "disk", &CacheSettings::disk,
      "Disk space that the cache may use, everything included; 0 = keep nothing on disk. When it is used up, what was "
      "neither asked for again nor read by a person goes first. A tenth of the disk (at most 1GiB) is left free in any "
      "case.",
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
