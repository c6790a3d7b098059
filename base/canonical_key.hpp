// What the robot takes for the same page: a key under which URLs that differ only in spelling meet. Separate from Url,
// which never guesses. The key is a URL itself (it can be fetched) and its own key: canonical_key(parse(key)) == key.
//
// Never merged, whatever the options: scheme, host ("www." included), port, user name, letter case of path and query,
// "%2F" and
// "/", "+" and "%20", any encoded reserved character, the order of repeated parameters, a parameter without '=' and one
// with an empty value, "//" and "/".
#pragma once

#include "base/url.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace outrider {

// Names are matched without regard to ASCII case; one that ends in '*' matches every name that begins so.
struct CanonicalOptions {
  bool decode_unreserved =
      true;  // "%7Euser" → "~user", "%c3" → "%C3" (RFC 3986 section 6.2.2): the same resource by definition
  bool drop_tracking = true;          // parameters that only tell the site where the reader came from
  bool drop_session_ids = true;       // parameters and ";jsessionid=…" that only tell the site who the reader is
  bool drop_directory_index = false;  // "/a/index.html" → "/a/"
  bool drop_trailing_slash = false;   // "/a/" → "/a"; the root keeps its slash
  bool sort_query = false;            // by name; parameters of one name keep their order

  std::vector<std::string> tracking_parameters = default_tracking_parameters();
  std::vector<std::string> session_parameters = default_session_parameters();
  // Names that other sites use for content ("sid=1234"): dropped only if the value looks like a random token.
  std::vector<std::string> maybe_session_parameters = default_maybe_session_parameters();
  std::vector<std::string> directory_index_names = default_directory_index_names();

  static std::vector<std::string> default_tracking_parameters();
  static std::vector<std::string> default_session_parameters();
  static std::vector<std::string> default_maybe_session_parameters();
  static std::vector<std::string> default_directory_index_names();
};

// Always: no fragment, no empty query. The options apply to http and https. Pass options that live long in a loop: the
// defaults are made anew by every call without them.
std::string canonical_key(const Url& url, const CanonicalOptions& options);
std::string canonical_key(const Url& url);
// The same without a copy where there is nothing to write anew: a view of the URL, else of `room`.
std::string_view canonical_key(const Url& url, const CanonicalOptions& options, std::string& room);

}  // namespace outrider
