// The web-platform-tests' URL cases (shared data, url/): loading, and parsing from buffers of exactly the input's size
// so that AddressSanitizer sees every over-read.
#pragma once

#include "base/url.hpp"
#include "base/url_inspect.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

namespace outrider::test {

// nullopt where the shared data is absent.
inline std::optional<boost::json::value> load_url_cases(std::string_view file) {
  const char* root = std::getenv("OUTRIDER_TEST_DATA");
  std::ifstream in(std::string(root != nullptr ? root : OUTRIDER_TEST_DATA) + "/url/" + std::string(file));
  if (!in) return std::nullopt;
  std::stringstream text;
  text << in.rdbuf();
  return boost::json::parse(replace_lone_surrogates(text.str()));
}

class ExactBuffer {
 public:
  explicit ExactBuffer(std::string_view text) : bytes_(new char[text.size()]), size_(text.size()) {
    std::copy(text.begin(), text.end(), bytes_.get());
  }
  operator std::string_view() const { return {bytes_.get(), size_}; }

 private:
  std::unique_ptr<char[]> bytes_;
  std::size_t size_;
};

inline Result<Url> parse_exact(std::string_view input, const Url* base = nullptr, std::string_view charset = {}) {
  return Url::parse(ExactBuffer(input), base, charset);
}

// Value of one of the standard's attributes by its name.
inline std::string attribute(const Url& url, std::string_view name) {
  if (name == "href") return url.href();
  if (name == "protocol") return std::string(url.protocol());
  if (name == "username") return std::string(url.username());
  if (name == "password") return std::string(url.password());
  if (name == "host") return std::string(url.host());
  if (name == "hostname") return std::string(url.hostname());
  if (name == "port") return std::string(url.port());
  if (name == "pathname") return std::string(url.pathname());
  if (name == "search") return std::string(url.search());
  if (name == "hash") return std::string(url.hash());
  if (name == "origin") return url.origin();
  return "no such attribute";
}

inline bool set_attribute(Url& url, std::string_view name, std::string_view value) {
  if (name == "href") return url.set_href(value);
  if (name == "protocol") return url.set_protocol(value);
  if (name == "username") return url.set_username(value);
  if (name == "password") return url.set_password(value);
  if (name == "host") return url.set_host(value);
  if (name == "hostname") return url.set_hostname(value);
  if (name == "port") return url.set_port(value);
  if (name == "pathname") return url.set_pathname(value);
  if (name == "search") return url.set_search(value);
  if (name == "hash") return url.set_hash(value);
  return false;
}

inline constexpr std::string_view kAttributes[] = {"href", "protocol", "username", "password", "host",  "hostname",
                                                   "port", "pathname", "search",   "hash",     "origin"};

// As the tests of WPT put a host into a URL: what would end the host is percent-encoded.
inline std::string url_with_host(std::string_view host) {
  std::string out = "https://";
  for (char c : host) {
    if (c == ':')
      out += "%3A";
    else if (c == '/')
      out += "%2F";
    else if (c == '?')
      out += "%3F";
    else if (c == '#')
      out += "%23";
    else if (c == '\\')
      out += "%5C";
    else
      out += c;
  }
  return out + "/x";
}

}  // namespace outrider::test
