// A fuzz target with three faults on purpose: the test of the replay driver (tests/fuzz/replay_selftest) expects it to
// find each.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (text.starts_with("trap")) __builtin_trap();
  if (text.starts_with("throw")) throw std::runtime_error("thrown on purpose");
  // Only a mutation gets here: no seed of the test contains both.
  if (text.find("GET ") != text.npos && text.find("needle") != text.npos) std::abort();
  return 0;
}
