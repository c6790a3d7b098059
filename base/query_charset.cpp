#include "base/query_charset.hpp"

#include "base/charset_index.hpp"
#include "base/utf8.hpp"

#include <unicode/ucnv.h>
#include <unicode/utf16.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

namespace outrider {
namespace {

struct CloseConverter {
  void operator()(UConverter* converter) const { ucnv_close(converter); }
};
using Converter = std::unique_ptr<UConverter, CloseConverter>;
using Bytes = std::string;  // one encoded code point
using Encoded = std::optional<Bytes>;

struct Exception {
  char32_t code_point;
  std::uint16_t bytes;  // two bytes, or one if below 0x100; 0: cannot be encoded
};

// Where ICU's converter and the index of the standard differ, found by comparing all code points.
constexpr Exception kBig5[] = {{0x2421, 0xA3E0}, {0x31CF, 0xC879}, {0x4EDD, 0xC6DF}, {0x5605, 0xFB48}, {0x5ED0, 0xFBF9},
                               {0x5EF4, 0xC6CF}, {0x60A4, 0xFC6C}, {0x65E0, 0xC6D3}, {0x732A, 0xFE52}, {0x7676, 0xC6D5},
                               {0x96B6, 0xC6D7}, {0x9FB0, 0xC8A1}, {0x9FB1, 0xC8A3}};
constexpr Exception kGb18030[] = {{0x9FB4, 0xFE59}, {0x9FB5, 0xFE61}, {0x9FB6, 0xFE66}, {0x9FB7, 0xFE67},
                                  {0x9FB8, 0xFE6D}, {0x9FB9, 0xFE7E}, {0x9FBA, 0xFE90}, {0x9FBB, 0xFEA0},
                                  {0xE5E5, 0},      {0xFE10, 0xA6D9}, {0xFE11, 0xA6DB}, {0xFE12, 0xA6DA},
                                  {0xFE13, 0xA6DC}, {0xFE14, 0xA6DD}, {0xFE15, 0xA6DE}, {0xFE16, 0xA6DF},
                                  {0xFE17, 0xA6EC}, {0xFE18, 0xA6ED}, {0xFE19, 0xA6F3}};
constexpr Exception kShiftJis[] = {{0x80, 0x80}, {0xA5, 0x5C}, {0x203E, 0x7E}, {0x2212, 0x817C}};
constexpr Exception kEucJp[] = {{0xA5, 0x5C}, {0x203E, 0x7E}, {0x2212, 0xA1DD}};
constexpr Exception kKoi8U[] = {{0x40E, 0xBE}, {0x45E, 0xAE}, {0x255D, 0}, {0x256C, 0}};
constexpr Exception kWindows1253[] = {{0xAA, 0}};
constexpr Exception kWindows1255[] = {{0x5BA, 0xCA}};

// Half-width katakana U+FF61… as ISO-2022-JP writes them (index ISO-2022-JP katakana).
constexpr char16_t kFullKatakana[] =
    u"。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソ"
    u"タチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン゛゜";
static_assert(std::size(kFullKatakana) == 63 + 1);

enum class Rule : std::uint8_t { any, no_private_use, two_bytes, big5, gbk, iso_2022_jp, iso_8859_16, user_defined };

struct Charset {
  std::string_view name;           // lower case
  const char* icu_name = nullptr;  // nullptr: `name`
  Rule rule = Rule::any;
  const Exception* exceptions = nullptr;
  std::size_t exception_count = 0;
};

template <std::size_t N>
constexpr Charset with(std::string_view name, const char* icu_name, Rule rule, const Exception (&list)[N]) {
  return {name, icu_name, rule, list, N};
}

constexpr Charset kCharsets[] = {
    {"ibm866"},
    {"iso-8859-2"},
    {"iso-8859-3"},
    {"iso-8859-4"},
    {"iso-8859-5"},
    {"iso-8859-6"},
    {"iso-8859-7"},
    {"iso-8859-8"},
    {"iso-8859-8-i", "iso-8859-8"},
    {"iso-8859-10"},
    {"iso-8859-13"},
    {"iso-8859-14"},
    {"iso-8859-15"},
    {"iso-8859-16", nullptr, Rule::iso_8859_16},
    {"koi8-r"},
    with("koi8-u", nullptr, Rule::any, kKoi8U),
    {"macintosh"},
    {"windows-874", nullptr, Rule::no_private_use},
    {"windows-1250"},
    {"windows-1251"},
    {"windows-1252"},
    with("windows-1253", nullptr, Rule::any, kWindows1253),
    {"windows-1254"},
    with("windows-1255", nullptr, Rule::any, kWindows1255),
    {"windows-1256"},
    {"windows-1257"},
    {"windows-1258"},
    {"x-mac-cyrillic"},
    {"x-user-defined", nullptr, Rule::user_defined},
    with("gbk", "gb18030", Rule::gbk, kGb18030),
    with("gb18030", nullptr, Rule::any, kGb18030),
    with("big5", "Big5-HKSCS", Rule::big5, kBig5),
    {"euc-kr", "windows-949-2000", Rule::two_bytes},
    with("shift_jis", "ibm-943_P15A-2003", Rule::no_private_use, kShiftJis),
    with("euc-jp", "euc-jp-2007", Rule::two_bytes, kEucJp),
    with("iso-2022-jp", "euc-jp-2007", Rule::iso_2022_jp, kEucJp),
};

const Charset* find_charset(std::string_view name) {
  std::string lower(name.substr(0, 32));
  std::transform(lower.begin(), lower.end(), lower.begin(), to_ascii_lower);
  const auto* found = std::find_if(std::begin(kCharsets), std::end(kCharsets),
                                   [&lower](const Charset& charset) { return charset.name == lower; });
  return found == std::end(kCharsets) ? nullptr : found;
}

bool is_private_use(char32_t c) {
  return c >= 0xE000 && c <= 0xF8FF;
}

class Encoder {
 public:
  explicit Encoder(const Charset& charset) : charset_(charset) {
    if (charset.rule == Rule::iso_8859_16 || charset.rule == Rule::user_defined) return;
    const std::string name = charset.icu_name != nullptr ? charset.icu_name : std::string(charset.name);
    UErrorCode error = U_ZERO_ERROR;
    converter_.reset(ucnv_open(name.c_str(), &error));
    if (!converter_) return;
    ucnv_setFallback(converter_.get(), false);
    ucnv_setFromUCallBack(converter_.get(), UCNV_FROM_U_CALLBACK_STOP, nullptr, nullptr, nullptr, &error);
  }

