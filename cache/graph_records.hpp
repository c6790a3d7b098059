// Between the values of plugins/api and the records on disk (records/memory.proto).
#pragma once

#include "base/clock.hpp"
#include "cache/records/memory.pb.h"
#include "plugins/api/link.hpp"
#include "plugins/api/memory_event.hpp"
#include "plugins/api/node.hpp"
#include "plugins/api/visit.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace outrider::graph {

std::int64_t to_ms(WallTime time);
WallTime from_ms(std::int64_t ms);

void write_page(const PageContent& page, records::PageRecord& record);  // without its text
PageContent read_page(const records::PageRecord& record);
Node read_node(const records::NodeRecord& record);  // without URL and owner

// It was there at some time: worth finding, whatever a later attempt met.
bool was_answered(const records::NodeRecord& record);
// There is something in it that can be searched for.
bool has_words(const records::NodeRecord& record);

void write_link(const Link& link, records::LinkRecord& record);
Link read_link(const records::LinkRecord& record);

Visit read_visit(const records::VisitRecord& record);
void write_visit(const Visit& visit, records::VisitRecord& record);

// A record that cannot be read is damaged; it is treated as if it were not there.
template <class Record>
bool parse(std::string_view bytes, Record& record) {
  return record.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

}  // namespace outrider::graph
