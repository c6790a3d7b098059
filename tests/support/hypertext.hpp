// A small hypertext of known structure: 41 documents with frames, image maps, redirects, a huge page, foreign types,
// meta refresh, nofollow, a forbidden folder, duplicates, scripts and dead links. What a robot must make of it is a
// table (tests/unit/robot/hypertext_test.cpp).
#pragma once

#include "tests/support/scripted_origin.hpp"

namespace outrider::testing {

constexpr std::size_t kHypertextDocuments = 41;
constexpr std::size_t kHugePageCut = 100'000;  // bytes: the first link of the huge page is before it, the last behind

void serve_hypertext(ScriptedOrigin& origin);  // from /index.html

}  // namespace outrider::testing
