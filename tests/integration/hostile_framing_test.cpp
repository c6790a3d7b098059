// Requests that smuggle, confuse or overflow. Each must be answered as it deserves, the connection closed, and not one
// byte may reach the origin, however the bytes are split over packets.
#include "tests/support/raw_socket.hpp"
#include "tests/support/running_outrider.hpp"
#include "tests/support/test_origin.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace outrider::testing {
namespace {

using ::testing::StartsWith;
using namespace std::chrono_literals;

struct Attack {
  const char* name;
  int status;
  std::string bytes;  // "URL" and "AUTHORITY" stand for the origin's
};

std::string with_header(const std::string& field) {
  return "POST URL HTTP/1.1\r\nHost: x\r\n" + field + "\r\n";
}

std::vector<Attack> attacks() {
  using namespace std::string_literals;
  const std::string chunked = "Transfer-Encoding: chunked\r\n";
  return {
      {"content length with transfer encoding", 400, with_header("Content-Length: 5\r\n" + chunked) + "0\r\n\r\n"},
      {"transfer encoding, then content length", 400, with_header(chunked + "Content-Length: 5\r\n") + "0\r\n\r\n"},
      {"chunked twice", 400, with_header("Transfer-Encoding: chunked, chunked\r\n") + "0\r\n\r\n"},
      {"two transfer encodings", 400, with_header(chunked + chunked) + "0\r\n\r\n"},
      {"chunked, identity", 400, with_header("Transfer-Encoding: chunked, identity\r\n") + "0\r\n\r\n"},
      {"empty list element", 400, with_header("Transfer-Encoding: ,chunked\r\n") + "0\r\n\r\n"},
      {"unknown coding", 501, with_header("Transfer-Encoding: gzip, chunked\r\n") + "0\r\n\r\n"},
      {"transfer encoding in HTTP/1.0", 400, "POST URL HTTP/1.0\r\n" + chunked + "\r\n0\r\n\r\n"},
      {"vertical tab before chunked", 400, with_header("Transfer-Encoding: \vchunked\r\n") + "0\r\n\r\n"},
      {"folded line", 400, with_header("X-A: b\r\n c\r\n")},
      {"carriage return in a value", 400, with_header("X-A: b\rc\r\n")},
      {"NUL in a value", 400, with_header("X-A: b"s + '\0' + "c\r\n")},
      {"space before the colon", 400, with_header("X-A : b\r\n")},
      {"empty name", 400, with_header(": b\r\n")},
      {"bare line feed", 400, with_header("X-A: b\n")},
      {"negative length", 400, with_header("Content-Length: -1\r\n")},
      {"signed length", 400, with_header("Content-Length: +5\r\n") + "12345"},
      {"hexadecimal length", 400, with_header("Content-Length: 0x5\r\n") + "12345"},
      {"huge length", 400, with_header("Content-Length: 99999999999999999999\r\n")},
      {"two lengths", 400, with_header("Content-Length: 5\r\nContent-Length: 6\r\n") + "12345"},
      {"the same length twice", 400, with_header("Content-Length: 5\r\nContent-Length: 5\r\n") + "12345"},
      {"length list", 400, with_header("Content-Length: 5, 5\r\n") + "12345"},
      {"no host", 400, "GET URL HTTP/1.1\r\n\r\n"},
      {"two hosts", 400, "GET URL HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n"},
      {"host with spaces", 400, "GET URL HTTP/1.1\r\nHost: a b\r\n\r\n"},
      {"HTTP/0.9", 400, "GET URL\r\n\r\n"},
      {"HTTP/2.0", 505, "GET URL HTTP/2.0\r\nHost: x\r\n\r\n"},
      {"HTTP/2 preface", 505, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"},
      {"raw bytes above ASCII in the target", 400, "GET URL\xc3\xa4 HTTP/1.1\r\nHost: x\r\n\r\n"},
      {"fragment in the target", 400, "GET URL#x HTTP/1.1\r\nHost: x\r\n\r\n"},
      {"control byte in the target", 400, "GET URL\x01 HTTP/1.1\r\nHost: x\r\n\r\n"},
      {"tls hello", 400, "\x16\x03\x01\x02"s + '\0' + "\x01\r\n\r\n"},
      {"connect without a port", 400, "CONNECT 127.0.0.1 HTTP/1.1\r\nHost: x\r\n\r\n"},
      {"connect with a path", 400, "CONNECT AUTHORITY/x HTTP/1.1\r\nHost: x\r\n\r\n"},
      {"long target", 414, "GET URL" + std::string(17'000, 'a') + " HTTP/1.1\r\nHost: x\r\n\r\n"},
      {"large head", 431, "GET URL HTTP/1.1\r\nHost: x\r\nX-A: " + std::string(66'000, 'a') + "\r\n\r\n"},
      {"many fields", 431,
       [] {
         std::string text = "GET URL HTTP/1.1\r\nHost: x\r\n";
         for (int i = 0; i < 300; ++i) text += "X-" + std::to_string(i) + ": y\r\n";
         return text + "\r\n";
       }()},
  };
}

struct HostileFraming : ::testing::Test {
  std::atomic<std::size_t> origin_bytes = 0;
  TestOrigin origin{[this](RawSocket& socket) {
    for (std::string piece = socket.read_some(); !piece.empty(); piece = socket.read_some())
      origin_bytes += piece.size();
  }};
  RunningOutrider outrider;

  std::string made_out(std::string text) const {
    for (const auto& [word, value] :
         {std::pair{std::string{"URL"}, origin.url("/")}, std::pair{std::string{"AUTHORITY"}, origin.authority()}})
      if (const std::size_t at = text.find(word); at != std::string::npos) text.replace(at, word.size(), value);
    return text;
  }
  void expect_refusal(const Attack& attack, const std::string& answer, std::size_t split) const {
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 " + std::to_string(attack.status) + " "))
        << attack.name << ", split at " << split;
    EXPECT_EQ(origin_bytes, 0U) << attack.name << " reached the origin, split at " << split;
  }
};

TEST_F(HostileFraming, WholeRequests_AreRefusedAndTheConnectionClosed) {
  for (const Attack& attack : attacks()) {
    RawSocket socket = RawSocket::connect(outrider.port());
    socket.send(made_out(attack.bytes));
    const std::string answer = socket.read_message();
    expect_refusal(attack, answer, 0);
    EXPECT_TRUE(socket.closed_by_peer()) << attack.name;
  }
  EXPECT_TRUE(outrider.alive());
}

TEST_F(HostileFraming, SplitAtEveryByte_TheVerdictIsTheSame) {
  for (const Attack& attack : attacks()) {
    const std::string bytes = made_out(attack.bytes);
    const std::size_t step = bytes.size() > 1000 ? bytes.size() / 64 : 1;
    for (std::size_t split = 1; split < bytes.size(); split += step) {
      RawSocket socket = RawSocket::connect(outrider.port());
      socket.send(bytes.substr(0, split));
      std::this_thread::sleep_for(200us);  // let the first part be read alone
      socket.send(bytes.substr(split));
      expect_refusal(attack, socket.read_message(), split);
      if (HasFailure()) return;
    }
  }
}

// A chunk is framing too, but by then the head has been sent on: the upload is given up and the origin sees no end of
// it.
TEST_F(HostileFraming, BadChunks_NeverCompleteTheRequest) {
  for (const char* chunk : {"0x5\r\nabcde\r\n0\r\n\r\n", "-1\r\n\r\n", "5\r\nabcdeX\r\n0\r\n\r\n",
                            " 5\r\nabcde\r\n0\r\n\r\n", "fffffffffffffffff\r\n", "5\nabcde\n0\n\n", "\r\n"}) {
    TestOrigin sink{[this](RawSocket& socket) {
      std::string all;
      for (std::string piece = socket.read_some(); !piece.empty(); piece = socket.read_some()) all += piece;
      if (all.find("0\r\n\r\n") != std::string::npos) origin_bytes += all.size();
    }};
    RawSocket socket = RawSocket::connect(outrider.port());
    socket.send("POST " + sink.url() + " HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk);
    EXPECT_THAT(socket.read_message(), StartsWith("HTTP/1.1 400 ")) << chunk;
    EXPECT_EQ(origin_bytes, 0U) << chunk;
  }
}

struct BadOrigin {
  const char* name;
  std::string answer;
};

// Whatever an origin sends, the client gets a clean answer, and a connection in doubt is never used again.
TEST_F(HostileFraming, BadAnswers_Become502) {
  for (const BadOrigin& bad :
       {BadOrigin{"two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!"},
        BadOrigin{"not HTTP", "220 smtp.example ESMTP\r\n"},
        BadOrigin{"folded line", "HTTP/1.1 200 OK\r\nA: b\r\n c\r\nContent-Length: 0\r\n\r\n"},
        BadOrigin{"bare line feed", "HTTP/1.1 200 OK\nContent-Length: 0\n\n"},
        BadOrigin{"status of two digits", "HTTP/1.1 99 Odd\r\nContent-Length: 0\r\n\r\n"},
        BadOrigin{"unasked switch", "HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"},
        BadOrigin{"huge head", "HTTP/1.1 200 OK\r\nA: " + std::string(100'000, 'a') + "\r\n\r\n"}}) {
    TestOrigin server{[&bad](RawSocket& socket) {
      socket.read_message();
      socket.send(bad.answer);
      socket.read_some(1s);
    }};
    RawSocket socket = RawSocket::connect(outrider.port());
    socket.send("GET " + server.url() + " HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_THAT(socket.read_message(), StartsWith("HTTP/1.1 502 ")) << bad.name;
  }
}

TEST_F(HostileFraming, DoubtfulAnswers_AreDeliveredOnAConnectionThatIsNotReused) {
  for (const BadOrigin& odd :
       {BadOrigin{"bytes behind the response",
                  "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"},
        BadOrigin{"length and chunked",
                  "HTTP/1.1 200 OK\r\nContent-Length: 50\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"}}) {
    TestOrigin server{TestOrigin::answering([&odd](const std::string&) { return odd.answer; })};
    for (std::size_t i = 1; i <= 3; ++i) {
      RawSocket socket = RawSocket::connect(outrider.port());
      socket.send("GET " + server.url() + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
      const std::string answer = socket.read_all();
      EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 ")) << odd.name;
      EXPECT_THAT(answer, ::testing::HasSubstr("ok")) << odd.name;
      EXPECT_THAT(answer, ::testing::Not(::testing::HasSubstr("evil"))) << odd.name;
      EXPECT_EQ(server.connections(), i) << odd.name;
    }
  }
}

}  // namespace
}  // namespace outrider::testing
