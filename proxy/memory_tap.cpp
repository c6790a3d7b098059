#include "proxy/memory_tap.hpp"

#include "cache/storage_class.hpp"

namespace outrider {
namespace {

constexpr std::size_t kMostBody = 4 << 20;  // of a page, as it came: more is read by nobody

// Types that somebody reads for their words and links. A type that is missing or says nothing is found out by looking.
bool may_be_read(const HeaderMap& headers) {
  const std::string_view type = headers.find(HeaderId::content_type).value_or("");
  if (type.empty() || type.starts_with("text/plain") || type.starts_with("text/html")) return true;
  return type.find("html") != std::string_view::npos || type.find("xml") != std::string_view::npos ||
         type.starts_with("application/octet-stream") || type.starts_with("unknown/");
}

NodeError kind_of(const Error& error) {
  switch (error.kind) {
    case ErrorKind::dns_failure:
      return NodeError::dns;
    case ErrorKind::connect_refused:
    case ErrorKind::connect_failed:
      return NodeError::connect;
    case ErrorKind::tls_failed:
    case ErrorKind::tls_untrusted:
      return NodeError::tls;
    case ErrorKind::timeout:
      return NodeError::timeout;
    default:
      return NodeError::protocol;
  }
}

}  // namespace

MemoryTap::MemoryTap(Ingest* ingest, const MemoryRules& rules, const Url& url, const RequestHead& request,
                     const CacheRules& cache, std::string_view user)
    : ingest_(ingest), rules_(rules), url_(url), request_(request), cache_(cache), user_(user) {
  if (request.method != Method::get || request.headers.has(HeaderId::range)) ingest_ = nullptr;
  if (ingest_ != nullptr) signs_ = visit_signs(request);
}

void MemoryTap::begin(ExchangeResponse& response, WallTime now) {
  if (ingest_ == nullptr) return;
  const ResponseHead& head = response.head();
  const bool visited = signs_ != VisitSigns::none && shows_a_page(head.status);
  const bool from_store = response.verdict == CacheVerdict::hit || response.verdict == CacheVerdict::stale;
  const bool validated = response.verdict == CacheVerdict::revalidated;
  // What is answered from the store was remembered when it got there; only that somebody came is new.
  if ((from_store && !visited) || head.status < 200 || head.status == 206) return;
  std::string_view host = url_.hostname();
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  StorageQuestion question{request_.headers, head.headers};
  question.shareable = response.shareable;
  question.never_keep = cache_.never_keep || rules_.never_keep(host, url_.effective_port());
  question.keep_anyway = rules_.keep_anyway(host, url_.effective_port());
  const StorageClass storage = storage_class(question);
  if (storage == StorageClass::never && !visited) return;
  arrival_ = std::make_unique<Arrival>();
  arrival_->user = user_;
  arrival_->storage = storage;
  arrival_->url = url_;
  arrival_->at = now;
  arrival_->status = head.status;
  arrival_->from_store = from_store;
  arrival_->not_modified = validated || head.status == 304;
  if (visited) {
    arrival_->visit.emplace();
    arrival_->visit->certain = signs_ == VisitSigns::certain;
    // Where he came from is part of what must not be kept.
    if (storage != StorageClass::never)
      arrival_->visit->referrer = request_.headers.find(HeaderId::referer).value_or("");
  }
  if (storage == StorageClass::never) return;
  arrival_->headers = head.headers;
  collecting_ = head.status != 304 && may_be_read(head.headers);
  if (const BodyFraming framing = response.framing(); framing.kind == BodyFraming::Kind::length) {
    arrival_->wire_size = framing.length;
    if (collecting_) arrival_->body.reserve(std::min<std::uint64_t>(framing.length, kMostBody));
  }
}

void MemoryTap::collect(std::string_view bytes) {
  const std::size_t room = kMostBody - arrival_->body.size();
  arrival_->body.append(bytes.substr(0, room));
  if (bytes.size() < room) return;
  arrival_->body_complete = false;
  collecting_ = false;
}

void MemoryTap::end(bool complete) {
  if (!arrival_) return;
  collecting_ = false;
  if (!complete) arrival_->body_complete = false;
  if (arrival_->wire_size == 0) arrival_->wire_size = arrival_->body.size();
  ingest_->submit(std::move(*arrival_));
  arrival_.reset();
}

// Only what a person wanted to see: what a page asks for in vain says nothing about a page.
void MemoryTap::failed(const Error& error, WallTime now) {
  if (ingest_ == nullptr || arrival_ || signs_ == VisitSigns::none) return;
  if (error.side != Side::origin && error.side != Side::parent) return;
  std::string_view host = url_.hostname();
  if (cache_.never_keep || rules_.never_keep(host, url_.effective_port())) return;
  arrival_ = std::make_unique<Arrival>();
  arrival_->user = user_;
  arrival_->url = url_;
  arrival_->at = now;
  arrival_->storage = StorageClass::personal;
  arrival_->error = kind_of(error);
  arrival_->error_text = error.detail;
  ingest_->submit(std::move(*arrival_));
  arrival_.reset();
}

}  // namespace outrider
