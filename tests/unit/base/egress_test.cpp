#include "base/egress.hpp"

#include "base/file_descriptor.hpp"
#include "tests/support/http_client_fixture.hpp"

#include <sys/socket.h>

#include <array>

namespace outrider {
namespace {

using namespace std::chrono_literals;
using testing::run_task;
using testing::ScriptedServer;

IpAddress ip(const char* text) {
  return asio::ip::make_address(text);
}

struct EgressTest : testing::HttpClientFixture {
  Result<EgressConnection> connect(std::string host, std::uint16_t port, Duration limit = 5s) {
    EgressTarget target;
    target.host = std::move(host);
    target.port = port;
    target.policy = policy;
    return run_task(reactor, egress.connect(target, Deadline::after(limit)));
  }
};

TEST(InterleaveFamilies, AlternatesBeginningWithTheFirst) {
  const Addresses mixed = interleave_families({ip("::1"), ip("::2"), ip("::3"), ip("1.1.1.1"), ip("2.2.2.2")});
  EXPECT_EQ(mixed, (Addresses{ip("::1"), ip("1.1.1.1"), ip("::2"), ip("2.2.2.2"), ip("::3")}));
  EXPECT_EQ(interleave_families({ip("1.1.1.1")}), Addresses{ip("1.1.1.1")});
}

TEST_F(EgressTest, ConnectsToWhatTheNameResolvesTo) {
  ScriptedServer server{reactor, {ScriptedServer::answering("")}};
  names["site.example"] = {ip("127.0.0.1")};
  const Result<EgressConnection> connection = connect("site.example", server.port());
  ASSERT_TRUE(connection.has_value()) << connection.error().to_string();
  EXPECT_EQ(connection->stream->peer().address(), ip("127.0.0.1"));
}

TEST_F(EgressTest, UnknownName_IsADnsFailure) {
  EXPECT_EQ(connect("nowhere.example", 80).error().kind, ErrorKind::dns_failure);
}

// HOSTILE: DNS rebinding. The check is on the address that is connected to, not on the name.
TEST_F(EgressTest, NameThatPointsInside_IsNotConnectedTo) {
  ScriptedServer server{reactor, {ScriptedServer::answering("")}};
  policy = std::make_shared<AddressPolicy>(AddressPolicy::public_only());
  for (const char* inside : {"127.0.0.1", "::ffff:127.0.0.1", "10.0.0.1", "169.254.169.254"}) {
    const std::string name = std::string{"evil"} + std::to_string(names.size()) + ".example";
    names[name] = {ip(inside)};
    const Result<EgressConnection> connection = connect(name, server.port());
    ASSERT_FALSE(connection.has_value()) << inside;
    EXPECT_EQ(connection.error().kind, ErrorKind::address_denied) << inside;
  }
  EXPECT_EQ(server.accepted(), 0U);
}

TEST_F(EgressTest, MixedAnswer_OnlyPermittedAddressesAreTried) {
  ScriptedServer server{reactor, {ScriptedServer::answering("")}};
  auto strict = std::make_shared<AddressPolicy>(AddressPolicy::public_only());
  strict->allow.push_back(IpPrefix::parse("127.0.0.1").value());
  policy = strict;
  names["mixed.example"] = {ip("10.0.0.1"), ip("127.0.0.1")};
  const Result<EgressConnection> connection = connect("mixed.example", server.port());
  ASSERT_TRUE(connection.has_value()) << connection.error().to_string();
  EXPECT_EQ(connection->stream->peer().address(), ip("127.0.0.1"));
}

TEST_F(EgressTest, FirstAddressRefuses_TheNextIsTriedAtOnce) {
  ScriptedServer server{reactor, {ScriptedServer::answering("")}};
  names["two.example"] = {ip("127.0.0.2"), ip("127.0.0.1")};  // nobody listens on 127.0.0.2 at that port
  const Result<EgressConnection> connection = connect("two.example", server.port());
  ASSERT_TRUE(connection.has_value()) << connection.error().to_string();
  EXPECT_EQ(connection->stream->peer().address(), ip("127.0.0.1"));
}

// A listening socket that nobody accepts from: whoever connects waits.
class Silent {
 public:
  explicit Silent(const tcp::endpoint& at) : at_(at), listener_(open()) {
    EXPECT_EQ(::bind(listener_.get(), at_.data(), static_cast<socklen_t>(at_.size())), 0);
    EXPECT_EQ(::listen(listener_.get(), 0), 0);
    for (const FileDescriptor& guest : guests_)  // until there is no room for more
      (void)::connect(guest.get(), at_.data(), static_cast<socklen_t>(at_.size()));
  }

