// Cache-Control: each line of the data is one field. Checks: numbers are in their bounds; several fields mean the same
// as one list; letter case means nothing; fields are restricted exactly if a directive with a list says so.
#include "cache/directives.hpp"
#include "tests/fuzz/require.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace {

using namespace outrider;

void require_bounds(const std::optional<Seconds>& value) {
  require(!value || (*value >= Seconds{0} && *value <= kLongest));
}

auto facts(const ResponseDirectives& d) {
  require_bounds(d.max_age);
  require_bounds(d.s_maxage);
  require_bounds(d.stale_while_revalidate);
  require_bounds(d.stale_if_error);
  return std::tuple(d.no_store, d.no_cache, d.no_cache_fields, d.is_private, d.private_fields, d.is_public,
                    d.must_revalidate, d.proxy_revalidate, d.must_understand, d.immutable, d.no_transform, d.max_age,
                    d.s_maxage, d.stale_while_revalidate, d.stale_if_error);
}

auto facts(const RequestDirectives& d) {
  require_bounds(d.max_age);
  require_bounds(d.min_fresh);
  require_bounds(d.max_stale);
  require_bounds(d.stale_if_error);
  return std::tuple(d.no_cache, d.no_store, d.only_if_cached, d.no_transform, d.max_age, d.min_fresh, d.max_stale,
                    d.stale_if_error);
}

HeaderMap fields(const std::vector<std::string>& lines) {
  HeaderMap headers;
  for (const std::string& line : lines) headers.add(HeaderId::cache_control, line);
  return headers;
}

bool has_open_quote(const std::string& line) {
  bool quoted = false;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (quoted && line[at] == '\\') {
      ++at;
    } else if (line[at] == '"') {
      quoted = !quoted;
    }
  }
  return quoted;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 4096) return 0;
  std::vector<std::string> lines(1);
  for (std::size_t i = 0; i < size; ++i) {
    if (data[i] == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += static_cast<char>(data[i]);
    }
  }
  const HeaderMap headers = fields(lines);
  const ResponseDirectives response = parse_response_directives(headers);
  const auto said = facts(response);
  const auto asked = facts(parse_request_directives(headers));
  require(restricted_fields(headers).empty() != (response.no_cache_fields || response.private_fields));

  std::vector<std::string> upper = lines;
  for (std::string& line : upper)
    std::transform(line.begin(), line.end(), line.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 0x20) : c; });
  require(facts(parse_response_directives(fields(upper))) == said);
  require(facts(parse_request_directives(fields(upper))) == asked);

  if (std::any_of(lines.begin(), lines.end(), has_open_quote)) return 0;
  const HeaderMap one = fields({headers.joined(HeaderId::cache_control)});
  require(facts(parse_response_directives(one)) == said);
  require(facts(parse_request_directives(one)) == asked);
  return 0;
}
