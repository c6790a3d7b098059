// Content Security Policies of foreign pages: what was added admits our guests, so that nothing is added a second time;
// where it is impossible nothing changes; and all that stood there still stands there, in order (but for 'none').
#include "base/content_security_policy.hpp"
#include "tests/fuzz/require.hpp"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace outrider;
  const CspGuests guests{"https://site.example/o.js", size % 2 == 0, "https://outrider.internal"};
  const std::string given{reinterpret_cast<const char*>(data), size};
  std::string policies = given;
  const CspVerdict verdict = admit_guests(policies, guests);
  if (!verdict.possible || !verdict.changed) {
    require(policies == given);
    return 0;
  }
  std::string again = policies;
  const CspVerdict second = admit_guests(again, guests);
  require(second.possible && !second.changed && second.nonce == verdict.nonce);
  std::size_t at = 0;
  for (std::size_t i = 0; i < given.size() && at != std::string::npos; ++i) {
    if (given.find("none") != std::string::npos || given.find("NONE") != std::string::npos) break;
    if (given[i] == ';' || given[i] == ' ' || given[i] == '\n' || given[i] == '\t' || given[i] == '\r' ||
        given[i] == '\f')
      continue;  // separators at the end may go
    at = policies.find(given[i], at);
    require(at != std::string::npos);
    ++at;
  }
  return 0;
}
