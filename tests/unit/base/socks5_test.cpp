#include "base/socks5.hpp"

#include "tests/support/http_client_fixture.hpp"

#include <boost/asio/read.hpp>

namespace outrider {
namespace {

using namespace std::chrono_literals;
using testing::run_task;
using testing::ScriptedServer;
using namespace std::string_literals;

ParentProxy parent_with(std::string user, std::string password) {
  ParentProxy parent;
  parent.kind = ParentProxy::Kind::socks5;
  parent.host = "proxy.example";
  parent.port = 1080;
  parent.user = std::move(user);
  parent.password = std::move(password);
  return parent;
}

TEST(Socks5, Messages_Rfc1928_Rfc1929) {
  EXPECT_EQ(socks5_greeting(parent_with("", "")), "\x05\x01\x00"s);
  EXPECT_EQ(socks5_greeting(parent_with("u", "p")), "\x05\x02\x00\x02"s);
  EXPECT_EQ(socks5_login(parent_with("user", "pa:ss")), "\x01\x04user\x05pa:ss"s);
  EXPECT_EQ(socks5_connect("example.org", 443).value(), "\x05\x01\x00\x03\x0b"s + "example.org" + "\x01\xbb"s);
  EXPECT_EQ(socks5_connect("1.2.3.4", 80).value(), "\x05\x01\x00\x01\x01\x02\x03\x04\x00\x50"s);
  EXPECT_EQ(socks5_connect("::1", 8080).value(), "\x05\x01\x00\x04"s + std::string(15, '\0') + "\x01\x1f\x90"s);
  EXPECT_EQ(socks5_connect(std::string(255, 'a'), 1)->size(), 4U + 1 + 255 + 2);
  EXPECT_FALSE(socks5_connect(std::string(256, 'a'), 1).has_value());
  EXPECT_FALSE(socks5_connect("", 1).has_value());
}

TEST(Socks5, FailureCodes_SayWhoseFaultItIs) {
  const ParentProxy parent = parent_with("", "");
  EXPECT_EQ(socks5_failure(parent, 1).side, Side::parent);
  EXPECT_EQ(socks5_failure(parent, 2).kind, ErrorKind::parent_refused);
  EXPECT_EQ(socks5_failure(parent, 4).side, Side::origin);
  EXPECT_EQ(socks5_failure(parent, 5).kind, ErrorKind::connect_refused);
  EXPECT_EQ(socks5_failure(parent, 0xff).side, Side::parent);
}

TEST(Socks5, ParsedFromAUrl) {
  const ParentProxy parent = ParentProxy::parse("socks5://us%40er:pa%3Ass@Proxy.Example:9050").value();
  EXPECT_EQ(parent.kind, ParentProxy::Kind::socks5);
  EXPECT_EQ(parent.user, "us@er");
  EXPECT_EQ(parent.password, "pa:ss");
  EXPECT_EQ(parent.name(), "socks5://proxy.example:9050");
  EXPECT_EQ(ParentProxy::parse("socks5://h")->port, 1080);
  EXPECT_EQ(ParentProxy::parse("socks5://h:80")->port, 80);
  EXPECT_EQ(ParentProxy::parse("socks5h://[::1]/")->port, 1080);
  EXPECT_EQ(ParentProxy::parse("socks5h://[::1]")->host, "::1");
  EXPECT_FALSE(ParentProxy::parse("socks4://h").has_value());
  EXPECT_FALSE(ParentProxy::parse("socks5://user@h").has_value()) << "RFC 1929 has no empty password";
  EXPECT_FALSE(ParentProxy::parse("socks5://" + std::string(300, 'u') + ":p@h").has_value());
}

// A server of RFC 1928 that writes down what it is told and answers as the test says.
struct Socks5Test : testing::HttpClientFixture {
  std::string asked;  // greeting, login and request, as received
  std::string method = "\x05\x00"s;
  std::string login_answer = "\x01\x00"s;
  std::string answer = "\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00"s;
  std::size_t piece = 1024;  // bytes per packet of our answers

  Task<std::string> take(TcpSocket& socket, std::size_t count) {
    std::string bytes(count, '\0');
    auto [code, got] = co_await asio::async_read(socket, asio::buffer(bytes), as_result);
    bytes.resize(got);
    asked += bytes;
    co_return bytes;
  }
  Task<> give(TcpSocket& socket, std::string bytes) {
    for (std::size_t at = 0; at < bytes.size(); at += piece)
      co_await ScriptedServer::send(socket, bytes.substr(at, piece));
  }
  Task<> serve(TcpSocket socket) {
    socket.set_option(tcp::no_delay{true});
    const std::string greeting = co_await take(socket, 2);
    if (greeting.size() < 2) co_return;
    co_await take(socket, static_cast<unsigned char>(greeting[1]));
    co_await give(socket, method);
    if (method == "\x05\x02"s) {
      const std::string user = co_await take(socket, 2);
      if (user.size() < 2) co_return;  // the client has left
      co_await take(socket, static_cast<unsigned char>(user[1]));
      const std::string password = co_await take(socket, 1);
      if (password.empty()) co_return;
      co_await take(socket, static_cast<unsigned char>(password[0]));
      co_await give(socket, login_answer);
    }
    const std::string request = co_await take(socket, 5);
    if (request.size() < 5) co_return;
    co_await take(socket, static_cast<unsigned char>(request[4]) + 2U);
    co_await give(socket, answer);
    co_await ScriptedServer::read_head(socket);
  }

