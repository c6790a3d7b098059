// Word stems, each with its language: "houses" on an English page is found by "house", and never by a German word that
// happens to have the same stem. Pages of a language without a stemmer, or of none that is known, have stems, too:
// their words as they are. So a word of a query is looked up once per language of the index, and nowhere else.
#pragma once

#include <xapian.h>

#include <string>
#include <string_view>

namespace outrider {

// "de" for "de-AT"; "-" if there is no stemmer for it.
std::string stem_language(std::string_view language);

// Takes what stem_language() returns. "houses" → "hous.en". Not for use by two threads at a time.
Xapian::Stem stemmer_for(const std::string& stem_language);

// Does the index have a stem of this word at all (by its first character)? As Xapian::TermGenerator decides.
bool has_stem(const std::string& word);

}  // namespace outrider
