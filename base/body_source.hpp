// A message body as it arrives: pulled piece by piece, so that whoever reads decides the speed (back-pressure).
#pragma once

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/http_headers.hpp"

#include <string_view>

namespace outrider {

class BodySource {
 public:
  virtual ~BodySource() = default;
  // The next piece, valid until the next call; empty = end.
  virtual Task<Result<std::string_view>> read() = 0;
  // Known after the end.
  virtual const HeaderMap& trailers() const = 0;
  // A pending read() fails soon; nothing more will be read.
  virtual void cancel() = 0;
};

}  // namespace outrider
