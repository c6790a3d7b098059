// Time-outs of the running program where two of them apply at once.
#include "tests/support/raw_socket.hpp"
#include "tests/support/running_outrider.hpp"
#include "tests/support/test_origin.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace outrider::testing {
namespace {

using ::testing::StartsWith;
using namespace std::chrono_literals;

// Twenty times body_idle in steps far below it: whoever waits for the end of this has waited for the wrong clock.
constexpr int kPieces = 250;
constexpr auto kStep = 20ms;

struct Timeouts : ::testing::Test {
  RunningOutrider outrider{{"--set", "timeouts.body_idle=250ms"}};
  RawSocket client() const { return RawSocket::connect(outrider.port()); }
};

// An upload beside its response: each direction has its own time. The response goes on, so its pieces arrive in time;
// that must not excuse the client from sending the rest of the request.
TEST_F(Timeouts, ResponseThatFlows_DoesNotExcuseAStalledUpload) {
  TestOrigin origin{[](RawSocket& socket) {
    socket.read_message(true);
    socket.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < kPieces && socket.send("1\r\nx\r\n"); ++i) std::this_thread::sleep_for(kStep);
    socket.send("0\r\n\r\n");
  }};
  RawSocket socket = client();
  socket.send("POST " + origin.url() + " HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nbegun");
  const std::string answer = socket.read_all();
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_FALSE(answer.ends_with("0\r\n\r\n")) << "the exchange ends with the stalled upload";
}

TEST_F(Timeouts, UploadThatFlows_DoesNotExcuseAReaderThatStopped) {
  TestOrigin origin{[](RawSocket& socket) {
    socket.read_message(true);
    socket.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    std::thread uploaded{[&socket] {
      while (!socket.read_some(1s).empty()) {
      }
    }};
    const std::string piece = "10000\r\n" + std::string(0x10000, 'x') + "\r\n";
    while (socket.send(piece)) {
    }
    uploaded.join();
  }};
  RawSocket socket = client();
  socket.send("POST " + origin.url() + " HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n");
  bool cut_off = false;
  for (int i = 0; i < kPieces && !cut_off; ++i) {
    cut_off = !socket.send("u");
    std::this_thread::sleep_for(kStep);
  }
  EXPECT_TRUE(cut_off) << "nobody takes the answer";
}

}  // namespace
}  // namespace outrider::testing
