#include "cache/segment_set.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <mutex>

namespace outrider {
namespace {

constexpr std::string_view kSuffix = ".segment";

// "0000002a.segment" → 42
std::optional<std::uint32_t> id_from(const std::string& name) {
  if (name.size() != 8 + kSuffix.size() || !name.ends_with(kSuffix)) return std::nullopt;
  std::uint32_t id = 0;
  const auto [end, failed] = std::from_chars(name.data(), name.data() + 8, id, 16);
  if (failed != std::errc{} || end != name.data() + 8) return std::nullopt;
  return id;
}

constexpr std::array<char, 4096> kPadding{};

iovec as_iovec(std::string_view bytes) {
  return {const_cast<char*>(bytes.data()), bytes.size()};
}

std::uint64_t size_of(const NewExtent& extent) {
  return extent_size(extent.header.key_length, extent.header.length);
}

}  // namespace

std::filesystem::path SegmentSet::path_of(std::uint32_t id) const {
  return folder_ / fmt::format("{:08x}{}", id, kSuffix);
}

Result<std::unique_ptr<SegmentSet>> SegmentSet::open(const std::filesystem::path& folder, std::uint64_t segment_size,
                                                     std::uint32_t next_id, std::function<int()> fault,
                                                     OldestSegment oldest) {
  std::unique_ptr<SegmentSet> set(new SegmentSet(folder, segment_size, std::move(fault), std::move(oldest)));
  set->next_id_ = next_id;
  ::unlink(set->spare_path().c_str());
  std::error_code failed;
  std::filesystem::create_directory(folder, failed);
  for (const auto& item : std::filesystem::directory_iterator(folder, failed)) {
    const auto id = id_from(item.path().filename().string());
    if (!id) continue;
    set->next_id_ = std::max(set->next_id_, *id + 1);
    const std::filesystem::file_type type = item.symlink_status(failed).type();
    if (failed) break;
    if (type != std::filesystem::file_type::regular) continue;  // not ours, but its name is taken
    auto file = SegmentFile::open(item.path(), *id, set->usage_);
    // Without it we would lose what it holds, never give back its space, and `forget` would not look into it.
    if (!file) return std::move(file.error());
    set->files_.emplace(*id, std::move(*file));
  }
  if (failed)
    return Error(ErrorKind::io, Side::self, fmt::format("cannot use {}: {}", folder.string(), failed.message()));
  set->note_oldest();
  return set;
}

void SegmentSet::note_oldest() {
  oldest_->store(files_.empty() ? next_id_ : files_.begin()->first, std::memory_order_release);
}

std::shared_ptr<SegmentFile> SegmentSet::find(std::uint32_t id) const {
  const std::shared_lock lock(mutex_);
  const auto found = files_.find(id);
  return found == files_.end() ? nullptr : found->second;
}

int SegmentSet::begin_file() {
  std::shared_ptr<SegmentFile> file = reuse_spare();
  if (!file) {
    auto made = SegmentFile::create(path_of(next_id_), next_id_, usage_);
    if (!made) return errno == 0 ? EIO : errno;
    file = std::move(*made);
  }
  const std::unique_lock lock(mutex_);
  current_ = file;
  files_.emplace(next_id_++, std::move(file));
  return 0;
}

void SegmentSet::seal() {
  if (current_) current_->cut_rest();
  current_.reset();
}

// --- the spare file

bool SegmentSet::make_spare(const SegmentFile& file) {
  // A file ends behind the extent that fills it, so most are a little larger.
  if (spare_bytes_ > 0 || file.size() == 0 || file.size() > 2 * segment_size_) return false;
  if (::rename(path_of(file.id()).c_str(), spare_path().c_str()) != 0) return false;
  spare_bytes_ = file.disk_bytes();
  usage_->fetch_add(spare_bytes_, std::memory_order_relaxed);
  return true;
}

std::shared_ptr<SegmentFile> SegmentSet::reuse_spare() {
  if (spare_bytes_ == 0) return nullptr;
  const std::filesystem::path path = path_of(next_id_);
  if (::rename(spare_path().c_str(), path.c_str()) != 0) {
    drop_spare();
    return nullptr;
  }
  usage_->fetch_sub(std::exchange(spare_bytes_, 0), std::memory_order_relaxed);
  auto file = SegmentFile::open(path, next_id_, usage_);
  if (!file) {
    ::unlink(path.c_str());
    return nullptr;
  }
  (*file)->begin_again();
  return std::move(*file);
}

bool SegmentSet::drop_spare() {
  if (current_ && !current_->cut_rest()) return false;
  if (::unlink(spare_path().c_str()) != 0 && errno != ENOENT) return false;
  usage_->fetch_sub(std::exchange(spare_bytes_, 0), std::memory_order_relaxed);
  return true;
}

// --- writing

int SegmentSet::append(std::span<NewExtent> extents) {
  std::span<NewExtent> left = extents;
  while (!left.empty()) {
    int code = current_ ? 0 : begin_file();
    // As many as fit into the file, but at least one.
    std::size_t count = 1;
    if (code == 0) {
      std::uint64_t size = current_->size() + size_of(left.front());
      while (count < left.size() && size + size_of(left[count]) <= segment_size_) size += size_of(left[count++]);
      code = append_run(left.first(count));
      if (size >= segment_size_ || count < left.size()) seal();
    }
    if (code != 0) {
      for (const NewExtent& written : extents.first(extents.size() - left.size()))
        find(written.placed.extent.segment)->punch(written.placed.extent.offset, size_of(written));
      return code;
    }
    left = left.subspan(count);
  }
  return 0;
}

int SegmentSet::append_run(std::span<NewExtent> run) {
  std::vector<ExtentHeaderBytes> headers;
  headers.reserve(run.size());
  std::vector<iovec> pieces;
  pieces.reserve(run.size() * 4);
  std::uint64_t total = 0;
  for (NewExtent& extent : run) {
    headers.push_back(encode_extent_header(extent.header, extent.key, extent.body));
    pieces.push_back({headers.back().data(), headers.back().size()});
    pieces.push_back(as_iovec(extent.key));
    for (const std::string_view piece : extent.body)
      if (!piece.empty()) pieces.push_back(as_iovec(piece));
    const std::uint64_t size = size_of(extent);
    const std::uint64_t padding = size - kExtentHeaderSize - extent.header.key_length - extent.header.length;
    if (padding > 0) pieces.push_back(as_iovec({kPadding.data(), padding}));
    const auto offset = static_cast<std::uint32_t>(current_->size() + total);
    extent.placed = {{current_->id(), offset, extent.header.length}, current_};
    total += size;
  }
  if (const std::size_t rest = current_->rest_of_block(current_->size() + total); rest > 0)
    pieces.push_back(as_iovec({kPadding.data(), rest}));
  if (fault_)
    if (const int code = fault_()) return code;
  return current_->append(pieces, total);
}

std::shared_ptr<SegmentFile> SegmentSet::oldest() const {
  const std::shared_lock lock(mutex_);
  if (files_.empty() || files_.begin()->second == current_) return nullptr;
  return files_.begin()->second;
}

std::vector<std::shared_ptr<SegmentFile>> SegmentSet::all() const {
  const std::shared_lock lock(mutex_);
  std::vector<std::shared_ptr<SegmentFile>> files;
  for (const auto& [id, file] : files_) files.push_back(file);
  return files;
}

void SegmentSet::remove(std::uint32_t id) {
  std::shared_ptr<SegmentFile> file;
  {
    const std::unique_lock lock(mutex_);
    const auto found = files_.find(id);
    if (found == files_.end()) return;
    file = std::move(found->second);
    files_.erase(found);
    note_oldest();
  }
  if (file == current_) seal();
  const bool is_read = file.use_count() > 1;
  std::atomic_thread_fence(std::memory_order_acquire);  // whoever has just stopped reading has read
  if (is_read || !make_spare(*file)) file->unlink();
}

void SegmentSet::remove_all() {
  for (const auto& file : all()) remove(file->id());
  drop_spare();
}

bool SegmentSet::sync_names() const {
  const int fd = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool synced = ::fsync(fd) == 0;
  ::close(fd);
  return synced;
}

std::uint64_t SegmentSet::linked_bytes() const {
  const std::shared_lock lock(mutex_);
  std::uint64_t bytes = 0;
  for (const auto& [id, file] : files_) bytes += file->disk_bytes();
  return bytes;
}

std::size_t SegmentSet::count() const {
  const std::shared_lock lock(mutex_);
  return files_.size();
}

}  // namespace outrider
