// How a page lies in the Xapian database: which terms, values and data it has. Whoever writes (search_index) and
// whoever asks (search_plan) must agree on this; a change of anything here needs a new kSearchSchema, and the index is
// built anew.
//
//   word            with positions: phrases            Zstem.lang      stem, with the page's language (search_stemmer)
//   Qdigest         the page's id                      Mlang           its stem language
//   XO / XPowner    open / belongs to owner            XVuser          visited by user
//   XHhost          its host and all hosts above it    XLde, XLde-at   language
//   XTtext/html, XThtml, XTtext                        type
//   XKdigest        links to that host or below it     XUdigest        links to exactly that URL
#pragma once

#include "cache/search_document.hpp"

#include <xapian.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace outrider {

inline constexpr char kSearchSchema[] = "2";

enum SearchSlot : Xapian::valueno {
  kFetchedSlot = 0,    // seconds, sortable
  kLastVisitSlot = 1,  // seconds, sortable: anybody's last one, so nobody's is later; none = never
  kInDegreeSlot = 2,   // in_degree_bonus() of it, sortable; none = 0
  kRankFactsSlot = 3,  // RankFacts
  kVisitsSlot = 4,     // of each person: encode_visits()
};

// What ranking and folding need of every candidate, in one value so that it costs one look-up.
struct RankFacts {
  WallTime fetched{};
  std::uint32_t in_degree = 0;
  std::uint64_t simhash = 0, fingerprint = 0, url_hash = 0;

  std::string encode() const;
  static RankFacts decode(const std::string& bytes);  // zeros where bytes are missing
};

struct VisitFacts {
  std::uint32_t count = 0;
  WallTime last{};
};
std::string encode_visits(const std::vector<SearchVisits>& visits);
VisitFacts visits_of(std::string_view user, const std::string& encoded);

// What an answer needs of every hit.
struct StoredFields {
  std::string url, owner, title, language, mime;
  bool personal = false;

  std::string encode() const;
  static StoredFields decode(std::string_view bytes);
};

// A term of any length: Xapian's end at 245 bytes, so long ones are digested.
std::string bounded_term(std::string_view prefix, std::string_view value);
std::uint64_t url_hash(std::string_view url);
std::string id_term(std::string_view id);
std::string exact_link_term(std::string_view url);  // without fragment
// Digests: a host that is to be forgotten must not stay readable in pages that link to it.
std::string linked_host_term(std::string_view host);
std::string open_term();
std::string owner_term(std::string_view owner);
std::string visitor_term(std::string_view user);
std::string sortable_time(WallTime at);
inline constexpr char kStemLanguagePrefix[] = "M";

// The hosts above "a.example.org" and it itself: "a.example.org", "example.org", "org". Addresses have none above.
std::vector<std::string> host_and_above(std::string_view host);
// "www.example.org/blog/first-post" → "example blog first post".
std::string url_words(std::string_view url);

// Is it a word of the running text, so that it may be suggested for a misspelt one? Decided from what the index keeps,
// so that taking a page out takes out exactly what putting it in added.
bool is_spelling_word(const std::string& term, Xapian::termcount count);

// Never throws because of what the page contains.
Xapian::Document make_document(const SearchDocument& page);

}  // namespace outrider
