#include "cache/visit_signs.hpp"

namespace outrider {
namespace {

bool is(const HeaderMap& headers, HeaderId id, std::string_view value) {
  const auto found = headers.find(id);
  return found && equal_ignoring_case(*found, value);
}

// Fetched ahead: "prefetch", "prefetch;prerender", "prerender", "preview".
bool is_ahead(const HeaderMap& headers) {
  if (headers.has(HeaderId::sec_purpose) || headers.has(HeaderId::purpose)) return true;
  return headers.has("X-Moz") || headers.has("X-Purpose");
}

}  // namespace

VisitSigns visit_signs(const RequestHead& request) {
  const HeaderMap& headers = request.headers;
  if (request.method != Method::get || is_ahead(headers)) return VisitSigns::none;
  if (headers.has(HeaderId::sec_fetch_mode) || headers.has(HeaderId::sec_fetch_dest)) {
    const bool navigates = is(headers, HeaderId::sec_fetch_mode, "navigate");
    return navigates && is(headers, HeaderId::sec_fetch_dest, "document") ? VisitSigns::certain : VisitSigns::none;
  }
  // Without them: what browsers send with navigations, of frames too, and with nothing else. Programs (curl, a feed
  // reader) ask for anything or do not care for safer addresses; scripts send */* or say who they are.
  if (headers.has("X-Requested-With") || headers.has(HeaderId::origin)) return VisitSigns::none;
  if (!is(headers, HeaderId::upgrade_insecure_requests, "1")) return VisitSigns::none;
  const auto accept = headers.find(HeaderId::accept);
  return accept && accept->find("text/html") != std::string_view::npos ? VisitSigns::possible : VisitSigns::none;
}

bool shows_a_page(int status) {
  if (status == 304) return true;  // the browser's own copy
  if (status >= 300 && status < 400) return false;
  return status >= 200 && status != 204 && status != 205;
}

}  // namespace outrider
