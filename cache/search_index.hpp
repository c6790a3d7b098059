// The full-text index of the memory (Xapian, in DATA/search): what is put in is found by query() after commit(). It can
// always be built anew from the graph, so a damaged one is thrown away and never stops anybody.
//
// Writing is for one thread at a time (search_indexer sees to that); query() for any number.
// Neighbours: search_terms (what lies in the database), search_reader (queries), search_folder (which database).
#pragma once

#include "cache/search_document.hpp"
#include "cache/search_folder.hpp"
#include "cache/search_reader.hpp"

#include <filesystem>
#include <memory>
#include <string_view>

namespace outrider {

struct SearchIndexOptions {
  std::filesystem::path folder;
  SearchTextOf text_of;  // for snippets; without it there are none
};

class SearchIndex {
 public:
  // Fails only if the folder cannot be written at all.
  static Result<std::unique_ptr<SearchIndex>> open(SearchIndexOptions options, const Clock& clock = Clock::system());
  // For looking at it while another process may be writing. put() and the like fail.
  static Result<std::unique_ptr<SearchIndex>> open_read_only(SearchIndexOptions options,
                                                             const Clock& clock = Clock::system());
  ~SearchIndex();  // what was not committed is lost: its source hands it in again

  Result<void> put(const SearchDocument& page);  // invalid_argument: this page cannot be indexed
  Result<void> remove(std::string_view id);      // no failure if it is not there
  // Durable and visible to queries. After a failure nothing since the last commit() is in the index.
  Result<void> commit();
  void roll_back();  // to the last commit
  // Commits, and writes the database anew without what Xapian leaves behind in unused space: words of removed and of
  // replaced pages are then in no file. Takes about a second for 10,000 pages.
  Result<void> erase_remnants();
  // An empty index in place of this one.
  Result<void> begin_anew();

  // It was new, damaged or of another version when it was opened, or begun anew, and feed_complete() was not called
  // since: everything has to be handed in. Survives the end of the process.
  bool wants_everything() const;
  Result<void> feed_complete();  // everything is queued by the source, durably
  bool damaged() const { return reader_.damaged(); }

  Result<SearchAnswer> query(const Viewer& viewer, const SearchRequest& request, WallTime now) const {
    return reader_.query(viewer, request, now);
  }
  std::uint64_t pages() const;  // as of the last commit
  std::uint64_t disk_bytes() const { return folder_.bytes(); }

 private:
  struct Writer;
  SearchIndex(SearchIndexOptions options, const Clock& clock);
  Result<void> open_writer();
  Result<void> reopen_after(std::string_view doing, const std::string& what);
  void remove_spelling(std::uint32_t document);

  SearchFolder folder_;
  SearchReader reader_;
  std::unique_ptr<Writer> writer_;
  std::atomic<std::uint64_t> pages_{0};
};

}  // namespace outrider
