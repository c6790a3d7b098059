#include "cache/search_stemmer.hpp"

#include "base/url_percent.hpp"

#include <algorithm>
#include <array>

namespace outrider {
namespace {

constexpr std::string_view kNoStemmer = "-";

// What Xapian 1.4 has, by ISO 639-1, without its variants (early English, the other Dutch, Lovins).
constexpr std::array<std::string_view, 26> kStemmed = {"ar", "ca", "da", "de", "en", "es", "eu", "fi", "fr",
                                                       "ga", "hu", "hy", "id", "it", "lt", "nb", "ne", "nl",
                                                       "nn", "no", "pt", "ro", "ru", "sv", "ta", "tr"};

class MarkedStem final : public Xapian::StemImplementation {
 public:
  MarkedStem(Xapian::Stem inner, std::string mark) : inner_(std::move(inner)), mark_(std::move(mark)) {}
  std::string operator()(const std::string& word) override { return inner_(word) + mark_; }
  std::string get_description() const override { return "stem" + mark_; }

 private:
  Xapian::Stem inner_;
  std::string mark_;
};

}  // namespace

std::string stem_language(std::string_view language) {
  std::string primary{language.substr(0, language.find('-'))};
  std::transform(primary.begin(), primary.end(), primary.begin(), to_ascii_lower);
  if (primary == "nb" || primary == "nn") primary = "no";  // one stemmer for both ways to write it
  const bool known = std::find(kStemmed.begin(), kStemmed.end(), primary) != kStemmed.end();
  return known ? primary : std::string{kNoStemmer};
}

Xapian::Stem stemmer_for(const std::string& stem_language) {
  Xapian::Stem inner;
  if (stem_language != kNoStemmer) inner = Xapian::Stem(stem_language, true);  // true: none instead of an exception
  return Xapian::Stem(new MarkedStem(std::move(inner), "." + stem_language));  // Xapian counts its owners
}

bool has_stem(const std::string& word) {
  const Xapian::Utf8Iterator first(word);
  if (first == Xapian::Utf8Iterator()) return false;
  switch (Xapian::Unicode::get_category(*first)) {
    case Xapian::Unicode::LOWERCASE_LETTER:
    case Xapian::Unicode::TITLECASE_LETTER:
    case Xapian::Unicode::MODIFIER_LETTER:
    case Xapian::Unicode::OTHER_LETTER:
      return true;
    default:
      return false;
  }
}

}  // namespace outrider
