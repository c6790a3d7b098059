#include "base/charset_index.hpp"

#include <unicode/ucnv.h>
#include <unicode/utf16.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>

namespace outrider {
namespace {

struct Exception {
  std::uint16_t pointer;
  char16_t code_point;
};
// Where ICU's converter and the standard's index differ, found by comparing all pointers (ICU 72.1). Code points for
// private use, which ICU has for what vendors added, are none.
constexpr Exception kBig5[] = {
    {1008, 0x9F97},  {1016, 0x9F96},  {1099, 0x31C0},  {1100, 0x31C1},  {1101, 0x31C2},  {1102, 0x31C3},
    {1103, 0x31C4},  {1105, 0x31C5},  {1108, 0x31C6},  {1109, 0x31C7},  {1112, 0x31C8},  {1114, 0x31C9},
    {1115, 0x31CA},  {1116, 0x31CB},  {1117, 0x31CC},  {1119, 0x31CD},  {1120, 0x31CE},  {1170, 0x23DA},
    {1171, 0x23DB},  {1730, 0x9FA6},  {1772, 0x9FA7},  {1779, 0x9FA8},  {1812, 0x9FA9},  {1814, 0x9FAA},
    {1816, 0x9FAB},  {1821, 0x9FAC},  {1844, 0x9FAD},  {1845, 0x9FAE},  {1847, 0x9FAF},  {1866, 0x9FB2},
    {1892, 0x9FB3},  {2082, 0x7BB8},  {2088, 0x7C06},  {2103, 0x7CCE},  {2114, 0x7DD2},  {2123, 0x7E1D},
    {2148, 0x8005},  {2151, 0x8028},  {2221, 0x83C1},  {2239, 0x84A8},  {2244, 0x840F},  {2303, 0x89A6},
    {2304, 0x89A9},  {2354, 0x8D77},  {2400, 0x90FD},  {2413, 0x92B9},  {2477, 0x975C},  {2498, 0x97FF},
    {2605, 0x9F16},  {2673, 0x8503},  {2746, 0x5159},  {2747, 0x515B},  {2748, 0x515D},  {2749, 0x515E},
    {2771, 0x936E},  {2780, 0x7479},  {2990, 0x6D67},  {3087, 0x799B},  {3259, 0x9097},  {3301, 0x975D},
    {3436, 0x701E},  {3451, 0x5B28},  {4136, 0x7201},  {4138, 0x77D7},  {4141, 0x7E87},  {4182, 0x99D6},
    {4206, 0x91D4},  {4220, 0x60DE},  {4230, 0x6FB6},  {4241, 0x8F36},  {4258, 0x4FBB},  {4273, 0x71DF},
    {4279, 0x9104},  {4282, 0x9DF0},  {4294, 0x83CF},  {4329, 0x5C10},  {4330, 0x79E3},  {4349, 0x5A67},
    {4419, 0x8F0B},  {4422, 0x7B51},  {4494, 0x62D0},  {4624, 0x6062},  {4694, 0x75F9},  {4708, 0x6C4A},
    {4742, 0x9B2E},  {4748, 0x9F17},  {4815, 0x50ED},  {4828, 0x5F0C},  {4902, 0x880F},  {4922, 0x62CE},
    {4982, 0x7468},  {4992, 0x7162},  {4997, 0x7250},  {5464, 0x2421},  {10942, 0x5EF4}, {10946, 0x65E0},
    {10948, 0x7676}, {10950, 0x96B6}, {10957, 0x3003}, {10958, 0x4EDD}, {11204, 0x31CF}, {11210, 0x9FB0},
    {11212, 0x9FB1}, {19028, 0x5029}, {19035, 0x507D}, {19088, 0x5305}, {19096, 0x5344}, {19112, 0x537F},
    {19162, 0x5605}, {19240, 0x5A77}, {19299, 0x5E75}, {19305, 0x5ED0}, {19326, 0x5F58}, {19355, 0x60A4},
    {19398, 0x6490}, {19439, 0x6674}, {19454, 0x675E}, {19553, 0x6C9C}, {19554, 0x6E1D}, {19557, 0x6E2F},
    {19611, 0x716E}, {19643, 0x732A}, {19672, 0x745C}, {19697, 0x74E9}, {19748, 0x7809}};
constexpr Exception kGb18030[] = {{6555, 0x3000},  {7182, 0xFE10},  {7183, 0xFE12},  {7184, 0xFE11},  {7185, 0xFE13},
                                  {7186, 0xFE14},  {7187, 0xFE15},  {7188, 0xFE16},  {7201, 0xFE17},  {7202, 0xFE18},
                                  {7208, 0xFE19},  {23775, 0x9FB4}, {23783, 0x9FB5}, {23788, 0x9FB6}, {23789, 0x9FB7},
                                  {23795, 0x9FB8}, {23812, 0x9FB9}, {23829, 0x9FBA}, {23845, 0x9FBB}};

constexpr std::size_t kBig5ControlPictures = 5432;  // U+2400 to U+241F; ICU has private use there
constexpr std::size_t kRangesInBasicPlane = 39'420;
constexpr std::size_t kReplacementPointer = 39'417;
constexpr std::size_t kJis0212 = 7'708;  // behind it ICU has an extension of IBM's

bool is_private_use(char32_t c) {
  return c >= 0xE000 && c <= 0xF8FF;
}

// One of ICU's converters, asked for single characters.
class Converter {
 public:
  explicit Converter(const std::string& name) {
    UErrorCode error = U_ZERO_ERROR;
    converter_.reset(ucnv_open(name.c_str(), &error));
    if (!converter_) throw std::runtime_error("ICU has no converter for " + name);
    ucnv_setToUCallBack(converter_.get(), UCNV_TO_U_CALLBACK_STOP, nullptr, nullptr, nullptr, &error);
  }

