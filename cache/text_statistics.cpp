#define XXH_INLINE_ALL
#include "cache/text_statistics.hpp"

#include "base/html_name.hpp"
#include "base/utf8.hpp"

#include <unicode/uchar.h>
#include <xxhash.h>

#include <algorithm>
#include <array>

namespace outrider {
namespace {

constexpr std::uint32_t kWordsPerMinute = 230;
constexpr std::size_t kShingle = 3;          // words
constexpr std::size_t kFewestShingles = 10;  // below that one word changes everything

enum class Letter : std::uint8_t { none, word, ideograph, unspaced };

constexpr std::array<bool, 256> make_word_bytes() {
  std::array<bool, 256> table{};
  for (unsigned c = 0; c < 0x80; ++c) {
    const char lower = html_lower(static_cast<char>(c));
    table[c] = (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9');
  }
  return table;
}
constexpr std::array<bool, 256> kWordBytes = make_word_bytes();  // of ASCII

// Not for ASCII. There are scripts that are written without blanks between words.
Letter kind_of(char32_t c) {
  const bool is_cjk = (c >= 0x3040 && c <= 0x30FF) || (c >= 0x3400 && c <= 0x4DBF) || (c >= 0x4E00 && c <= 0x9FFF) ||
                      (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x20000 && c <= 0x3FFFF);
  if (is_cjk) return Letter::ideograph;
  const bool is_south_east =
      (c >= 0x0E00 && c <= 0x0EFF) || (c >= 0x1000 && c <= 0x109F) || (c >= 0x1780 && c <= 0x17FF);
  const auto code = static_cast<UChar32>(c);
  if (is_south_east) return u_isalpha(code) != 0 ? Letter::unspaced : Letter::none;
  // A combining mark is part of the word that it stands in.
  return u_isalnum(code) != 0 || u_charType(code) == U_NON_SPACING_MARK ? Letter::word : Letter::none;
}

// Calls visit(word, kind) for each word; an ideograph is a word of its own here.
template <class Visit>
void each_word(std::string_view text, Visit&& visit) {
  std::size_t begin = 0;
  Letter open = Letter::none;
  const auto close = [&](std::size_t end) {
    if (open != Letter::none && end > begin) visit(text.substr(begin, end - begin), open);
    open = Letter::none;
  };
  for (std::size_t at = 0; at < text.size();) {
    if (open == Letter::word)
      while (at < text.size() && kWordBytes[static_cast<unsigned char>(text[at])]) ++at;
    if (at == text.size()) break;
    const std::size_t here = at;
    const auto byte = static_cast<unsigned char>(text[at]);
    const char32_t c = byte < 0x80 ? static_cast<char32_t>(text[at++]) : next_code_point(text, at);
    const Letter kind = byte >= 0x80 ? kind_of(c) : kWordBytes[byte] ? Letter::word : Letter::none;
    if (kind == open && kind == Letter::word) continue;
    // Apostrophes and the like stay inside a word: "don't" is one.
    const bool joins = (c == '\'' || c == 0x2019 || c == '-') && open == Letter::word && at < text.size() &&
                       static_cast<unsigned char>(text[at]) > ' ';
    if (joins) continue;
    close(here);
    if (kind == Letter::none) continue;
    begin = here;
    open = kind;
    if (kind != Letter::word) close(at);
  }
  close(text.size());
}

// Each bit of a byte as a byte of its own.
constexpr std::array<std::uint64_t, 256> make_spread() {
  std::array<std::uint64_t, 256> spread{};
  for (std::size_t byte = 0; byte < 256; ++byte)
    for (std::size_t bit = 0; bit < 8; ++bit)
      if ((byte >> bit & 1) != 0) spread[byte] |= 1ULL << 8 * bit;
  return spread;
}
constexpr std::array<std::uint64_t, 256> kSpread = make_spread();

// 64 counters, one for each bit, eight to a word: adding the spread bits of a byte counts eight bits at once.
class BitVotes {
 public:
  void add(std::uint64_t hash) {
    for (std::size_t i = 0; i < 8; ++i) small_[i] += kSpread[hash >> 8 * i & 0xFF];
    if (++pending_ == 255) flush();
  }
  std::uint64_t majority() {
    flush();
    std::uint64_t bits = 0;
    for (std::size_t bit = 0; bit < 64; ++bit)
      if (2 * ones_[bit] > total_) bits |= 1ULL << bit;
    return bits;
  }
  std::uint64_t total() const { return total_ + pending_; }

 private:
  void flush() {
    for (std::size_t i = 0; i < 8; ++i) {
      for (std::size_t bit = 0; bit < 8; ++bit) ones_[8 * i + bit] += small_[i] >> 8 * bit & 0xFF;
      small_[i] = 0;
    }
    total_ += pending_;
    pending_ = 0;
  }

  std::array<std::uint64_t, 8> small_{};
  std::array<std::uint64_t, 64> ones_{};
  std::uint64_t total_ = 0;
  unsigned pending_ = 0;
};

std::uint64_t hash_of_word(std::string_view word) {
  std::array<char, 64> lower;
  const std::size_t size = std::min(word.size(), lower.size());
  for (std::size_t i = 0; i < size; ++i) lower[i] = html_lower(word[i]);
  return XXH3_64bits(lower.data(), size);
}

}  // namespace

std::uint32_t count_words(std::string_view utf8) {
  std::uint64_t words = 0;
  std::uint64_t ideographs = 0;
  std::uint64_t unspaced = 0;
  each_word(utf8, [&](std::string_view, Letter kind) {
    if (kind == Letter::word) ++words;
    if (kind == Letter::ideograph) ++ideographs;
    if (kind == Letter::unspaced) ++unspaced;
  });
  return static_cast<std::uint32_t>(words + (ideographs + 1) / 2 + (unspaced + 4) / 5);
}

std::uint32_t reading_seconds(std::uint32_t words) {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(words) * 60 / kWordsPerMinute);
}

std::uint64_t text_fingerprint(std::string_view utf8) {
  if (utf8.empty()) return 0;
  const std::uint64_t hash = XXH3_64bits(utf8.data(), utf8.size());
  return hash != 0 ? hash : 1;
}

std::uint64_t text_simhash(std::string_view utf8) {
  BitVotes votes;
  std::array<std::uint64_t, kShingle> recent{};
  std::size_t words = 0;
  each_word(utf8, [&](std::string_view word, Letter) {
    recent[words % kShingle] = hash_of_word(word);
    ++words;
    if (words < kShingle) return;
    std::array<std::uint64_t, kShingle> ordered;
    for (std::size_t i = 0; i < kShingle; ++i) ordered[i] = recent[(words + i) % kShingle];
    votes.add(XXH3_64bits(ordered.data(), sizeof ordered));
  });
  if (votes.total() < kFewestShingles) return 0;
  const std::uint64_t bits = votes.majority();
  return bits != 0 ? bits : 1;
}

}  // namespace outrider
