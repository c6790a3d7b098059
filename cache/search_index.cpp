#include "cache/search_index.hpp"

#include "base/log.hpp"
#include "cache/search_terms.hpp"

namespace outrider {
namespace {

namespace fs = std::filesystem;

constexpr char kSchemaKey[] = "schema", kFedKey[] = "fed";

Error failed(std::string_view doing, const std::string& what) {
  return Error{ErrorKind::io, Side::self, "search index: " + std::string{doing} + ": " + what};
}

}  // namespace

// Changes are made inside a transaction, so that what commit() did not confirm is dropped, not written by the way: a
// page and its words in the dictionary come and go together.
struct SearchIndex::Writer {
  Xapian::WritableDatabase database;
  bool changing = false;

  Xapian::WritableDatabase& change() {
    if (!changing) database.begin_transaction();
    changing = true;
    return database;
  }
};

SearchIndex::SearchIndex(SearchIndexOptions options, const Clock& clock)
    : folder_(std::move(options.folder)), reader_(std::move(options.text_of), clock) {}

SearchIndex::~SearchIndex() = default;

Result<std::unique_ptr<SearchIndex>> SearchIndex::open(SearchIndexOptions options, const Clock& clock) {
  std::unique_ptr<SearchIndex> index{new SearchIndex{std::move(options), clock}};
  if (auto prepared = index->folder_.prepare(); !prepared) return prepared.error();
  if (const auto current = index->folder_.current()) {
    index->folder_.remove_others();
    const Result<void> opened = index->open_writer();
    if (opened) return index;
    log::warn(Room::cache, "search_index_rebuilt", {{"reason", opened.error().detail}});
  }
  if (auto begun = index->begin_anew(); !begun) return begun.error();
  return index;
}

Result<std::unique_ptr<SearchIndex>> SearchIndex::open_read_only(SearchIndexOptions options, const Clock& clock) {
  std::unique_ptr<SearchIndex> index{new SearchIndex{std::move(options), clock}};
  const auto current = index->folder_.current();
  if (!current) return Error{ErrorKind::not_found, Side::self, "there is no search index yet"};
  index->reader_.use(*current);
  return index;
}

Result<void> SearchIndex::open_writer() {
  writer_.reset();
  const auto current = folder_.current();
  if (!current) return failed("opening", "there is none");
  try {
    auto writer = std::make_unique<Writer>();
    writer->database = Xapian::WritableDatabase(current->native(), Xapian::DB_OPEN);
    const std::string schema = writer->database.get_metadata(kSchemaKey);
    if (schema != kSearchSchema) return failed("opening", "it is of version \"" + schema + "\"");
    pages_ = writer->database.get_doccount();
    writer_ = std::move(writer);
  } catch (const Xapian::Error& error) {
    return failed("opening", error.get_msg());
  }
  reader_.use(*current);
  return {};
}

Result<void> SearchIndex::begin_anew() {
  writer_.reset();
  const fs::path path = folder_.next();
  try {
    Xapian::WritableDatabase database(path.native(), Xapian::DB_CREATE | Xapian::DB_BACKEND_GLASS);
    database.set_metadata(kSchemaKey, kSearchSchema);
    database.commit();
  } catch (const Xapian::Error& error) {
    return failed("making a new one", error.get_msg());
  }
  if (auto switched = folder_.switch_to(path); !switched) return switched;
  Result<void> opened = open_writer();
  if (opened) folder_.remove_others();
  return opened;
}

// A failed change leaves Xapian's writer in a state that nobody describes: what was not committed is dropped.
Result<void> SearchIndex::reopen_after(std::string_view doing, const std::string& what) {
  open_writer();
  return failed(doing, what);
}

void SearchIndex::remove_spelling(std::uint32_t document) {
  Xapian::WritableDatabase& database = writer_->database;
  for (auto term = database.termlist_begin(document); term != database.termlist_end(document); ++term)
    if (is_spelling_word(*term, term.get_wdf())) database.remove_spelling(*term);
}

Result<void> SearchIndex::put(const SearchDocument& page) {
  if (!writer_) return failed("writing", "it is not open");
  try {
    const Xapian::Document document = make_document(page);
    Xapian::WritableDatabase& database = writer_->change();
    const std::string id = id_term(page.id);
    // Twice the same id can only be a bug, but then all of them go.
    for (auto old = database.postlist_begin(id); old != database.postlist_end(id); ++old) remove_spelling(*old);
    database.replace_document(id, document);
    for (auto term = document.termlist_begin(); term != document.termlist_end(); ++term)
      if (is_spelling_word(*term, term.get_wdf())) database.add_spelling(*term);
  } catch (const Xapian::InvalidArgumentError& error) {
    open_writer();
    return Error{ErrorKind::invalid_argument, Side::origin, "search index: " + error.get_msg()};
  } catch (const Xapian::Error& error) {
    return reopen_after("writing", error.get_msg());
  }
  return {};
}

void SearchIndex::roll_back() {
  if (writer_ && writer_->changing) open_writer();
}

Result<void> SearchIndex::remove(std::string_view id) {
  if (!writer_) return failed("removing", "it is not open");
  try {
    const std::string term = id_term(id);
    Xapian::WritableDatabase& database = writer_->change();
    for (auto old = database.postlist_begin(term); old != database.postlist_end(term); ++old) remove_spelling(*old);
    database.delete_document(term);
  } catch (const Xapian::Error& error) {
    return reopen_after("removing", error.get_msg());
  }
  return {};
}

Result<void> SearchIndex::commit() {
  if (!writer_) {  // a disk that was full may have room again
    if (Result<void> opened = open_writer(); !opened) return opened;
    return failed("committing", "it was not open");
  }
  try {
    if (!writer_->changing) return {};
    writer_->database.commit_transaction();
    writer_->changing = false;
    pages_ = writer_->database.get_doccount();
  } catch (const Xapian::Error& error) {
    return reopen_after("committing", error.get_msg());
  }
  return {};
}

Result<void> SearchIndex::erase_remnants() {
  if (auto committed = commit(); !committed) return committed;
  const auto old = folder_.current();
  const fs::path fresh = folder_.next();
  try {
    writer_.reset();  // nobody writes what the copy would lack
    Xapian::Database(old->native()).compact(fresh.native(), Xapian::DBCOMPACT_NO_RENUMBER);
  } catch (const Xapian::Error& error) {
    std::error_code ignored;
    fs::remove_all(fresh, ignored);
    return reopen_after("erasing", error.get_msg());
  }
  if (auto switched = folder_.switch_to(fresh); !switched) return reopen_after("erasing", switched.error().detail);
  Result<void> opened = open_writer();
  if (opened) folder_.remove_others();
  return opened;
}

bool SearchIndex::wants_everything() const {
  try {
    return !writer_ || writer_->database.get_metadata(kFedKey).empty();
  } catch (const Xapian::Error&) {
    return true;
  }
}

Result<void> SearchIndex::feed_complete() {
  if (!writer_) return failed("writing", "it is not open");
  try {
    writer_->change().set_metadata(kFedKey, "1");
  } catch (const Xapian::Error& error) {
    return reopen_after("writing", error.get_msg());
  }
  return commit();
}

std::uint64_t SearchIndex::pages() const {
  return pages_.load(std::memory_order_relaxed);
}

}  // namespace outrider
