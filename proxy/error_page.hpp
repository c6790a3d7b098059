// The page a person sees when something went wrong: what happened, where, and what to try next. Only text;
// proxy/responder decides who gets it.
#pragma once

#include "proxy/failure.hpp"

#include <string>
#include <string_view>

namespace outrider {

// One failure that happened, in all the forms in which it can be told. Nothing in it is trusted or escaped yet.
struct Report {
  const Failure* failure = nullptr;
  int status = 0;
  std::string_view proxy_error;
  std::string_view host;         // may be empty
  std::string_view detail;       // one sentence; may be empty
  std::string_view exchange_id;  // may be empty
  std::string_view date;         // may be empty
  bool repeatable = false;       // reloading the page asks for the same thing again and does no harm

  std::string title() const;
  std::string what() const;  // with the true reason of a refused certificate
};

std::string error_page_html(const Report& report);

// RFC 9457, with the extensions "error" (RFC 9209), "side" and "exchange".
std::string error_page_json(const Report& report);

std::string error_page_text(const Report& report);

}  // namespace outrider