  // `code_point` is not ASCII.
  Encoded encode(char32_t code_point) const {
    for (std::size_t i = 0; i < charset_.exception_count; ++i)
      if (charset_.exceptions[i].code_point == code_point) return from_exception(charset_.exceptions[i].bytes);
    switch (charset_.rule) {
      case Rule::iso_8859_16:
        return encode_iso_8859_16(code_point);
      case Rule::user_defined:
        if (code_point < 0xF780 || code_point > 0xF7FF) return std::nullopt;
        return Bytes(1, static_cast<char>(code_point - 0xF780 + 0x80));
      case Rule::gbk:
        if (code_point == 0x20AC) return Bytes("\x80");
        return two_bytes_or_nothing(convert(code_point));
      case Rule::big5: {
        if (code_point >= 0x2400 && code_point <= 0x241F)
          return from_exception(static_cast<std::uint16_t>(0xA3C0 + (code_point - 0x2400)));
        Encoded bytes = two_bytes_or_nothing(is_private_use(code_point) ? std::nullopt : convert(code_point));
        if (bytes && static_cast<unsigned char>((*bytes)[0]) < 0xA1) return std::nullopt;  // Hong Kong extensions
        return bytes;
      }
      case Rule::two_bytes:
      case Rule::iso_2022_jp:
        return two_bytes_or_nothing(is_private_use(code_point) ? std::nullopt : convert(code_point));
      case Rule::no_private_use:
        return is_private_use(code_point) ? std::nullopt : convert(code_point);
      case Rule::any:
        break;
    }
    return convert(code_point);
  }

 private:
  static Encoded from_exception(std::uint16_t bytes) {
    if (bytes == 0) return std::nullopt;
    Bytes out;
    if (bytes > 0xFF) out.push_back(static_cast<char>(bytes >> 8));
    out.push_back(static_cast<char>(bytes & 0xFF));
    return out;
  }

  static Encoded two_bytes_or_nothing(Encoded bytes) { return bytes && bytes->size() == 2 ? bytes : std::nullopt; }

