// The names of the memory's kinds, as the API and the command line write them.
#include "plugins/api/link.hpp"
#include "plugins/api/memory_event.hpp"
#include "plugins/api/node.hpp"

#include <array>

namespace outrider {
namespace {

constexpr std::array<std::string_view, 13> kLinkKinds{
    "anchor",   "area",      "form",      "frame",      "iframe", "link",    "meta_refresh",
    "redirect", "canonical", "alternate", "pagination", "feed",   "embedded"};
constexpr std::array<std::string_view, 3> kReaches{"external", "internal", "subdirectory"};
constexpr std::array<std::string_view, 8> kErrors{"none",    "dns",      "connect", "tls",
                                                  "timeout", "protocol", "http",    "refused"};
constexpr std::array<std::string_view, 6> kEvents{"node_new", "node_changed", "node_gone",
                                                  "link_new", "visit",        "error"};

template <class Names, class Kind>
std::string_view name_in(const Names& names, Kind kind) {
  const auto index = static_cast<std::size_t>(kind);
  return index < names.size() ? names[index] : "unknown";  // written by a newer version
}

}  // namespace

std::string_view to_string(LinkKind kind) {
  return name_in(kLinkKinds, kind);
}

std::optional<LinkKind> parse_link_kind(std::string_view name) {
  for (std::size_t i = 0; i < kLinkKinds.size(); ++i)
    if (kLinkKinds[i] == name) return static_cast<LinkKind>(i);
  return std::nullopt;
}

std::string_view to_string(LinkReach reach) {
  return name_in(kReaches, reach);
}

std::string_view to_string(NodeError error) {
  return name_in(kErrors, error);
}

std::string_view to_string(MemoryEventKind kind) {
  return name_in(kEvents, kind);
}

}  // namespace outrider
