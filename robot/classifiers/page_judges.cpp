#include "robot/classifiers/page_judges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

namespace outrider {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string lowered(std::string_view text) {
  std::string out{text};
  std::transform(out.begin(), out.end(), out.begin(), lower);
  return out;
}

// Titles of error pages, in the languages that most pages are written in.
constexpr std::array<std::string_view, 14> kNotFound{"404",
                                                     "not found",
                                                     "nicht gefunden",
                                                     "page introuvable",
                                                     "no encontrada",
                                                     "non trovata",
                                                     "não encontrada",
                                                     "niet gevonden",
                                                     "nie znaleziono",
                                                     "не найдена",
                                                     "sidan hittades inte",
                                                     "ikke fundet",
                                                     "does not exist",
                                                     "existiert nicht"};

bool leads_on(const FoundLink& link) {
  return !link.url.href().empty() && link.kind != LinkKind::embedded && link.kind != LinkKind::link_rel;
}

}  // namespace

void DegreeClassifier::judge(const PageView& page, Attributes& out) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> targets, external;
  for (const FoundLink& link : page.links) {
    if (!leads_on(link)) continue;
    targets.emplace_back(link.id.low, link.id.high);
    if (link.url.host() != page.url.host()) external.push_back(targets.back());
  }
  const auto different = [](auto& all) {
    std::sort(all.begin(), all.end());
    return static_cast<double>(std::unique(all.begin(), all.end()) - all.begin());
  };
  const double degree = different(targets), away = different(external);
  const double share = degree == 0 ? 0 : away / degree;
  out.set("out_degree", degree);
  out.set("external_share", share);
  out.set("hub", degree < 10 ? 0 : share * std::min(1.0, degree / 50));
}

void SoftNotFoundClassifier::judge(const PageView& page, Attributes& out) {
  const std::string title = lowered(page.page.title);
  const bool says_so = std::any_of(kNotFound.begin(), kNotFound.end(),
                                   [&title](std::string_view words) { return title.find(words) != std::string::npos; });
  // A long article about error 404 is none.
  out.set("soft_404", page.status == 200 && says_so && page.page.word_count < 200 ? 1 : 0);
}

void NearDuplicateClassifier::judge(const PageView& page, Attributes& out) {
  const std::uint64_t hash = page.page.simhash;
  if (hash == 0) return;
  constexpr int kBands = kFarthest + 1;  // of two hashes that near, one band is equal
  constexpr int kBits = 64 / kBands;
  bool found = false;
  for (int band = 0; band < kBands && !found; ++band) {
    const std::uint64_t value = (hash >> (band * kBits)) & ((1ull << kBits) - 1);
    const auto [from, to] = bands_.equal_range(value << 2 | static_cast<unsigned>(band));
    for (auto it = from; it != to && !found; ++it) found = std::popcount(it->second ^ hash) <= kFarthest;
  }
  out.set("near_duplicate", found ? 1 : 0);
  if (found || bands_.size() >= kMost * kBands) return;
  for (int band = 0; band < kBands; ++band) {
    const std::uint64_t value = (hash >> (band * kBits)) & ((1ull << kBits) - 1);
    bands_.emplace(value << 2 | static_cast<unsigned>(band), hash);
  }
}

void TopicClassifier::judge(const PageView& page, Attributes& out) {
  WordVector words;
  words.add(page.page.title);
  words.add(page.page.description);
  for (const Heading& heading : page.page.headings) words.add(heading.text);
  words.add(page.page.text);
  out.set("topic", topic_.cosine(words));
}

TextMatchClassifier::TextMatchClassifier(std::string_view text) : text_(lowered(text)) {}

void TextMatchClassifier::judge(const PageView& page, Attributes& out) {
  const bool found = lowered(page.page.title).find(text_) != std::string::npos ||
                     lowered(page.page.text).find(text_) != std::string::npos;
  out.set("text_match", found ? 1 : 0);
}

void LanguageClassifier::judge(const PageView& page, Attributes& out) {
  out.set("language_confidence", page.page.language.confidence);
}

UrlDecision AttributeFilter::decide(const PageView&, const Attributes& attributes) const {
  const std::optional<double> value = attributes.get(name_);
  if (!value) return {};
  const bool rejected = below_ ? *value < bound_ : *value >= bound_;
  if (!rejected) return {Decision::accept, name_};
  return {Decision::reject, fmt::format("{} is {:.3g}", name_, *value)};
}

UrlDecision LanguageFilter::decide(const PageView& page, const Attributes&) const {
  const std::string code =
      !page.page.language.code.empty() ? page.page.language.code : lowered(page.page.declared_language);
  if (code.empty()) return {};
  for (const std::string& wanted : wanted_) {
    const std::string want = lowered(wanted), have = lowered(code);
    if (have == want || have.starts_with(want + "-")) return {Decision::accept, code};
  }
  return {Decision::reject, fmt::format("language: {} is not wanted", code)};
}

}  // namespace outrider
