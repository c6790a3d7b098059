#include "cache/search_reader.hpp"

#include "cache/search_plan.hpp"
#include "cache/search_query.hpp"
#include "cache/search_rank.hpp"
#include "cache/search_snippet.hpp"
#include "cache/search_stemmer.hpp"
#include "cache/search_suggest.hpp"
#include "cache/search_terms.hpp"

#include <algorithm>

namespace outrider {
namespace {

constexpr std::size_t kMaxIdle = 8;
constexpr std::size_t kCandidates = 200;  // that are put in order by the product, at least
constexpr int kAttempts = 4;

Error broken(const std::string& what) {
  return Error{ErrorKind::io, Side::self, "the search index cannot be read: " + what, true};
}

// What is known of each match; visits only as far as they are the viewer's own.
struct Known {
  RankFacts facts;
  VisitFacts visits;
};

std::vector<Known> known_of(const Xapian::MSet& matches, const Viewer& viewer) {
  std::vector<Known> known;
  for (auto match = matches.begin(); match != matches.end(); ++match) {
    const Xapian::Document document = match.get_document();
    Known& one = known.emplace_back();
    one.facts = RankFacts::decode(document.get_value(kRankFactsSlot));
    if (viewer.sees_personal) one.visits = visits_of(viewer.user, document.get_value(kVisitsSlot));
  }
  return known;
}

// Was the viewer's last visit in that time?
class VisitedThen final : public Xapian::MatchDecider {
 public:
  VisitedThen(const Viewer& viewer, const TimeSpan& span) : viewer_(viewer), span_(span) {}
  bool operator()(const Xapian::Document& document) const override {
    const VisitFacts visits = visits_of(viewer_.user, document.get_value(kVisitsSlot));
    return visits.count > 0 && (!span_.from || visits.last >= *span_.from) &&
           (!span_.until || visits.last < *span_.until);
  }

