// One request and its answer, as the plugins see them. Made by proxy/transaction where there is a plugin that wants to
// see traffic; without one, traffic does not come near this. Hooks get copies: what one that fails has done to its copy
// has not happened, and one that hangs holds nothing that anybody needs.
#pragma once

#include "base/http_message.hpp"
#include "base/url.hpp"
#include "proxy/page_transform.hpp"
#include "proxy/plugin_host.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace outrider {

class PluginExchange {
 public:
  // `url` and `head` live as long as this; the end-to-end fields of `head` are there.
  PluginExchange(PluginHost& host, Executor home, const Url& url, RequestHead& head, std::string_view user, bool local);

  // Lets plugins change the request, or answer it; and makes its conditions those that the origin understands.
  Task<std::optional<PluginAnswer>> request();
  // Lets plugins change the head. If the page is to be changed as well, this returns how, and head and framing are
  // those of the changed page. `for_everybody`: as the memory sees it (PluginResponse).
  Task<std::unique_ptr<PageTransform>> response(ResponseHead& head, BodyFraming& framing, bool for_everybody);

 private:
  Task<> ask_response(PluginRecord& record, ResponseHead& head);
  Task<std::unique_ptr<PageTransform>> transform(ResponseHead& head, BodyFraming& framing);
  void note_unchanged(const ResponseHead& head);
  void note_redirected_frame(const ResponseHead& head);
  Task<> ask_page(PluginRecord& record, HeaderMap& headers, PageTransform& page, PageTransform::Options options);

  PluginHost& host_;
  const Executor home_;
  const Url& url_;
  RequestHead& head_;
  const bool untold_;  // the browser does not say whether it fills a window or a frame
  const bool framed_;  // so it was taken for a frame of a page that has passed
  const bool top_level_;
  PluginHost::Records on_request_, on_response_, on_page_;
  std::shared_ptr<PluginRequest> request_;  // never changed once it can be seen by a plugin's thread
  PageMark mark_ = 0;
  bool for_everybody_ = false;     // the answer is
  bool failed_ = false;            // a plugin did not say whether it changes the page
  bool marked_condition_ = false;  // the client has the page as we would change it
};

// What a hook made of the fields, with those that are not its business put back as they were.
enum class HookSide : std::uint8_t { request, response };
HeaderMap accepted_fields(const HeaderMap& changed, const HeaderMap& original, HookSide side);

}  // namespace outrider
