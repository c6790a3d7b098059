// Where a certificate authority can be made trusted on this machine: the certificate databases of the user's browsers
// (NSS, by Mozilla's certutil), and the store of the system.
#pragma once

#include "base/error.hpp"
#include "proxy/authority_certificate.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace outrider::cli {

struct BrowserDatabase {
  std::string browser;  // "Firefox", "Chromium"
  std::filesystem::path folder;
  bool exists = true;  // false: made when something is added
};

// All that are below this home directory. That of Chromium is always among them.
std::vector<BrowserDatabase> browser_databases(const std::filesystem::path& home);

// The name under which browsers file an authority: no two have the same.
std::string nickname(const AuthorityCertificate& authority);

// Adding twice and removing what is not there are no failures. A database that cannot be read is one: it may hold it.
Result<bool> is_trusted(const BrowserDatabase& database, const AuthorityCertificate& authority);
Result<void> add_trust(const BrowserDatabase& database, const AuthorityCertificate& authority);
Result<bool> remove_trust(const BrowserDatabase& database,
                          const AuthorityCertificate& authority);  // true: it was there

// The store that OpenSSL, GnuTLS, curl, Python … read. Changing it needs root: sudo asks, if we are not.
bool system_trusts(const AuthorityCertificate& authority);
Result<void> add_system_trust(const AuthorityCertificate& authority);
Result<void> remove_system_trust(const AuthorityCertificate& authority);

}  // namespace outrider::cli
