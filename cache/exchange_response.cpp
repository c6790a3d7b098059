#include "cache/exchange_response.hpp"

namespace outrider {

std::string_view to_string(CacheVerdict verdict) {
  switch (verdict) {
    case CacheVerdict::bypass:
      return "bypass";
    case CacheVerdict::miss:
      return "miss";
    case CacheVerdict::collapsed:
      return "collapsed";
    case CacheVerdict::hit:
      return "hit";
    case CacheVerdict::stale:
      return "stale";
    case CacheVerdict::revalidated:
      return "revalidated";
  }
  return "";
}

const HeaderMap& ExchangeResponse::no_trailers() {
  static const HeaderMap none;
  return none;
}

}  // namespace outrider
