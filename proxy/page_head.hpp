// The head of a page that is changed on its way, and the conditions of those who come back with it. What the origin
// says of its bytes (length, digests, a strong validator, ranges) is not true of ours.
//
// The validator gets a mark that names what changed the page: the origin's "abc" becomes W/"abc+or.1f2e3d4c". A browser
// that comes back with it is answered 304 only while the same plugins would change the page; after a plugin was
// switched, or for a page that was stored before, the mark does not fit and the page is sent whole. A page without an
// entity tag gets one that is nothing but the mark, so that Last-Modified alone cannot confirm it.
#pragma once

#include "base/http_message.hpp"
#include "proxy/noted_hashes.hpp"

#include <cstdint>
#include <functional>
#include <string_view>

namespace outrider {

// What changes a page: a keyed hash over its host, plugins, their versions and settings; 0 = nothing does.
using PageMark = std::uint32_t;

// May this answer be changed: a complete HTML page, and nobody forbids it (RFC 9110 section 7.7: no-transform)?
bool may_rewrite(const RequestHead& request, const ResponseHead& response);

// Makes the head true of the changed page, except for Content-Encoding and framing.
void mark_rewritten(HeaderMap& headers, PageMark mark);
// What a trailer section must not say of the changed page.
void strip_digests(HeaderMap& headers);

// The conditions of a GET as the origin understands them, before the cache looks at them. Conditions that a page of
// another mark satisfies are dropped. Without a mark in them and with mark 0 they are left alone. True: one that bears
// the mark is left, so a 304 confirms the changed page and has to bear the mark as well (mark_rewritten).
//
// `unchanged` says of a validator without mark whether it is that of a document which plugins let pass as it is (a PDF,
// no-transform): such a condition stays.
using IsUnchanged = std::function<bool(std::string_view validator)>;
bool translate_conditions(HeaderMap& request, PageMark mark, const IsUnchanged& unchanged = {});

// Top-level documents that plugins let pass unchanged, as far as there is room: the newest win. Any thread. What is not
// in it is fetched whole; that one of two with the same hash is taken for the other is as unlikely as harmless.
class UnchangedPages {
 public:
  void note(std::string_view url, std::string_view validator, PageMark mark);
  bool has(std::string_view url, std::string_view validator, PageMark mark) const;
  void clear() { noted_.clear(); }

 private:
  static std::uint64_t key(std::string_view url, std::string_view validator, PageMark mark);
  NotedHashes noted_;
};

// Is this a page that a person opens, as far as a request tells: by Fetch metadata where the browser sends it (to
// secure origins only), otherwise by what navigations alone ask for? A frame of a plain http page looks the same
// (proxy/framed_pages).
bool is_top_level(const RequestHead& request);

}  // namespace outrider
