#include "robot/classifiers/link_judges.hpp"
#include "robot/classifiers/page_judges.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace outrider {
namespace {

// A page as the classifiers see it.
struct Page {
  Url url = *Url::parse("http://example.com/a/b");
  PageContent content;
  std::vector<FoundLink> links;
  int status = 200;

  PageView view() const { return {url, status, content, links}; }
  void link(std::string_view target, std::string text = "") {
    FoundLink made;
    made.url = *Url::parse(target);
    made.id.low = std::hash<std::string>{}(made.url.href());
    made.text = std::move(text);
    links.push_back(std::move(made));
  }
};

double attribute(PageClassifier& classifier, const Page& page, std::string_view name) {
  Attributes out;
  classifier.judge(page.view(), out);
  return out.get(name).value_or(-1);
}

TEST(Filters, OneRejectionIsEnoughAndNoOpinionIsNone) {
  const UrlDecision none, accept{Decision::accept, "a"}, reject{Decision::reject, "r"};
  EXPECT_EQ(combine({}).decision, Decision::none);
  EXPECT_EQ(combine(std::vector{none, accept, none}).decision, Decision::accept);
  EXPECT_EQ(combine(std::vector{accept, reject, accept}).decision, Decision::reject);
  EXPECT_EQ(combine(std::vector{accept, reject}).reason, "r");
}

TEST(Attributes, TheLastValueCounts) {
  Attributes attributes;
  EXPECT_FALSE(attributes.get("x"));
  attributes.set("x", 1);
  attributes.set("y", 2);
  attributes.set("x", 3);
  EXPECT_EQ(attributes.get("x"), 3);
  EXPECT_EQ(attributes.size(), 2u);
}

TEST(Topic, IsTheCosineOfTheWords) {
  WordVector topic, same, half, other;
  topic.add("Sailing boats, sailing ropes");
  same.add("sailing SAILING boats ropes");
  half.add("sailing cakes");
  other.add("cakes and bread");
  EXPECT_NEAR(topic.cosine(same), 1, 1e-9);
  EXPECT_NEAR(topic.cosine(half), 2 / std::sqrt(6.0 * 2.0), 1e-9);
  EXPECT_EQ(topic.cosine(other), 0);
  EXPECT_EQ(WordVector{}.cosine(topic), 0);
  EXPECT_NEAR(topic.covered_by(half), 0.5, 1e-9);
}

TEST(PageJudges, AListOfLinksToOtherSitesIsAHub) {
  Page hub, page;
  for (int i = 0; i < 60; ++i) hub.link("http://site" + std::to_string(i) + ".example/");
  for (int i = 0; i < 60; ++i) page.link("http://example.com/" + std::to_string(i));
  for (int i = 0; i < 60; ++i) page.link("http://example.com/1");
  DegreeClassifier degree;
  PageClassifier& judge = degree;
  EXPECT_EQ(attribute(judge, hub, "hub"), 1);
  EXPECT_EQ(attribute(judge, page, "hub"), 0);
  EXPECT_EQ(attribute(judge, page, "out_degree"), 60);
}

TEST(PageJudges, AnErrorPageWithStatus200IsFound) {
  SoftNotFoundClassifier soft;
  Page page;
  page.content.title = "Seite NICHT gefunden";
  EXPECT_EQ(attribute(soft, page, "soft_404"), 1);
  page.content.word_count = 900;
  EXPECT_EQ(attribute(soft, page, "soft_404"), 0) << "an article about it";
  page.content.word_count = 10;
  page.content.title = "Welcome";
  EXPECT_EQ(attribute(soft, page, "soft_404"), 0);
}

TEST(PageJudges, NearDuplicatesDifferInThreeBitsAtMost) {
  NearDuplicateClassifier near;
  Page page;
  page.content.simhash = 0x0123456789ABCDEF;
  EXPECT_EQ(attribute(near, page, "near_duplicate"), 0);
  page.content.simhash ^= (1ull << 63) | (1ull << 30) | 1;
  EXPECT_EQ(attribute(near, page, "near_duplicate"), 1);
  page.content.simhash = 0x0123456789ABCDEF ^ 0xF;
  EXPECT_EQ(attribute(near, page, "near_duplicate"), 0);
  page.content.simhash = 0;
  EXPECT_EQ(attribute(near, page, "near_duplicate"), -1) << "too little text to tell";
}

TEST(PageJudges, LanguagesAreComparedByTheirBeginning) {
  const LanguageFilter filter{{"de", "pt-BR"}};
  const auto decide = [&filter](std::string detected, std::string declared = "") {
    Page page;
    page.content.language.code = std::move(detected);
    page.content.declared_language = std::move(declared);
    return filter.decide(page.view(), {}).decision;
  };
  EXPECT_EQ(decide("de"), Decision::accept);
  EXPECT_EQ(decide("", "de-AT"), Decision::accept);
  EXPECT_EQ(decide("en", "de"), Decision::reject) << "what is written counts more than what is declared";
  EXPECT_EQ(decide("pt"), Decision::reject);
  EXPECT_EQ(decide(""), Decision::none);
}

TEST(PageJudges, TextIsMatchedWithoutCase) {
  TextMatchClassifier match{"Call For Papers"};
  Page page;
  page.content.text = "the call for papers is open";
  EXPECT_EQ(attribute(match, page, "text_match"), 1);
  page.content.text = "the call is for papers";
  EXPECT_EQ(attribute(match, page, "text_match"), 0);
}

TEST(LinkJudges, TheTextAndThePathOfALinkTellWhereItLeads) {
  Page page;
  page.link("http://other.example/x", "All about sailing boats");
  page.link("http://example.com/sailing/boats.html", "here");
  page.link("http://example.com/cakes", "cakes");
  TaskSpec spec;
  spec.order = QueueOrder::best_first;
  spec.topic = {"sailing boats"};
  const Judges judges = make_judges(spec);
  const PageView view = page.view();
  std::vector<double> scores;
  for (const FoundLink& link : page.links)
    scores.push_back(judges.judge(LinkView{view, link}, {}).get("score").value_or(-1));
  EXPECT_EQ(scores, (std::vector<double>{1, 1, 0}));
  Attributes out;
  ExternalLinkClassifier external;
  static_cast<LinkClassifier&>(external).judge({view, page.links[0]}, {}, out);
  EXPECT_EQ(out.get("external"), 1);
}

TEST(Judges, OnlyThoseThatReadTheTextAskForTheDeepParse) {
  TaskSpec spec;
  EXPECT_FALSE(make_judges(spec).need_text());
  spec.skip_soft_404 = spec.skip_hubs = true;
  EXPECT_FALSE(make_judges(spec).need_text());
  spec.languages = {"de"};
  EXPECT_TRUE(make_judges(spec).need_text());
}

}  // namespace
}  // namespace outrider
