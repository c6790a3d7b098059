// Dates: whatever is read can be written and read again to the same second. The first byte moves the clock that decides
// centuries.
#include "base/http_date.hpp"
#include "tests/fuzz/require.hpp"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace outrider;
  if (size == 0) return 0;
  const WallTime now{std::chrono::hours{24 * 365} * data[0]};
  const auto time = parse_http_date({reinterpret_cast<const char*>(data) + 1, size - 1}, now);
  if (!time) return 0;
  const std::string text = format_http_date(*time);
  require(text.size() == 29);
  require(parse_http_date(text, now) == time);
  return 0;
}
