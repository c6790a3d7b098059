// Puts the script into a page, if the page's policy can be made to admit exactly that: our script and our frame. Else
// the page stays as it is.
#pragma once

#include "base/url.hpp"
#include "plugins/api/page_filter.hpp"
#include "plugins/hyperscout/settings.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace outrider::hyperscout {

// At the address of every site; answered by the proxy (PluginResource).
inline constexpr std::string_view kScriptFile = "scout.js";

class PageInjection final : public PageFilter {
 public:
  PageInjection(const Url& page, const Settings& settings);

  void on_head(HeaderMap& headers) override;
  PageInterest interest() const override { return PageInterest::in_head({{"meta", "http-equiv"}}); }
  void on_start_tag(const HtmlTag& tag, TagEdit& edit) override;
  std::string insert_at(PagePlace place) override;

 private:
  void admitted(bool possible, const std::string& nonce);

  // Absolute: a <base> of the page would lead anything else astray.
  const std::string script_url_, frame_origin_;
  std::string attributes_;
  std::string nonce_;
  bool possible_ = true;
};

}  // namespace outrider::hyperscout
