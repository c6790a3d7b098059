#include "cache/flight_reader.hpp"

namespace outrider {
namespace {

constexpr std::uint64_t kPiece = 256 * 1024;

Error too_late() {
  return Error{ErrorKind::timeout, Side::origin, "the answer did not arrive in the time allowed"};
}

}  // namespace

FlightReader::FlightReader(std::shared_ptr<Flight> flight, Flight::Seat seat, Reactor& mine, ResponseHead head)
    : flight_(std::move(flight)), seat_(std::move(seat)), mine_(mine), head_(std::move(head)) {}

FlightReader::~FlightReader() {
  finish_now();
}

bool FlightReader::finish_now() {
  if (seat_) flight_->leave(std::exchange(seat_, nullptr));
  return true;
}

BodyFraming FlightReader::framing() const {
  if (headers_only) return {};
  if (flight_->length()) return {BodyFraming::Kind::length, *flight_->length()};
  return {BodyFraming::Kind::chunked, 0};
}

std::string_view FlightReader::take(BodyPiece piece) {
  current_ = std::move(piece);
  offset_ += current_.bytes.size();
  seat_->store(offset_, std::memory_order_relaxed);
  flight_->progressed();
  return current_.bytes;
}

// What can be had without waiting for anything.
std::optional<Result<std::string_view>> FlightReader::ready() {
  if (headers_only) return Result<std::string_view>{std::string_view{}};
  if (late()) return Result<std::string_view>{too_late()};
  const Flight::State state = flight_->state();  // before the length: once it has landed, that is final
  if (offset_ < flight_->body()->length()) {
    std::optional<BodyPiece> piece = flight_->store().read_now(flight_->body(), offset_, kPiece);
    if (!piece) return std::nullopt;
    return Result<std::string_view>{take(std::move(*piece))};
  }
  if (state == Flight::State::landed) return Result<std::string_view>{std::string_view{}};
  if (state == Flight::State::failed) return Result<std::string_view>{flight_->failure()};
  return std::nullopt;
}

std::optional<Result<std::string_view>> FlightReader::read_now() {
  for (;;) {
    if (std::optional<Result<std::string_view>> now = ready()) return now;
    if (buffered() || !flight_->at_home(mine_) || !flight_->pull_now()) return std::nullopt;
  }
}

Task<Result<std::string_view>> FlightReader::read() {
  for (;;) {
    if (std::optional<Result<std::string_view>> now = ready()) co_return *now;
    if (buffered()) {  // only on disk any more
      Result<BodyPiece> piece = co_await flight_->store().read(flight_->body(), offset_, kPiece);
      if (!piece) co_return piece.error();
      co_return take(std::move(*piece));
    }
    // Who may have to leave in the middle of a read from the origin does not read from it: that would end the flight.
    if (!flight_->at_home(mine_) || (!deadline.is_never() && !flight_->pulling())) {
      flight_->want_pump();
      co_await flight_->wait_for_more(mine_, offset_, deadline);
    } else if (flight_->pulling()) {
      co_await flight_->wait_for_more(mine_, offset_, deadline);
    } else {
      co_await flight_->pull();
    }
  }
}

}  // namespace outrider