 private:
  static FileDescriptor open() {
    return FileDescriptor{::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  }
  const tcp::endpoint at_;
  const FileDescriptor listener_;
  const std::array<FileDescriptor, 3> guests_{open(), open(), open()};
};

TEST_F(EgressTest, FirstAddressKeepsSilent_TheNextIsTriedBesideIt) {  // RFC 8305 section 5
  ScriptedServer server{reactor, {ScriptedServer::answering("")}};
  const Silent silent{{ip("127.0.0.2"), server.port()}};
  names["slow.example"] = {ip("127.0.0.2"), ip("127.0.0.1")};
  const Result<EgressConnection> connection = connect("slow.example", server.port());
  ASSERT_TRUE(connection.has_value()) << connection.error().to_string();
  EXPECT_EQ(connection->stream->peer().address(), ip("127.0.0.1"));

  names["silent.example"] = {ip("127.0.0.2")};
  EXPECT_EQ(connect("silent.example", server.port(), 300ms).error().kind, ErrorKind::timeout);
}

TEST_F(EgressTest, NobodyListens_IsRefused) {
  std::uint16_t free_port = 0;
  {
    const TcpAcceptor closed_again{reactor.executor(), tcp::endpoint{ip("127.0.0.1"), 0}};
    free_port = closed_again.local_endpoint().port();
  }
  const Result<EgressConnection> connection = connect("127.0.0.1", free_port);
  ASSERT_FALSE(connection.has_value());
  EXPECT_EQ(connection.error().kind, ErrorKind::connect_refused);
  EXPECT_TRUE(connection.error().retry_safe);
}

struct ParentTest : EgressTest {
  std::string asked;
  Task<> parent_script(TcpSocket socket, std::string answer) {
    asked = co_await ScriptedServer::read_head(socket);
    co_await ScriptedServer::send(socket, answer);
    co_await ScriptedServer::read_head(socket);
  }
  Result<EgressConnection> through(std::string answer, std::string user = "") {
    ScriptedServer server{reactor, {[this, answer](TcpSocket s) { return parent_script(std::move(s), answer); }}};
    auto parent =
        std::make_shared<ParentProxy>(ParentProxy::parse(user + "127.0.0.1:" + std::to_string(server.port())).value());
    EgressTarget target;
    target.host = "behind.example";
    target.port = 443;
    target.tunnel = true;
    target.policy = std::make_shared<AddressPolicy>(AddressPolicy::public_only());
    target.parent = parent;
    return run_task(reactor, egress.connect(target, Deadline::after(5s)));
  }
};

TEST_F(ParentTest, Tunnel_IsAskedForByName) {
  const Result<EgressConnection> connection = through("HTTP/1.1 200 OK\r\n\r\n");
  ASSERT_TRUE(connection.has_value()) << connection.error().to_string();
  EXPECT_EQ(asked, "CONNECT behind.example:443 HTTP/1.1\r\nHost: behind.example:443\r\n\r\n");
}

TEST_F(ParentTest, Credentials_AreSentToTheParent) {
  ASSERT_TRUE(through("HTTP/1.1 200 OK\r\n\r\n", "http://us%40er:pa%3Ass@").has_value());
  EXPECT_NE(asked.find("Proxy-Authorization: Basic dXNAZXI6cGE6c3M=\r\n"), std::string::npos) << asked;
}

TEST_F(ParentTest, Refusal_SaysWhatTheParentSaid) {
  const Result<EgressConnection> connection = through("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");
  ASSERT_FALSE(connection.has_value());
  EXPECT_EQ(connection.error().kind, ErrorKind::parent_refused);
  EXPECT_EQ(connection.error().side, Side::parent);
  EXPECT_NE(connection.error().detail.find("403"), std::string::npos);
}

// The other end may speak first (mail, SSH): those bytes belong to the tunnel.
TEST_F(ParentTest, BytesBehindTheAnswer_AreNotLost) {
  Result<EgressConnection> connection = through("HTTP/1.1 200 OK\r\n\r\nSSH-2.0-x\r\n");
  ASSERT_TRUE(connection.has_value());
  auto read = [](std::shared_ptr<Stream> stream) -> Task<std::string> {
    std::array<char, 64> buffer;
    Result<std::size_t> got = co_await stream->read_some(buffer);
    co_return got ? std::string(buffer.data(), *got) : got.error().to_string();
  };
  EXPECT_EQ(run_task(reactor, read(connection->stream)), "SSH-2.0-x\r\n");
}

TEST(ParentProxy, ParsesWhatPeopleWrite) {
  EXPECT_EQ(ParentProxy::parse("proxy.example:3128")->name(), "proxy.example:3128");
  EXPECT_EQ(ParentProxy::parse("http://proxy.example/")->port, 80);
  EXPECT_EQ(ParentProxy::parse("[::1]:8080")->host, "::1");
  for (const char* bad : {"", "ftp://x:1", "http://x/path", "x:99999", "a b"})
    EXPECT_FALSE(ParentProxy::parse(bad).has_value()) << bad;
  EXPECT_EQ(ParentProxy::parse("ftp://user:secret@host").error().detail.find("secret"), std::string::npos);
}

// A connection that was begun early is the one that is handed out, with its failure if it failed; once.
TEST_F(EgressTest, PreparedConnection_IsNotMadeTwice) {
  ScriptedServer server{reactor, {[](TcpSocket) -> Task<> { co_return; }}};
  EgressTarget target;
  target.host = "127.0.0.1";
  target.port = server.port();
  target.tls = true;
  target.policy = policy;
  egress.prepare(target, Deadline::after(5s));
  EXPECT_EQ(run_task(reactor, egress.connect(target, Deadline::after(5s))).error().kind, ErrorKind::tls_failed);
  EXPECT_EQ(server.accepted(), 1U);
  EXPECT_EQ(run_task(reactor, egress.connect(target, Deadline::after(5s))).error().kind, ErrorKind::tls_failed);
  EXPECT_EQ(server.accepted(), 2U);
}

// What was begun under other rules, or for another protocol, is not handed out.
TEST_F(EgressTest, PreparedConnection_IsForTheSameTargetOnly) {
  ScriptedServer server{reactor, {[](TcpSocket) -> Task<> { co_return; }}};
  EgressTarget target;
  target.host = "127.0.0.1";
  target.port = server.port();
  target.tls = true;
  target.policy = policy;
  egress.prepare(target, Deadline::after(5s));
  EgressTarget other = target;
  other.policy = std::make_shared<AddressPolicy>(AddressPolicy::public_only());
  EXPECT_EQ(run_task(reactor, egress.connect(other, Deadline::after(5s))).error().kind, ErrorKind::address_denied);
  other = target;
  other.alpn = {"h2"};
  EXPECT_EQ(run_task(reactor, egress.connect(other, Deadline::after(5s))).error().kind, ErrorKind::tls_failed);
  EXPECT_EQ(server.accepted(), 2U);
}

}  // namespace
}  // namespace outrider
