// What many URLs of a site have in common: "/article/17?page=3" and "/article/18?page=4" are both "/article/#?page".
// Counted by traps.hpp, which gives every pattern a budget.
#pragma once

#include "base/url.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace outrider {

// Host, path and names of the parameters in sorted order. Digits are "#", things that look like tokens or session ids
// "$".
std::string url_pattern(const Url& url);

// The URL without a session id, or nothing if it has none: ";jsessionid=…", "?PHPSESSID=…", "/(S(…))/".
std::optional<std::string> without_session_id(const Url& url);

// The year that a page of a calendar is about: "/events/2026/11", "/2026/11/16/", "?year=2026&month=11",
// "?date=2026-11-16". Numbers that are no dates ("/item/1234/5") are none.
std::optional<int> calendar_year(const Url& url);

std::vector<std::string_view> path_segments(std::string_view path);  // without the empty ones

}  // namespace outrider
