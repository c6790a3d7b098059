// ISO-2022-JP: section 12.2.1 of the Encoding Standard, state by state. Escape sequences switch between character sets,
// so every byte may mean anything; it is the one encoding of the web that is not a superset of ASCII besides UTF-16.
#include "base/charset_decoders.hpp"
#include "base/charset_index.hpp"
#include "base/utf8.hpp"

namespace outrider {
namespace {

class Iso2022JpDecoder {
 public:
  Iso2022JpDecoder(std::string& out, std::string_view bytes) : out_(out), bytes_(bytes) {}

  void run() {
    while (at_ < bytes_.size()) step(static_cast<unsigned char>(bytes_[at_]));
    if (state_ == State::trail_byte || state_ == State::escape_start) {
      fail();
    } else if (state_ == State::escape) {  // ESC and one byte, which is now looked at again
      fail();
      state_ = output_state_;
      step(lead_);
      if (state_ == State::trail_byte) fail();
    }
  }

 private:
  enum class State : std::uint8_t { ascii, roman, katakana, lead_byte, trail_byte, escape_start, escape };

  static constexpr unsigned kEscape = 0x1B;

  void fail() { append_utf8(out_, kReplacementCharacter); }

  void put(char32_t code_point) {
    output_ = false;
    append_utf8(out_, code_point);
  }

  void step(unsigned byte) {
    ++at_;
    switch (state_) {
      case State::escape_start:
        return escape_start(byte);
      case State::escape:
        return escape(byte);
      case State::trail_byte:
        return trail(byte);
      default:
        break;
    }
    if (byte == kEscape) {
      state_ = State::escape_start;
      return;
    }
    if (state_ == State::lead_byte && byte >= 0x21 && byte <= 0x7E) {
      output_ = false;
      lead_ = byte;
      state_ = State::trail_byte;
      return;
    }
    put(single(byte));
  }

  // In the states in which one byte is one character.
  char32_t single(unsigned byte) const {
    if (state_ == State::katakana) return byte >= 0x21 && byte <= 0x5F ? 0xFF61 - 0x21 + byte : kReplacementCharacter;
    if (state_ == State::lead_byte || byte > 0x7F || byte == 0x0E || byte == 0x0F) return kReplacementCharacter;
    if (state_ == State::roman && byte == 0x5C) return 0xA5;
    if (state_ == State::roman && byte == 0x7E) return 0x203E;
    return byte;
  }

  void trail(unsigned byte) {
    if (byte == kEscape) {
      state_ = State::escape_start;
      return fail();
    }
    state_ = State::lead_byte;
    if (byte < 0x21 || byte > 0x7E) return fail();
    const auto& index = charset_index(CharsetIndex::jis0208);
    const char32_t code_point = index[(lead_ - 0x21) * 94 + byte - 0x21];
    append_utf8(out_, code_point != 0 ? code_point : kReplacementCharacter);
  }

  void escape_start(unsigned byte) {
    if (byte == 0x24 || byte == 0x28) {
      lead_ = byte;
      state_ = State::escape;
      return;
    }
    --at_;
    output_ = false;
    state_ = output_state_;
    fail();
  }

  void escape(unsigned byte) {
    const auto go_to = [this](State state) {
      state_ = output_state_ = state;
      // Two switches with nothing in between hide text from who filters it: an error.
      if (output_) fail();
      output_ = true;
    };
    if (lead_ == 0x28 && byte == 0x42) return go_to(State::ascii);
    if (lead_ == 0x28 && byte == 0x4A) return go_to(State::roman);
    if (lead_ == 0x28 && byte == 0x49) return go_to(State::katakana);
    if (lead_ == 0x24 && (byte == 0x40 || byte == 0x42)) return go_to(State::lead_byte);
    at_ -= 2;
    output_ = false;
    state_ = output_state_;
    fail();
  }

  std::string& out_;
  std::string_view bytes_;
  std::size_t at_ = 0;
  State state_ = State::ascii;
  State output_state_ = State::ascii;  // where an escape sequence that is none goes back to
  unsigned lead_ = 0;
  bool output_ = false;  // the last thing was a switch
};

}  // namespace

void append_iso_2022_jp(std::string& out, std::string_view bytes) {
  out.reserve(out.size() + bytes.size() + bytes.size() / 2);
  Iso2022JpDecoder(out, bytes).run();
}

}  // namespace outrider
