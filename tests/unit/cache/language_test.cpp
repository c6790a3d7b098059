#include "cache/language.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

namespace outrider {
namespace {

namespace fs = std::filesystem;

constexpr int kSentences = 10;

fs::path data_folder() {
  const char* root = std::getenv("OUTRIDER_TEST_DATA");
  return fs::path(root != nullptr ? root : OUTRIDER_TEST_DATA) / "langid";
}

struct Score {
  int texts = 0;
  int right = 0;
  int right_as_norwegian = 0;  // Bokmål and Nynorsk taken for one
  std::map<std::string, int> confusions;
};

bool is_norwegian(std::string_view code) {
  return code == "nb" || code == "nn";
}

void judge(Score& score, const std::string& expected, const std::string& text) {
  const DetectedLanguage detected = detect_language(text, "");
  const std::string& found = detected.code;
  const std::string coarse = found == "zh-Hant" ? "zh" : found;
  ++score.texts;
  if (coarse == expected) ++score.right;
  if (coarse == expected || (is_norwegian(coarse) && is_norwegian(expected))) ++score.right_as_norwegian;
  if (coarse != expected) ++score.confusions[expected + " taken for " + (found.empty() ? "nothing" : found)];
}

// Texts of consecutive sentences of one language; the goal is 99.8 %.
TEST(Language, TenSentencesAreEnough) {
  if (!fs::exists(data_folder())) GTEST_SKIP() << "no shared data";
  Score score;
  for (const auto& file : fs::directory_iterator(data_folder())) {
    if (file.path().extension() != ".tsv") continue;
    std::ifstream in(file.path());
    std::string line, text;
    for (int sentences = 0; std::getline(in, line);) {
      text += line.substr(line.find('\t') + 1) + " ";
      if (++sentences % kSentences != 0) continue;
      judge(score, file.path().stem().string(), text);
      text.clear();
    }
  }
  ASSERT_GT(score.texts, 4'000);
  const double share = 100.0 * score.right_as_norwegian / score.texts;
  const double strict = 100.0 * score.right / score.texts;
  std::printf("%d texts of %d sentences: %.3f %% right, %.3f %% with Bokmål and Nynorsk told apart\n", score.texts,
              kSentences, share, strict);
  for (const auto& [pair, count] : score.confusions) std::printf("  %s: %d\n", pair.c_str(), count);
  EXPECT_GE(share, 99.8);
  EXPECT_GE(strict, 99.8);
}

TEST(Language, NothingIsToldFromNothing) {
  for (const char* text : {"", " ", "12 345 - 678", "\x01\x02"}) {
    const DetectedLanguage found = detect_language(text, "");
    EXPECT_EQ(found.code, "") << text;
    EXPECT_EQ(found.confidence, 0) << text;
  }
}

TEST(Language, CodesAreThoseOfToday) {
  EXPECT_EQ(detect_language("זהו משפט פשוט בשפה העברית, והוא ארוך מספיק.", "").code, "he");
  EXPECT_EQ(detect_language("這是一個用繁體中文寫的句子，長度足夠讓人辨認出來。", "").code, "zh-Hant");
  EXPECT_EQ(detect_language("这是一个用简体中文写的句子，长度足够让人辨认出来。", "").code, "zh");
  EXPECT_EQ(detect_language("Dette er ikke noe annet enn en setning på norsk, og jeg skriver den.", "").code, "nb");
  EXPECT_EQ(detect_language("Dette er ikkje noko anna enn ei setning på norsk, og eg skriv ho.", "").code, "nn");
}

// One bad byte or control character must not hide a whole page.
TEST(Language, DirtIsOverlooked) {
  const std::string german = "Das ist ein ganz gewöhnlicher deutscher Satz, der lang genug ist. ";
  for (const char* dirt : {"\x01", "\xFF", "\xEF\xBF\xBF", "\xC2\x85"}) {
    EXPECT_EQ(detect_language(german + dirt + german, "").code, "de");
  }
}

TEST(Language, DeclarationDecidesOnlyWhatTheTextDoesNot) {
  const std::string german =
      "Das ist ein ganz gewöhnlicher deutscher Satz, der lang genug ist, um keine Fragen offen "
      "zu lassen, und noch ein wenig länger, damit es wirklich reicht.";
  EXPECT_EQ(detect_language(german, "en").code, "de");
  const std::string bosnian = "Sutra idemo na more, a poslije toga možemo kupiti hljeb i mlijeko u gradu.";
  EXPECT_EQ(detect_language(bosnian, "bs-BA").code, "bs");
  EXPECT_EQ(detect_language(bosnian, "").code, "hr");
}

TEST(Language, ConfidenceGrowsWithTheText) {
  const DetectedLanguage little = detect_language("Guten Tag auch", "");
  const DetectedLanguage more = detect_language(
      "Guten Tag auch, und vielen Dank dafür, dass Sie sich die Zeit genommen haben, diesen Brief ganz zu lesen. Wir "
      "freuen uns auf Ihre Antwort und hoffen, dass Sie bald wieder bei uns zu Gast sein werden.",
      "");
  EXPECT_LT(little.confidence, more.confidence);
  EXPECT_GT(more.confidence, 0.9F);
  EXPECT_GT(more.letters, little.letters);
}

}  // namespace
}  // namespace outrider
