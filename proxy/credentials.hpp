// What a client presents in Proxy-Authorization: Basic (RFC 7617) or Bearer (RFC 6750 section 2.1).
#pragma once

#include <openssl/crypto.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace outrider {

// Text that leaves no copy behind in freed memory.
class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string_view text) : text_(text) {}
  Secret(Secret&& other) noexcept : text_(std::move(other.text_)) { other.wipe(); }
  Secret& operator=(Secret&& other) noexcept {
    if (this != &other) {
      wipe();
      text_ = std::move(other.text_);
      other.wipe();
    }
    return *this;
  }
  ~Secret() { wipe(); }
  std::string_view view() const { return text_; }

 private:
  void wipe() {
    OPENSSL_cleanse(text_.data(), text_.size());
    text_.clear();
  }
  std::string text_;
};

struct Credentials {
  enum class Kind : unsigned char { basic, bearer };
  Kind kind = Kind::basic;
  std::string user;  // Basic only
  Secret secret;     // the password or the token
};

// Longer field values are not looked at: a name of 128 bytes and a password of 511 fit.
inline constexpr std::size_t kMaxAuthorization = 1024;

// Nothing if the value is malformed or of another scheme.
std::optional<Credentials> parse_authorization(std::string_view value);

// Strict (RFC 4648): padded, no white space, no bits beyond the last byte. So equal bytes have one spelling.
bool decode_base64(std::string_view text, std::string& out);

}  // namespace outrider
