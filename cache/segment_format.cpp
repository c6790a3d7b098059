#include "cache/segment_format.hpp"

#ifdef __x86_64__
#define XXH_STATIC_LINKING_ONLY  // its state lies on the stack
#include <xxh_x86dispatch.h>     // with the widest registers that this processor has
#else
#define XXH_INLINE_ALL
#include <xxhash.h>
#endif

#include <bit>
#include <cstring>

namespace outrider {
namespace {

static_assert(std::endian::native == std::endian::little, "segment files are written as they lie in memory");

constexpr std::uint32_t kMagic = 0x31584f45;  // "EOX1": version 1 of the layout

struct Fields {
  std::uint32_t magic;
  std::uint32_t header_check;
  std::uint64_t body_check;
  std::uint64_t key_hash;
  std::uint64_t variant;
  std::uint32_t chunk;
  std::uint32_t key_length;
  std::uint32_t length;
  std::uint32_t zero;
};
static_assert(sizeof(Fields) == kExtentHeaderSize);

constexpr std::size_t kUnchecked = offsetof(Fields, body_check);  // magic and header check itself

std::uint32_t check_header(const Fields& fields, std::string_view key) {
  const std::uint64_t seed = XXH3_64bits(key.data(), key.size());
  const char* bytes = reinterpret_cast<const char*>(&fields);
  return static_cast<std::uint32_t>(XXH3_64bits_withSeed(bytes + kUnchecked, sizeof fields - kUnchecked, seed));
}

std::uint64_t check_body(std::span<const std::string_view> body) {
  if (body.size() == 1) return XXH3_64bits(body[0].data(), body[0].size());
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  for (const std::string_view piece : body) XXH3_64bits_update(&state, piece.data(), piece.size());
  return XXH3_64bits_digest(&state);
}

std::optional<Fields> plausible(std::string_view bytes) {
  Fields fields;
  if (bytes.size() < sizeof fields) return std::nullopt;
  std::memcpy(&fields, bytes.data(), sizeof fields);
  if (fields.magic != kMagic || fields.key_length > kMaxKeyLength || fields.length > kChunk) return std::nullopt;
  return fields;
}

ExtentHeader header_of(const Fields& fields) {
  return {fields.key_hash, fields.variant, fields.chunk, fields.key_length, fields.length};
}

std::optional<Fields> verified(std::string_view bytes) {
  const auto fields = plausible(bytes);
  if (!fields || bytes.size() - sizeof *fields < fields->key_length) return std::nullopt;
  if (check_header(*fields, bytes.substr(sizeof *fields, fields->key_length)) != fields->header_check)
    return std::nullopt;
  return fields;
}

}  // namespace

ExtentHeaderBytes encode_extent_header(const ExtentHeader& header, std::string_view key,
                                       std::span<const std::string_view> body) {
  Fields fields{kMagic,        0, check_body(body), header.key_hash, header.variant, header.chunk, header.key_length,
                header.length, 0};
  fields.header_check = check_header(fields, key);
  return std::bit_cast<ExtentHeaderBytes>(fields);
}

std::optional<ExtentHeader> peek_extent_header(std::string_view bytes) {
  const auto fields = plausible(bytes);
  if (!fields) return std::nullopt;
  return header_of(*fields);
}

std::optional<ExtentHeader> read_extent_header(std::string_view bytes) {
  const auto fields = verified(bytes);
  if (!fields) return std::nullopt;
  return header_of(*fields);
}

std::optional<std::string_view> read_extent(std::string_view bytes, const ExtentHeader& expected) {
  const auto fields = verified(bytes);
  if (!fields || header_of(*fields) != expected) return std::nullopt;
  const std::size_t body_at = sizeof *fields + fields->key_length;
  if (bytes.size() - body_at < fields->length) return std::nullopt;
  const std::string_view body = bytes.substr(body_at, fields->length);
  if (check_body({&body, 1}) != fields->body_check) return std::nullopt;
  return body;
}

}  // namespace outrider
