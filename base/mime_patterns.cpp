// Signatures of images, sound, film, fonts and archives: section 6 of the MIME Sniffing Standard.
#include "base/mime_sniff.hpp"

#include <array>
#include <cstdint>
#include <span>

namespace outrider {
namespace {

using namespace std::string_view_literals;

struct Signature {
  std::string_view bytes;
  std::string_view mime;
  std::string_view later = {};  // what else has to be there, after a size that can be anything
  std::size_t later_at = 8;
};

constexpr Signature kImages[] = {
    {"\0\0\1\0"sv, "image/x-icon"},
    {"\0\0\2\0"sv, "image/x-icon"},
    {"BM", "image/bmp"},
    {"GIF87a", "image/gif"},
    {"GIF89a", "image/gif"},
    {"RIFF", "image/webp", "WEBPVP"},
    {"\x89PNG\r\n\x1A\n", "image/png"},
    {"\xFF\xD8\xFF", "image/jpeg"},
};
constexpr Signature kAudioAndVideo[] = {
    {"FORM", "audio/aiff", "AIFF"},   {"ID3", "audio/mpeg"},         {"OggS\0"sv, "application/ogg"},
    {"MThd\0\0\0\6"sv, "audio/midi"}, {"RIFF", "video/avi", "AVI "}, {"RIFF", "audio/wave", "WAVE"},
};
constexpr Signature kFonts[] = {
    {"", "application/vnd.ms-fontobject", "LP", 34},
    {"\0\1\0\0"sv, "font/ttf"},
    {"OTTO", "font/otf"},
    {"ttcf", "font/collection"},
    {"wOFF", "font/woff"},
    {"wOF2", "font/woff2"},
};
constexpr Signature kArchives[] = {
    {"\x1F\x8B\x08", "application/x-gzip"},
    {"PK\x03\x04", "application/zip"},
    {"Rar \x1A\x07\0"sv, "application/x-rar-compressed"},
};

std::string_view match(std::string_view bytes, std::span<const Signature> signatures) {
  for (const Signature& signature : signatures) {
    if (!bytes.starts_with(signature.bytes)) continue;
    if (signature.later.empty()) return signature.mime;
    if (bytes.size() > signature.later_at && bytes.substr(signature.later_at).starts_with(signature.later))
      return signature.mime;
  }
  return {};
}

unsigned at(std::string_view bytes, std::size_t position) {
  return static_cast<unsigned char>(bytes[position]);
}

bool is_mp4(std::string_view bytes) {  // section 6.2.1
  if (bytes.size() < 12) return false;
  const std::uint64_t box = at(bytes, 0) << 24 | at(bytes, 1) << 16 | at(bytes, 2) << 8 | at(bytes, 3);
  if (bytes.size() < box || box % 4 != 0 || bytes.substr(4, 4) != "ftyp") return false;
  if (bytes.substr(8, 3) == "mp4") return true;
  for (std::size_t brand = 16; brand < box; brand += 4)
    if (bytes.substr(brand, 3) == "mp4") return true;
  return false;
}

// The length of EBML's variable-size integer at `position`.
std::size_t vint_size(std::string_view bytes, std::size_t position) {
  std::size_t size = 1;
  for (unsigned mask = 0x80; size < 8 && (at(bytes, position) & mask) == 0; mask >>= 1) ++size;
  return size;
}

bool is_webm(std::string_view bytes) {  // section 6.2.2
  if (!bytes.starts_with("\x1A\x45\xDF\xA3")) return false;
  for (std::size_t i = 4; i < bytes.size() && i < 38; ++i) {
    if (!bytes.substr(i).starts_with("\x42\x82")) continue;  // DocType
    i += 2;
    if (i >= bytes.size()) return false;
    i += vint_size(bytes, i);
    if (i + 4 >= bytes.size()) return false;
    const std::size_t name = bytes.find_first_not_of('\0', i);
    if (name != std::string_view::npos && bytes.substr(name).starts_with("webm")) return true;
  }
  return false;
}

struct Mp3Frame {
  bool valid = false;
  std::size_t size = 0;
};

Mp3Frame mp3_frame(std::string_view bytes) {  // section 6.2.3
  constexpr std::array<unsigned, 15> kMpeg1{0,       32'000,  40'000,  48'000,  56'000,  64'000,  80'000, 96'000,
                                            112'000, 128'000, 160'000, 192'000, 224'000, 256'000, 320'000};
  constexpr std::array<unsigned, 15> kMpeg2{0,      8'000,  16'000, 24'000,  32'000,  40'000,  48'000, 56'000,
                                            64'000, 80'000, 96'000, 112'000, 128'000, 144'000, 160'000};
  constexpr std::array<unsigned, 3> kSampleRates{44'100, 48'000, 32'000};
  constexpr unsigned kLayer3 = 1;
  if (bytes.size() < 4 || at(bytes, 0) != 0xFF || (at(bytes, 1) & 0xE0) != 0xE0) return {};
  const unsigned layer = at(bytes, 1) >> 1 & 3, rate = at(bytes, 2) >> 4, sample_rate = at(bytes, 2) >> 2 & 3;
  if (layer != kLayer3 || rate == 15 || sample_rate == 3) return {};
  const unsigned version = at(bytes, 1) >> 3 & 3;
  const unsigned bits = (version & 1) != 0 ? kMpeg1[rate] : kMpeg2[rate];
  const std::size_t size = bits * (version == 1 ? 72U : 144U) / kSampleRates[sample_rate];
  return {true, size + (at(bytes, 2) >> 1 & 1)};
}

// Two frames, one behind the other: eleven bits alone are too easily met.
bool is_mp3(std::string_view bytes) {
  const Mp3Frame first = mp3_frame(bytes);
  return first.valid && first.size >= 4 && first.size <= bytes.size() && mp3_frame(bytes.substr(first.size)).valid;
}

}  // namespace

std::string_view match_image(std::string_view bytes) {
  return match(bytes, kImages);
}

std::string_view match_audio_or_video(std::string_view bytes) {
  if (const std::string_view found = match(bytes, kAudioAndVideo); !found.empty()) return found;
  if (is_mp4(bytes)) return "video/mp4";
  if (is_webm(bytes)) return "video/webm";
  if (is_mp3(bytes)) return "audio/mpeg";
  return {};
}

std::string_view match_font(std::string_view bytes) {
  return match(bytes, kFonts);
}

std::string_view match_archive(std::string_view bytes) {
  return match(bytes, kArchives);
}

}  // namespace outrider
