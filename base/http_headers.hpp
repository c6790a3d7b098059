// Header fields of one message: order and case are kept as they came over the wire, comparison ignores case.
// All bytes live in one string, laid out as they are sent, and fields are offsets into it: a typical request costs no
// allocation once the map is warm (owners keep a map and clear() it between messages), and writing one is a few copies.
// Views stay valid until the next change of the map; arguments may point into the map itself.
#pragma once

#include "base/http_header_id.hpp"

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace outrider {

struct HeaderField {
  HeaderId id;             // HeaderId::other when the name is not in the table
  std::string_view name;   // as written
  std::string_view value;  // without surrounding white space
};

class HeaderMap {
 public:
  class Iterator;

  HeaderMap() = default;
  HeaderMap(const HeaderMap& other);
  HeaderMap& operator=(const HeaderMap& other);
  HeaderMap(HeaderMap&& other) noexcept;  // leaves an empty map behind
  HeaderMap& operator=(HeaderMap&& other) noexcept;
  ~HeaderMap() = default;

  // Appends, even if the name is there already.
  void add(std::string_view name, std::string_view value);
  void add(HeaderId id, std::string_view value);  // written in its canonical spelling
  // Afterwards there is exactly one field of that name, at the place of the first one or at the end.
  void set(std::string_view name, std::string_view value);
  void set(HeaderId id, std::string_view value);
  // Return the number of fields removed.
  std::size_t remove(std::string_view name);
  std::size_t remove(HeaderId id);
  // Every field for which match(field) is true, in one pass.
  template <class Match>
  std::size_t remove_if(Match&& match);
  void clear();          // keeps the memory
  void release_large();  // of an empty map: if it is more than an ordinary head needs
  // Makes room for a copy of `other` and that much more.
  void reserve_like(const HeaderMap& other, std::size_t more_fields, std::size_t more_bytes) {
    fields_.reserve(other.fields_.size() + more_fields);
    text_.resize(other.used_ + more_bytes);
  }

  // First value of that name.
  std::optional<std::string_view> find(std::string_view name) const;
  std::optional<std::string_view> find(HeaderId id) const;
  bool has(HeaderId id) const { return find(id).has_value(); }
  bool has(std::string_view name) const { return find(name).has_value(); }
  std::size_t count(HeaderId id) const;
  std::size_t count(std::string_view name) const;
  // All values of a list field joined by ", " (RFC 9110 section 5.3); empty if absent.
  std::string joined(HeaderId id) const;
  std::string joined(std::string_view name) const;
  // Is `token` an element of the comma separated list field, ignoring case?
  bool lists(HeaderId id, std::string_view token) const;
  // Calls visit(field) for every field of that name, in order.
  template <class Visit>
  void each(HeaderId id, Visit&& visit) const {
    for (std::size_t i = 0; i < fields_.size(); ++i)
      if (fields_[i].id == id) visit(at(i));
  }

  std::size_t size() const { return fields_.size(); }
  bool empty() const { return fields_.empty(); }
  // Sum of names and values: what limits count.
  std::size_t bytes() const { return bytes_; }
  HeaderField at(std::size_t index) const;
  // False: no name and no value holds a control byte other than tab. True: look closer.
  bool may_hold_control() const { return has_control_; }
  Iterator begin() const;
  Iterator end() const;

  // Appends every field as "Name: value\r\n". A CR, LF or NUL that somebody put into a name or value is written as a
  // space: no field can end its line early (RFC 9110 section 5.5).
  void append_wire(std::string& out) const;

  // Used by the codec, which receives names and values in pieces of any size and has checked every byte of them.
  void begin_field();  // opens an empty field
  void append_name(std::string_view piece);
  void append_value(std::string_view piece);
  void finish_field();  // trims the value and looks up the id
  // A whole line "Name:value\r\n" without control bytes.
  void add_line(std::string_view line, std::size_t name_length);

 private:
  struct Entry {
    std::uint32_t name_at = 0;
    std::uint32_t value_at = 0;
    std::uint32_t value_length = 0;
    std::uint16_t name_length = 0;
    HeaderId id = HeaderId::other;
  };
  bool stored_as_sent(const Entry& entry) const { return entry.value_at == entry.name_at + entry.name_length + 2; }
  template <class Match>
  void set_where(Match&& match, HeaderId id, std::string_view name, std::string_view value);
  void add_field(HeaderId id, std::string_view name, std::string_view value);
  void replace_value(Entry& entry, std::string_view value);
  bool points_inside(std::string_view view) const;

  void append_text(std::string_view piece);
  void grow(std::size_t by);
  // In [0, used_) "Name: value\r\n" for each field; removed and replaced text stays until clear().
  std::string text_;
  std::size_t used_ = 0;
  std::vector<Entry> fields_;
  std::size_t bytes_ = 0;
  bool has_control_ = false;
};

class HeaderMap::Iterator {
 public:
  using value_type = HeaderField;
  using difference_type = std::ptrdiff_t;
  Iterator() = default;
  Iterator(const HeaderMap* map, std::size_t index) : map_(map), index_(index) {}
  HeaderField operator*() const { return map_->at(index_); }
  Iterator& operator++() {
    ++index_;
    return *this;
  }
  Iterator operator++(int) {
    Iterator old = *this;
    ++index_;
    return old;
  }
  bool operator==(const Iterator&) const = default;

 private:
  const HeaderMap* map_ = nullptr;
  std::size_t index_ = 0;
};

inline HeaderMap::Iterator HeaderMap::begin() const {
  return {this, 0};
}
inline HeaderMap::Iterator HeaderMap::end() const {
  return {this, fields_.size()};
}

// Inline, because every field of every message comes this way.
inline HeaderField HeaderMap::at(std::size_t index) const {
  const Entry& entry = fields_[index];
  const char* text = text_.data();
  return {entry.id, {text + entry.name_at, entry.name_length}, {text + entry.value_at, entry.value_length}};
}

inline void HeaderMap::append_text(std::string_view piece) {
  if (piece.empty()) return;
  if (text_.size() - used_ < piece.size()) grow(piece.size());
  std::memcpy(text_.data() + used_, piece.data(), piece.size());
  used_ += piece.size();
}

inline void HeaderMap::begin_field() {
  fields_.emplace_back().name_at = static_cast<std::uint32_t>(used_);
}

inline void HeaderMap::append_name(std::string_view piece) {
  fields_.back().name_length = static_cast<std::uint16_t>(fields_.back().name_length + piece.size());
  append_text(piece);
}

inline void HeaderMap::append_value(std::string_view piece) {
  Entry& entry = fields_.back();
  if (entry.value_at == 0) {
    append_text(": ");
    entry.value_at = static_cast<std::uint32_t>(used_);
  }
  append_text(piece);
}

template <class Match>
std::size_t HeaderMap::remove_if(Match&& match) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (match(at(i))) {
      bytes_ -= fields_[i].name_length + fields_[i].value_length;
    } else {
      fields_[kept++] = fields_[i];
    }
  }
  const std::size_t removed = fields_.size() - kept;
  fields_.resize(kept);
  return removed;
}

}  // namespace outrider
