// The links of a page as they were found, kept beside the queues: a page that has not changed since need not be read
// again to follow them. Small: only what the rules of a task ask about; whoever judges words reads the page.
#pragma once

#include "robot/found_link.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace outrider {

struct KnownLinks {
  std::uint64_t version = 0;  // of the page they were found on: Fetched::version
  bool nofollow = false;      // the page says so of all of them
  bool remembered = false;    // the memory was given the page
  std::vector<FoundLink> links;
};

// What is longer is not worth keeping.
inline constexpr std::size_t kMostKnownLinkBytes = 64 << 10;

// "": too much.
std::string encode_links(const KnownLinks& head, std::span<const FoundLink> links);
std::uint64_t version_of_links(std::string_view record);  // 0: not one
std::optional<KnownLinks> decode_links(const UrlNaming& naming, std::string_view record);

}  // namespace outrider
