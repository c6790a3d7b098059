#include "cache/ingest_spool.hpp"

#include "base/log.hpp"
#include "cache/graph_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace outrider {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kMagic = 0x4f525731;  // "ORW1"
constexpr std::string_view kEnding = ".unread";

// What a record is. The numbers are on disk.
constexpr std::uint32_t kAnswer = 1;
constexpr std::uint32_t kTried = 2;  // somebody began to read the answer at a place
constexpr std::uint32_t kRead = 3;   // everything before a place has been read

struct PlaceRecord {
  std::uint64_t offset = 0;
  std::uint64_t segment = 0;
};

std::string encode(const Arrival& arrival) {
  records::WaitingAnswerRecord record;
  record.set_url(arrival.url.href());
  record.set_at(graph::to_ms(arrival.at));
  record.set_status(static_cast<std::uint32_t>(arrival.status));
  record.set_wire_size(arrival.wire_size);
  record.set_partial(!arrival.body_complete);
  record.set_from_store(arrival.from_store);
  record.set_not_modified(arrival.not_modified);
  for (const HeaderField field : arrival.headers) {
    record.add_names(field.name.data(), field.name.size());
    record.add_values(field.value.data(), field.value.size());
  }
  record.set_body_size(static_cast<std::uint32_t>(arrival.body.size()));
  return record.SerializeAsString();
}

// A record is the length of its head, the head, and the body as it came.
std::optional<records::WaitingAnswerRecord> decode_head(std::string_view& payload) {
  std::uint32_t length = 0;
  if (payload.size() < sizeof length) return std::nullopt;
  std::memcpy(&length, payload.data(), sizeof length);
  payload.remove_prefix(sizeof length);
  records::WaitingAnswerRecord record;
  if (payload.size() < length || !graph::parse(payload.substr(0, length), record)) return std::nullopt;
  payload.remove_prefix(length);
  return record;
}

std::optional<Arrival> decode(std::string_view payload) {
  const std::optional<records::WaitingAnswerRecord> record = decode_head(payload);
  if (!record || payload.size() != record->body_size() || record->names_size() != record->values_size())
    return std::nullopt;
  Result<Url> url = Url::parse(record->url());
  if (!url) return std::nullopt;
  Arrival arrival;
  arrival.url = std::move(*url);
  arrival.by = FetchedBy::robot;
  arrival.at = graph::from_ms(record->at());
  arrival.status = static_cast<int>(record->status());
  arrival.wire_size = record->wire_size();
  arrival.body_complete = !record->partial();
  arrival.from_store = record->from_store();
  arrival.not_modified = record->not_modified();
  for (int i = 0; i < record->names_size(); ++i) arrival.headers.add(record->names(i), record->values(i));
  arrival.body = payload;
  return arrival;
}

Error failed(const char* what, const fs::path& path, const std::error_code& code) {
  return Error{ErrorKind::io, Side::self, fmt::format("{} {}: {}", what, path.string(), code.message())};
}

std::string name_of(std::uint32_t id) {
  return fmt::format("{:08x}{}", id, kEnding);
}

std::optional<std::uint32_t> id_of(const fs::path& path) {
  const std::string name = path.filename().string();
  std::uint32_t id = 0;
  const char* const end = name.data() + name.size();
  const auto [stop, bad] = std::from_chars(name.data(), end, id, 16);
  if (bad != std::errc{} || std::string_view(stop, static_cast<std::size_t>(end - stop)) != kEnding)
    return std::nullopt;
  return id;
}

}  // namespace

struct IngestSpool::Header {
  std::uint32_t magic = kMagic;
  std::uint32_t kind = kAnswer;
  std::uint64_t length = 0;    // of the payload, which follows
  std::uint64_t checksum = 0;  // of the payload
  std::uint64_t own_checksum = 0;

  std::uint64_t sum() const { return XXH3_64bits(this, offsetof(Header, own_checksum)); }
};

IngestSpool::IngestSpool(Options options)
    : options_(std::move(options)), usage_(std::make_shared<std::atomic<std::uint64_t>>(0)) {}

IngestSpool::~IngestSpool() {
  close();
}

Result<std::unique_ptr<IngestSpool>> IngestSpool::open(Options options) {
  std::unique_ptr<IngestSpool> spool{new IngestSpool{std::move(options)}};
  if (Result<void> loaded = spool->load(); !loaded) return loaded.error();
  return spool;
}

// --- what a former process left

