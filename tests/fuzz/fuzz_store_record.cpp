// Records and extents as they come from a disk that may say anything: nothing is read beyond the end, and what is
// accepted can be written and read again to the same.
#include "cache/segment_format.hpp"
#include "cache/store_codec.hpp"
#include "tests/fuzz/require.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace outrider;
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 2 == 0) {
    const auto record = decode_record(bytes);
    const auto sole = sole_body_of(bytes);
    const std::uint32_t last = last_segment_of(bytes);
    if (!record) return 0;
    const bool is_sole = record->variants.size() == 1 && record->variants[0].extents.size() == 1;
    require(sole.has_value() == (is_sole && record->variants[0].extents[0].segment != 0));
    require(!sole || (sole->variant == record->variants[0].id && sole->segment == last));
    const auto outlives = [&](const VariantRecord& variant) { return is_gone(variant, last + 1); };
    require(last == UINT32_MAX || std::all_of(record->variants.begin(), record->variants.end(), outlives));
    require(!record->variants.empty() && record->variants.size() <= kMaxVariants);
    const std::string again = encode_record(*record);
    const auto second = decode_record(again);
    require(second.has_value());
    require(encode_record(*second) == again);
  } else {
    const auto header = read_extent_header(bytes);
    if (!header) return 0;
    require(peek_extent_header(bytes) == header);
    const auto body = read_extent(bytes, *header);
    require(!body || body->size() == header->length);
  }
  return 0;
}