  // 0 if the bytes are not exactly one character.
  char32_t decode(std::initializer_list<std::size_t> bytes) {
    char in[4];
    std::transform(bytes.begin(), bytes.end(), in, [](std::size_t byte) { return static_cast<char>(byte); });
    UChar out[4];
    UErrorCode error = U_ZERO_ERROR;
    ucnv_reset(converter_.get());
    const int32_t units =
        ucnv_toUChars(converter_.get(), out, std::size(out), in, static_cast<int32_t>(bytes.size()), &error);
    if (U_FAILURE(error)) return 0;
    if (units == 1 && out[0] != 0xFFFD) return out[0];
    if (units == 2 && U16_IS_LEAD(out[0])) return static_cast<char32_t>(U16_GET_SUPPLEMENTARY(out[0], out[1]));
    return 0;
  }

 private:
  struct Close {
    void operator()(UConverter* converter) const { ucnv_close(converter); }
  };
  std::unique_ptr<UConverter, Close> converter_;
};

using Index = std::vector<char32_t>;

// `decode` gives the code point of a pointer; the ways from pointers to bytes are those of the standard's encoders.
template <class Decode>
Index make_index(std::size_t size, Decode decode) {
  Index index(size);
  for (std::size_t pointer = 0; pointer < size; ++pointer) index[pointer] = decode(pointer);
  return index;
}

char32_t without_private_use(char32_t c) {
  return is_private_use(c) ? 0 : c;
}

Index make_big5() {
  Converter icu{"Big5-HKSCS"};
  Index index = make_index(126 * 157, [&](std::size_t pointer) {
    const std::size_t trail = pointer % 157;
    return without_private_use(icu.decode({pointer / 157 + 0x81, trail + (trail < 0x3F ? 0x40 : 0x62)}));
  });
  for (char16_t i = 0; i < 0x20; ++i) index[kBig5ControlPictures + i] = 0x2400 + i;
  for (const Exception& exception : kBig5) index[exception.pointer] = exception.code_point;
  return index;
}

Index make_euc_kr() {
  Converter icu{"windows-949-2000"};
  return make_index(126 * 190, [&](std::size_t pointer) {
    return without_private_use(icu.decode({pointer / 190 + 0x81, pointer % 190 + 0x41}));
  });
}

Index make_gb18030() {
  Converter icu{"gb18030"};
  Index index = make_index(126 * 190, [&](std::size_t pointer) {
    const std::size_t trail = pointer % 190;
    return icu.decode({pointer / 190 + 0x81, trail + (trail < 0x3F ? 0x40 : 0x41)});
  });
  for (const Exception& exception : kGb18030) index[exception.pointer] = exception.code_point;
  return index;
}

Index make_gb18030_ranges() {
  Converter icu{"gb18030"};
  Index index = make_index(kRangesInBasicPlane, [&](std::size_t pointer) {
    return icu.decode(
        {pointer / 12'600 + 0x81, pointer / 1'260 % 10 + 0x30, pointer / 10 % 126 + 0x81, pointer % 10 + 0x30});
  });
  index[kReplacementPointer] = 0xFFFD;  // which ICU says for failures
  return index;
}

Index make_jis0208() {  // by the bytes of Shift_JIS, which reach further than those of EUC-JP
  Converter icu{"ibm-943_P15A-2003"};
  return make_index(60 * 188, [&](std::size_t pointer) {
    const std::size_t lead = pointer / 188, trail = pointer % 188;
    return without_private_use(icu.decode({lead + (lead < 0x1F ? 0x81 : 0xC1), trail + (trail < 0x3F ? 0x40 : 0x41)}));
  });
}

Index make_jis0212() {
  Converter icu{"euc-jp-2007"};
  return make_index(94 * 94, [&](std::size_t pointer) {
    if (pointer >= kJis0212) return char32_t{0};
    return without_private_use(icu.decode({0x8F, pointer / 94 + 0xA1, pointer % 94 + 0xA1}));
  });
}

SingleByteIndex make_single_byte(Encoding encoding) {
  SingleByteIndex index{};
  if (encoding == Encoding::iso_8859_16) {
    for (std::size_t i = 0; i < 128; ++i) index[i] = i < 0x20 ? static_cast<char16_t>(0x80 + i) : kIso8859_16[i - 0x20];
    return index;
  }
  Converter icu{encoding == Encoding::iso_8859_8_i ? "ISO-8859-8" : std::string(to_string(encoding))};
  for (std::size_t i = 0; i < 128; ++i) index[i] = static_cast<char16_t>(icu.decode({0x80 + i}));
  switch (encoding) {
    case Encoding::koi8_u:
      index[0xAE - 0x80] = 0x45E;
      index[0xBE - 0x80] = 0x40E;
      break;
    case Encoding::windows_874:
      std::replace_if(index.begin(), index.end(), is_private_use, u'\0');
      break;
    case Encoding::windows_1253:
      index[0xAA - 0x80] = 0;
      break;
    case Encoding::windows_1255:
      index[0xCA - 0x80] = 0x5BA;
      break;
    default:
      break;
  }
  return index;
}

}  // namespace

const std::vector<char32_t>& charset_index(CharsetIndex index) {
  switch (index) {
    case CharsetIndex::big5: {
      static const Index made = make_big5();
      return made;
    }
    case CharsetIndex::euc_kr: {
      static const Index made = make_euc_kr();
      return made;
    }
    case CharsetIndex::gb18030: {
      static const Index made = make_gb18030();
      return made;
    }
    case CharsetIndex::gb18030_ranges: {
      static const Index made = make_gb18030_ranges();
      return made;
    }
    case CharsetIndex::jis0208: {
      static const Index made = make_jis0208();
      return made;
    }
    case CharsetIndex::jis0212:
      break;
  }
  static const Index made = make_jis0212();
  return made;
}

bool is_single_byte(Encoding encoding) {
  return encoding >= Encoding::ibm866 && encoding <= Encoding::x_mac_cyrillic;
}

const SingleByteIndex& single_byte_index(Encoding encoding) {
  static const std::vector<SingleByteIndex> all = [] {
    std::vector<SingleByteIndex> made(kEncodings);
    for (std::size_t i = 0; i < kEncodings; ++i)
      if (const auto each = static_cast<Encoding>(i); is_single_byte(each)) made[i] = make_single_byte(each);
    return made;
  }();
  return all[static_cast<std::size_t>(encoding)];
}

}  // namespace outrider
