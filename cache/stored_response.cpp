#include "cache/stored_response.hpp"

namespace outrider {

void StoredResponse::add(Part part) {
  if (part.length == 0) return;
  total_ += part.length;
  parts_.push_back(std::move(part));
}

BodyFraming StoredResponse::framing() const {
  if (headers_only) return {};
  return {BodyFraming::Kind::length, total_};
}

std::optional<BodyPiece> StoredResponse::next_now() {
  const Part& part = parts_[at_];
  return store_.read_now(part.body, part.offset, part.length);
}

std::optional<bool> StoredResponse::first_piece_now() {
  if (at_ == parts_.size()) return true;
  std::optional<BodyPiece> piece = next_now();
  if (!piece) return std::nullopt;
  ready_ = std::move(*piece);
  return true;
}

Task<bool> StoredResponse::first_piece() {
  if (at_ == parts_.size() || !ready_.bytes.empty()) co_return true;
  Result<BodyPiece> piece = co_await store_.read(parts_[at_].body, parts_[at_].offset, parts_[at_].length);
  if (!piece) co_return false;
  ready_ = std::move(*piece);
  co_return true;
}

std::string_view StoredResponse::take(BodyPiece piece, BodyPiece& holder) {
  holder = std::move(piece);
  Part& part = parts_[at_];
  holder.bytes = holder.bytes.substr(0, static_cast<std::size_t>(part.length));
  part.offset += holder.bytes.size();
  part.length -= holder.bytes.size();
  if (part.length == 0) ++at_;
  return holder.bytes;
}

// Only what is in memory: what has to be fetched from the disk goes out piece by piece.
std::span<const std::string_view> StoredResponse::read_along() {
  along_.clear();
  along_bytes_.clear();
  while (!headers_only && at_ < parts_.size() && along_.size() < kAlongAtMost) {
    std::optional<BodyPiece> piece = parts_[at_].body->in_memory_at(parts_[at_].offset);
    if (!piece) break;
    along_bytes_.push_back(take(std::move(*piece), along_.emplace_back()));
  }
  return along_bytes_;
}

std::optional<Result<std::string_view>> StoredResponse::read_now() {
  if (headers_only || at_ == parts_.size()) return Result<std::string_view>{std::string_view{}};
  if (!ready_.bytes.empty()) return Result<std::string_view>{take(std::exchange(ready_, {}), current_)};
  std::optional<BodyPiece> piece = next_now();
  if (!piece) return std::nullopt;
  return Result<std::string_view>{take(std::move(*piece), current_)};
}

Task<Result<std::string_view>> StoredResponse::read() {
  if (std::optional<Result<std::string_view>> now = read_now()) co_return *now;
  Result<BodyPiece> piece = co_await store_.read(parts_[at_].body, parts_[at_].offset, parts_[at_].length);
  if (!piece) co_return piece.error();
  co_return take(std::move(*piece), current_);
}

}  // namespace outrider
