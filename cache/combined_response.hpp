// An answer of which parts are stored and one is on its way: what lies before that one, itself, and what lies behind
// it, as one body (RFC 9111 section 3.4).
#pragma once

#include "cache/stored_response.hpp"

#include <array>
#include <memory>

namespace outrider {

class CombinedResponse final : public ExchangeResponse {
 public:
  // `before` and `after` may be empty; `rest` has to bring exactly `length` bytes.
  CombinedResponse(std::unique_ptr<StoredResponse> before, std::unique_ptr<ExchangeResponse> rest, std::uint64_t length,
                   std::unique_ptr<StoredResponse> after);

  ResponseHead& head() override { return head_; }
  BodyFraming framing() const override { return {BodyFraming::Kind::length, total_}; }
  Task<Result<std::string_view>> read() override;
  std::optional<Result<std::string_view>> read_now() override;
  bool buffered() const override { return at_ < sources_.size() && sources_[at_]->buffered(); }
  void pause() override { sources_[kRest]->pause(); }
  void cancel() override { sources_[kRest]->cancel(); }
  Task<> finish() override { return sources_[kRest]->finish(); }
  bool finish_now() override { return sources_[kRest]->finish_now(); }

 private:
  static constexpr std::size_t kRest = 1;
  // What a source gave. Nothing: it has ended, ask the next one.
  std::optional<Result<std::string_view>> taken(const Result<std::string_view>& piece);

  ResponseHead head_;
  std::array<std::unique_ptr<ExchangeResponse>, 3> sources_;
  std::size_t at_ = 0;       // of the sources
  std::uint64_t left_ = 0;   // of the rest
  std::uint64_t total_ = 0;  // bytes of all
};

}  // namespace outrider
