// What is found, by whom, in which order, and how it is shown: docs/search.md.
#include "cache/search_reader.hpp"

#include "tests/support/search_fixture.hpp"

#include <fmt/format.h>

namespace outrider {
namespace {

struct SearchReaderTest : testing::SearchFixture {
  void add(SearchDocument document) {
    put(document);
    commit();
  }
  std::string highlighted(const SearchHit& hit) const {
    std::string words;
    for (const auto& [begin, end] : hit.highlights) words += hit.snippet.substr(begin, end - begin) + "|";
    return words;
  }
};

TEST_F(SearchReaderTest, AllWordsAreWanted_AndIfNothingHasThem_Any) {
  put(page("https://both.example/", "", "the red house"));
  put(page("https://one.example/", "", "a red car"));
  commit();
  EXPECT_EQ(urls("red house"), "https://both.example/ ");
  EXPECT_EQ(urls("red submarine"), "https://both.example/ https://one.example/ ");
  EXPECT_EQ(urls("house OR car").size(), std::string{"https://both.example/ https://one.example/ "}.size());
  EXPECT_EQ(urls("red -car"), "https://both.example/ ");
}

TEST_F(SearchReaderTest, Phrase_IsInThisOrder) {
  put(page("https://a.example/", "", "the white house on the hill"));
  put(page("https://b.example/", "", "the house was white"));
  commit();
  EXPECT_EQ(urls("\"white house\""), "https://a.example/ ");
  EXPECT_EQ(urls("-\"white house\" white"), "https://b.example/ ");
}

TEST_F(SearchReaderTest, WordsJoinedBySigns_AreAPhrase_InAnyScript) {
  put(page("https://a.example/", "", "call std::vector by e-mail"));
  put(page("https://b.example/", "", "a vector of mail, std e"));
  SearchDocument chinese = page("https://zh.example/", "", "大学图书馆");
  chinese.language = "zh";
  put(chinese);
  commit();
  EXPECT_EQ(urls("std::vector e-mail"), "https://a.example/ ");
  EXPECT_EQ(urls("\"学图书\""), "https://zh.example/ ");
  EXPECT_EQ(urls("\"图学\""), "");
  EXPECT_EQ(urls("\"vectors\""), "") << "in quotes a word is meant as it is";
}

TEST_F(SearchReaderTest, Phrase_DoesNotReachFromTitleIntoText) {
  add(page("https://a.example/", "ends with white", "house begins the text"));
  EXPECT_EQ(urls("\"white house\""), "");
}

TEST_F(SearchReaderTest, WordsAreStemmed_ByTheLanguageOfThePage) {
  put(page("https://en.example/", "", "He repairs bicycles"));
  SearchDocument german = page("https://de.example/", "", "Er bewohnt die alten Häuser");
  german.language = "de-AT";
  put(german);
  commit();
  EXPECT_EQ(urls("bicycle repairing"), "https://en.example/ ");
  EXPECT_EQ(urls("altes haus"), "https://de.example/ ");
  EXPECT_EQ(urls("alte häuser lang:de"), "https://de.example/ ");
}

// The German stem of "news" is "new": an English page about new things is not meant.
TEST_F(SearchReaderTest, StemsOfOneLanguage_DoNotMatchThoseOfAnother) {
  put(page("https://en.example/", "", "a new thing"));
  SearchDocument german = page("https://de.example/", "", "Heute keine News");
  german.language = "de";
  put(german);
  commit();
  EXPECT_EQ(urls("news"), "https://de.example/ ");
}

TEST_F(SearchReaderTest, LanguageWithoutStemmer_IsFoundByItsWords) {
  SearchDocument czech = page("https://cs.example/", "", "Příliš žluťoučký kůň");
  czech.language = "cs";
  put(czech);
  SearchDocument unknown = page("https://x.example/", "", "zorblax");
  unknown.language = "";
  put(unknown);
  commit();
  EXPECT_EQ(urls("KŮŇ žluťoučký"), "https://cs.example/ ");
  EXPECT_EQ(urls("zorblax"), "https://x.example/ ");
}

TEST_F(SearchReaderTest, ChineseAndJapanese_AreFoundInsideARunOfCharacters) {
  SearchDocument chinese = page("https://zh.example/", "北京大学图书馆", "欢迎来到北京大学图书馆的网站");
  chinese.language = "zh";
  put(chinese);
  SearchDocument other = page("https://zh2.example/", "上海", "上海的大图");
  other.language = "zh";
  put(other);
  commit();
  EXPECT_EQ(urls("图书馆"), "https://zh.example/ ");
  EXPECT_EQ(highlighted(ask("图书馆").hits.at(0)).empty(), false);
}

TEST_F(SearchReaderTest, BeginningOfAWord) {
  put(page("https://a.example/", "", "photography"));
  put(page("https://b.example/", "", "photosynthesis"));
  put(page("https://c.example/", "", "phone"));
  commit();
  EXPECT_EQ(ask("photo*").hits.size(), 2u);
  EXPECT_EQ(ask("ph*").hits.size(), 0u) << "too short: taken as a word";
}

TEST_F(SearchReaderTest, SiteFilter_IsTheHostAndWhatIsBelowIt) {
  for (const char* host : {"example.org", "www.example.org", "badexample.org", "example.org.evil.example"})
    put(page(fmt::format("https://{}/", host), "same words", ""));
  commit();
  EXPECT_EQ(ask("same site:example.org").hits.size(), 2u);
  EXPECT_EQ(ask("same site:www.example.org").hits.size(), 1u);
  EXPECT_EQ(ask("same -site:example.org").hits.size(), 2u);
  EXPECT_EQ(ask("site:EXAMPLE.org").hits.size(), 2u);
  EXPECT_EQ(ask("site:https://www.example.org/path").hits.size(), 1u);
  EXPECT_EQ(ask("same site:badexample.org site:www.example.org").hits.size(), 2u);
}

TEST_F(SearchReaderTest, LanguageTypeAndLinkFilters) {
  SearchDocument one = page("https://a.example/", "same", "");
  one.language = "pt-BR";
  one.mime = "application/pdf";
  one.link_targets = {"https://www.target.example/x?y#part", "mailto:nobody@target.example"};
  put(one);
  put(page("https://b.example/", "same", ""));
  commit();
  for (const char* query :
       {"lang:pt", "lang:pt-br", "type:pdf", "type:application/pdf", "type:application -type:html",
        "link:target.example", "link:https://www.target.example/x?y", "same link:www.target.example"})
    EXPECT_EQ(urls(query), "https://a.example/ ") << query;
  for (const char* query : {"type:html", "lang:en", "same -link:target.example"})
    EXPECT_EQ(urls(query), "https://b.example/ ") << query;
  EXPECT_EQ(urls("type:text"), "") << "plain text, not all that is text/…";
  SearchDocument plain = page("https://c.example/", "same", "");
  plain.mime = "text/plain";
  put(plain);
  commit();
  for (const char* query : {"type:text", "type:plain", "type:TEXT"})
    EXPECT_EQ(urls(query), "https://c.example/ ") << query;
  EXPECT_EQ(urls("-type:text type:html"), "https://b.example/ ");
  EXPECT_EQ(urls("link:https://www.target.example/other"), "");
}

TEST_F(SearchReaderTest, TimeFilters) {
  SearchDocument old = page("https://old.example/", "same", "");
  old.fetched = WallTime{std::chrono::sys_days{std::chrono::year{2024} / 5 / 31}} + std::chrono::hours{23};
  put(old);
  SearchDocument seen = page("https://seen.example/", "same", "");
  seen.visits = {{"", 2, now - std::chrono::days{3}}};
  put(seen);
  commit();
  EXPECT_EQ(urls("same before:2024-06"), "https://old.example/ ");
  EXPECT_EQ(urls("same before:2024-05-31"), "");
  EXPECT_EQ(urls("same after:2024-05-31 before:2025"), "https://old.example/ ");
  EXPECT_EQ(urls("same after:2025"), "https://seen.example/ ");
  EXPECT_EQ(urls("visited:yes"), "https://seen.example/ ");
  EXPECT_EQ(urls("visited:week same"), "https://seen.example/ ");
  EXPECT_EQ(urls("visited:2d"), "");
  EXPECT_EQ(urls("visited:no"), "https://old.example/ ");
}

// Storage classes: personal things are for the person who saw them.
TEST_F(SearchReaderTest, PersonalPage_IsFoundByItsOwnerAlone) {
  SearchDocument mine = page("https://mail.example/", "private letter", "zanzibar zanzibar");
  mine.owner = "anna";
  put(mine);
  put(page("https://open.example/", "open letter", ""));
  commit();
  EXPECT_EQ(ask("letter", {"anna", true}).hits.size(), 2u);
  EXPECT_EQ(urls("letter", {"ben", true}), "https://open.example/ ");
  EXPECT_EQ(urls("letter", {"", true}), "https://open.example/ ");
  EXPECT_EQ(urls("letter", {"anna", false}), "https://open.example/ ");
  EXPECT_EQ(urls("letter", Viewer::nobody()), "https://open.example/ ");
  // Neither counted, nor found by a filter alone or a negation, nor betrayed by a suggestion.
  EXPECT_EQ(ask("letter", {"ben", true}).estimated_total, 1u);
  EXPECT_EQ(urls("site:mail.example", {"ben", true}), "");
  EXPECT_EQ(urls("-open", {"ben", true}), "");
  EXPECT_EQ(urls("zanz*", {"ben", true}), "");
  EXPECT_EQ(ask("zanzibat", {"anna", true}).suggestion, "zanzibar");
  EXPECT_EQ(ask("zanzibat", {"ben", true}).suggestion, "");
  EXPECT_EQ(ask("zanzibat", Viewer::nobody()).suggestion, "");
}

TEST_F(SearchReaderTest, WhereNobodyLogsIn_PersonalPagesAreTheOnePersons) {
  SearchDocument mine = page("https://mail.example/", "letter", "");
  mine.personal = true;
  add(mine);
  EXPECT_EQ(urls("letter"), "https://mail.example/ ");
  EXPECT_EQ(urls("letter", Viewer::nobody()), "");
  EXPECT_EQ(urls("letter", {"ben", true}), "");
}

TEST_F(SearchReaderTest, VisitsOfOthers_AreNotShown) {
  SearchDocument seen = page("https://a.example/", "same", "");
  seen.visits = {{"anna", 5, now}};
  add(seen);
  EXPECT_EQ(ask("same", {"anna", true}).hits.at(0).visit_count, 5u);
  EXPECT_EQ(urls("visited:yes", {"anna", true}), "https://a.example/ ");
  for (const Viewer& other : {Viewer{"ben", true}, Viewer::nobody(), Viewer{"anna", false}}) {
    EXPECT_EQ(ask("same", other).hits.at(0).visit_count, 0u);
    EXPECT_EQ(ask("same", other).hits.at(0).last_visit, WallTime{});
    EXPECT_EQ(urls("visited:yes", other), "");
    EXPECT_EQ(urls("visited:today", other), "");
  }
}

TEST_F(SearchReaderTest, EachPerson_IsShownAndRankedByHisOwnVisits) {
  SearchDocument annas = page("https://annas.example/", "", "the same text");
  annas.visits = {{"anna", 9, now}, {"ben", 1, now - std::chrono::days{40}}};
  put(annas);
  SearchDocument bens = page("https://bens.example/", "", "the same text, almost");
  bens.visits = {{"ben", 9, now}};
  put(bens);
  commit();
  const auto first = [this](const char* user) { return ask("same text", {user, true}).hits.at(0); };
  EXPECT_EQ(first("anna").url, "https://annas.example/");
  EXPECT_EQ(first("anna").visit_count, 9u);
  EXPECT_EQ(first("ben").url, "https://bens.example/");
  EXPECT_EQ(urls("visited:week", {"anna", true}), "https://annas.example/ ");
  EXPECT_EQ(urls("visited:week", {"ben", true}), "https://bens.example/ ") << "the other one he opened long ago";
  EXPECT_EQ(urls("visited:no", {"anna", true}), "https://bens.example/ ");
  EXPECT_EQ(urls("visited:yes same", {"carl", true}), "");
}

TEST_F(SearchReaderTest, LinksVisitsAndFreshness_DecideBetweenEqualTexts) {
  const auto first_of = [this](auto change) {
    open();
    SearchDocument better = page("https://better.example/", "", "the same text");
    change(better);
    SearchDocument other = page("https://a-other.example/", "", "the same text");
    put(other);
    put(better);
    commit();
    return ask("same text").hits.at(0).url;
  };
  EXPECT_EQ(first_of([](SearchDocument& d) { d.in_degree = 40; }), "https://better.example/");
  EXPECT_EQ(first_of([this](SearchDocument& d) { d.visits = {{"", 3, now}}; }), "https://better.example/");
  EXPECT_EQ(first_of([this](SearchDocument& d) { d.fetched = now; }), "https://better.example/");
  EXPECT_EQ(first_of([](SearchDocument& d) { d.title = "Same text"; }), "https://better.example/");
}

// More pages than candidates: the bonus in the match brings the visited and the much linked one among them.
TEST_F(SearchReaderTest, ManyEqualPages_DoNotHideTheOneThatIsKnown) {
  for (int i = 0; i < 600; ++i) put(page(fmt::format("https://a{}.example/", i), "", "ordinary words"));
  SearchDocument visited = page("https://visited.example/", "", "ordinary words");
  visited.visits = {{"", 4, now}};
  put(visited);
  SearchDocument linked = page("https://linked.example/", "", "ordinary words");
  linked.in_degree = 100;
  put(linked);
  commit();
  const SearchAnswer answer = ask("ordinary");
  EXPECT_EQ(answer.hits.at(0).url.substr(0, 11), "https://lin") << "links and";
  EXPECT_EQ(answer.hits.at(1).url, "https://visited.example/");
  EXPECT_GE(answer.estimated_total, 300u);
}

TEST_F(SearchReaderTest, NearDuplicates_AreFolded) {
  for (int i = 0; i < 5; ++i) {
    SearchDocument copy = page(fmt::format("https://mirror{}.example/", i), "", "mirrored text");
    copy.simhash = 0xABCDEF0123456789u ^ (1u << i);
    put(copy);
  }
  put(page("https://own.example/", "", "mirrored text with thoughts"));
  commit();
  const SearchAnswer answer = ask("mirrored");
  ASSERT_EQ(answer.hits.size(), 2u);
  EXPECT_EQ(answer.hits[0].folded + answer.hits[1].folded, 4u);
}

TEST_F(SearchReaderTest, Pages_ContinueWhereTheOneBeforeEnded) {
  for (int i = 0; i < 25; ++i) put(page(fmt::format("https://a{}.example/", i), "", "ordinary words"));
  commit();
  std::set<std::string> seen;
  for (std::size_t offset = 0; offset < 30; offset += 10)
    for (const SearchHit& hit : ask("ordinary", {}, 10, offset).hits) seen.insert(hit.url);
  EXPECT_EQ(seen.size(), 25u);
  EXPECT_TRUE(ask("ordinary", {}, 10, 1'000'000'000).hits.empty());
}

TEST_F(SearchReaderTest, Snippet_IsPlainTextWithRanges) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "Filler sentence without meaning. ";
  text += "Here <b>pelicans</b> & friends eat \"fish\".\n";
  for (int i = 0; i < 100; ++i) text += "More filler follows here. ";
  add(page("https://a.example/", "Birds", text));
  const SearchHit hit = ask("pelican").hits.at(0);
  EXPECT_EQ(highlighted(hit), "pelicans|");
  EXPECT_NE(hit.snippet.find("<b>pelicans</b> & friends"), std::string::npos) << hit.snippet;
  EXPECT_LT(hit.snippet.size(), 400u);
  EXPECT_EQ(hit.title, "Birds");
  EXPECT_EQ(hit.language, "en");
  EXPECT_EQ(hit.mime, "text/html");
}

TEST_F(SearchReaderTest, MisspeltWord_GetsASuggestion) {
  add(page("https://a.example/", "Wonderful elephants", "elephants elephants wonderful"));
  EXPECT_EQ(ask("wonderfull site:a.example Elephatns").suggestion, "wonderful site:a.example elephants");
  EXPECT_EQ(ask("wonderful").suggestion, "");
  EXPECT_EQ(ask("qqqqqqqqqq").suggestion, "");
}

TEST_F(SearchReaderTest, StrangeQueries_AreAnsweredOrRefused_NeverThrown) {
  add(page("https://a.example/", "Title", "some text"));
  std::vector<std::string> queries = {"",
                                      " ",
                                      "\"",
                                      "\"\"",
                                      "-",
                                      "*",
                                      "**",
                                      "a*",
                                      "!!!",
                                      "\xFF\xFE",
                                      std::string("\0a", 2),
                                      "site:[::1]",
                                      "site:..",
                                      "link:\"\"x",
                                      "lang:\"\"",
                                      "NEAR ADJ XOR NOT",
                                      "((((",
                                      "type:" + std::string(1000, 'x'),
                                      std::string(2048, 'x'),
                                      std::string(2048, '"'),
                                      "-title",
                                      "-site:a.example",
                                      "visited:no",
                                      "author:me"};
  std::string words;
  for (int i = 0; i < 400; ++i) words += "some ";
  queries.push_back(words);
  for (const std::string& query : queries) {
    const auto answer = index->query({}, {query, 0, 10}, now);
    if (!answer) {
      EXPECT_EQ(answer.error().kind, ErrorKind::invalid_argument) << query << answer.error().to_string();
    }
  }
}

TEST_F(SearchReaderTest, HostilePage_IsIndexed) {
  SearchDocument hostile = page("not a url \xFF", std::string(100'000, 'x'), std::string(3'000'000, 'y'));
  hostile.id = std::string(10'000, '\0');
  hostile.owner = "";
  hostile.language = std::string(5'000, 'z');
  hostile.mime = std::string(5'000, '/');
  hostile.headings = {std::string("\0\1\2", 3), "\xC3\x28 broken"};
  hostile.anchor_texts = std::vector<std::string>(10'000, "again");
  hostile.link_targets = std::vector<std::string>(10'000, "https://" + std::string(300, 'a') + ".example/");
  add(hostile);
  EXPECT_EQ(ask("broken").hits.size(), 1u);
}

}  // namespace
}  // namespace outrider
