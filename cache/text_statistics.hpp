// Numbers that stand for a text: its words, how long a person reads it, whether another text is the same or nearly so.
#pragma once

#include <cstdint>
#include <string_view>

namespace outrider {

// Words between blanks and punctuation. Where a language writes none, two Chinese or Japanese characters, or five
// characters of Thai, Lao, Khmer or Burmese, count as one word.
std::uint32_t count_words(std::string_view utf8);

// By a grown-up who reads to understand: 230 words a minute.
std::uint32_t reading_seconds(std::uint32_t words);

// Of text whose white space is collapsed already (page_text). 0 only for an empty one.
std::uint64_t text_fingerprint(std::string_view utf8);

// Charikar's SimHash over overlapping groups of three words, case ignored: of texts that share most groups most bits
// are equal (a few differing of 64: near duplicates). 0: too few words to tell.
std::uint64_t text_simhash(std::string_view utf8);

}  // namespace outrider
