// Documents that plugins serve, at /plugins/NAME/ of the proxy's own address, and what becomes of their answers. Who
// may ask is proxy/transaction_page's business.
#pragma once

#include "base/async.hpp"
#include "proxy/answer.hpp"
#include "proxy/plugin_host.hpp"

#include <optional>
#include <string>

namespace outrider {

// Where plugins' own files are at every site (PluginResource).
inline constexpr std::string_view kResourcePath = "/.well-known/outrider/";

// `path` begins behind /plugins/. Nothing: the plugin is not there, is set aside, or has no documents.
Task<std::optional<PluginAnswer>> plugin_document(PluginHost& host, Executor home, std::string path,
                                                  PluginDocumentRequest request);

// What a plugin answers, as it goes out: its status if there is such a one, and those of its fields that are not the
// proxy's own business.
Answer plugin_answer(const PluginAnswer& given, const AnswerFrame& frame);
// The same without a body: that follows in chunks, so nothing announces its length.
ResponseHead plugin_stream_head(const PluginAnswer& given, const AnswerFrame& frame);
// RFC 9110 sections 15.3.5 and 15.4.5: what follows such a head would be taken for the next answer.
inline bool may_have_content(int status) {
  return status != 204 && status != 304;
}

}  // namespace outrider
