#include "proxy/plugin_loader.hpp"

#include "base/file_descriptor.hpp"
#include "plugins/api/plugin_library.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <vector>

namespace outrider {
namespace {

Error refused(const std::string& path, std::string_view why) {
  return {ErrorKind::rule_denied, Side::self, fmt::format("the plugin {} is not loaded: {}", path, why)};
}

// Whoever may write a folder may put another file in the place of one in it.
std::string why_unsafe(const struct stat& info, std::string_view what) {
  if (info.st_uid != ::geteuid() && info.st_uid != 0)
    return fmt::format("{} belongs to somebody else (user {}); it must be yours or root's", what, info.st_uid);
  if ((info.st_mode & S_IWOTH) != 0 && (info.st_mode & S_ISVTX) == 0)
    return fmt::format("everybody may change {}; chmod o-w it", what);
  if ((info.st_mode & S_IWGRP) != 0 && (info.st_mode & S_ISVTX) == 0)
    return fmt::format("its group may change {}; chmod g-w it", what);
  return {};
}

Result<void> check_open_file(const std::string& path, int file) {
  struct stat info {};
  if (::fstat(file, &info) != 0) return refused(path, std::strerror(errno));
  if (!S_ISREG(info.st_mode)) return refused(path, "it is not a file");
  info.st_mode &= ~static_cast<mode_t>(S_ISVTX);  // means nothing on a file
  if (std::string why = why_unsafe(info, "the file"); !why.empty()) return refused(path, why);
  struct stat folder {};
  const std::string parent = std::filesystem::absolute(path).parent_path().string();
  if (::stat(parent.c_str(), &folder) != 0) return refused(path, std::strerror(errno));
  if (std::string why = why_unsafe(folder, "its folder"); !why.empty()) return refused(path, why);
  return {};
}

}  // namespace

bool is_plugin_name(std::string_view name) {
  if (name.empty() || name.size() > 32 || name[0] < 'a' || name[0] > 'z') return false;
  return name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string_view::npos;
}

Result<void> check_plugin_file(const std::string& path) {
  const FileDescriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!file.is_open()) return refused(path, std::strerror(errno));
  return check_open_file(path, file.get());
}

Result<std::shared_ptr<Plugin>> load_plugin(const std::string& path) {
  FileDescriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!file.is_open()) return refused(path, std::strerror(errno));
  if (Result<void> safe = check_open_file(path, file.get()); !safe) return safe.error();
  // Through the descriptor: the file that was looked at is the one that is loaded. It stays open, because the next one
  // of this number would have the same name, and a name that is loaded already is not loaded again.
  void* const library = ::dlopen(fmt::format("/proc/self/fd/{}", file.get()).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* why = ::dlerror();
    return refused(path, why != nullptr ? why : "it cannot be loaded");
  }
  static auto& kept_open = *new std::vector<FileDescriptor>;
  static std::mutex mutex;
  {
    const std::lock_guard lock(mutex);
    kept_open.push_back(std::move(file));
  }
  const auto* described = static_cast<const PluginLibrary*>(::dlsym(library, kPluginSymbol));
  if (described == nullptr || described->magic != kPluginMagic)
    return refused(path, fmt::format("it is no plugin for Outrider (no {})", kPluginSymbol));
  if (described->api_version != kPluginApiVersion || described->size != sizeof(PluginLibrary))
    return refused(path, fmt::format("it is built for version {} of the interface, this is version {}; build it anew",
                                     described->api_version, kPluginApiVersion));
  if (described->abi == nullptr || std::strcmp(described->abi, OUTRIDER_PLUGIN_ABI) != 0)
    return refused(path,
                   fmt::format("it is built with {}, this program with {}; build it with the same compiler",
                               described->abi != nullptr ? described->abi : "nothing known", OUTRIDER_PLUGIN_ABI));
  try {
    std::shared_ptr<Plugin> plugin{described->create()};
    if (!plugin) return refused(path, "it made no plugin");
    if (const std::string name = plugin->info().name; !is_plugin_name(name))
      return refused(path, fmt::format("\"{}\" is no name for a plugin: a-z, 0-9 and -", name));
    return plugin;
  } catch (const std::exception& failure) {
    return refused(path, fmt::format("it threw at once: {}", failure.what()));
  } catch (...) {
    return refused(path, "it threw at once");
  }
}

}  // namespace outrider
