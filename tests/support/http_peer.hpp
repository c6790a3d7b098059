// A client that takes answers apart, piece by piece where a test wants to see how far one has come.
#pragma once

#include "tests/support/raw_socket.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace outrider::testing {

// The values of all lines of a field in a head, joined with ", "; "" if there is none.
std::string field_of(std::string_view head, std::string_view name);

struct HttpAnswer {
  int status = 0;         // 0: none came
  std::string head;       // status line and fields as they came
  std::string body;       // without the framing of chunks
  bool complete = false;  // it ended as its own framing says

  std::string field(std::string_view name) const { return field_of(head, name); }
};

class HttpPeer {
 public:
  // `from`: the address that the proxy sees.
  explicit HttpPeer(std::uint16_t proxy_port, const char* from = "127.0.0.1");

  // Sends a request; `fields` are lines with their ends.
  void send(std::string_view method, const std::string& url, const std::string& fields = "",
            const std::string& body = "");
  // The answer to it: as much as has to be read to know its head, to have `bytes` of its body, to its end.
  const HttpAnswer& head();
  const HttpAnswer& body(std::size_t bytes);
  HttpAnswer answer();

  HttpAnswer ask(std::string_view method, const std::string& url, const std::string& fields = "",
                 const std::string& body = "");
  HttpAnswer get(const std::string& url, const std::string& fields = "") { return ask("GET", url, fields); }

  void leave() { socket_.reset(); }  // as a program that is killed
  RawSocket& socket() { return socket_; }

 private:
  enum class Framing { none, length, chunked, until_close };
  bool more();
  void begin_body();
  bool next_piece();  // false: nothing more will come
  bool next_chunk();

  RawSocket socket_;
  std::string wire_;  // read, not yet taken apart
  bool ended_ = false;
  bool head_only_ = false;
  HttpAnswer current_;
  Framing framing_ = Framing::none;
  std::size_t left_ = 0;  // of the body, or of the chunk
};

// One request on a connection of its own.
HttpAnswer get(std::uint16_t proxy_port, const std::string& url, const std::string& fields = "",
               const char* from = "127.0.0.1");

}  // namespace outrider::testing
