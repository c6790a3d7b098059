// How things are found in the memory (docs/memory.md has the whole schema). Every key begins with the space that it
// belongs to, so that what is personal lies under its owner and a person can be forgotten as one range:
//
//   open      o
//   personal  p  user  NUL SOH
//
// In a space a page is named like in the cache (key.hpp): reversed host labels, port, scheme, path. So a site with all
// its subdomains is one range, too.
#pragma once

#include "base/url.hpp"
#include "cache/graph_types.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace outrider::graph {

std::string open_space();
std::string personal_space(std::string_view user);
std::string space_of(const PageRef& page);                   // not for StorageClass::never
std::vector<std::string> seen_from(std::string_view space);  // by its owner: it, and what is open

// Of an http or https URL, without fragment and password; "" for any other. Ends in NUL SOH, which occurs nowhere else
// in it: it delimits itself, and is a prefix of no other one.
std::string resource_of(std::string_view url);
std::string resource_of(const Url& url);
std::string url_of(std::string_view resource);
// What the resources of a host and its subdomains begin with; "" if that is no host.
std::string site_of(std::string_view host);
// … and back, of anything that begins with a whole host: as it stands in a URL.
std::string host_of(std::string_view prefix);

// Takes a space off the front of a key; nothing: it does not begin with one.
std::optional<std::string_view> take_space(std::string_view& key);
// Takes a resource off the front; nothing: it does not begin with one.
std::optional<std::string_view> take_resource(std::string_view& key);
// The page that a key of space and resource names.
std::optional<PageRef> page_of(std::string_view key);

void append_number(std::string& key, std::uint64_t number);  // big-endian: sorts like the numbers
std::uint64_t number_at_end(std::string_view key);           // of at least eight bytes

// The first key behind all that begin with `prefix`; nothing: there is none.
std::optional<std::string> behind(std::string_view prefix);

std::string to_hex(std::string_view bytes);
std::optional<std::string> from_hex(std::string_view text);

}  // namespace outrider::graph
