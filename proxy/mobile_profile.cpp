#include "proxy/mobile_profile.hpp"

#include "proxy/html_text.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

namespace outrider {
namespace {

std::string base64(std::string_view bytes) {
  std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  const int length =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                      reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(length));
  return text;
}

// Looks like a UUID and depends on nothing but the certificate. `at`: from which of its 32 bytes on.
std::string uuid(std::string_view fingerprint, std::size_t at) {
  std::string digits;
  for (const char c : fingerprint)
    if (c != ':') digits += c;
  digits.resize(64, '0');
  const std::string part = digits.substr(at * 2, 32);
  return fmt::format("{}-{}-{}-{}-{}", part.substr(0, 8), part.substr(8, 4), part.substr(12, 4), part.substr(16, 4),
                     part.substr(20));
}

}  // namespace

std::string mobile_profile(std::string_view name, std::string_view der, std::string_view fingerprint) {
  return fmt::format(R"xml(<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>PayloadType</key><string>Configuration</string>
  <key>PayloadVersion</key><integer>1</integer>
  <key>PayloadIdentifier</key><string>internal.outrider.ca</string>
  <key>PayloadUUID</key><string>{profile}</string>
  <key>PayloadDisplayName</key><string>{name}</string>
  <key>PayloadDescription</key><string>Lets this device trust the certificates of your Outrider.</string>
  <key>PayloadRemovalDisallowed</key><false/>
  <key>PayloadContent</key>
  <array>
    <dict>
      <key>PayloadType</key><string>com.apple.security.root</string>
      <key>PayloadVersion</key><integer>1</integer>
      <key>PayloadIdentifier</key><string>internal.outrider.ca.certificate</string>
      <key>PayloadUUID</key><string>{certificate}</string>
      <key>PayloadDisplayName</key><string>{name}</string>
      <key>PayloadCertificateFileName</key><string>outrider-ca.crt</string>
      <key>PayloadContent</key><data>{der}</data>
    </dict>
  </array>
</dict>
</plist>
)xml",
                     fmt::arg("profile", uuid(fingerprint, 0)), fmt::arg("certificate", uuid(fingerprint, 16)),
                     fmt::arg("name", html_text(name)), fmt::arg("der", base64(der)));
}

}  // namespace outrider
