// The folder that holds a certificate authority: key.pem and certificate.pem, for nobody's eyes but their owner's. The
// folder comes into being complete and is replaced as a whole, so nobody ever sees a key without its certificate.
// Neighbour: proxy/authority, which makes sense of the two texts.
#pragma once

#include "base/error.hpp"

#include <filesystem>
#include <functional>
#include <string>

namespace outrider {

struct AuthorityTexts {
  std::string key;          // PEM
  std::string certificate;  // PEM
};

inline constexpr const char* kAuthorityKeyFile = "key.pem";
inline constexpr const char* kAuthorityCertificateFile = "certificate.pem";

// Failures: not_found if there is no such folder, or an empty one; io if it or the key is open to others or belongs to
// another, or if one of the two files is missing. The text says what to do.
Result<AuthorityTexts> read_authority_folder(const std::filesystem::path& folder);

// The certificate alone, whatever has become of the key and of who can get at them: it is no secret, and who wants to
// be rid of an authority needs no more. Failures: not_found if neither it nor a key is there; io if it cannot be read.
Result<std::string> read_authority_certificate(const std::filesystem::path& folder);

using MakeAuthority = std::function<Result<AuthorityTexts>()>;

// What is there, or what `make` makes if nothing is. Of several processes that do this at once one makes it, and all
// get the same.
Result<AuthorityTexts> ensure_authority_folder(const std::filesystem::path& folder, const MakeAuthority& make);

// Puts a new authority in the place of whatever is there, be it damaged.
Result<void> replace_authority_folder(const std::filesystem::path& folder, const AuthorityTexts& texts);

}  // namespace outrider