Result<void> IngestSpool::load() {
  std::error_code problem;
  fs::create_directories(options_.folder, problem);
  if (problem) return failed("cannot create", options_.folder, problem);
  fs::permissions(options_.folder, fs::perms::owner_all, problem);
  std::vector<std::pair<std::uint32_t, fs::path>> files;
  for (fs::directory_iterator each{options_.folder, problem}, end; !problem && each != end; each.increment(problem))
    if (const auto id = id_of(each->path())) files.emplace_back(*id, each->path());
  if (problem) return failed("cannot read", options_.folder, problem);
  std::sort(files.begin(), files.end());
  for (const auto& [id, path] : files)
    if (Result<void> loaded = load_segment(path, id); !loaded) return loaded;
  // Counted only now: which of them have been read stands behind them.
  if (!segments_.empty()) cursor_ = std::max(cursor_, Place{segments_.front().file->id(), 0});
  drop_read_segments();
  const Place from = cursor_;
  Place place;
  Segment* segment = nullptr;
  while (const std::optional<Header> header = next_header(place, segment)) ++waiting_;
  cursor_ = from;
  if (waiting_ > 0) log::info(Room::cache, "answers_left_unread", {{"answers", waiting_}});
  return {};
}

Result<void> IngestSpool::load_segment(const fs::path& path, std::uint32_t id) {
  Result<std::shared_ptr<SegmentFile>> file = SegmentFile::open(path, id, usage_);
  if (!file) return file.error();
  for (std::uint64_t at = 0;;) {
    const std::optional<Header> header = read_header(**file, at);
    if (!header) break;
    if (header->kind != kAnswer)
      if (const auto payload = read_payload(**file, at, *header)) apply_note(header->kind, *payload);
    at += sizeof(Header) + header->length;
  }
  segments_.push_back({std::move(*file), 0, true});
  return {};
}

// --- records

std::optional<IngestSpool::Header> IngestSpool::read_header(const SegmentFile& file, std::uint64_t offset) {
  Header header;
  if (offset + sizeof header > file.size()) return std::nullopt;
  const std::span<char> bytes{reinterpret_cast<char*>(&header), sizeof header};
  if (file.read(offset, bytes) != SegmentFile::Read::done) return std::nullopt;
  const bool is_whole = header.magic == kMagic && header.own_checksum == header.sum() &&
                        header.length <= file.size() - offset - sizeof header;
  return is_whole ? std::optional{header} : std::nullopt;
}

// Nothing if it was forgotten, or damaged.
std::optional<std::string> IngestSpool::read_payload(const SegmentFile& file, std::uint64_t offset,
                                                     const Header& header) {
  std::string payload(header.length, '\0');
  if (file.read(offset + sizeof header, payload) != SegmentFile::Read::done) return std::nullopt;
  if (XXH3_64bits(payload.data(), payload.size()) != header.checksum) return std::nullopt;
  return payload;
}

Result<SegmentFile*> IngestSpool::segment_to_write() {
  if (!segments_.empty() && !segments_.back().inherited && segments_.back().file->size() < options_.segment_bytes)
    return segments_.back().file.get();
  const std::uint32_t id = segments_.empty() ? cursor_.segment + 1 : segments_.back().file->id() + 1;
  Result<std::shared_ptr<SegmentFile>> file = SegmentFile::create(options_.folder / name_of(id), id, usage_);
  if (!file) return file.error();
  segments_.push_back({std::move(*file), 0, false});
  drop_read_segments();
  return segments_.back().file.get();
}

bool IngestSpool::write(std::uint32_t kind, std::string_view head, std::string_view body) {
  std::uint32_t head_length = static_cast<std::uint32_t>(head.size());
  XXH3_state_t sum;
  XXH3_64bits_reset(&sum);
  const bool is_answer = kind == kAnswer;
  if (is_answer) XXH3_64bits_update(&sum, &head_length, sizeof head_length);
  XXH3_64bits_update(&sum, head.data(), head.size());
  XXH3_64bits_update(&sum, body.data(), body.size());
  Header header;
  header.kind = kind;
  header.length = (is_answer ? sizeof head_length : 0) + head.size() + body.size();
  header.checksum = XXH3_64bits_digest(&sum);
  header.own_checksum = header.sum();

  const auto piece = [](const void* bytes, std::size_t size) { return iovec{const_cast<void*>(bytes), size}; };
  std::array<iovec, 4> pieces{piece(&header, sizeof header), piece(&head_length, is_answer ? sizeof head_length : 0),
                              piece(head.data(), head.size()), piece(body.data(), body.size())};
  const Result<SegmentFile*> file = segment_to_write();
  return file && (*file)->append(pieces, sizeof header + header.length) == 0;
}

bool IngestSpool::put(const Arrival& arrival) {
  const std::string head = encode(arrival);
  const std::lock_guard lock{mutex_};
  if (*usage_ + head.size() + arrival.body.size() > options_.most_bytes) return false;
  if (!write(kAnswer, head, arrival.body)) return false;
  ++waiting_;
  return true;
}

// --- reading

