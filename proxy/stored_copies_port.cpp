#include "proxy/stored_copies_port.hpp"

#include "base/content_coding.hpp"

#include <boost/asio/co_spawn.hpp>

namespace outrider {
namespace {

bool is_whole_page(const StoredHead& head, std::size_t most) {
  return head.scope == Scope::shared && head.response.status == 200 && !head.range && head.body_length != 0 &&
         head.body_length <= most;
}

Task<std::optional<StoredCopy>> read_copy(Store& store, CacheKey key, std::size_t most) {
  const EntryPtr entry = co_await store.find(key);
  if (!entry) co_return std::nullopt;
  for (const VariantPtr& variant : entry->variants) {
    if (!is_whole_page(variant->head, most)) continue;
    std::string bytes;
    while (bytes.size() < variant->head.body_length) {
      const Result<BodyPiece> piece =
          co_await store.read(variant->body, bytes.size(), variant->head.body_length - bytes.size());
      if (!piece || piece->bytes.empty()) co_return std::nullopt;
      bytes += piece->bytes;
    }
    const HeaderMap& fields = variant->head.response.headers;
    DecodeLimits limits;
    limits.size = most;
    Result<std::string> body = decode_content(fields.joined(HeaderId::content_encoding), bytes, limits);
    if (!body) co_return std::nullopt;
    StoredCopy copy;
    copy.content_type = fields.find(HeaderId::content_type).value_or("");
    copy.body = std::move(*body);
    co_return copy;
  }
  co_return std::nullopt;
}

}  // namespace

// The store's coroutines run on any reactor, and this thread may wait: it gets one of its own for the moment.
std::optional<StoredCopy> StoredCopiesPort::find(std::string_view text, std::size_t most) {
  const Result<Url> url = Url::parse(text);
  if (cache_.store == nullptr || !url || !url->is_http()) return std::nullopt;
  const std::string path = std::string{url->pathname()} + std::string{url->search()};
  asio::io_context here{1};
  std::optional<StoredCopy> found;
  std::exception_ptr failure;
  auto done = [&](std::exception_ptr thrown, std::optional<StoredCopy> copy) {
    failure = std::move(thrown);
    found = std::move(copy);
  };
  asio::co_spawn(here.get_executor(),
                 read_copy(*cache_.store, CacheKey::of(*url, path, "", cache_.store->secret()), most), std::move(done));
  here.run();
  if (failure) std::rethrow_exception(failure);
  return found;
}

}  // namespace outrider
