#include "proxy/page_transform.hpp"

#include <algorithm>
#include <utility>

namespace outrider {
namespace {

constexpr const char* kHook = "a page filter";

PageRewriter::Options rewriter_options(PageTransform::Options given, std::vector<PluginRecord*> records) {
  PageRewriter::Options options;
  options.utf8 = given.utf8;
  options.charset_given = given.charset_given;
  options.measure = true;
  options.failed = [records = std::move(records)](std::size_t filter, const char* what) {
    records[filter]->threw(kHook, what);
  };
  return options;
}

}  // namespace

struct PageTransform::Isolated {
  Isolated(PluginRecord& r, PageRewriter::Filters filters, Options options)
      : record(r), rewriter(std::move(filters), rewriter_options(options, {&r})) {}
  PluginRecord& record;
  PageRewriter rewriter;
};

PageTransform::~PageTransform() {
  // What the plugin made is destroyed by its own thread.
  for (Stage& stage : isolated_)
    if (stage.page) stage.record->lane().post([page = std::move(stage.page)] {});
}

void PageTransform::add(PluginRecord& record, std::unique_ptr<PageFilter> filter) {
  records_.push_back(&record);
  filters_.push_back(std::move(filter));
}

std::shared_ptr<PageTransform::Isolated> PageTransform::isolate(PluginRecord& record,
                                                                std::unique_ptr<PageFilter> filter, Options options) {
  PageRewriter::Filters filters;
  filters.push_back(std::move(filter));
  return std::make_shared<Isolated>(record, std::move(filters), options);
}

void PageTransform::add(PluginRecord& record, std::shared_ptr<Isolated> page) {
  isolated_.push_back({&record, std::move(page), {}, {}});
}

void PageTransform::set_coding(ContentDecoder in, ContentCoding out) {
  decoder_.emplace(std::move(in));
  if (out != ContentCoding::identity) encoder_.emplace(out);
}

Task<Result<std::string_view>> PageTransform::feed(std::string_view& chunk) {
  std::string_view piece = std::exchange(chunk, {});
  if (decoder_) {
    chunk = piece.substr(std::min(piece.size(), kCodedPiece));
    piece.remove_suffix(chunk.size());
    decoded_.clear();
    const Result<void> state = decoder_->feed(piece, [this](std::string_view bytes) { decoded_ += bytes; });
    if (!state) co_return state.error();
    piece = decoded_;
  }
  if (frames_) frames_->feed(piece);
  std::string_view out = co_await through(piece, false);
  if (encoder_) {
    encoded_.clear();
    const ContentSink sink = [this](std::string_view bytes) { encoded_ += bytes; };
    unflushed_ = unflushed_ || !out.empty();
    encoder_->feed(out, sink);
    // Whoever waits for the page sees what is there.
    if (chunk.empty() && std::exchange(unflushed_, false)) encoder_->flush(sink);
    out = encoded_;
  }
  co_return out;
}

Task<Result<std::string_view>> PageTransform::finish() {
  if (decoder_) {
    // A server that ends its coding without the last bytes is common, and browsers show what is there.
    const Result<void> complete = decoder_->finish();
    if (!complete && complete.error().kind != ErrorKind::closed_early) co_return complete.error();
  }
  std::string_view out = co_await through({}, true);
  if (encoder_) {
    encoded_.clear();
    const ContentSink sink = [this](std::string_view piece) { encoded_ += piece; };
    encoder_->feed(out, sink);
    encoder_->finish(sink);
    out = encoded_;
  }
  co_return out;
}

Task<std::string_view> PageTransform::through(std::string_view bytes, bool last) {
  if (!records_.empty()) bytes = here(bytes, last);
  for (Stage& stage : isolated_) bytes = co_await there(stage, bytes, last);
  co_return bytes;
}

std::string_view PageTransform::here(std::string_view bytes, bool last) {
  PluginHost::Inside inside{host_, records_.front()};
  inside_ = &inside;
  if (!rewriter_) {
    PageRewriter::Options options = rewriter_options(options_, records_);
    // For the watchdog: who is to blame if this never comes back.
    if (records_.size() > 1) options.calling = [this](std::size_t filter) { inside_->now_in(records_[filter]); };
    rewriter_ = std::make_unique<PageRewriter>(std::move(filters_), std::move(options));
    spent_.resize(records_.size());
  }
  for (std::size_t i = 0; i < records_.size(); ++i)
    if (!records_[i]->running()) rewriter_->drop(i);  // set aside, maybe because of this very page
  here_.clear();
  for (;;) {
    const std::string_view piece = bytes.substr(0, kPiece);
    bytes.remove_prefix(piece.size());
    const Duration begin = thread_cpu_time();
    const std::string_view out = last ? rewriter_->finish() : rewriter_->feed(piece);
    account(thread_cpu_time() - begin);
    if (bytes.empty() && here_.empty()) return out;
    here_ += out;
    if (bytes.empty()) return here_;
  }
}

// The rewriter knows how long each filter had the thread; the time of others that came in between is not theirs, and
// that of finding the tokens neither.
void PageTransform::account(Duration cpu) {
  for (std::size_t i = 0; i < records_.size(); ++i) {
    const Duration now = rewriter_->spent(i);
    records_[i]->took(kHook, std::min(cpu, now - std::exchange(spent_[i], now)));
  }
}

Task<std::string_view> PageTransform::there(Stage& stage, std::string_view bytes, bool last) {
  if (!stage.page) co_return bytes;
  struct Done {
    std::string out;
    std::size_t held = 0;
  };
  auto work = [page = stage.page, chunk = std::string{bytes}, last] {
    Done done;
    const auto timed = [&](auto step) {
      const Duration begin = thread_cpu_time();
      const Duration before = page->rewriter.spent(0);
      if (!page->record.running()) page->rewriter.drop(0);
      done.out += step();
      page->record.took(kHook, std::min(thread_cpu_time() - begin, page->rewriter.spent(0) - before));
    };
    for (std::string_view rest = chunk; !rest.empty(); rest.remove_prefix(std::min(rest.size(), kPiece)))
      timed([&] { return page->rewriter.feed(rest.substr(0, kPiece)); });
    if (last) timed([&] { return page->rewriter.finish(); });
    done.held = page->rewriter.held();
    return done;
  };
  std::optional<Done> done = co_await stage.record->answer(home_, kHook, std::move(work));
  stage.held += bytes;
  if (done) {
    stage.held.erase(0, stage.held.size() - std::min(stage.held.size(), done->held));
    stage.out = std::move(done->out);
  } else {
    // Its thread may still be in it, and is the one to destroy it.
    stage.record->lane().post([page = std::move(stage.page)] {});
    stage.page.reset();
    stage.out = std::exchange(stage.held, {});
  }
  co_return stage.out;
}

}  // namespace outrider
