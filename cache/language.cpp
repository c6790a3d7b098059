#include "cache/language.hpp"

#include "base/escape.hpp"
#include "base/html_name.hpp"
#include "base/utf8.hpp"
#include "cache/norwegian.hpp"

#include <cstdio>  // CLD2's header needs it

#include <cld2/public/compact_lang_det.h>
#include <cld2/public/encodings.h>

#include <algorithm>
#include <array>
#include <string>

namespace outrider {
namespace {

// More text does not make the answer better, only later.
constexpr std::size_t kEnough = 3 << 10;
// In so few bytes the words can be anybody's: what the page declares is then a better witness than their letters.
constexpr std::size_t kLittle = 160;
constexpr int kBestEffort = 0x4000;  // CLD2's kCLDFlagBestEffort: an answer for short texts, too

struct Verdict {
  CLD2::Language language = CLD2::UNKNOWN_LANGUAGE;
  int percent = 0;  // of the text
  bool reliable = false;
  bool well_formed = true;
};

Verdict ask(std::string_view text, const char* hint) {
  const CLD2::CLDHints hints{hint, nullptr, CLD2::UNKNOWN_ENCODING, CLD2::UNKNOWN_LANGUAGE};
  std::array<CLD2::Language, 3> languages{};
  std::array<int, 3> percents{};
  std::array<double, 3> scores{};
  int text_bytes = 0;
  int valid_prefix = 0;
  Verdict verdict;
  verdict.language = CLD2::ExtDetectLanguageSummaryCheckUTF8(
      text.data(), static_cast<int>(text.size()), true, &hints, kBestEffort, languages.data(), percents.data(),
      scores.data(), nullptr, &text_bytes, &verdict.reliable, &valid_prefix);
  verdict.well_formed = valid_prefix == static_cast<int>(text.size());
  for (std::size_t i = 0; i < languages.size(); ++i)
    if (languages[i] == verdict.language) verdict.percent = percents[i];
  return verdict;
}

// CLD2 refuses a text with a single control character or ill-formed byte.
std::string cleaned(std::string_view text) {
  std::string clean = replace_invalid_utf8(text);
  for (char& c : clean)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  std::string out;
  for (std::size_t at = 0; at < clean.size();) {
    const std::size_t begin = at;
    const char32_t c = next_code_point(clean, at);
    const bool is_noncharacter = (c & 0xFFFE) == 0xFFFE || (c >= 0xFDD0 && c <= 0xFDEF) || (c >= 0x80 && c < 0xA0);
    if (is_noncharacter) {
      out += ' ';
    } else {
      out.append(clean, begin, at - begin);
    }
  }
  return out;
}

// The first subtag, in lower case: "pt" of "pt-BR".
std::string primary(std::string_view tag) {
  std::string out{tag.substr(0, tag.find_first_of("-_"))};
  for (char& c : out) c = html_lower(c);
  return out;
}

// CLD2 speaks some codes of the last century.
std::string bcp47(CLD2::Language language) {
  if (language == CLD2::UNKNOWN_LANGUAGE || language == CLD2::TG_UNKNOWN_LANGUAGE) return {};
  const std::string code = CLD2::LanguageCode(language);
  if (code == "iw") return "he";
  if (code == "jw") return "jv";
  if (code == "mo") return "ro";
  if (code == "sr-ME") return "sr";
  if (code.starts_with("xx-") || code == "un") return {};  // a script, no language
  return code;
}

// Where CLD2's answer is finer than its eye.
std::string settled(const std::string& code, std::string_view text, const std::string& declared) {
  // Croatian and Bosnian share nearly all of their words; CLD2 calls 15 % of Croatian texts Bosnian. There is far more
  // Croatian than Bosnian on the web, so Bosnian is believed only if the page says so itself.
  if ((code == "bs" || code == "hr") && declared == "bs") return "bs";
  if (code == "bs") return "hr";
  // CLD2's table has one Norwegian. The two written languages differ in their commonest words.
  if (code == "no" || code == "nb" || code == "nn") return is_nynorsk(text) ? "nn" : "nb";
  return code;
}

std::uint32_t count_letters(std::string_view text) {
  std::uint32_t letters = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_ascii_letter = (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z';
    if (is_ascii_letter || byte >= 0xC0) ++letters;  // the first byte of a sequence
  }
  return letters;
}

}  // namespace

DetectedLanguage detect_language(std::string_view running_text, std::string_view declared_hint) {
  std::string_view text = utf8_prefix(running_text, kEnough);
  const std::string declared = primary(declared_hint);
  const char* const hint = text.size() < kLittle && !declared.empty() ? declared.c_str() : nullptr;
  Verdict verdict = ask(text, hint);
  std::string clean;
  if (!verdict.well_formed) {
    clean = cleaned(text);
    text = clean;
    verdict = ask(text, hint);
  }
  DetectedLanguage found;
  found.letters = count_letters(text);
  found.code = settled(bcp47(verdict.language), text, declared);
  if (found.code.empty()) return found;
  const float share = static_cast<float>(std::clamp(verdict.percent, 0, 100)) / 100;
  // Ten letters say little, a hundred nearly everything.
  const float amount = std::min(1.0F, static_cast<float>(found.letters) / 100);
  found.confidence = share * (verdict.reliable ? 1.0F : 0.5F) * (0.5F + amount / 2);
  return found;
}

}  // namespace outrider