  static Encoded encode_iso_8859_16(char32_t code_point) {
    if (code_point < 0xA0) return Bytes(1, static_cast<char>(code_point));
    const auto at = std::u16string_view(kIso8859_16).find(static_cast<char16_t>(code_point));
    if (code_point > 0xFFFF || at == std::u16string_view::npos) return std::nullopt;
    return Bytes(1, static_cast<char>(0xA0 + at));
  }

  Encoded convert(char32_t code_point) const {
    if (!converter_) return std::nullopt;
    UChar units[2];
    int32_t length = 0;
    U16_APPEND_UNSAFE(units, length, code_point);
    char bytes[16];
    UErrorCode error = U_ZERO_ERROR;
    ucnv_reset(converter_.get());
    const int32_t size = ucnv_fromUChars(converter_.get(), bytes, sizeof bytes, units, length, &error);
    if (U_FAILURE(error) || size <= 0) return std::nullopt;
    return Bytes(bytes, static_cast<std::size_t>(size));
  }

  const Charset& charset_;
  Converter converter_;
};

void append_bytes(std::string& out, std::string_view bytes, EncodeSet set) {
  for (char byte : bytes) {
    if (byte == ' ' && set == EncodeSet::form) {
      out.push_back('+');
    } else {
      append_percent_encoded(out, {&byte, 1}, set);
    }
  }
}

void append_reference(std::string& out, char32_t code_point) {
  out.append("%26%23").append(std::to_string(static_cast<std::uint32_t>(code_point))).append("%3B");
}

// The only encoder with a state: escape sequences switch between ASCII, JIS X 0201 Roman and JIS X 0208.
class Iso2022JpWriter {
 public:
  Iso2022JpWriter(std::string& out, EncodeSet set, const Encoder& encoder) : out_(out), set_(set), encoder_(encoder) {}

  void write(char32_t c) {
    if (state_ != State::jis0208 && (c == 0x0E || c == 0x0F || c == 0x1B))
      return append_reference(out_, kReplacementCharacter);
    if (c < 0x80) {
      const bool fits = state_ == State::ascii || (state_ == State::roman && c != '\\' && c != '~');
      if (!fits) {
        go_to(State::ascii);
        return write(c);
      }
      return put({static_cast<char>(c)});
    }
    if (c == 0xA5 || c == 0x203E) {
      go_to(State::roman);
      return put({c == 0xA5 ? '\\' : '~'});
    }
    if (c >= 0xFF61 && c <= 0xFF9F) c = kFullKatakana[c - 0xFF61];
    const Encoded bytes = encoder_.encode(c);
    if (!bytes || bytes->size() != 2) {
      if (state_ == State::jis0208) go_to(State::ascii);
      return append_reference(out_, c);
    }
    go_to(State::jis0208);
    put({static_cast<char>((*bytes)[0] & 0x7F), static_cast<char>((*bytes)[1] & 0x7F)});
  }

  void finish() { go_to(State::ascii); }

 private:
  enum class State : std::uint8_t { ascii, roman, jis0208 };

  void put(std::initializer_list<char> bytes) { append_bytes(out_, {bytes.begin(), bytes.size()}, set_); }

  void go_to(State state) {
    if (state == state_) return;
    state_ = state;
    append_bytes(out_, state == State::ascii ? "\x1B(B" : state == State::roman ? "\x1B(J" : "\x1B$B", set_);
  }

  std::string& out_;
  EncodeSet set_;
  const Encoder& encoder_;
  State state_ = State::ascii;
};

}  // namespace

void append_percent_encoded_in_charset(std::string& out, std::string_view text, EncodeSet set, std::string_view name) {
  const Charset* charset = find_charset(name);
  if (charset == nullptr || (is_ascii(text) && charset->rule != Rule::iso_2022_jp)) return append_bytes(out, text, set);
  const Encoder encoder(*charset);
  if (charset->rule == Rule::iso_2022_jp) {
    Iso2022JpWriter writer(out, set, encoder);
    for (std::size_t at = 0; at < text.size();) writer.write(next_code_point(text, at));
    return writer.finish();
  }
  for (std::size_t at = 0; at < text.size();) {
    const char32_t code_point = next_code_point(text, at);
    if (code_point < 0x80) {
      const char c = static_cast<char>(code_point);
      append_bytes(out, {&c, 1}, set);
    } else if (const Encoded bytes = encoder.encode(code_point)) {
      append_bytes(out, *bytes, set);
    } else {
      append_reference(out, code_point);
    }
  }
}

}  // namespace outrider
