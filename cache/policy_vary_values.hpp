// The values of request fields that a response depends on, in one spelling (used by policy_vary).
#pragma once

#include "base/http_headers.hpp"

#include <boost/container/small_vector.hpp>

#include <string_view>

namespace outrider {

// What stands in StoredHead::vary_request beside values. No normalised value begins with a comma.
namespace vary_mark {
inline constexpr std::string_view kAbsent = "";     // the request had no such field
inline constexpr std::string_view kEmpty = ",";     // it had one without a value
inline constexpr std::string_view kPresent = ",*";  // it had one, of whatever value
// Followed by the value of Accept-Encoding: Vary does not name it, but the response has a coding that not everybody
// understands.
inline constexpr std::string_view kUnasked = ",~";
}  // namespace vary_mark

using VaryText = boost::container::small_vector<char, 256>;

// Is this request field there to tell who asks? Its values are compared, and kept as a digest only.
bool is_credential(HeaderId id, std::string_view name);

// Appends the value of the field `name` (whose id is `id`) in the request, or a mark.
void normalise_value(const HeaderMap& request, HeaderId id, std::string_view name, VaryText& out);

// The weight of `token` in a field like Accept-Encoding, in thousandths; what is not named has the weight of "*", or 0.
int weight_of(const HeaderMap& request, HeaderId id, std::string_view token);
// Is `token` what the field wants more than anything else, and the only one so?
bool is_favourite(const HeaderMap& request, HeaderId id, std::string_view token);

}  // namespace outrider
