#include "cache/store_codec.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace outrider {
namespace {

constexpr char kVersion = 2;
constexpr char kVersionWithoutPlace = 1;  // the same, but for the place in front

// Flags of a variant.
constexpr std::uint8_t kHasRange = 1;
constexpr std::uint8_t kPersonal = 4;
constexpr std::uint8_t kInvalidated = 8;
constexpr std::uint8_t kNotCombinable = 16;
constexpr std::uint8_t kAllFlags = kHasRange | kPersonal | kInvalidated | kNotCombinable;

std::uint8_t flags_of(const StoredHead& head) {
  return static_cast<std::uint8_t>((head.range ? kHasRange : 0) | (head.scope == Scope::personal ? kPersonal : 0) |
                                   (head.invalidated ? kInvalidated : 0) |
                                   (head.range && !head.range->combinable ? kNotCombinable : 0));
}

class Encoder {
 public:
  explicit Encoder(std::string& out) : out_(out) {}

  void byte(std::uint8_t value) { out_ += static_cast<char>(value); }
  void number(std::uint64_t value) {  // seven bits a byte, the lowest first; the top bit says that more follow
    while (value >= 0x80) {
      byte(static_cast<std::uint8_t>(value | 0x80));
      value >>= 7;
    }
    byte(static_cast<std::uint8_t>(value));
  }
  void fixed32(std::uint32_t value) { out_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void fixed64(std::uint64_t value) { out_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void time(WallTime value) { fixed64(static_cast<std::uint64_t>(value.time_since_epoch().count())); }
  void text(std::string_view value) {
    number(value.size());
    out_ += value;
  }
  void headers(const HeaderMap& map) {
    number(map.size());
    for (const HeaderField field : map) {
      text(field.name);
      text(field.value);
    }
  }

 private:
  std::string& out_;
};

// After the first thing that is not right, everything reads as zero and ok() is false.
class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : left_(bytes) {}
  bool ok() const { return ok_; }
  bool at_end() const { return ok_ && left_.empty(); }
  std::size_t left() const { return left_.size(); }

  std::uint8_t byte() {
    const std::string_view one = take(1);
    return one.empty() ? 0 : static_cast<std::uint8_t>(one[0]);
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint8_t next = byte();
      value |= std::uint64_t{next & 0x7fu} << shift;
      if ((next & 0x80) == 0) return value;
    }
    ok_ = false;
    return 0;
  }
  std::uint32_t number32() {
    const std::uint64_t value = number();
    if (value > UINT32_MAX) ok_ = false;
    return static_cast<std::uint32_t>(value);
  }
  std::uint32_t fixed32() { return fixed<std::uint32_t>(); }
  std::uint64_t fixed64() { return fixed<std::uint64_t>(); }
  WallTime time() { return WallTime{WallTime::duration{static_cast<std::int64_t>(fixed64())}}; }
  std::string_view text() { return take(number()); }
  // A count of things that take at least `smallest` bytes each: no promise of more than can be there.
  std::size_t count(std::size_t smallest) {
    const std::uint64_t value = number();
    if (value > left_.size() / smallest) ok_ = false;
    return ok_ ? static_cast<std::size_t>(value) : 0;
  }
  void headers(HeaderMap& map) {
    for (std::size_t n = count(2); n > 0 && ok_; --n) {
      const std::string_view name = text();
      const std::string_view value = text();
      if (name.size() > UINT16_MAX) ok_ = false;
      if (ok_) map.add(name, value);
    }
  }
  void fail() { ok_ = false; }

 private:
  template <class Number>
  Number fixed() {
    Number value = 0;
    const std::string_view bytes = take(sizeof value);
    if (!bytes.empty()) std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  std::string_view take(std::uint64_t count) {
    if (!ok_ || count > left_.size()) {
      ok_ = false;
      return {};
    }
    const std::string_view taken = left_.substr(0, static_cast<std::size_t>(count));
    left_.remove_prefix(static_cast<std::size_t>(count));
    return taken;
  }
  std::string_view left_;
  bool ok_ = true;
};

static_assert(std::endian::native == std::endian::little, "records are written as they lie in memory");

void encode(Encoder& out, const VariantRecord& variant) {
  const StoredHead& head = variant.head;
  out.fixed64(variant.id);
  out.byte(variant.survived);
  out.byte(flags_of(head));
  out.number(static_cast<std::uint64_t>(head.response.status));
  out.text(head.response.reason);
  out.byte(static_cast<std::uint8_t>(head.response.version));
  out.headers(head.response.headers);
  out.headers(head.vary_request);
  out.time(head.request_time);
  out.time(head.response_time);
  out.number(head.body_length);
  if (head.range) {
    out.number(head.range->first);
    out.number(head.range->complete_length);
  }
  out.number(variant.extents.size());
  for (const Extent& extent : variant.extents) {
    out.number(extent.segment);
    out.number(extent.offset);
    out.number(extent.length);
  }
}

// The extents must make up the body: full chunks and a rest.
bool fits(const std::vector<Extent>& extents, std::uint64_t body_length) {
  std::uint64_t left = body_length;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const std::uint64_t expected = std::min<std::uint64_t>(left, kChunk);
    if (extents[i].length != expected || (expected == 0 && i > 0)) return false;
    left -= expected;
  }
  return !extents.empty() && left == 0;
}

void decode(Decoder& in, VariantRecord& variant) {
  StoredHead& head = variant.head;
  variant.id = in.fixed64();
  variant.survived = in.byte();
  const std::uint8_t flags = in.byte();
  if ((flags & ~kAllFlags) != 0) in.fail();
  const std::uint64_t status = in.number();
  if (status < 100 || status > 999) in.fail();
  head.response.status = static_cast<int>(status);
  head.response.reason = in.text();
  const std::uint8_t version = in.byte();
  if (version > static_cast<std::uint8_t>(HttpVersion::http2)) in.fail();
  head.response.version = static_cast<HttpVersion>(version);
  in.headers(head.response.headers);
  in.headers(head.vary_request);
  head.request_time = in.time();
  head.response_time = in.time();
  head.body_length = in.number();
  head.scope = (flags & kPersonal) != 0 ? Scope::personal : Scope::shared;
  head.invalidated = (flags & kInvalidated) != 0;
  if ((flags & kHasRange) != 0) {
    const std::uint64_t first = in.number();
    head.range = StoredRange{first, in.number(), (flags & kNotCombinable) == 0};
  }
  for (std::size_t n = in.count(3); n > 0 && in.ok(); --n) {
    const std::uint32_t segment = in.number32();
    const std::uint32_t offset = in.number32();
    variant.extents.push_back({segment, offset, in.number32()});
  }
  if (!fits(variant.extents, head.body_length)) in.fail();
}

bool equal(const HeaderMap& a, const HeaderMap& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a.at(i).name != b.at(i).name || a.at(i).value != b.at(i).value) return false;
  return true;
}

