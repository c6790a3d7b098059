// Pages through the rewriter: without edits they are byte-identical however they are cut; with edits the result does
// not depend on the cutting, a filter that changes what it sees is never asked about what it inserted, and an attribute
// that was set reads back. The first byte selects what the filter does, the second seeds the cutting.
#include "proxy/rewriter.hpp"
#include "tests/fuzz/require.hpp"
#include "tests/support/split_feeder.hpp"

#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace {

using namespace outrider;

class Busy : public PageFilter {
 public:
  // It has seen enough after so many tags; 0 = never.
  Busy(std::uint8_t what, unsigned tags) : what_(what), tags_(tags) {}
  PageInterest interest() const override { return {{{"", ""}}, true, false, true, false, tags_ != 0}; }
  bool is_done() const override { return seen_ >= tags_; }
  void on_start_tag(const HtmlTag& tag, TagEdit& edit) override {
    ++seen_;
    if ((what_ & 1) != 0) edit.set_attribute("id", "a\"b");
    if ((what_ & 2) != 0) edit.remove_attribute("class");
    if ((what_ & 4) != 0 && tag.attributes.size() > 2) edit.remove_element();
    if ((what_ & 8) != 0) edit.before("<!--x-->");
    if ((what_ & 16) != 0) edit.after("<wbr>");
    if ((what_ & 32) != 0 && tag.attributes.size() == 1) throw std::runtime_error("fuzz");
  }
  void on_end_tag(const HtmlTag&, TokenEdit& edit) override {
    if ((what_ & 8) != 0) edit.after("<!--y-->");
  }
  void on_comment(const HtmlComment&, TokenEdit& edit) override {
    if ((what_ & 64) != 0) edit.replace("");
  }
  std::string insert_at(PagePlace) override { return (what_ & 128) != 0 ? "<meta name=m>" : ""; }

 private:
  const std::uint8_t what_;
  const unsigned tags_;
  unsigned seen_ = 0;
};

std::string rewrite(const std::vector<std::string_view>& pieces, std::uint8_t what, std::uint32_t token_limit,
                    unsigned tags = 0) {
  PageRewriter::Filters filters;
  filters.push_back(std::make_unique<Busy>(what, tags));
  PageRewriter::Options options;
  options.limits.token = token_limit;
  PageRewriter rewriter{std::move(filters), options};
  std::string out;
  for (const std::string_view piece : pieces) {
    const std::string exact{piece};
    out += rewriter.feed(exact);
    require(rewriter.held() <= token_limit + 2048);
  }
  out += rewriter.finish();
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view page{reinterpret_cast<const char*>(data) + 2, size - 2};
  const std::vector<std::string_view> pieces = test::cut_at_random(page, data[1]);
  for (const std::uint32_t limit : {64U, 1U << 20}) {
    require(rewrite(pieces, 0, limit) == page);
    require(rewrite(pieces, data[0], limit) == rewrite({page}, data[0], limit));
    require(rewrite(pieces, data[0], limit, 3) == rewrite({page}, data[0], limit, 3));
  }
  return 0;
}
