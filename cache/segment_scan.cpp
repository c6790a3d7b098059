#include "cache/segment_scan.hpp"

#include <algorithm>

namespace outrider {

std::string_view SegmentScan::look(std::size_t wanted, std::size_t most) {
  const std::uint64_t end = file_->size();
  if (at_ >= end) return {};
  wanted = static_cast<std::size_t>(std::min<std::uint64_t>(wanted, end - at_));
  if (at_ < buffer_at_ || at_ + wanted > buffer_at_ + buffered_) {
    if (at_ + most > advised_) {  // a disk reads better in one go
      file_->will_read(at_, kWindow);
      advised_ = at_ + kWindow;
    }
    const auto length = static_cast<std::size_t>(std::min<std::uint64_t>(std::max(most, wanted), end - at_));
    buffer_at_ = at_;
    buffered_ = file_->read(at_, {buffer_.data(), length}) == SegmentFile::Read::done ? length : 0;
    if (buffered_ == 0) return {};  // an unreadable file ends here
  }
  const auto skip = static_cast<std::size_t>(at_ - buffer_at_);
  return {buffer_.data() + skip, buffered_ - skip};
}

void SegmentScan::skip_to_plausible() {
  at_ += kExtentAlignment;
  for (;;) {
    const std::string_view seen = look(kExtentHeaderSize);
    if (seen.size() < kExtentHeaderSize) {
      at_ = file_->size();
      return;
    }
    std::size_t i = 0;
    for (; i + kExtentHeaderSize <= seen.size(); i += kExtentAlignment) {
      if (seen[i] != 0 && peek_extent_header(seen.substr(i))) {
        at_ += i;
        return;
      }
    }
    at_ += i;
  }
}

std::optional<ScannedExtent> SegmentScan::next() {
  for (;;) {
    const std::string_view seen = look(kExtentHeaderSize, hops_ ? kHop : kWindow);
    if (seen.size() < kExtentHeaderSize) return std::nullopt;
    if (const auto peeked = peek_extent_header(seen)) {
      const std::string_view whole = look(kExtentHeaderSize + peeked->key_length, hops_ ? kHop : kWindow);
      if (const auto header = read_extent_header(whole)) {
        ScannedExtent found{{file_->id(), static_cast<std::uint32_t>(at_), header->length},
                            *header,
                            std::string(whole.substr(kExtentHeaderSize, header->key_length))};
        const std::uint64_t size = extent_size(header->key_length, header->length);
        at_ += size;
        hops_ = size >= 4 * kHop;
        return found;
      }
    }
    hops_ = false;
    skip_to_plausible();
  }
}

}  // namespace outrider
