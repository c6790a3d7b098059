#include "proxy/memory_tap.hpp"

#include "base/mime_sniff.hpp"

#include <algorithm>
#include <atomic>

namespace outrider {
namespace {

constexpr std::size_t kMostBody = 4 << 20;  // of a page, as it came: more is read by nobody
constexpr std::size_t kBeginning =
    64 << 10;  // of what is too long or may be anything: its title is there, if it has one
constexpr std::size_t kFirstRoom = 16 << 10;

std::atomic<std::uint64_t> held_by_all_taps{0};

// A type that is missing or says nothing is found out by looking.
bool says_nothing(std::string_view type) {
  return type.empty() || type.starts_with("unknown/") || type.starts_with("application/unknown") ||
         type.starts_with("*/*");
}

// Types that somebody reads for their words and links.
bool may_be_read(std::string_view type) {
  return says_nothing(type) || type.starts_with("text/plain") || type.find("html") != std::string_view::npos ||
         type.find("xml") != std::string_view::npos;
}

}  // namespace

MemoryTap::MemoryTap(Ingest* ingest, const MemoryRules& rules, const Url& url, const RequestHead& request,
                     const CacheRules& cache, std::string_view user)
    : ingest_(ingest), rules_(rules), url_(url), request_(request), cache_(cache), user_(user) {
  if (request.method != Method::get || request.headers.has(HeaderId::range)) ingest_ = nullptr;
  if (ingest_ != nullptr) signs_ = visit_signs(request);
}

MemoryTap::~MemoryTap() {
  give_back();
}

std::uint64_t MemoryTap::held_by_all() {
  return held_by_all_taps;
}

StorageQuestion MemoryTap::question_of(const HeaderMap& response) const {
  std::string_view host = url_.hostname();
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  StorageQuestion question{request_.headers, response};
  question.never_keep = cache_.never_keep || rules_.never_keep(host, url_.effective_port());
  question.keep_anyway = rules_.keep_anyway(host, url_.effective_port());
  return question;
}

void MemoryTap::begin(ExchangeResponse& response, WallTime now) {
  if (ingest_ == nullptr) return;
  const ResponseHead& head = response.head();
  const bool visited = signs_ != VisitSigns::none && shows_a_page(head.status);
  const bool from_store = response.verdict == CacheVerdict::hit || response.verdict == CacheVerdict::stale;
  const bool validated = response.verdict == CacheVerdict::revalidated;
  // What is answered from the store was remembered when it got there; only that somebody came is new.
  if ((from_store && !visited) || head.status < 200 || head.status == 206) return;
  StorageQuestion question = question_of(head.headers);
  question.shareable = response.shareable;
  const StorageClass storage = storage_class(question);
  if (!visited && (storage == StorageClass::never || ingest_->turns_away_asides())) return;
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
    // Tells a frame from a visit. It is not kept where the answer is not (Graph::record_visit).
    arrival_->visit->referrer = request_.headers.find(HeaderId::referer).value_or("");
  }
  if (storage == StorageClass::never) return;
  arrival_->headers = head.headers;
  expect(response);
}

void MemoryTap::expect(ExchangeResponse& response) {
  const ResponseHead& head = response.head();
  const std::string_view type = head.headers.find(HeaderId::content_type).value_or("");
  collecting_ = head.status != 304 && may_be_read(type);
  most_ = kMostBody;
  // In a content coding its first bytes do not tell what it is.
  looked_ = head.headers.has(HeaderId::content_encoding);
  if (looked_ && says_nothing(type)) most_ = kBeginning;
  const BodyFraming framing = response.framing();
  if (framing.kind != BodyFraming::Kind::length) return;
  arrival_->wire_size = framing.length;
  if (framing.length > kMostBody) most_ = kBeginning;
  if (collecting_ && !make_room(std::min<std::uint64_t>(framing.length, kBeginning))) stop_collecting();
}

void MemoryTap::collect(std::string_view bytes) {
  std::string& body = arrival_->body;
  const std::string_view taken = bytes.substr(0, most_ - body.size());
  if (!make_room(taken.size())) return stop_collecting();
  body.append(taken);
  if (taken.size() < bytes.size()) return stop_collecting();
  if (!looked_ && body.size() >= kSniffBytes && !worth_more()) stop_collecting();
}

// The body grows only by what was taken from the common budget.
bool MemoryTap::make_room(std::size_t bytes) {
  std::string& body = arrival_->body;
  const std::size_t needed = body.size() + bytes;
  if (needed <= held_) return true;
  const std::uint64_t room =
      std::max<std::uint64_t>(needed, std::min(most_, std::max<std::size_t>(kFirstRoom, 2 * held_)));
  const std::uint64_t more = room - held_;
  if (held_by_all_taps.fetch_add(more) + more > kMostOfAll) {
    held_by_all_taps -= more;
    return false;
  }
  held_ = room;
  body.reserve(room);
  return true;
}

// Videos and archives come without a type, too, and as text/plain.
bool MemoryTap::worth_more() {
  looked_ = true;
  const HeaderMap& headers = arrival_->headers;
  const std::string_view type = headers.find(HeaderId::content_type).value_or("");
  const bool nosniff = equal_ignoring_case(headers.find("X-Content-Type-Options").value_or(""), "nosniff");
  return may_be_read(sniff_mime(type, nosniff, std::string_view{arrival_->body}.substr(0, kSniffBytes)));
}

void MemoryTap::stop_collecting() {
  collecting_ = false;
  arrival_->body_complete = false;
}

void MemoryTap::give_back() {
  held_by_all_taps -= held_;
  held_ = 0;
}

void MemoryTap::end(bool complete) {
  if (!arrival_) return;
  collecting_ = false;
  if (!complete) arrival_->body_complete = false;
  if (arrival_->wire_size == 0) arrival_->wire_size = passed_;
  ingest_->submit(std::move(*arrival_));
  arrival_.reset();
  give_back();
}

// Only what a person wanted to see: what a page asks for in vain says nothing about a page.
void MemoryTap::failed(const Error& error, WallTime now) {
  if (ingest_ == nullptr || arrival_ || signs_ == VisitSigns::none) return;
  if (error.side != Side::origin && error.side != Side::parent) return;
  const HeaderMap no_answer;
  if (storage_class(question_of(no_answer)) == StorageClass::never) return;
  arrival_ = std::make_unique<Arrival>();
  arrival_->user = user_;
  arrival_->url = url_;
  arrival_->at = now;
  arrival_->storage = StorageClass::personal;
  arrival_->error = node_error(error);
  arrival_->error_text = error.detail;
  ingest_->submit(std::move(*arrival_));
  arrival_.reset();
}

}  // namespace outrider
