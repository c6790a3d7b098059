// Puts the script into a page, if the page's policy can be made to admit exactly that: our script and our frame. Else
// the page stays as it is. Where the script went in, the links of the page may be watched while it passes.
#pragma once

#include "base/url.hpp"
#include "plugins/api/page_filter.hpp"
#include "plugins/hyperscout/link_watch.hpp"
#include "plugins/hyperscout/settings.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace outrider::hyperscout {

// At the address of every site; answered by the proxy (PluginResource).
inline constexpr std::string_view kScriptFile = "scout.js";

class PageInjection final : public PageFilter {
 public:
  // `watch` may be nullptr: then nothing behind the head is looked at.
  PageInjection(const Url& page, const Settings& settings, std::unique_ptr<LinkWatch> watch = nullptr);

  void on_head(HeaderMap& headers) override;
  PageInterest interest() const override;
  void on_start_tag(const HtmlTag& tag, TagEdit& edit) override;
  void on_end_tag(const HtmlTag& tag, TokenEdit&) override { watch_->end_tag(tag); }
  void on_text(const HtmlText& text, TokenEdit&) override { watch_->text(text); }
  std::string insert_at(PagePlace place) override;
  void on_end() override {
    if (watch_ && possible_) watch_->end();
  }
  bool is_done() const override { return in_body_ && (!possible_ || watch_->is_over()); }

 private:
  void admitted(bool possible, const std::string& nonce);
  void admit_by_meta(const HtmlTag& meta, TagEdit& edit);

  // Absolute: a <base> of the page would lead anything else astray.
  const std::string script_url_, frame_origin_;
  std::string attributes_;
  std::string nonce_;
  bool possible_ = true;
  bool in_body_ = false;
  const std::unique_ptr<LinkWatch> watch_;
};

}  // namespace outrider::hyperscout
