// How a plugin is loaded from a file. The file exports one struct, which is looked at before anything of it is called:
//
//   OUTRIDER_PLUGIN(ExamplePlugin, make_example_plugin)
//
// A C++ interface binds both sides to one compiler ABI and to the very same headers; the tag says which.
#pragma once

#include "plugins/api/plugin.hpp"

#include <cstdint>

namespace outrider {

// Counted up with every change of plugins/api or of what it shows of base.
inline constexpr std::uint32_t kPluginApiVersion = 6;

#define OUTRIDER_TEXT_OF_(x) #x
#define OUTRIDER_TEXT_OF(x) OUTRIDER_TEXT_OF_(x)
#if defined(__clang__)
#define OUTRIDER_COMPILER "clang" OUTRIDER_TEXT_OF(__clang_major__)
#else
#define OUTRIDER_COMPILER "gcc" OUTRIDER_TEXT_OF(__GNUC__)
#endif
#if defined(__SANITIZE_ADDRESS__)
#define OUTRIDER_SANITIZER "-asan"
#elif defined(__SANITIZE_THREAD__)
#define OUTRIDER_SANITIZER "-tsan"
#else
#define OUTRIDER_SANITIZER ""
#endif
#ifdef _GLIBCXX_ASSERTIONS  // changes no layout, but says that it is another build
#define OUTRIDER_CHECKS "-checks"
#else
#define OUTRIDER_CHECKS ""
#endif
// A literal, not a variable: of variables that the program and the file both have, the file would be given the
// program's (STB_GNU_UNIQUE), and all files would fit.
// clang-format off
#define OUTRIDER_PLUGIN_ABI OUTRIDER_COMPILER "-cxxabi" OUTRIDER_TEXT_OF(__GXX_ABI_VERSION) \
    "-string" OUTRIDER_TEXT_OF(_GLIBCXX_USE_CXX11_ABI) OUTRIDER_SANITIZER OUTRIDER_CHECKS
// clang-format on

inline constexpr std::uint64_t kPluginMagic = 0x3152544e49445552;  // a file of ours, whatever else it may be

struct PluginLibrary {
  std::uint64_t magic;
  std::uint32_t api_version;
  std::uint32_t size;  // of this struct
  const char* abi;     // OUTRIDER_PLUGIN_ABI of the plugin
  Plugin* (*create)();
};

inline constexpr const char* kPluginSymbol = "outrider_plugin";

// Behind the plugin, outside of namespaces: makes it loadable, or where it is part of the program (OUTRIDER_BUILT_IN,
// set by its room), defines std::shared_ptr<Plugin> outrider::make().
#ifdef OUTRIDER_BUILT_IN
#define OUTRIDER_PLUGIN(Class, make)                   \
  std::shared_ptr<outrider::Plugin> outrider::make() { \
    return std::make_shared<Class>();                  \
  }
#else
#define OUTRIDER_PLUGIN(Class, make)                                                                             \
  extern "C" __attribute__((visibility("default"), used)) const outrider::PluginLibrary outrider_plugin{         \
      outrider::kPluginMagic, outrider::kPluginApiVersion, sizeof(outrider::PluginLibrary), OUTRIDER_PLUGIN_ABI, \
      []() -> outrider::Plugin* { return new Class; }};
#endif

}  // namespace outrider
