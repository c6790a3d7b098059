// A flight as one client's answer: its head, and its body from the first byte, while it arrives.
#pragma once

#include "cache/flight.hpp"

namespace outrider {

class FlightReader final : public ExchangeResponse {
 public:
  FlightReader(std::shared_ptr<Flight> flight, Flight::Seat seat, Reactor& mine, ResponseHead head);
  ~FlightReader() override;

  ResponseHead& head() override { return head_; }
  BodyFraming framing() const override;
  Task<Result<std::string_view>> read() override;
  std::optional<Result<std::string_view>> read_now() override;
  bool buffered() const override { return offset_ < flight_->body()->length(); }
  const HeaderMap& trailers() const override { return flight_->trailers(); }
  bool finish_now() override;

  bool headers_only = false;  // the client has the body already, or does not want it
  Deadline deadline;          // this reader's alone: the flight goes on without it

 private:
  std::optional<Result<std::string_view>> ready();
  bool late() const { return !deadline.is_never() && deadline.passed(mine_.clock()); }
  std::string_view take(BodyPiece piece);

  std::shared_ptr<Flight> flight_;
  Flight::Seat seat_;  // nullptr: has left
  Reactor& mine_;
  ResponseHead head_;
  std::uint64_t offset_ = 0;
  BodyPiece current_;
};

}  // namespace outrider
