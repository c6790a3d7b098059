#include "cache/search_terms.hpp"

#include "base/ascii.hpp"
#include "base/url.hpp"
#include "base/url_percent.hpp"
#include "base/utf8.hpp"
#include "cache/search_rank.hpp"
#include "cache/search_stemmer.hpp"

#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <set>

namespace outrider {
namespace {

constexpr std::size_t kMaxTextBytes = 256 << 10, kMaxTitleBytes = 1024, kMaxHeadingBytes = 300, kMaxHeadings = 100,
                      kMaxAnchorBytes = 200, kMaxAnchors = 50, kMaxLinkTargets = 500, kMaxTermBytes = 200;
constexpr Xapian::termcount kTitleWeight = 6, kHeadingWeight = 3, kAnchorWeight = 3, kUrlWeight = 2, kTextWeight = 1;
constexpr Xapian::termpos kGap = 100;  // phrases do not reach from one part of a page into another

std::string digest(std::string_view bytes) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> hash;
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), hash.data());
  return {reinterpret_cast<const char*>(hash.data()), 20};
}

// Cut at a character.
std::string_view at_most(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (text[bytes] & 0xC0) == 0x80) --bytes;
  return text.substr(0, bytes);
}

void index_words(Xapian::TermGenerator& generator, std::string_view text, std::size_t limit, Xapian::termcount weight) {
  const std::string_view part = at_most(text, limit);
  generator.index_text(Xapian::Utf8Iterator(part.data(), part.size()), weight);
  generator.increase_termpos(kGap);
}

void add_words(Xapian::Document& document, const SearchDocument& page, const std::string& language) {
  Xapian::TermGenerator generator;
  generator.set_document(document);
  generator.set_stemmer(stemmer_for(language));
  generator.set_stemming_strategy(Xapian::TermGenerator::STEM_SOME);
  generator.set_flags(Xapian::TermGenerator::FLAG_CJK_NGRAM);
  index_words(generator, page.title, kMaxTitleBytes, kTitleWeight);
  for (std::size_t i = 0; i < std::min(page.headings.size(), kMaxHeadings); ++i)
    index_words(generator, page.headings[i], kMaxHeadingBytes, kHeadingWeight);
  index_words(generator, page.text, kMaxTextBytes, kTextWeight);
  std::set<std::string_view> said;  // a thousand pages that say the same say it once
  for (const std::string& anchor : page.anchor_texts) {
    if (said.size() == kMaxAnchors) break;
    if (said.insert(anchor).second) index_words(generator, anchor, kMaxAnchorBytes, kAnchorWeight);
  }
  index_words(generator, url_words(page.url), kMaxTitleBytes, kUrlWeight);
}

void add_type(Xapian::Document& document, std::string_view mime) {
  const std::string type = ascii_lower(mime);
  if (type.empty()) return;
  document.add_boolean_term(bounded_term("XT", type));
  const std::size_t slash = type.find('/');
  if (slash == std::string::npos) return;
  document.add_boolean_term(bounded_term("XT", type.substr(0, slash)));
  document.add_boolean_term(bounded_term("XT", type.substr(slash + 1)));
}

void add_language(Xapian::Document& document, std::string_view language) {
  const std::string tag = ascii_lower(language);
  if (tag.empty()) return;
  document.add_boolean_term(bounded_term("XL", tag));
  document.add_boolean_term(bounded_term("XL", tag.substr(0, tag.find('-'))));
}

void add_links(Xapian::Document& document, const std::vector<std::string>& targets) {
  for (std::size_t i = 0; i < std::min(targets.size(), kMaxLinkTargets); ++i) {
    const Result<Url> url = Url::parse(targets[i]);
    if (!url || !url->is_http()) continue;
    document.add_boolean_term(exact_link_term(url->href()));
    for (const std::string& host : host_and_above(url->hostname())) document.add_boolean_term(linked_host_term(host));
  }
}