  Result<EgressConnection> connect(std::string login = "") {
    ScriptedServer server{reactor, {[this](TcpSocket s) { return serve(std::move(s)); }}};
    EgressTarget target;
    target.host = "behind.example";
    target.port = 80;
    target.policy = std::make_shared<AddressPolicy>(AddressPolicy::public_only());
    target.parent = std::make_shared<ParentProxy>(
        ParentProxy::parse("socks5://" + login + "127.0.0.1:" + std::to_string(server.port())).value());
    return run_task(reactor, egress.connect(target, Deadline::after(5s)));
  }
  std::string read(const std::shared_ptr<Stream>& stream) {
    auto task = [](std::shared_ptr<Stream> s) -> Task<std::string> {
      std::array<char, 64> buffer;
      Result<std::size_t> got = co_await s->read_some(buffer);
      co_return got ? std::string(buffer.data(), *got) : got.error().to_string();
    };
    return run_task(reactor, task(stream));
  }
};

TEST_F(Socks5Test, PlainRequest_GoesThroughTheTunnelByName) {
  const Result<EgressConnection> connection = connect();
  ASSERT_TRUE(connection.has_value()) << connection.error().to_string();
  EXPECT_EQ(asked, "\x05\x01\x00\x05\x01\x00\x03\x0e"s + "behind.example" + "\x00\x50"s);
}

TEST_F(Socks5Test, LoginIsSentOnlyWhenAskedFor) {
  ASSERT_TRUE(connect("user:secret@").has_value());
  EXPECT_EQ(asked.find("secret"), std::string::npos) << "the parent chose the method without login";
  asked.clear();
  method = "\x05\x02"s;
  ASSERT_TRUE(connect("user:secret@").has_value());
  EXPECT_EQ(asked.substr(0, 4 + 13), "\x05\x02\x00\x02\x01\x04user\x06secret"s);
}

TEST_F(Socks5Test, BytesBehindTheAnswer_BelongToTheOrigin) {
  answer = "\x05\x00\x00\x03\x04name\x00\x50SSH-2.0-x"s;  // a bound address that is a name
  Result<EgressConnection> connection = connect();
  ASSERT_TRUE(connection.has_value()) << connection.error().to_string();
  EXPECT_EQ(read(connection->stream), "SSH-2.0-x");
}

TEST_F(Socks5Test, AnswersByteByByte_AreTheSame) {
  piece = 1;
  method = "\x05\x02"s;
  answer = "\x05\x00\x00\x04"s + std::string(18, '\1');
  EXPECT_TRUE(connect("user:secret@").has_value());
}

TEST_F(Socks5Test, Refusals_AreTheParents_AndRetrySafe) {
  method = "\x05\xff"s;
  Result<EgressConnection> connection = connect();
  ASSERT_FALSE(connection.has_value());
  EXPECT_EQ(connection.error().kind, ErrorKind::parent_refused);
  EXPECT_TRUE(connection.error().retry_safe);

  method = "\x05\x02"s;
  connection = connect();
  ASSERT_FALSE(connection.has_value()) << "a login is wanted, and we have none";

  login_answer = "\x01\x01"s;
  connection = connect("user:secret@");
  ASSERT_FALSE(connection.has_value());
  EXPECT_EQ(connection.error().detail.find("secret"), std::string::npos);

  method = "\x05\x00"s;
  answer = "\x05\x05\x00\x01"s;
  connection = connect();
  ASSERT_FALSE(connection.has_value());
  EXPECT_EQ(connection.error().kind, ErrorKind::connect_refused);
  EXPECT_EQ(connection.error().side, Side::origin);
}

TEST_F(Socks5Test, Nonsense_IsRefusedAndNothingWaitsForever) {
  for (const std::string& hello : {"HTTP/1.1 400"s, "\x04\x00"s}) {
    method = hello;
    EXPECT_FALSE(connect().has_value()) << hello;
  }
  method = "\x05\x00"s;
  for (const std::string& reply : {"\x04\x00\x00\x01"s, "\x05\x00\x00\x09"s, "\x05\x63\x00\x01"s}) {
    answer = reply;
    EXPECT_FALSE(connect().has_value());
  }
}

}  // namespace
}  // namespace outrider
