#include "base/connection_login.hpp"

#include "base/ascii.hpp"
#include "base/http_lists.hpp"

#include <algorithm>
#include <array>

namespace outrider {
namespace {

// "Negotiate", "NTLM TlRMTVNTUAAB…". In a list of challenges elements may also be parameters of the one before.
bool names_connection_login(std::string_view element) {
  static constexpr std::array<std::string_view, 4> kSchemes = {"negotiate", "ntlm", "kerberos", "nego2"};
  const std::string_view scheme = element.substr(0, element.find_first_of(" \t"));
  return std::any_of(kSchemes.begin(), kSchemes.end(),
                     [scheme](std::string_view known) { return equal_ignoring_case(scheme, known); });
}

bool any_names_it(const HeaderMap& headers, HeaderId id) {
  bool found = false;
  headers.each(id, [&found](const HeaderField& field) {
    ListReader elements{field.value};
    while (const auto element = elements.next()) found |= names_connection_login(*element);
  });
  return found;
}

}  // namespace

bool logs_in_connection(const HeaderMap& request) {
  return any_names_it(request, HeaderId::authorization);
}

bool offers_connection_login(const HeaderMap& response) {
  return any_names_it(response, HeaderId::www_authenticate);
}

}  // namespace outrider
