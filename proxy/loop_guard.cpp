#include "proxy/loop_guard.hpp"

#include "base/http_chars.hpp"

#include <fmt/format.h>
#include <openssl/rand.h>

#include <array>
#include <stdexcept>

namespace outrider {
namespace {

// One member after another of "1.1 alice (Mallory's, nested (too)), HTTP/2 bob:8080". Comments are skipped.
class ViaReader {
 public:
  explicit ViaReader(std::string_view value) : rest_(value) {}

  // The received-by of the next member; "" = the end.
  std::string_view next() {
    while (!rest_.empty()) {
      std::array<std::string_view, 2> words;
      std::size_t count = 0;
      while (!rest_.empty() && rest_.front() != ',') {
        if (is_ows(rest_.front())) {
          rest_.remove_prefix(1);
        } else if (rest_.front() == '(') {
          skip_comment();
        } else {
          const std::string_view word = rest_.substr(0, rest_.find_first_of(" \t,("));
          rest_.remove_prefix(word.size());
          if (count < words.size()) words[count++] = word;
        }
      }
      if (!rest_.empty()) rest_.remove_prefix(1);
      if (count == 2) return words[1];
    }
    return {};
  }
  bool malformed() const { return malformed_; }

 private:
  void skip_comment() {  // RFC 9110 section 5.6.5
    std::size_t depth = 0;
    for (std::size_t at = 0; at < rest_.size(); ++at) {
      if (rest_[at] == '\\') {
        ++at;
      } else if (rest_[at] == '(') {
        ++depth;
      } else if (rest_[at] == ')' && --depth == 0) {
        return rest_.remove_prefix(at + 1);
      }
    }
    malformed_ = true;
    rest_ = {};
  }

  std::string_view rest_;
  bool malformed_ = false;
};

bool names(std::string_view value, std::string_view pseudonym) {
  if (value.find(pseudonym) == std::string_view::npos) return false;  // nearly always
  ViaReader reader{value};
  for (std::string_view by = reader.next(); !by.empty(); by = reader.next())
    if (equal_ignoring_case(by, pseudonym)) return true;
  return reader.malformed();  // a comment without end may hide us on purpose
}

}  // namespace

std::string make_pseudonym() {
  std::array<unsigned char, 4> random{};
  if (RAND_bytes(random.data(), static_cast<int>(random.size())) != 1)
    throw std::runtime_error("the system has no random numbers");
  return fmt::format("outrider-{:02x}", fmt::join(random, ""));
}

bool has_looped(const HeaderMap& headers, std::string_view pseudonym) {
  bool looped = false;
  headers.each(HeaderId::via, [&](const HeaderField& field) { looped = looped || names(field.value, pseudonym); });
  return looped;
}

void add_via(HeaderMap& headers, HttpVersion received, std::string_view pseudonym) {
  static constexpr std::array<std::string_view, 3> kProtocol = {"1.0 ", "1.1 ", "2 "};
  const std::string_view protocol = kProtocol[static_cast<std::size_t>(received)];
  std::array<char, 64> value;  // no allocation for every message
  if (protocol.size() + pseudonym.size() > value.size())
    return headers.add(HeaderId::via, std::string{protocol}.append(pseudonym));
  protocol.copy(value.data(), protocol.size());
  pseudonym.copy(value.data() + protocol.size(), pseudonym.size());
  headers.add(HeaderId::via, std::string_view{value.data(), protocol.size() + pseudonym.size()});
}

}  // namespace outrider
