// Who may see what the memory keeps of an answer, and whether it keeps anything: decided here and nowhere else.
#pragma once

#include "base/http_message.hpp"
#include "plugins/api/node.hpp"

namespace outrider {

struct StorageQuestion {
  const HeaderMap& request;
  const HeaderMap& response;
  bool shareable = false;    // by the rules of HTTP (policy_storability.hpp)
  bool never_keep = false;   // the rules of the site, or the person does not want to be remembered at the moment
  bool keep_anyway = false;  // the person wants this site remembered whatever its answers say
};

// open: shareable. never: `no-store`, and answers to a request with credentials; also what nobody may keep. personal:
// everything else that the person saw.
StorageClass storage_class(const StorageQuestion& question);

}  // namespace outrider
