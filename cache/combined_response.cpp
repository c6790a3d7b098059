#include "cache/combined_response.hpp"

namespace outrider {

CombinedResponse::CombinedResponse(std::unique_ptr<StoredResponse> before, std::unique_ptr<ExchangeResponse> rest,
                                   std::uint64_t length, std::unique_ptr<StoredResponse> after)
    : left_(length), total_(before->length() + length + after->length()) {
  timings = rest->timings;
  verdict = rest->verdict;
  shareable = rest->shareable;
  sources_ = {std::move(before), std::move(rest), std::move(after)};
}

std::optional<Result<std::string_view>> CombinedResponse::taken(const Result<std::string_view>& piece) {
  if (!piece) return piece;
  if (at_ == kRest) {
    if (piece->size() > left_ || (piece->empty() && left_ != 0))
      return Result<std::string_view>{
          Error{ErrorKind::bad_message, Side::origin, "the part that the origin sent is not as long as it said"}};
    left_ -= piece->size();
  }
  if (!piece->empty()) return piece;
  if (++at_ == sources_.size()) return piece;
  return std::nullopt;
}

std::optional<Result<std::string_view>> CombinedResponse::read_now() {
  while (at_ < sources_.size()) {
    const std::optional<Result<std::string_view>> piece = sources_[at_]->read_now();
    if (!piece) return std::nullopt;
    if (std::optional<Result<std::string_view>> given = taken(*piece)) return given;
  }
  return Result<std::string_view>{std::string_view{}};
}

Task<Result<std::string_view>> CombinedResponse::read() {
  while (at_ < sources_.size()) {
    const Result<std::string_view> piece = co_await sources_[at_]->read();
    if (std::optional<Result<std::string_view>> given = taken(piece)) co_return *given;
  }
  co_return std::string_view{};
}

}  // namespace outrider
