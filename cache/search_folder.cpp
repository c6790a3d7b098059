#include "cache/search_folder.hpp"

#include "base/file_descriptor.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <fstream>
#include <functional>

namespace outrider {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "index-";

Error failed(std::string_view doing, int code) {
  return from_system(boost::system::error_code{code, boost::system::system_category()}, Side::self, doing);
}

Result<void> sync(const fs::path& path, int flags) {
  const FileDescriptor file{::open(path.c_str(), flags | O_CLOEXEC)};
  if (!file.is_open() || ::fsync(file.get()) != 0) return failed("syncing the search folder", errno);
  return {};
}

// While others remove files. The iterator's own ++ throws.
template <class Iterator>
void each_entry(const fs::path& folder, const std::function<void(const fs::directory_entry&)>& look) {
  std::error_code code;
  for (Iterator at{folder, code}; !code && at != Iterator{}; at.increment(code)) look(*at);
}

unsigned number_of(std::string_view name) {
  unsigned number = 0;
  if (name.starts_with(kPrefix)) std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), number);
  return number;
}

}  // namespace

Result<void> SearchFolder::prepare() const {
  std::error_code code;
  fs::create_directories(folder_, code);
  if (!code) fs::permissions(folder_, fs::perms::owner_all, code);
  if (code) return failed("making the search folder", code.value());
  return {};
}

std::optional<fs::path> SearchFolder::current() const {
  std::ifstream file{folder_ / "CURRENT"};
  std::string name;
  if (!(file >> name) || number_of(name) == 0 || name.find('/') != std::string::npos) return std::nullopt;
  return folder_ / name;
}

fs::path SearchFolder::next() const {
  unsigned newest = 0;
  each_entry<fs::directory_iterator>(folder_, [&](const fs::directory_entry& entry) {
    newest = std::max(newest, number_of(entry.path().filename().native()));
  });
  return folder_ / (std::string{kPrefix} + std::to_string(newest + 1));
}

Result<void> SearchFolder::switch_to(const fs::path& database) const {
  const fs::path temporary = folder_ / "CURRENT.new";
  {
    std::ofstream file{temporary, std::ios::trunc};
    file << database.filename().native() << '\n';
    if (!file.flush()) return failed("writing CURRENT of the search folder", errno);
  }
  if (auto synced = sync(temporary, O_RDONLY); !synced) return synced;
  if (::rename(temporary.c_str(), (folder_ / "CURRENT").c_str()) != 0) return failed("renaming CURRENT", errno);
  return sync(folder_, O_RDONLY | O_DIRECTORY);
}

void SearchFolder::remove_others() const {
  const std::optional<fs::path> used = current();
  each_entry<fs::directory_iterator>(folder_, [&](const fs::directory_entry& entry) {
    const fs::path& path = entry.path();
    const bool ours = number_of(path.filename().native()) != 0 || path.filename() == "CURRENT.new";
    std::error_code ignored;
    if (ours && path != used) fs::remove_all(path, ignored);
  });
}

std::uint64_t SearchFolder::bytes() const {
  std::uint64_t sum = 0;
  each_entry<fs::recursive_directory_iterator>(folder_, [&](const fs::directory_entry& entry) {
    std::error_code gone;  // while a compaction removes files
    if (entry.is_regular_file(gone))
      if (const auto size = entry.file_size(gone); !gone) sum += size;
  });
  return sum;
}

}  // namespace outrider
