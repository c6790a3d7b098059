// What people type into the search. Checks: the parse keeps its limits, every word is where it says it is, and Xapian
// takes whatever the plan makes of it, for somebody and for nobody.
#include "cache/search_plan.hpp"
#include "cache/search_query.hpp"
#include "cache/search_terms.hpp"
#include "tests/fuzz/require.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace {

using namespace outrider;

constexpr WallTime kNow{std::chrono::hours{500'000}};

Xapian::WritableDatabase small_index() {
  Xapian::WritableDatabase database("", Xapian::DB_BACKEND_INMEMORY);
  for (const char* text : {"the red house on the hill", "das rote Haus am See", "北京大学图书馆"}) {
    SearchDocument page;
    page.id = page.url = std::string{"https://example.org/"} + text;
    page.title = page.text = text;
    page.language = text[0] == 't' ? "en" : text[0] == 'd' ? "de" : "zh";
    page.owner = text[0] == 'd' ? "anna" : "";
    database.add_document(make_document(page));
  }
  return database;
}

void require_sound(const SearchQuery& query) {
  require(query.words.size() <= kMaxQueryParts);
  for (const QueryWord& word : query.words) {
    require(!word.text.empty() && word.end <= query.text.size());
    require(query.text.substr(word.begin, word.end - word.begin) == word.text);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Xapian::WritableDatabase database = small_index();
  const auto query = parse_search_query({reinterpret_cast<const char*>(data), size}, kNow);
  require(query.has_value() || query.error().kind == ErrorKind::invalid_argument);
  if (!query) return 0;
  require_sound(*query);
  for (const Viewer& viewer : {Viewer{"anna", true}, Viewer{"ben", true}, Viewer::nobody()}) {
    const SearchPlan plan = plan_search(*query, viewer, database);
    require(plan.each.size() == query->words.size());
    for (const Xapian::Query& wanted : {plan.all_words, plan.any_word}) {
      Xapian::Enquire enquire(database);
      enquire.set_query(wanted);
      const Xapian::MSet matches = enquire.get_mset(0, 10);
      for (auto match = matches.begin(); match != matches.end(); ++match)
        require(viewer.user == "anna" || StoredFields::decode(match.get_document().get_data()).owner.empty());
    }
  }
  return 0;
}