const VariantRecord* sole_of(const StoreRecord& record) {
  return record.variants.size() == 1 && record.variants[0].extents.size() == 1 ? &record.variants[0] : nullptr;
}

// What lies in front of a record. A variant lasts as long as the first of its segments.
struct Front {
  static constexpr std::uint32_t kSeveral = UINT32_MAX;
  std::uint32_t last_segment = 0;
  std::uint32_t offset = kSeveral;  // of the sole body
  bool operator==(const Front&) const = default;
};

Front front_of(const StoreRecord& record) {
  if (const VariantRecord* sole = sole_of(record)) return {sole->extents[0].segment, sole->extents[0].offset};
  Front front;
  for (const VariantRecord& variant : record.variants) {
    std::uint32_t first = UINT32_MAX;
    for (const Extent& extent : variant.extents) first = std::min(first, extent.segment);
    front.last_segment = std::max(front.last_segment, first);
  }
  return front;
}

SoleBody sole_body(const VariantRecord& variant, bool visited) {
  return {variant.extents[0].segment, variant.extents[0].offset, variant.id, variant.survived, visited};
}

}  // namespace

std::string encode_record(const StoreRecord& record) {
  std::string bytes;
  Encoder out(bytes);
  out.byte(kVersion);
  out.byte(record.visited ? 1 : 0);
  const Front front = front_of(record);
  out.fixed32(front.last_segment);
  out.fixed32(front.offset);
  out.number(record.variants.size());
  for (const VariantRecord& variant : record.variants) encode(out, variant);
  return bytes;
}

std::optional<StoreRecord> decode_record(std::string_view bytes) {
  Decoder in(bytes);
  const std::uint8_t version = in.byte();
  if (version != kVersion && version != kVersionWithoutPlace) return std::nullopt;
  StoreRecord record;
  const std::uint8_t visited = in.byte();
  if (visited > 1) return std::nullopt;
  record.visited = visited == 1;
  Front front;
  if (version == kVersion) {
    front.last_segment = in.fixed32();
    front.offset = in.fixed32();
  }
  const std::size_t count = in.count(32);
  if (!in.ok() || count == 0 || count > kMaxVariants) return std::nullopt;
  record.variants.resize(count);
  for (VariantRecord& variant : record.variants) {
    decode(in, variant);
    if (!in.ok()) return std::nullopt;
  }
  if (!in.at_end()) return std::nullopt;
  if (version == kVersion && front != front_of(record)) return std::nullopt;
  return record;
}

std::uint32_t last_segment_of(std::string_view bytes) {
  Decoder in(bytes);
  if (in.byte() == kVersion) {
    in.byte();
    return in.fixed32();
  }
  const auto record = decode_record(bytes);
  return record ? front_of(*record).last_segment : 0;
}

std::optional<SoleBody> sole_body_of(std::string_view bytes) {
  Decoder in(bytes);
  if (in.byte() != kVersion) {
    const auto record = decode_record(bytes);
    const VariantRecord* variant = record ? sole_of(*record) : nullptr;
    if (variant == nullptr || variant->extents[0].segment == 0) return std::nullopt;
    return sole_body(*variant, record->visited);
  }
  SoleBody sole;
  sole.visited = in.byte() == 1;
  sole.segment = in.fixed32();
  sole.offset = in.fixed32();
  if (sole.segment == 0 || sole.offset == Front::kSeveral) return std::nullopt;
  in.number();  // one variant
  sole.variant = in.fixed64();
  sole.survived = in.byte();
  return in.ok() ? std::optional{sole} : std::nullopt;
}

bool is_gone(const VariantRecord& variant, std::uint32_t oldest_segment) {
  return std::any_of(variant.extents.begin(), variant.extents.end(),
                     [&](const Extent& extent) { return extent.segment < oldest_segment; });
}

bool same_kind(const StoredHead& a, const StoredHead& b) {
  return a.range == b.range && equal(a.vary_request, b.vary_request);
}

}  // namespace outrider
