// Looks like a plugin that another compiler built.
#include <cstdint>

struct Described {
  std::uint64_t magic;
  std::uint32_t api_version, size;
  const char* abi;
  void* (*create)();
};

extern "C" __attribute__((visibility("default"), used))
const Described outrider_plugin{0x3152544e49445552, OUTRIDER_TEST_API_VERSION, sizeof(Described), "some-other-abi",
                                [] { return static_cast<void*>(nullptr); }};
