// An answer from the store: a head made for this client, and the bytes of one or several stored bodies.
#pragma once

#include "cache/exchange_response.hpp"
#include "cache/store.hpp"

#include <boost/container/small_vector.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace outrider {

class StoredResponse final : public ExchangeResponse {
 public:
  struct Part {
    BodyPtr body;
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
  };

  explicit StoredResponse(Store& store) : store_(store) {}
  void add(Part part);
  std::uint64_t length() const { return total_; }  // of all parts
  // Has the first bytes ready before anybody is promised the body. False or nothing: they are not there (any more).
  std::optional<bool> first_piece_now();
  Task<bool> first_piece();

  ResponseHead& head() override { return head_; }
  BodyFraming framing() const override;
  Task<Result<std::string_view>> read() override;
  std::optional<Result<std::string_view>> read_now() override;
  bool buffered() const override { return true; }
  std::span<const std::string_view> read_along() override;

  bool headers_only = false;  // the answer has no body whatever its head says: 204, 304, or the request was HEAD

 private:
  std::optional<BodyPiece> next_now();
  std::string_view take(BodyPiece piece, BodyPiece& holder);

  Store& store_;
  ResponseHead head_;
  boost::container::small_vector<Part, 1> parts_;
  std::size_t at_ = 0;  // of the parts
  std::uint64_t total_ = 0;
  std::uint64_t taken_ = 0;
  BodyPiece ready_;               // fetched ahead
  BodyPiece current_;             // given to the reader
  std::vector<BodyPiece> along_;  // the same, with it
  std::vector<std::string_view> along_bytes_;
};

}  // namespace outrider
