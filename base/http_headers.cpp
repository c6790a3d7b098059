#include "base/http_headers.hpp"

#include "base/http_chars.hpp"
#include "base/http_lists.hpp"
#include "base/kept_memory.hpp"

#include <algorithm>
#include <cassert>
#include <functional>
#include <limits>
#include <stdexcept>
#include <utility>

namespace outrider {
namespace {

// A field matches by id where the name is a known one, else by its letters.
struct Named {
  HeaderId id;
  std::string_view name;
  explicit Named(std::string_view text) : id(header_id(text)), name(text) {}
  bool operator()(const HeaderField& field) const {
    return field.id == id && (id != HeaderId::other || equal_ignoring_case(field.name, name));
  }
};

void append_without_breaks(std::string& out, std::string_view text) {
  for (const char c : text) out += c == '\r' || c == '\n' || c == '\0' ? ' ' : c;
}

}  // namespace

HeaderMap::HeaderMap(const HeaderMap& other) {
  *this = other;
}

HeaderMap& HeaderMap::operator=(const HeaderMap& other) {
  if (this == &other) return *this;
  if (text_.size() < other.used_) text_.assign(other.text_, 0, other.used_);
  std::copy_n(other.text_.data(), other.used_, text_.data());
  used_ = other.used_;
  fields_ = other.fields_;
  bytes_ = other.bytes_;
  has_control_ = other.has_control_;
  return *this;
}

HeaderMap::HeaderMap(HeaderMap&& other) noexcept
    : text_(std::move(other.text_)),
      used_(other.used_),
      fields_(std::move(other.fields_)),
      bytes_(other.bytes_),
      has_control_(other.has_control_) {
  other.text_.clear();
  other.clear();
}

HeaderMap& HeaderMap::operator=(HeaderMap&& other) noexcept {
  text_.swap(other.text_);
  fields_.swap(other.fields_);
  used_ = std::exchange(other.used_, 0);
  bytes_ = std::exchange(other.bytes_, 0);
  has_control_ = std::exchange(other.has_control_, false);
  if (this != &other) other.fields_.clear();
  return *this;
}

void HeaderMap::clear() {
  used_ = 0;
  fields_.clear();
  bytes_ = 0;
  has_control_ = false;
}

void HeaderMap::release_large() {
  if (used_ != 0 || text_.capacity() <= kKeptMemory) return;
  std::string{}.swap(text_);
  fields_ = std::vector<Entry>{};
}

// --- building

void HeaderMap::finish_field() {
  Entry& entry = fields_.back();
  if (entry.value_at == 0) append_value({});
  std::size_t begin = entry.value_at;
  std::size_t end = used_;
  while (end > begin && is_ows(text_[end - 1])) --end;
  while (begin < end && is_ows(text_[begin])) ++begin;
  entry.value_at = static_cast<std::uint32_t>(begin);
  entry.value_length = static_cast<std::uint32_t>(end - begin);
  entry.id = header_id({text_.data() + entry.name_at, entry.name_length});
  bytes_ += entry.name_length + entry.value_length;
  used_ = end;
  append_text("\r\n");
}

void HeaderMap::add_line(std::string_view line, std::size_t name_length) {
  const std::string_view value = line.substr(name_length + 1, line.size() - name_length - 3);
  const bool as_sent = value.size() > 1 && value[0] == ' ' && !is_ows(value[1]) && !is_ows(value.back());
  if (!as_sent) {
    begin_field();
    append_name(line.substr(0, name_length));
    append_value(value);
    return finish_field();
  }
  Entry& entry = fields_.emplace_back();
  entry.name_at = static_cast<std::uint32_t>(used_);
  entry.name_length = static_cast<std::uint16_t>(name_length);
  entry.value_at = static_cast<std::uint32_t>(used_ + name_length + 2);
  entry.value_length = static_cast<std::uint32_t>(value.size() - 1);
  entry.id = header_id(line.substr(0, name_length));
  bytes_ += name_length + entry.value_length;
  append_text(line);
}

void HeaderMap::grow(std::size_t by) {
  text_.resize(std::max<std::size_t>(2 * text_.size(), used_ + by + 512));
}

bool HeaderMap::points_inside(std::string_view view) const {
  const std::less<const char*> before;
  return !view.empty() && !before(view.data(), text_.data()) && before(view.data(), text_.data() + used_);
}

void HeaderMap::add_field(HeaderId id, std::string_view name, std::string_view value) {
  if (points_inside(name) || points_inside(value))  // growing the text would pull it away under the argument
    return add_field(id, std::string{name}, std::string{value});
  if (name.size() > std::numeric_limits<std::uint16_t>::max() ||
      used_ + name.size() + value.size() > std::numeric_limits<std::uint32_t>::max() - 4)
    throw std::length_error("a header field that is too long");
  has_control_ = has_control_ || holds_control(name) || holds_control(value);
  value = trim_ows(value);
  const std::size_t size = name.size() + value.size() + 4;
  if (text_.size() - used_ < size) grow(size);
  Entry& entry = fields_.emplace_back();
  entry.name_at = static_cast<std::uint32_t>(used_);
  entry.name_length = static_cast<std::uint16_t>(name.size());
  entry.value_at = static_cast<std::uint32_t>(used_ + name.size() + 2);
  entry.value_length = static_cast<std::uint32_t>(value.size());
  entry.id = id;
  char* to = text_.data() + used_;
  to = std::copy(name.begin(), name.end(), to);
  *to++ = ':';
  *to++ = ' ';
  to = std::copy(value.begin(), value.end(), to);
  *to++ = '\r';
  *to++ = '\n';
  used_ += size;
  bytes_ += name.size() + value.size();
}

void HeaderMap::add(std::string_view name, std::string_view value) {
  add_field(header_id(name), name, value);
}

void HeaderMap::add(HeaderId id, std::string_view value) {
  assert(id != HeaderId::other);
  add_field(id, header_name(id), value);
}

// --- changing

void HeaderMap::replace_value(Entry& entry, std::string_view value) {
  if (points_inside(value)) return replace_value(entry, std::string{value});
  value = trim_ows(value);
  bytes_ = bytes_ - entry.value_length + value.size();
  has_control_ = has_control_ || holds_control(value);
  if (value.size() > entry.value_length) {  // a copy of the whole field at the end keeps it in one piece
    if (used_ + entry.name_length + value.size() > std::numeric_limits<std::uint32_t>::max() - 4)
      throw std::length_error("a header field that is too long");
    const std::string name = text_.substr(entry.name_at, entry.name_length);
    entry.name_at = static_cast<std::uint32_t>(used_);
    append_text(name);
    append_text(": ");
    entry.value_at = static_cast<std::uint32_t>(used_);
    append_text(value);
    append_text("\r\n");
  } else {
    char* end = std::copy(value.begin(), value.end(), text_.data() + entry.value_at);
    end[0] = '\r';  // the old value was followed by these two bytes too
    end[1] = '\n';
  }
  entry.value_length = static_cast<std::uint32_t>(value.size());
}

template <class Match>
void HeaderMap::set_where(Match&& match, HeaderId id, std::string_view name, std::string_view value) {
  std::size_t first = 0;
  while (first < fields_.size() && !match(at(first))) ++first;
  if (first == fields_.size()) return add_field(id, name, value);
  replace_value(fields_[first], value);
  bool seen = false;
  remove_if([&](const HeaderField& field) {
    if (!match(field)) return false;
    return std::exchange(seen, true);
  });
}

void HeaderMap::set(std::string_view name, std::string_view value) {
  if (points_inside(name)) return set(std::string{name}, value);
  const Named match{name};
  set_where(match, match.id, name, value);
}

void HeaderMap::set(HeaderId id, std::string_view value) {
  assert(id != HeaderId::other);
  set_where([id](const HeaderField& field) { return field.id == id; }, id, header_name(id), value);
}

std::size_t HeaderMap::remove(std::string_view name) {
  return remove_if(Named{name});
}
std::size_t HeaderMap::remove(HeaderId id) {
  return remove_if([id](const HeaderField& field) { return field.id == id; });
}

// --- looking up

std::optional<std::string_view> HeaderMap::find(HeaderId id) const {
  for (std::size_t i = 0; i < fields_.size(); ++i)
    if (fields_[i].id == id) return at(i).value;
  return std::nullopt;
}

std::optional<std::string_view> HeaderMap::find(std::string_view name) const {
  const Named match{name};
  for (const HeaderField& field : *this)
    if (match(field)) return field.value;
  return std::nullopt;
}

std::size_t HeaderMap::count(HeaderId id) const {
  std::size_t n = 0;
  for (const Entry& entry : fields_) n += entry.id == id;
  return n;
}

std::size_t HeaderMap::count(std::string_view name) const {
  const Named match{name};
  std::size_t n = 0;
  for (const HeaderField& field : *this) n += match(field);
  return n;
}

std::string HeaderMap::joined(std::string_view name) const {
  const Named match{name};
  std::string all;
  bool first = true;
  for (const HeaderField& field : *this) {
    if (!match(field)) continue;
    if (!std::exchange(first, false)) all += ", ";
    all += field.value;
  }
  return all;
}

std::string HeaderMap::joined(HeaderId id) const {
  return id == HeaderId::other ? std::string{} : joined(header_name(id));
}

bool HeaderMap::lists(HeaderId id, std::string_view token) const {
  bool found = false;
  each(id, [&](const HeaderField& field) {
    ListReader reader{field.value};
    while (const auto element = reader.next()) found = found || equal_ignoring_case(*element, token);
  });
  return found;
}

// --- writing

void HeaderMap::append_wire(std::string& out) const {
  if (has_control_) {
    for (const HeaderField& field : *this) {
      append_without_breaks(out, field.name);
      out += ": ";
      append_without_breaks(out, field.value);
      out += "\r\n";
    }
    return;
  }
  for (std::size_t i = 0; i < fields_.size();) {
    if (!stored_as_sent(fields_[i])) {
      const HeaderField field = at(i++);
      out.append(field.name).append(": ", 2).append(field.value).append("\r\n", 2);
      continue;
    }
    // Neighbours in the text are copied together.
    const std::size_t begin = fields_[i].name_at;
    std::size_t end = begin;
    for (; i < fields_.size() && fields_[i].name_at == end && stored_as_sent(fields_[i]); ++i)
      end = fields_[i].value_at + fields_[i].value_length + 2;
    out.append(text_, begin, end - begin);
  }
}

}  // namespace outrider