template <class T>
void append(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}
template <class T>
T take(const std::string& bytes, std::size_t& at) {
  T value{};
  if (bytes.size() - at >= sizeof value) {
    std::memcpy(&value, bytes.data() + at, sizeof value);
    at += sizeof value;
  }
  return value;
}

std::int64_t seconds(WallTime at) {
  return std::chrono::duration_cast<std::chrono::seconds>(at.time_since_epoch()).count();
}
WallTime wall_time(std::int64_t value) {
  return WallTime{std::chrono::seconds{std::clamp<std::int64_t>(value, 0, 9'000'000'000)}};
}

}  // namespace

std::string RankFacts::encode() const {
  std::string out;
  append(out, seconds(fetched));
  append(out, in_degree);
  append(out, simhash);
  append(out, fingerprint);
  append(out, url_hash);
  return out;
}

RankFacts RankFacts::decode(const std::string& bytes) {
  RankFacts facts;
  std::size_t at = 0;
  facts.fetched = wall_time(take<std::int64_t>(bytes, at));
  facts.in_degree = take<std::uint32_t>(bytes, at);
  facts.simhash = take<std::uint64_t>(bytes, at);
  facts.fingerprint = take<std::uint64_t>(bytes, at);
  facts.url_hash = take<std::uint64_t>(bytes, at);
  return facts;
}

std::string encode_visits(const std::vector<SearchVisits>& visits) {
  std::string out;
  for (const SearchVisits& each : visits) {
    append(out, url_hash(each.user));
    append(out, seconds(each.last));
    append(out, each.count);
  }
  return out;
}

VisitFacts visits_of(std::string_view user, const std::string& encoded) {
  if (encoded.empty()) return {};
  const std::uint64_t wanted = url_hash(user);
  for (std::size_t at = 0; at < encoded.size();) {
    const auto who = take<std::uint64_t>(encoded, at);
    const WallTime last = wall_time(take<std::int64_t>(encoded, at));
    const auto before = at;
    const auto count = take<std::uint32_t>(encoded, at);
    if (at == before) break;  // cut off
    if (who == wanted) return {count, last};
  }
  return {};
}

std::string StoredFields::encode() const {
  std::string out{personal ? "p" : "o"};
  for (const std::string* field : {&url, &owner, &title, &language, &mime}) {
    append(out, static_cast<std::uint32_t>(field->size()));
    out += *field;
  }
  return out;
}

StoredFields StoredFields::decode(std::string_view bytes) {
  StoredFields fields;
  if (bytes.empty()) return fields;
  fields.personal = bytes.front() == 'p';
  bytes.remove_prefix(1);
  for (std::string* field : {&fields.url, &fields.owner, &fields.title, &fields.language, &fields.mime}) {
    std::uint32_t size = 0;
    if (bytes.size() < sizeof size) break;
    std::memcpy(&size, bytes.data(), sizeof size);
    bytes.remove_prefix(sizeof size);
    *field = bytes.substr(0, size);
    bytes.remove_prefix(field->size());
  }
  return fields;
}

std::string bounded_term(std::string_view prefix, std::string_view value) {
  std::string term{prefix};
  // Xapian counts a NUL twice, and the digest may have some.
  term += value.size() <= kMaxTermBytes / 2 ? std::string{value} : "#" + digest(value);
  return term;
}

std::uint64_t url_hash(std::string_view url) {
  const std::string bytes = digest(url);
  std::uint64_t hash = 0;
  std::memcpy(&hash, bytes.data(), sizeof hash);
  return hash;
}

std::string id_term(std::string_view id) {
  return "Q" + digest(id);
}

std::string exact_link_term(std::string_view url) {
  return "XU" + digest(url.substr(0, url.find('#'))).substr(0, 8);
}

std::string linked_host_term(std::string_view host) {
  return "XK" + digest(host).substr(0, 8);
}

std::string open_term() {
  return "XO";
}

std::string owner_term(std::string_view owner) {
  return bounded_term("XP", owner);
}

std::string visitor_term(std::string_view user) {
  return bounded_term("XV", user);
}

std::string sortable_time(WallTime at) {
  return Xapian::sortable_serialise(static_cast<double>(seconds(at)));
}

std::vector<std::string> host_and_above(std::string_view host) {
  std::vector<std::string> hosts;
  if (host.ends_with('.')) host.remove_suffix(1);
  if (host.empty()) return hosts;
  const bool address = host.front() == '[' || is_ascii_digit(host.back());  // a last label never ends in a digit
  while (hosts.size() < 20) {
    hosts.push_back(ascii_lower(host));
    const std::size_t dot = host.find('.');
    if (address || dot == std::string_view::npos) break;
    host.remove_prefix(dot + 1);
  }
  return hosts;
}

std::string url_words(std::string_view url) {
  static constexpr std::array<std::string_view, 8> kNoise = {"www", "http", "https", "html",
                                                             "htm", "php",  "index", "com"};
  std::string plain = replace_invalid_utf8(percent_decode(url.substr(0, url.find_first_of("?#"))));
  for (char& c : plain)
    if (static_cast<unsigned char>(c) < 0x80 && !is_ascii_alpha(c) && !is_ascii_digit(c)) c = ' ';
  std::string words;
  std::string_view rest = plain;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    const std::string_view word = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (word.empty() || std::find(kNoise.begin(), kNoise.end(), word) != kNoise.end()) continue;
    if (!words.empty()) words += ' ';
    words += word;
  }
  return words;
}

bool is_spelling_word(const std::string& term, Xapian::termcount count) {
  constexpr Xapian::termcount kSaidMoreThanOnce = 2;
  if (count < kSaidMoreThanOnce || term.size() < 4 || term.size() > 40) return false;
  if (term.front() >= 'A' && term.front() <= 'Z') return false;  // a prefix: no word begins with a capital here
  if (std::any_of(term.begin(), term.end(), [](char c) { return is_ascii_digit(c) || c == '.' || c == '_'; }))
    return false;
  const auto lead = static_cast<unsigned char>(term.front());
  return lead < 0xE1;  // from U+1000 on: scripts whose words are not spelt letter by letter
}

Xapian::Document make_document(const SearchDocument& page) {
  Xapian::Document document;
  const std::string language = stem_language(page.language);
  add_words(document, page, language);
  document.add_boolean_term(id_term(page.id));
  document.add_boolean_term(kStemLanguagePrefix + language);
  document.add_boolean_term(page.is_open() ? open_term() : owner_term(page.owner));
  if (!page.visits.empty()) {
    WallTime last{};
    for (const SearchVisits& each : page.visits) {
      document.add_boolean_term(visitor_term(each.user));
      last = std::max(last, each.last);
    }
    document.add_value(kLastVisitSlot, sortable_time(last));
    document.add_value(kVisitsSlot, encode_visits(page.visits));
  }
  if (const Result<Url> url = Url::parse(page.url))
    for (const std::string& host : host_and_above(url->hostname())) document.add_boolean_term(bounded_term("XH", host));
  add_language(document, page.language);
  add_type(document, page.mime);
  add_links(document, page.link_targets);
  document.add_value(kFetchedSlot, sortable_time(page.fetched));
  if (page.in_degree > 0)
    document.add_value(kInDegreeSlot, Xapian::sortable_serialise(in_degree_bonus(page.in_degree)));
  document.add_value(
      kRankFactsSlot,
      RankFacts{page.fetched, page.in_degree, page.simhash, page.fingerprint, url_hash(page.url)}.encode());
  StoredFields stored{page.url,      page.owner, std::string{at_most(page.title, kMaxTitleBytes)},
                      page.language, page.mime,  !page.is_open()};
  document.set_data(stored.encode());
  return document;
}

}  // namespace outrider
