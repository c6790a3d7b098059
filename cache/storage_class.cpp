#include "cache/storage_class.hpp"

#include "cache/directives.hpp"

namespace outrider {

StorageClass storage_class(const StorageQuestion& question) {
  if (question.never_keep) return StorageClass::never;
  const bool secret = question.request.has(HeaderId::authorization) ||
                      parse_request_directives(question.request).no_store ||
                      parse_response_directives(question.response).no_store;
  if (secret) return question.keep_anyway ? StorageClass::personal : StorageClass::never;
  return question.shareable ? StorageClass::open : StorageClass::personal;
}

}  // namespace outrider
