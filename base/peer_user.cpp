#include "base/peer_user.hpp"

#include "base/file_descriptor.hpp"
#include "base/ip_address.hpp"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cstring>

namespace outrider {
namespace {

struct Question {
  nlmsghdr head{};
  inet_diag_req_v2 about{};
};

void put_address(const IpAddress& address, __be32 (&to)[4]) {
  if (address.is_v4()) {
    const auto bytes = address.to_v4().to_bytes();
    std::memcpy(to, bytes.data(), bytes.size());
  } else {
    const auto bytes = address.to_v6().to_bytes();
    std::memcpy(to, bytes.data(), bytes.size());
  }
}

// The socket whose near end is `near`: without NLM_F_DUMP exactly one is looked up.
Question question(const tcp::endpoint& near, const tcp::endpoint& far) {
  Question asked;
  asked.head.nlmsg_len = sizeof asked;
  asked.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  asked.head.nlmsg_flags = NLM_F_REQUEST;
  const IpAddress near_address = unmapped(near.address()), far_address = unmapped(far.address());
  asked.about.sdiag_family = near_address.is_v4() ? AF_INET : AF_INET6;
  asked.about.sdiag_protocol = IPPROTO_TCP;
  asked.about.idiag_states = ~0U;
  asked.about.id.idiag_sport = htons(near.port());
  asked.about.id.idiag_dport = htons(far.port());
  put_address(near_address, asked.about.id.idiag_src);
  put_address(far_address, asked.about.id.idiag_dst);
  asked.about.id.idiag_cookie[0] = asked.about.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  return asked;
}

// Where there is no such connection the kernel tells of a listening socket at that port, and of a socket that its
// process has closed (no inode) it says that root owns it.
std::optional<uid_t> owner_in(const inet_diag_msg& found, const inet_diag_sockid& wanted) {
  const bool is_it = found.id.idiag_sport == wanted.idiag_sport && found.id.idiag_dport == wanted.idiag_dport;
  if (!is_it || found.idiag_inode == 0 || found.idiag_state == TCP_LISTEN || found.idiag_state == TCP_TIME_WAIT)
    return std::nullopt;
  return found.idiag_uid;
}

}  // namespace

std::optional<uid_t> peer_user(const tcp::endpoint& peer, const tcp::endpoint& ours) {
  const IpAddress from = unmapped(peer.address());
  if (from.is_v4() != unmapped(ours.address()).is_v4()) return std::nullopt;
  const FileDescriptor kernel{::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG)};
  if (!kernel.is_open()) return std::nullopt;
  const timeval patience{0, 200'000};  // it answers at once, or never
  ::setsockopt(kernel.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  const Question asked = question(peer, ours);
  sockaddr_nl to{};
  to.nl_family = AF_NETLINK;
  if (::sendto(kernel.get(), &asked, sizeof asked, 0, reinterpret_cast<const sockaddr*>(&to), sizeof to) !=
      static_cast<ssize_t>(sizeof asked))
    return std::nullopt;
  alignas(nlmsghdr) std::array<char, 8192> buffer{};
  const ssize_t size = ::recv(kernel.get(), buffer.data(), buffer.size(), 0);
  nlmsghdr head{};
  inet_diag_msg found{};
  if (size < static_cast<ssize_t>(NLMSG_LENGTH(sizeof found))) return std::nullopt;
  std::memcpy(&head, buffer.data(), sizeof head);
  if (head.nlmsg_type != SOCK_DIAG_BY_FAMILY || head.nlmsg_len < NLMSG_LENGTH(sizeof found)) return std::nullopt;
  std::memcpy(&found, buffer.data() + NLMSG_HDRLEN, sizeof found);
  return owner_in(found, asked.about.id);
}

bool is_our_user(const tcp::endpoint& peer, const tcp::endpoint& ours) {
  const std::optional<uid_t> user = peer_user(peer, ours);
  return user && (*user == ::geteuid() || *user == 0);
}

}  // namespace outrider
