// One page on its way through the plugins: decoded, changed, encoded again, chunk by chunk. The plugins that I/O
// threads may call share one rewriter; each of the others has a rewriter of its own, which its thread runs. When such a
// thread is given up, the page goes on from the last byte that came out of it, without that plugin. Made by
// proxy/plugin_exchange, used by proxy/transaction.
#pragma once

#include "base/content_coding.hpp"
#include "base/content_encoder.hpp"
#include "proxy/framed_pages.hpp"
#include "proxy/plugin_host.hpp"
#include "proxy/rewriter.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace outrider {

class PageTransform {
 public:
  struct Options {
    bool utf8 = false, charset_given = false;  // what the head says
  };
  PageTransform(PluginHost& host, Executor home, Options options) : host_(host), home_(home), options_(options) {}
  ~PageTransform();
  PageTransform(const PageTransform&) = delete;
  PageTransform& operator=(const PageTransform&) = delete;

  // A filter that is called here, on this thread.
  void add(PluginRecord& record, std::unique_ptr<PageFilter> filter);
  // A page in the thread of a plugin. Made and used by that thread alone.
  struct Isolated;
  static std::shared_ptr<Isolated> isolate(PluginRecord& record, std::unique_ptr<PageFilter> filter, Options options);
  void add(PluginRecord& record, std::shared_ptr<Isolated> page);
  bool empty() const { return records_.empty() && isolated_.empty(); }

  // Sees the page as it came, decoded.
  void watch_frames(FramedPages& framed, Url page) { frames_.emplace(framed, std::move(page)); }
  // What comes in is coded so; what goes out is coded as `out` says.
  void set_coding(ContentDecoder in, ContentCoding out);

  // Takes a part of the chunk, and returns what can go out now: valid until the next call, or until the chunk's bytes
  // go. Called until nothing of the chunk is left: what is coded can become a thousand times larger, and is not to be
  // in memory all at once.
  Task<Result<std::string_view>> feed(std::string_view& chunk);
  Task<Result<std::string_view>> finish();

 private:
  struct Stage {
    PluginRecord* record = nullptr;
    std::shared_ptr<Isolated> page;  // nullptr: given up
    std::string held;                // what went in and has not come out
    std::string out;
  };
  Task<std::string_view> through(std::string_view bytes, bool last);
  std::string_view here(std::string_view bytes, bool last);
  Task<std::string_view> there(Stage& stage, std::string_view bytes, bool last);
  void account(Duration cpu);
  static constexpr std::size_t kCodedPiece = 8 * 1024;
  static constexpr std::size_t kPiece = 64 * 1024;  // what a filter's budget is for

  PluginHost& host_;
  const Executor home_;
  const Options options_;
  std::vector<PluginRecord*> records_;  // of the filters in rewriter_
  PageRewriter::Filters filters_;       // until the first chunk
  std::unique_ptr<PageRewriter> rewriter_;
  PluginHost::Inside* inside_ = nullptr;  // while it runs
  std::vector<Duration> spent_;           // by each of them before this chunk
  std::vector<Stage> isolated_;
  std::optional<FrameWatch> frames_;
  std::optional<ContentDecoder> decoder_;
  std::optional<ContentEncoder> encoder_;
  bool unflushed_ = false;
  std::string decoded_, here_, encoded_;
};

}  // namespace outrider
