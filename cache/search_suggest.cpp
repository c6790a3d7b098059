#include "cache/search_suggest.hpp"

#include "cache/search_terms.hpp"

namespace outrider {
namespace {

constexpr std::size_t kMaxCorrections = 6;
constexpr std::size_t kMaxWordBytes = 40;

bool matches_anything(const Xapian::Query& query, const Xapian::Database& database) {
  Xapian::Enquire enquire(database);
  enquire.set_weighting_scheme(Xapian::BoolWeight());
  enquire.set_docid_order(Xapian::Enquire::DONT_CARE);
  enquire.set_query(query);
  return !enquire.get_mset(0, 1).empty();
}

}  // namespace

std::string suggest_spelling(const SearchQuery& query, const SearchPlan& plan, const Xapian::Database& database,
                             const Viewer& viewer) {
  std::string corrected;
  std::size_t copied = 0, corrections = 0;
  for (std::size_t i = 0; i < query.words.size() && corrections < kMaxCorrections; ++i) {
    const QueryWord& word = query.words[i];
    if (word.phrase || word.excluded || word.prefix || word.text.size() > kMaxWordBytes) continue;
    if (plan.each[i].empty() || matches_anything(plan.each[i], database)) continue;
    std::string lower;
    for (Xapian::Utf8Iterator it(word.text); it != Xapian::Utf8Iterator(); ++it)
      Xapian::Unicode::append_utf8(lower, Xapian::Unicode::tolower(*it));
    const std::string better = database.get_spelling_suggestion(lower);
    if (better.empty()) continue;
    Xapian::Query visible(open_term());
    if (viewer.sees_personal) visible |= Xapian::Query(owner_term(viewer.user));
    if (!matches_anything(Xapian::Query(Xapian::Query::OP_FILTER, Xapian::Query(better), visible), database)) continue;
    corrected += query.text.substr(copied, word.begin - copied) + better;
    copied = word.end;
    ++corrections;
  }
  if (corrections == 0) return {};
  return corrected + query.text.substr(copied);
}

}  // namespace outrider