// Moves the cursor behind the next answer; `place` is where that begins.
std::optional<IngestSpool::Header> IngestSpool::next_header(Place& place, Segment*& segment) {
  for (;;) {
    segment = find(cursor_.segment);
    const std::optional<Header> header =
        segment ? read_header(*segment->file, cursor_.offset) : std::optional<Header>{};
    if (header) {
      place = cursor_;
      cursor_.offset += sizeof(Header) + header->length;
      if (header->kind == kAnswer) return header;
      continue;
    }
    const auto later = std::find_if(segments_.begin(), segments_.end(),
                                    [&](const Segment& each) { return each.file->id() > cursor_.segment; });
    if (later == segments_.end()) return std::nullopt;
    cursor_ = {later->file->id(), 0};
  }
}

std::optional<IngestSpool::Taken> IngestSpool::take() {
  for (;;) {
    Taken taken;
    Place place;
    std::shared_ptr<SegmentFile> file;
    Header header;
    {
      const std::lock_guard lock{mutex_};
      Segment* segment = nullptr;
      const std::optional<Header> next = next_header(place, segment);
      if (!next) return std::nullopt;
      header = *next;
      --waiting_;
      ++segment->taken;
      file = segment->file;
      taken.segment = place.segment;
      // An answer that ends the process must not do so at every start: it gets two more chances.
      if (segment->inherited) {
        if (tried_twice_.contains(place)) header.kind = kTried;
        note(kTried, place);
      }
    }
    std::optional<std::string> payload;
    if (header.kind == kAnswer) payload = read_payload(*file, place.offset, header);
    if (payload) {
      if (std::optional<Arrival> arrival = decode(*payload)) {
        taken.arrival = std::move(*arrival);
        return taken;
      }
    }
    done(taken);
  }
}

void IngestSpool::done(const Taken& taken) {
  const std::lock_guard lock{mutex_};
  if (Segment* const segment = find(taken.segment)) --segment->taken;
  drop_read_segments();
}

IngestSpool::Segment* IngestSpool::find(std::uint32_t id) {
  const auto found =
      std::find_if(segments_.begin(), segments_.end(), [id](const Segment& each) { return each.file->id() == id; });
  return found == segments_.end() ? nullptr : &*found;
}

// Oldest first, because the notes about a segment are in later ones.
void IngestSpool::drop_read_segments() {
  const auto has_been_read = [this](const Segment& segment) {
    return segment.taken == 0 && segment.file->id() <= cursor_.segment &&
           (segment.file->id() < cursor_.segment || cursor_.offset >= segment.file->size());
  };
  while (segments_.size() > 1 && has_been_read(segments_.front())) {
    segments_.front().file->unlink();
    segments_.pop_front();
  }
}

std::size_t IngestSpool::waiting() const {
  const std::lock_guard lock{mutex_};
  return waiting_;
}

// --- notes

void IngestSpool::note(std::uint32_t kind, Place place) {
  const PlaceRecord record{place.offset, place.segment};
  (void)write(kind, {reinterpret_cast<const char*>(&record), sizeof record}, {});
}

void IngestSpool::apply_note(std::uint32_t kind, std::string_view payload) {
  PlaceRecord record;
  if (payload.size() != sizeof record) return;
  std::memcpy(&record, payload.data(), sizeof record);
  const Place place{static_cast<std::uint32_t>(record.segment), record.offset};
  if (kind == kRead) {
    cursor_ = std::max(cursor_, place);
  } else if (kind == kTried && !tried_.insert(place).second) {
    tried_twice_.insert(place);
  }
}

void IngestSpool::close() {
  const std::lock_guard lock{mutex_};
  const bool under_way =
      std::any_of(segments_.begin(), segments_.end(), [](const Segment& each) { return each.taken > 0; });
  if (segments_.empty() || under_way) return;
  if (waiting_ > 0) return note(kRead, cursor_);
  for (const Segment& segment : segments_) segment.file->unlink();
  segments_.clear();
}

// --- forgetting

Result<void> IngestSpool::forget(const Doomed& doomed) {
  std::vector<std::shared_ptr<SegmentFile>> files;
  {
    const std::lock_guard lock{mutex_};
    for (const Segment& segment : segments_) files.push_back(segment.file);
  }
  for (const std::shared_ptr<SegmentFile>& file : files) {
    for (std::uint64_t at = 0;;) {
      const std::optional<Header> header = read_header(*file, at);
      if (!header) break;
      const std::optional<std::string> payload =
          header->kind == kAnswer ? read_payload(*file, at, *header) : std::optional<std::string>{};
      std::string_view rest = payload ? std::string_view{*payload} : std::string_view{};
      const std::optional<records::WaitingAnswerRecord> record = decode_head(rest);
      const bool goes = record && doomed(record->url(), graph::from_ms(record->at()));
      if (goes && !file->punch(at + sizeof(Header), header->length))
        return Error{ErrorKind::io, Side::self, "an answer that waits to be read could not be overwritten"};
      at += sizeof(Header) + header->length;
    }
  }
  return {};
}

}  // namespace outrider
