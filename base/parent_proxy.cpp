#include "base/parent_proxy.hpp"

#include "base/http_codec.hpp"
#include "base/http_writer.hpp"
#include "base/socks5.hpp"
#include "base/url.hpp"
#include "base/url_percent.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>

namespace outrider {
namespace {

std::string base64(std::string_view text) {
  std::string encoded(4 * ((text.size() + 2) / 3) + 1, '\0');
  const int length =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(encoded.data()),
                      reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
  encoded.resize(static_cast<std::size_t>(length));
  return encoded;
}

}  // namespace

Result<ParentProxy> ParentProxy::parse(std::string_view text) {
  ParentProxy parent;
  std::string_view rest = text;
  if (rest.starts_with("http://")) {
    rest.remove_prefix(7);
  } else if (rest.starts_with("socks5://") ||
             rest.starts_with("socks5h://")) {  // curl's names; the parent always resolves
    parent.kind = Kind::socks5;
    rest.remove_prefix(rest.find("//") + 2);
  }
  const Result<Url> url = Url::parse(fmt::format("http://{}", rest));
  const bool other_scheme = rest.find("://") != std::string_view::npos;
  if (other_scheme || !url || url->hostname().empty() || url->pathname() != "/" || url->query() || url->fragment())
    return Error{
        ErrorKind::invalid_argument, Side::self,
        fmt::format("\"{}\" is not a proxy; write host:port, http://user:password@host:port or socks5://host:port",
                    text.substr(text.rfind('@') + 1))};  // never show the password
  parent.host = url->hostname();
  if (parent.host.starts_with('[')) parent.host = parent.host.substr(1, parent.host.size() - 2);
  parent.port = url->effective_port();
  if (rest.ends_with('/')) rest.remove_suffix(1);
  if (parent.kind == Kind::socks5 && parent.port == 80 && !rest.ends_with(":80")) parent.port = 1080;
  if (!url->username().empty()) {
    Result<void> set = parent.set_credentials(percent_decode(url->username()), percent_decode(url->password()));
    if (!set) return set.error();
  }
  return parent;
}

Result<void> ParentProxy::set_credentials(std::string_view user_name, std::string_view secret) {
  const auto bad = [](std::string why) { return Error{ErrorKind::invalid_argument, Side::self, std::move(why)}; };
  if (kind == Kind::http) {
    // RFC 7617 section 2: the first colon ends the name.
    if (user_name.find(':') != std::string_view::npos) return bad("the user name for a parent proxy contains a colon");
    authorization = "Basic " + base64(fmt::format("{}:{}", user_name, secret));
    return {};
  }
  if (user_name.empty() || user_name.size() > 255 || secret.empty() || secret.size() > 255)
    return bad("SOCKS5 takes user names and passwords of 1 to 255 bytes");
  user = user_name;
  password = secret;
  return {};
}

std::string ParentProxy::name() const {
  return kind == Kind::http ? authority(host, port) : fmt::format("socks5://{}", authority(host, port));
}

std::string authority(std::string_view host, std::uint16_t port) {
  if (host.find(':') != std::string_view::npos) return fmt::format("[{}]:{}", host, port);
  return fmt::format("{}:{}", host, port);
}

Task<Result<void>> open_tunnel(Stream& stream, const ParentProxy& parent, std::string host, std::uint16_t port) {
  if (parent.kind == ParentProxy::Kind::socks5) {
    Result<void> open = co_await open_socks5_tunnel(stream, parent, std::move(host), port);
    co_return open;
  }
  RequestHead request;
  request.set_method(Method::connect);
  const std::string target = authority(host, port);
  request.headers.add(HeaderId::host, target);
  if (!parent.authorization.empty()) request.headers.add(HeaderId::proxy_authorization, parent.authorization);
  std::string wire;
  write_request_head(wire, request, target);
  Result<void> sent = co_await stream.write(wire);
  if (!sent) co_return sent.error();

  ResponseParser parser;
  parser.expect(Method::connect);
  std::array<char, 4096> buffer;
  for (;;) {
    Result<std::size_t> got = co_await stream.read_some(buffer);
    if (!got) co_return got.error();
    if (*got == 0)
      co_return Error{ErrorKind::closed_early, Side::parent, "the parent proxy closed the connection", true};
    std::string_view input{buffer.data(), *got};
    while (!input.empty()) {
      Result<ParseStep> step = parser.feed(input);
      if (!step) {
        Error error = step.error();
        error.side = Side::parent;
        co_return error;
      }
      input.remove_prefix(step->consumed);
      if (step->event == ParseEvent::head && !parser.head().is_informational()) {
        const ResponseHead& head = parser.head();
        if (head.status / 100 == 2) {
          stream.unread(input);
          co_return Result<void>{};
        }
        co_return Error{ErrorKind::parent_refused, Side::parent,
                        fmt::format("the parent proxy {} answered {} {}", parent.name(), head.status, head.reason),
                        true};
      }
      if (step->event == ParseEvent::done) {
        parser.reset();
        parser.expect(Method::connect);
      }
    }
  }
}

}  // namespace outrider
