// What the names of <meta> mean: the standard's, Open Graph, Twitter, Dublin Core and what the news sites made up.
#pragma once

#include "cache/page_head.hpp"

#include <optional>
#include <string_view>

namespace outrider {

// `name` is that of name=, property= or itemprop=; any case.
void note_meta(std::string_view name, std::string_view content, HeadFacts& facts);

// Adds what a list such as "noindex, nofollow" forbids.
void note_robots(std::string_view list, RobotsDirectives& robots);

void note_keywords(std::string_view list, std::vector<std::string>& keywords);

// Where "5; url=next.html" leads, as it is written (HTML standard, section 4.2.5.3, shared declarative refresh steps).
// Empty: to the page itself. Nothing: it is no refresh.
std::optional<std::string_view> refresh_target(std::string_view content);

// Is it a language tag, or something like one (RFC 5646)? "de", "pt-BR", "zh_CN"; underscores become hyphens.
std::string language_tag(std::string_view text);

}  // namespace outrider
