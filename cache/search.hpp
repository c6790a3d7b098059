// The full-text search as the program owns it: index, indexer and the memory they belong to, connected.
#pragma once

#include "cache/search_indexer.hpp"
#include "cache/search_source.hpp"

#include <filesystem>
#include <functional>
#include <memory>

namespace outrider {

class Search {
 public:
  // `graph` must outlive it. Fails only if the folder cannot be written. `is_reading`: answers wait to be read, and
  // pages that nobody visited can wait, too.
  static Result<std::unique_ptr<Search>> open(Graph& graph, const std::filesystem::path& folder,
                                              const Clock& clock = Clock::system(),
                                              std::function<bool()> is_reading = {});
  ~Search();  // stop() first

  // Answers Memory::search(), erases what the memory forgets, adds to its stats(), and begins to index.
  void start();
  void stop();

  const SearchIndex& index() const { return *index_; }

 private:
  Search(Graph& graph, std::unique_ptr<SearchIndex> index, const Clock& clock, std::function<bool()> is_reading);

  Graph& graph_;
  const Clock& clock_;
  std::unique_ptr<SearchIndex> index_;
  GraphIndexSource source_;
  SearchIndexer indexer_;
};

}  // namespace outrider
