#include "cache/search_plan.hpp"

#include "base/url.hpp"
#include "cache/search_rank.hpp"
#include "cache/search_stemmer.hpp"
#include "cache/search_terms.hpp"

#include <algorithm>
#include <functional>

namespace outrider {
namespace {

using Xapian::Query;
using Queries = std::vector<Query>;

constexpr std::size_t kMaxLanguages = 16;  // that a word is stemmed by: those with the most pages
constexpr Xapian::termcount kMaxExpansion = 50;
constexpr std::size_t kMinPrefixLetters = 3;

Query combine(Query::op op, const Queries& parts) {
  return Query(op, parts.begin(), parts.end());
}

std::vector<std::string> languages_of(const Xapian::Database& database, const SearchQuery& query) {
  std::vector<std::string> languages;
  if (!query.wanted.languages.empty()) {  // who says lang: means words of that language
    for (const std::string& language : query.wanted.languages) languages.push_back(stem_language(language));
  } else {
    std::vector<std::pair<Xapian::doccount, std::string>> known;
    const std::string prefix = kStemLanguagePrefix;
    for (auto term = database.allterms_begin(prefix); term != database.allterms_end(prefix); ++term)
      known.emplace_back(term.get_termfreq(), (*term).substr(prefix.size()));
    std::sort(known.begin(), known.end(), std::greater<>{});
    if (known.size() > kMaxLanguages) known.resize(kMaxLanguages);
    for (auto& [pages, language] : known) languages.push_back(std::move(language));
  }
  std::sort(languages.begin(), languages.end());
  languages.erase(std::unique(languages.begin(), languages.end()), languages.end());
  return languages;
}

class Planner {
 public:
  Planner(const SearchQuery& query, const Viewer& viewer, const Xapian::Database& database)
      : query_(query), viewer_(viewer), database_(database) {
    for (const std::string& language : languages_of(database, query)) stemmers_.push_back(stemmer_for(language));
    parser_.set_stemming_strategy(Xapian::QueryParser::STEM_NONE);
    parser_.set_default_op(Query::OP_AND);
  }

  SearchPlan plan() {
    SearchPlan plan;
    Queries wanted, groups, excluded;
    const Query visible = visible_to_viewer();
    for (const QueryWord& word : query_.words) {
      const Query one = word_query(word);
      plan.each.push_back(one.empty() ? one : Query(Query::OP_FILTER, one, visible));
      if (one.empty()) continue;  // nothing but punctuation
      if (word.excluded) {
        excluded.push_back(one);
      } else if (word.or_before && !groups.empty()) {
        groups.back() = Query(Query::OP_OR, groups.back(), one);
        wanted.push_back(one);
      } else {
        groups.push_back(one);
        wanted.push_back(one);
      }
    }
    plan.ranked = !groups.empty();
    const auto finish = [&](const Query& words) {
      return exclude(Query(Query::OP_FILTER, with_bonuses(words), filters(visible)), excluded);
    };
    plan.all_words = finish(groups.empty() ? Query::MatchAll : combine(Query::OP_AND, groups));
    if (groups.size() > 1) plan.any_word = finish(combine(Query::OP_OR, wanted));
    return plan;
  }

 private:
  Query visible_to_viewer() const {
    if (!viewer_.sees_personal) return Query(open_term());
    return Query(Query::OP_OR, Query(open_term()), Query(owner_term(viewer_.user)));
  }

  // A word by all its stems; "e-mail", a phrase and a run of Chinese as Xapian cuts them.
  Query word_query(const QueryWord& word) {
    constexpr unsigned kFlags = Xapian::QueryParser::FLAG_CJK_NGRAM;
    std::string text = word.text;
    std::replace(text.begin(), text.end(), '"', ' ');
    if (word.phrase) return parser_.parse_query("\"" + text + "\"", kFlags | Xapian::QueryParser::FLAG_PHRASE);
    const Query plain = parser_.parse_query(text, kFlags);
    if (plain.get_type() != Query::LEAF_TERM) return plain;
    const std::string term = *plain.get_terms_begin();
    if (word.prefix) {
      if (Xapian::Utf8Iterator it(term); letters(it) < kMinPrefixLetters) return plain;
      return Query(Query::OP_WILDCARD, term, kMaxExpansion, Query::WILDCARD_LIMIT_MOST_FREQUENT, Query::OP_SYNONYM);
    }
    if (!has_stem(term)) return plain;
    if (stemmers_.empty()) return plain;  // the index is empty
    // Most languages do not have the word; a synonym is dearer to look for than a term, and one of many dearer still.
    std::vector<std::string> stems;
    for (const Xapian::Stem& stemmer : stemmers_)
      if (std::string stem = "Z" + stemmer(term); database_.term_exists(stem)) stems.push_back(std::move(stem));
    if (stems.empty()) return Query("Z" + stemmers_.front()(term));  // finds nothing
    std::sort(stems.begin(), stems.end());
    return Query(Query::OP_SYNONYM, stems.begin(), stems.end());
  }

