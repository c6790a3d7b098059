// From what a person asked (search_query) to what Xapian looks for. Who asks is part of the plan: documents that he may
// not see do not match, so they are neither counted nor paid for.
#pragma once

#include "cache/search_query.hpp"
#include "plugins/api/memory.hpp"

#include <xapian.h>

#include <string>
#include <vector>

namespace outrider {

struct SearchPlan {
  Xapian::Query all_words;          // every word is wanted; bonuses for links and visits are in it
  Xapian::Query any_word;           // for when nothing has them all; empty if there is but one
  bool ranked = true;               // false: filters alone, so the newest are first
  std::vector<Xapian::Query> each;  // one per word of the query: what the asker could see of it; empty for others
};

SearchPlan plan_search(const SearchQuery& query, const Viewer& viewer, const Xapian::Database& database);

}  // namespace outrider