 private:
  const Viewer& viewer_;
  const TimeSpan& span_;
};

}  // namespace

// A handle for the time of one query. One that was handed out before the database was exchanged is not taken back.
class SearchReader::Lease {
 public:
  explicit Lease(const SearchReader& reader) : reader_(reader) {
    {
      const std::lock_guard lock{reader.mutex_};
      generation_ = reader.generation_;
      path_ = reader.database_.native();
      if (!reader.idle_.empty()) {
        database_ = std::move(reader.idle_.back());
        reader.idle_.pop_back();
      }
    }
    if (database_) {
      database_->reopen();
    } else if (!path_.empty()) {
      database_ = std::make_unique<Xapian::Database>(path_);
    } else {
      database_ = std::make_unique<Xapian::Database>();  // no index yet: no hits
    }
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  const Xapian::Database& database() const { return *database_; }
  void give_back() {  // only if nothing went wrong with it
    const std::lock_guard lock{reader_.mutex_};
    if (generation_ == reader_.generation_ && reader_.idle_.size() < kMaxIdle)
      reader_.idle_.push_back(std::move(database_));
  }

 private:
  const SearchReader& reader_;
  std::unique_ptr<Xapian::Database> database_;
  std::string path_;
  std::uint64_t generation_ = 0;
};

SearchReader::SearchReader(SearchTextOf text_of, const Clock& clock) : text_of_(std::move(text_of)), clock_(clock) {}
SearchReader::~SearchReader() = default;

void SearchReader::use(const std::filesystem::path& database) {
  std::vector<std::unique_ptr<Xapian::Database>> old;  // closed without the lock
  const std::lock_guard lock{mutex_};
  old.swap(idle_);
  database_ = database;
  ++generation_;
  damaged_ = false;
}

Result<SearchAnswer> SearchReader::query(const Viewer& viewer, const SearchRequest& request, WallTime now) const {
  const SteadyTime begin = clock_.steady();
  const Result<SearchQuery> query = parse_search_query(request.query, now);
  if (!query) return query.error();
  std::string what;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    try {
      Lease lease{*this};
      SearchAnswer found = answer(lease.database(), viewer, request, *query, now);
      lease.give_back();
      found.took_us = static_cast<std::uint64_t>(
          std::chrono::duration_cast<std::chrono::microseconds>(clock_.steady() - begin).count());
      return found;
    } catch (const Xapian::DatabaseModifiedError& error) {  // two commits since the query began: once more
      what = error.get_msg();
    } catch (const Xapian::DatabaseOpeningError& error) {  // exchanged in this moment: once more, with the new one
      what = error.get_msg();
    } catch (const Xapian::DatabaseCorruptError& error) {
      damaged_ = true;
      return broken(error.get_msg());
    } catch (const Xapian::QueryParserError& error) {
      return Error{ErrorKind::invalid_argument, Side::client, error.get_msg()};
    } catch (const Xapian::Error& error) {
      return broken(error.get_msg());
    } catch (const std::exception& error) {
      return Error{ErrorKind::internal, Side::self, error.what()};
    }
  }
  return broken(what);
}

SearchAnswer SearchReader::answer(const Xapian::Database& database, const Viewer& viewer, const SearchRequest& request,
                                  const SearchQuery& query, WallTime now) const {
  SearchAnswer result;
  if (query.asks_nothing) return result;
  const SearchPlan plan = plan_search(query, viewer, database);
  const std::size_t limit = std::min(request.limit, kMaxLimit), offset = std::min(request.offset, kMaxOffset);
  const auto candidates_wanted = static_cast<Xapian::doccount>(std::max(kCandidates, 2 * (offset + limit)));
  const auto run = [&](const Xapian::Query& wanted) {
    Xapian::Enquire enquire(database);
    if (!plan.ranked) {
      enquire.set_weighting_scheme(Xapian::BoolWeight());
      enquire.set_sort_by_value(kFetchedSlot, true);
    }
    enquire.set_query(wanted);
    const VisitedThen then{viewer, query.visits};
    const bool at_some_time = query.visited.value_or(false) && (query.visits.from || query.visits.until);
    return enquire.get_mset(0, candidates_wanted, 0, nullptr, at_some_time ? &then : nullptr);
  };
  Xapian::MSet matches = run(plan.all_words);
  if (matches.empty()) {
    result.suggestion = suggest_spelling(query, plan, database, viewer);
    if (!plan.any_word.empty()) matches = run(plan.any_word);
  }
  result.estimated_total = matches.get_matches_estimated();

  const std::vector<Known> known = known_of(matches, viewer);
  std::vector<Candidate> candidates;
  for (auto match = matches.begin(); match != matches.end(); ++match) {
    const auto index = static_cast<std::uint32_t>(candidates.size());
    const auto& [fact, visits] = known[index];
    const double bonus = in_degree_bonus(fact.in_degree) + (visits.count > 0 ? kVisitBonus : 0);
    const RankInputs inputs{match.get_weight() - bonus, fact.in_degree, visits.count,
                            std::max(fact.fetched, visits.last)};
    const double score = plan.ranked ? rank_score(inputs, now) : 0;  // 0 for all: the order stays
    candidates.push_back({score, fact.simhash, fact.fingerprint, fact.url_hash, index});
  }
  const std::vector<Folded> shown = rank_and_fold(std::move(candidates));
  for (std::size_t i = offset; i < shown.size() && result.hits.size() < limit; ++i) {
    const std::uint32_t index = shown[i].index;
    StoredFields field = StoredFields::decode(matches[index].get_document().get_data());
    const auto& [fact, visits] = known[index];
    Snippet snippet;
    if (text_of_)
      snippet =
          make_snippet(matches, text_of_({field.url, field.owner, field.personal}), stem_language(field.language));
    result.hits.push_back({std::move(field.url), std::move(field.title), std::move(snippet.text),
                           std::move(snippet.highlights), shown[i].score, std::move(field.language),
                           std::move(field.mime), fact.fetched, visits.last, visits.count, fact.in_degree,
                           shown[i].folded});
  }
  return result;
}

}  // namespace outrider
