// How much of a page the memory takes in. Every one of these is far above what an honest page has and far below what a
// hostile one could make us keep.
#pragma once

#include <cstddef>

namespace outrider::page_limits {

inline constexpr std::size_t kLinks = 30'000;
inline constexpr std::size_t kLinkBytes = 8 << 20;    // targets, texts and tokens of all links together
inline constexpr std::size_t kTargetBytes = 4 << 20;  // … and made absolute: short ones below a long base are cheap
inline constexpr std::size_t kUrl = 8'192;            // a longer target is left out
inline constexpr std::size_t kLinkText = 512;
inline constexpr std::size_t kRel = 256;

inline constexpr std::size_t kTitle = 1'024;
inline constexpr std::size_t kDescription = 4'096;
inline constexpr std::size_t kShortText = 256;  // author, name of the site, a keyword
inline constexpr std::size_t kKeywords = 64;
inline constexpr std::size_t kLanguageTag = 35;  // RFC 5646 section 4.4.1

inline constexpr std::size_t kJsonLdBytes = 128 << 10;  // of one script; a longer one is not read
inline constexpr std::size_t kJsonLdScripts = 16;
inline constexpr std::size_t kJsonLdDepth = 32;
inline constexpr std::size_t kJsonLdObjects = 2'000;

inline constexpr std::size_t kHeadings = 1'000;
inline constexpr std::size_t kHeading = 512;
inline constexpr std::size_t kText = 1 << 20;

}  // namespace outrider::page_limits
