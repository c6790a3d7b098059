// The plugin of docs/plugins.md: counts the links of pages, gives those that lead elsewhere a title, and shows the
// count at http://outrider.internal/plugins/example/.
#include "plugins/example/example.hpp"

#include "plugins/api/plugin_library.hpp"

#include <atomic>

namespace outrider {
namespace {

struct ExampleSettings {
  std::string mark = "elsewhere";
  static constexpr std::string_view kSection = "plugins.example";
  static void describe(SectionSchema<ExampleSettings>& s) {
    s.key("mark", &ExampleSettings::mark, "The title of links to other sites.", Change::live);
  }
};

class MarkLinks final : public PageFilter {
 public:
  MarkLinks(std::atomic<unsigned>& links, std::string mark) : links_(links), mark_(std::move(mark)) {}
  PageInterest interest() const override { return PageInterest::in({{"a", "href"}}); }
  void on_start_tag(const HtmlTag& tag, TagEdit& edit) override {
    ++links_;
    std::string scratch;
    if (tag.value(*tag.find("href"), scratch).starts_with("http")) edit.set_attribute("title", mark_);
  }

 private:
  std::atomic<unsigned>& links_;
  const std::string mark_;
};

class ExamplePlugin final : public Plugin {
 public:
  PluginInfo info() const override {
    return {"example", "Example", "1.0", "Counts links.", {Hook::page, Hook::document, Hook::card}};
  }
  void describe_settings(ConfigSchema& schema) const override { schema.add<ExampleSettings>(); }
  void configure(const Config& config) override { settings_ = config.share<ExampleSettings>(); }
  std::unique_ptr<PageFilter> on_page(const PluginRequest&, const PluginResponse&) override {
    return std::make_unique<MarkLinks>(links_, settings_.load()->mark);
  }
  PluginAnswer on_document(const PluginDocumentRequest&) override {
    return {200, "text/plain", std::to_string(links_) + " links\n"};
  }
  boost::json::object card() override { return {{"lines", {{{"label", "Links"}, {"value", links_.load()}}}}}; }

 private:
  std::atomic<unsigned> links_{0};
  std::atomic<std::shared_ptr<const ExampleSettings>> settings_{std::make_shared<const ExampleSettings>()};
};

}  // namespace
}  // namespace outrider

OUTRIDER_PLUGIN(outrider::ExamplePlugin, make_example_plugin)
