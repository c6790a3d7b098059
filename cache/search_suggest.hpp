// "Did you mean …": the query with words that nobody wrote replaced by similar ones that somebody did.
#pragma once

#include "cache/search_plan.hpp"

namespace outrider {

// "" = nothing to correct. The dictionary knows the words of all pages, also of other people's: a word is suggested
// only if it is on a page that the viewer may see.
std::string suggest_spelling(const SearchQuery& query, const SearchPlan& plan, const Xapian::Database& database,
                             const Viewer& viewer);

}  // namespace outrider
