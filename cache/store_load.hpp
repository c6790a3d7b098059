// From disk to memory: reading a record and its bodies, verifying everything. Any thread.
#pragma once

#include "cache/store_codec.hpp"
#include "cache/store_disk.hpp"

namespace outrider {

enum class Patience : std::uint8_t { none, wait };

class StoreLoader {
 public:
  explicit StoreLoader(DiskParts& parts) : parts_(parts) {}

  // Small bodies come along; larger ones only if they are asked for again and again. What is damaged is dropped.
  // Without patience the result may be must_wait.
  StoreLookup load(const CacheKey& key, Patience patience, BodyWish wish);

  // The bytes of a body on disk from `offset` to the end of the chunk.
  struct ReadPiece {
    enum class State : std::uint8_t { done, must_wait, failed };
    State state = State::failed;
    BodyPiece piece;
  };
  ReadPiece read(const StoredBody& body, std::uint64_t offset, Patience patience);

  // A variant whose body stays on disk. nullptr if one of its files is gone.
  VariantPtr variant_on_disk(const CacheKey& key, const VariantRecord& record) const;

 private:
  enum class Outcome : std::uint8_t { done, must_wait, damaged };
  Outcome read_block(const BodyIdentity& identity, std::uint32_t chunk, const PlacedExtent& from, Patience patience,
                     StoredBody::Block& block);
  Outcome load_body(const CacheKey& key, const VariantRecord& record, Patience patience, BodyPtr& body);
  // One look at the record. `doubtful` are variants that could not be loaded.
  StoreLookup try_load(const CacheKey& key, Patience patience, BodyWish wish, std::vector<VariantId>& doubtful);
  bool comes_along(const VariantRecord& record, std::uint64_t so_far, const CacheKey& key) const;
  bool place(const VariantRecord& record, std::vector<PlacedExtent>& placed) const;
  VariantPtr make(const VariantRecord& record, BodyPtr body) const;
  void drop(const CacheKey& key, std::optional<VariantId> variant);

  DiskParts& parts_;
};

}  // namespace outrider