  static std::size_t letters(Xapian::Utf8Iterator& it) {
    std::size_t count = 0;
    for (; it != Xapian::Utf8Iterator(); ++it) ++count;
    return count;
  }

  Query with_bonuses(const Query& words) const {
    if (!query_.has_wanted_words()) return words;
    Query bonus((new Xapian::ValueWeightPostingSource(kInDegreeSlot))->release());  // Xapian counts its owners
    if (viewer_.sees_personal) {
      const Query any((new Xapian::FixedWeightPostingSource(kVisitBonus))->release());
      bonus |= Query(Query::OP_FILTER, any, Query(visitor_term(viewer_.user)));
    }
    return Query(Query::OP_AND_MAYBE, words, bonus);
  }

  static Queries terms(std::string_view prefix, const std::vector<std::string>& values) {
    Queries queries;
    for (const std::string& value : values) queries.emplace_back(bounded_term(prefix, value));
    return queries;
  }

  // "example.org", "https://example.org/", ".example.org": all mean the host.
  static std::vector<std::string> hosts(const std::vector<std::string>& values) {
    std::vector<std::string> hosts;
    for (std::string_view value : values) {
      if (value.starts_with("*.")) value.remove_prefix(2);
      if (value.starts_with(".")) value.remove_prefix(1);
      const bool whole = value.find("://") != std::string_view::npos;
      const Result<Url> url = Url::parse(whole ? std::string{value} : "http://" + std::string{value});
      hosts.push_back(url ? std::string{url->hostname()} : std::string{value});
    }
    return hosts;
  }

  // link:URL is a page, link:HOST everything there.
  static Queries links(const std::vector<std::string>& values) {
    Queries queries;
    for (const std::string& value : values) {
      const Result<Url> url = Url::parse(value);
      if (url && url->is_http()) {
        queries.emplace_back(exact_link_term(url->href()));
      } else {
        for (const std::string& host : hosts({value})) queries.emplace_back(linked_host_term(host));
      }
    }
    return queries;
  }

  static Queries kinds(const QueryFilters& filters) {
    Queries kinds;
    for (const Queries& one : {terms("XH", hosts(filters.sites)), terms("XL", filters.languages),
                               terms("XT", filters.types), links(filters.links)})
      if (!one.empty()) kinds.push_back(combine(Query::OP_OR, one));
    return kinds;
  }

  static void add_span(Queries& filters, Xapian::valueno slot, const TimeSpan& span) {
    constexpr auto kInstant = std::chrono::seconds{1};
    if (span.from) filters.emplace_back(Query::OP_VALUE_GE, slot, sortable_time(*span.from));
    if (span.until) filters.emplace_back(Query::OP_VALUE_LE, slot, sortable_time(*span.until - kInstant));
  }

  // Of one kind any will do; of different kinds all must hold.
  Query filters(const Query& visible) const {
    Queries filters{visible};
    for (const Query& kind : kinds(query_.wanted)) filters.push_back(kind);
    add_span(filters, kFetchedSlot, query_.fetched);
    if (query_.visited.value_or(false)) {
      filters.push_back(viewer_.sees_personal ? Query(visitor_term(viewer_.user)) : Query::MatchNothing);
      // Somebody else's visit may have been later than the viewer's: VisitedThen looks at his own.
      add_span(filters, kLastVisitSlot, {query_.visits.from, std::nullopt});
    }
    return combine(Query::OP_AND, filters);
  }

  Query exclude(const Query& wanted, Queries excluded) const {
    for (const Query& kind : kinds(query_.excluded)) excluded.push_back(kind);
    if (query_.visited && !*query_.visited && viewer_.sees_personal) excluded.emplace_back(visitor_term(viewer_.user));
    if (excluded.empty()) return wanted;
    return Query(Query::OP_AND_NOT, wanted, combine(Query::OP_OR, excluded));
  }

  const SearchQuery& query_;
  const Viewer& viewer_;
  const Xapian::Database& database_;
  std::vector<Xapian::Stem> stemmers_;
  Xapian::QueryParser parser_;
};

}  // namespace

SearchPlan plan_search(const SearchQuery& query, const Viewer& viewer, const Xapian::Database& database) {
  return Planner{query, viewer, database}.plan();
}

}  // namespace outrider
