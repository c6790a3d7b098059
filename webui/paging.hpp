// Pages of a long list: ?limit=50&cursor=…; the reply says in "next" where the following page begins. A cursor is
// opaque: it is only ever given back.
#pragma once

#include "webui/problem.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace outrider::webui {

struct Page {
  std::size_t limit = 50;
  std::string cursor;  // "" = the first page
};

Result<Page> page_of(const ApiRequest& request, std::size_t usual, std::size_t most);

// A number in the query; nothing if it is not there.
Result<std::optional<std::uint64_t>> number_in(const ApiRequest& request, std::string_view name, std::uint64_t most);
std::optional<std::uint64_t> parse_number(std::string_view text);

// "2026-11-16T15:04:05Z", "2026-11-16", or seconds since 1970.
std::optional<WallTime> parse_time(std::string_view text);
Result<std::optional<WallTime>> time_in(const ApiRequest& request, std::string_view name);
std::string shown(WallTime time);          // "2026-11-16T15:04:05.123Z"
json::value shown_or_null(WallTime time);  // the epoch = never

}  // namespace outrider::webui
