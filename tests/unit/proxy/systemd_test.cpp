#include "proxy/systemd.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <map>

namespace outrider {
namespace {

using namespace std::chrono_literals;

using Variables = std::map<std::string, std::string>;
EnvironmentReader from(Variables variables) {
  return [variables = std::move(variables)](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  };
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { ::close(fd_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

int listening_socket(int family = AF_INET) {
  const int fd = ::socket(family, SOCK_STREAM, 0);
  sockaddr_storage any{};
  any.ss_family = static_cast<sa_family_t>(family);
  ::bind(fd, reinterpret_cast<sockaddr*>(&any), family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6));
  ::listen(fd, 1);
  return fd;
}

// sd_listen_fds(3)
TEST(SocketActivation, WithoutTheVariablesThereIsNothing) {
  EXPECT_TRUE(parse_activation(from({}), 42)->empty());
  EXPECT_TRUE(parse_activation(from({{"LISTEN_FDS", "1"}}), 42)->empty());
  EXPECT_TRUE(parse_activation(from({{"LISTEN_PID", "42"}}), 42)->empty());
}

TEST(SocketActivation, VariablesForAnotherProcessAreNotOurs) {
  EXPECT_TRUE(parse_activation(from({{"LISTEN_PID", "41"}, {"LISTEN_FDS", "1"}}), 42)->empty());
}

TEST(SocketActivation, DescriptorsBeginAtThreeAndHaveNames) {
  const auto unnamed = parse_activation(from({{"LISTEN_PID", "42"}, {"LISTEN_FDS", "2"}}), 42);
  ASSERT_EQ(unnamed->size(), 2u);
  EXPECT_EQ(unnamed->at(0).fd, 3);
  EXPECT_EQ(unnamed->at(1).fd, 4);
  EXPECT_EQ(unnamed->at(1).name, "unknown");
  const auto named =
      parse_activation(from({{"LISTEN_PID", "42"}, {"LISTEN_FDS", "2"}, {"LISTEN_FDNAMES", "proxy:"}}), 42);
  EXPECT_EQ(named->at(0).name, "proxy");
  EXPECT_EQ(named->at(1).name, "");
  EXPECT_TRUE(parse_activation(from({{"LISTEN_PID", "42"}, {"LISTEN_FDS", "0"}, {"LISTEN_FDNAMES", ""}}), 42)->empty());
}

TEST(SocketActivation, NonsenseIsAnErrorNotAGuess) {
  const auto fails = [](Variables variables) { return !parse_activation(from(std::move(variables)), 42); };
  EXPECT_TRUE(fails({{"LISTEN_PID", "x"}, {"LISTEN_FDS", "1"}}));
  EXPECT_TRUE(fails({{"LISTEN_PID", ""}, {"LISTEN_FDS", "1"}}));
  EXPECT_TRUE(fails({{"LISTEN_PID", "42 "}, {"LISTEN_FDS", "1"}}));
  for (const char* count : {"", "-1", "1x", " 1", "99999999999", "1000000"})
    EXPECT_TRUE(fails({{"LISTEN_PID", "42"}, {"LISTEN_FDS", count}})) << count;
  EXPECT_TRUE(fails({{"LISTEN_PID", "42"}, {"LISTEN_FDS", "1"}, {"LISTEN_FDNAMES", "a:b"}}));
  EXPECT_TRUE(fails({{"LISTEN_PID", "42"}, {"LISTEN_FDS", "2"}, {"LISTEN_FDNAMES", "a"}}));
  EXPECT_TRUE(fails({{"LISTEN_PID", "42"}, {"LISTEN_FDS", "0"}, {"LISTEN_FDNAMES", "a"}}));
}

TEST(SocketActivation, ListeningSocketsAreMarkedOurs) {
  for (const int family : {AF_INET, AF_INET6}) {
    const Descriptor fd{listening_socket(family)};
    if (fd.get() < 0) continue;  // no IPv6 here
    ASSERT_TRUE(check_activated({{fd.get(), "proxy"}}));
    EXPECT_TRUE(::fcntl(fd.get(), F_GETFD) & FD_CLOEXEC);
    EXPECT_TRUE(::fcntl(fd.get(), F_GETFL) & O_NONBLOCK);
  }
}

TEST(SocketActivation, AnythingElseIsRefused) {
  const Descriptor not_listening{::socket(AF_INET, SOCK_STREAM, 0)};
  const Descriptor datagram{::socket(AF_INET, SOCK_DGRAM, 0)};
  const Descriptor unix_socket{::socket(AF_UNIX, SOCK_STREAM, 0)};
  const Descriptor file{::open("/dev/null", O_RDONLY)};
  for (const Descriptor* fd : {&not_listening, &datagram, &unix_socket, &file})
    EXPECT_FALSE(check_activated({{fd->get(), "x"}})) << fd->get();
  EXPECT_FALSE(check_activated({{987'654, "closed"}}));
}

// As the service manager does it: descriptor 3 in a new process.
TEST(SocketActivation, ProcessTakesItsSocketsOnce) {
  const Descriptor listener{listening_socket()};
  const pid_t child = ::fork();
  if (child == 0) {
    if (listener.get() != kFirstActivatedFd) ::dup2(listener.get(), kFirstActivatedFd);
    ::setenv("LISTEN_PID", std::to_string(::getpid()).c_str(), 1);
    ::setenv("LISTEN_FDS", "1", 1);
    ::setenv("LISTEN_FDNAMES", "proxy", 1);
    const auto first = take_activated_sockets();
    const auto second = take_activated_sockets();
    const bool good = first && first->size() == 1 && first->at(0).name == "proxy" && second && second->empty() &&
                      std::getenv("LISTEN_FDS") == nullptr;
    ::_exit(good ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

// A service manager's end of NOTIFY_SOCKET.
class Manager {
 public:
  explicit Manager(const std::string& name) : fd_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, name.data(), name.size());
    if (name[0] == '@') address.sun_path[0] = '\0';
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    bound_ = ::bind(fd_.get(), reinterpret_cast<sockaddr*>(&address), length) == 0;
  }
  bool bound() const { return bound_; }
  std::string received() const {
    std::string text(4096, '\0');
    const ssize_t size = ::recv(fd_.get(), text.data(), text.size(), 0);
    text.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
    return text;
  }

 private:
  Descriptor fd_;
  bool bound_ = false;
};

class Notify : public testing::Test {
 protected:
  Notify() {
    std::string pattern = (std::filesystem::temp_directory_path() / "outrider-notify-XXXXXX").string();
    folder = ::mkdtemp(pattern.data());
  }
  ~Notify() override { std::filesystem::remove_all(folder); }
  std::string socket() const { return (folder / "notify").string(); }
  std::filesystem::path folder;
};

// sd_notify(3)
TEST_F(Notify, MessagesArrive) {
  const Manager manager{socket()};
  ASSERT_TRUE(manager.bound());
  const SystemdNotifier notifier{from({{"NOTIFY_SOCKET", socket()}}), 42};
  ASSERT_TRUE(notifier.active());
  EXPECT_TRUE(notifier.ready("listening on 127.0.0.1:8282"));
  EXPECT_EQ(manager.received(), "READY=1\nSTATUS=listening on 127.0.0.1:8282");
  EXPECT_TRUE(notifier.reloading(SteadyTime{12'345'678us}));
  EXPECT_EQ(manager.received(), "RELOADING=1\nMONOTONIC_USEC=12345678");
  EXPECT_TRUE(notifier.stopping("waiting for 3 exchanges"));
  EXPECT_EQ(manager.received(), "STOPPING=1\nSTATUS=waiting for 3 exchanges");
  EXPECT_TRUE(notifier.watchdog());
  EXPECT_EQ(manager.received(), "WATCHDOG=1");
}

TEST_F(Notify, StatusIsOneLineAndCannotForgeAMessage) {
  const Manager manager{socket()};
  const SystemdNotifier notifier{from({{"NOTIFY_SOCKET", socket()}}), 42};
  EXPECT_TRUE(notifier.status("a\nMAINPID=1"));
  EXPECT_EQ(manager.received(), "STATUS=a\\nMAINPID=1");
}

TEST_F(Notify, AbstractSockets) {
  const std::string name = "@outrider-test-" + std::to_string(::getpid());
  const Manager manager{name};
  ASSERT_TRUE(manager.bound());
  const SystemdNotifier notifier{from({{"NOTIFY_SOCKET", name}}), 42};
  EXPECT_TRUE(notifier.ready("up"));
  EXPECT_EQ(manager.received(), "READY=1\nSTATUS=up");
}

TEST_F(Notify, WithoutAManagerNothingIsSent) {
  EXPECT_FALSE(SystemdNotifier{}.ready(""));
  for (const std::string& name : {std::string{}, std::string{"@"}, std::string{"/"}, std::string{"relative"},
                                  std::string{"vsock:2:1234"}, "/" + std::string(200, 'x')}) {
    const SystemdNotifier notifier{from({{"NOTIFY_SOCKET", name}}), 42};
    EXPECT_FALSE(notifier.active()) << name;
    EXPECT_FALSE(notifier.ready("")) << name;
  }
  EXPECT_FALSE(SystemdNotifier(from({{"NOTIFY_SOCKET", socket()}}), 42).ready("nobody is bound there"));
}

// sd_watchdog_enabled(3)
TEST_F(Notify, WatchdogIsFedTwiceAsOftenAsDemanded) {
  const auto interval = [&](Variables variables) {
    variables["NOTIFY_SOCKET"] = socket();
    return SystemdNotifier{from(std::move(variables)), 42}.watchdog_interval();
  };
  EXPECT_EQ(interval({{"WATCHDOG_USEC", "30000000"}}), Duration{15s});
  EXPECT_EQ(interval({{"WATCHDOG_USEC", "30000000"}, {"WATCHDOG_PID", "42"}}), Duration{15s});
  EXPECT_EQ(interval({{"WATCHDOG_USEC", "30000000"}, {"WATCHDOG_PID", "41"}}), std::nullopt);
  for (const char* bad : {"0", "", "x", "-5", "18446744073709551615"})
    EXPECT_EQ(interval({{"WATCHDOG_USEC", bad}}), std::nullopt) << bad;
  EXPECT_EQ(interval({}), std::nullopt);
}

}  // namespace
}  // namespace outrider
