#include "cache/norwegian.hpp"

#include "base/html_name.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace outrider {
namespace {

// Pronouns, particles and forms of the commonest verbs: each is written so in one of the two languages only.
constexpr std::array<std::string_view, 26> kNynorsk{
    "berre", "dei", "deira", "dykk", "eg",   "ein",   "eit",  "frå",   "gjer",  "hennar", "ho",   "ikkje", "kjem",
    "kor",   "kva", "kvar",  "kven", "meir", "mykje", "noko", "nokon", "nokre", "sjølv",  "vart", "vere",  "vore"};
constexpr std::array<std::string_view, 26> kBokmal{
    "av",  "bare", "ble",  "blir", "dere", "deres",  "disse", "en",  "et",  "fra",  "gjør", "hennes", "hun",
    "hva", "hvem", "hvor", "ikke", "jeg",  "kommer", "mer",   "mye", "noe", "noen", "selv", "vært",   "være"};

template <class Words>
bool contains(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Letters of the language; everything else separates words.
bool is_word_byte(char c) {
  const char lower = html_lower(c);
  return (lower >= 'a' && lower <= 'z') || static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace

bool is_nynorsk(std::string_view text) {
  int balance = 0;
  std::string word;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    if (at < text.size() && is_word_byte(text[at])) {
      word += html_lower(text[at]);
      continue;
    }
    if (contains(kNynorsk, word)) ++balance;
    if (contains(kBokmal, word)) --balance;
    word.clear();
  }
  return balance > 0;
}

}  // namespace outrider
