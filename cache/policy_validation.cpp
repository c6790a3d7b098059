#include "cache/policy_validation.hpp"

#include "base/http_date.hpp"
#include "cache/policy_freshness.hpp"
#include "cache/policy_inputs.hpp"
#include "cache/policy_stored_head.hpp"
#include "cache/policy_validators.hpp"
#include "cache/policy_vary.hpp"

#include <algorithm>
#include <charconv>

namespace outrider {
namespace {

constexpr std::size_t kMostTags = 16;
constexpr std::size_t kMostTagBytes = 2048;

// Conditions are about representations: other statuses have none, so the origin would not look at them (RFC 9110
// section 13.2.1).
bool can_be_asked_about(const StoredHead& stored) {
  const int status = stored.response.status;
  return status == 200 || status == 203 || status == 204 || status == 206;
}

std::string_view tag_of(const HeaderMap& headers) {
  return headers.find(HeaderId::etag).value_or(std::string_view{});
}

// Does the entity tag of this variant go into If-None-Match? That of another than the chosen one only if it can stand
// for one sequence of bytes alone: servers give weak tags, and some even strong ones, to a page with and without coding
// alike.
bool has_a_say(std::span<const StoredHead* const> variants, std::size_t index, std::size_t selected) {
  const StoredHead& variant = *variants[index];
  const std::string_view tag = tag_of(variant.response.headers);
  if (tag.empty() || !can_be_asked_about(variant)) return false;
  return index == selected ||
         (!variant.range && !is_weak_tag(tag) && !variant.response.headers.has(HeaderId::content_encoding));
}

void append_tag(std::string& list, std::string_view tag) {
  if (!list.empty()) list += ", ";
  list += tag;
}

std::string collect_tags(std::span<const StoredHead* const> variants, std::size_t selected) {
  std::string list;
  std::size_t count = 0;
  if (selected < variants.size() && has_a_say(variants, selected, selected)) {
    append_tag(list, tag_of(variants[selected]->response.headers));
    ++count;
  }
  for (std::size_t i = 0; i < variants.size() && count < kMostTags; ++i) {
    if (i == selected || !has_a_say(variants, i, selected)) continue;
    const std::string_view tag = tag_of(variants[i]->response.headers);
    if (list.size() + tag.size() > kMostTagBytes) continue;
    append_tag(list, tag);
    ++count;
  }
  return list;
}

std::string_view date_to_ask_with(const StoredHead& stored) {
  const auto date = stored.response.headers.find(HeaderId::last_modified);
  if (!date || !can_be_asked_about(stored) || !read_date(*date, stored.response_time)) return {};
  return *date;
}

// Section 3.2, and what describes the very bytes that we keep.
bool is_never_updated(HeaderId id) {
  return id == HeaderId::content_length || id == HeaderId::content_encoding || id == HeaderId::content_range;
}

bool same_name(const HeaderField& a, const HeaderField& b) {
  return a.id == b.id && (a.id != HeaderId::other || equal_ignoring_case(a.name, b.name));
}

bool is_cookie(const HeaderField& field) {
  return field.id == HeaderId::set_cookie || equal_ignoring_case(field.name, "Set-Cookie2");
}

// The stored fields without those that `news` replaces, then those. Its age counts anew, whether it says one or not.
HeaderMap merged(const HeaderMap& stored, const HeaderMap& news) {
  HeaderMap all;
  for (const HeaderField& old : stored) {
    const bool replaced =
        std::any_of(news.begin(), news.end(), [&old](const HeaderField& f) { return same_name(old, f); });
    if (!replaced && old.id != HeaderId::age) all.add(old.name, old.value);
  }
  for (const HeaderField& field : news) all.add(field.name, field.value);
  return all;
}

// What a 304 changes in a head, whoever that is for.
void update(StoredHead& stored, HeaderMap news, WallTime request_time, WallTime response_time) {
  // The tag of what we hold stays: "x" in place of W/"x" would promise more than the origin did when it sent the bytes.
  const bool keep_tag = stored.response.headers.has(HeaderId::etag);
  news.remove_if([keep_tag](const HeaderField& field) {
    return is_never_updated(field.id) || (keep_tag && field.id == HeaderId::etag);
  });
  if (!news.has(HeaderId::date) || !read_date(*news.find(HeaderId::date), response_time))
    news.set(HeaderId::date, format_http_date(response_time));
  stored.response.headers = merged(stored.response.headers, news);
  stored.request_time = request_time;
  stored.response_time = response_time;
  stored.invalidated = false;
}

bool may_still_be_kept(const StoredHead& stored, const ResponseDirectives& directives, const CacheRules& rules) {
  if (rules.never_keep || (directives.no_store && !directives.must_understand)) return false;
  return !directives.is_private || (rules.kind == CacheKind::private_ && stored.scope == Scope::personal);
}

std::uint64_t complete_length(const StoredHead& stored) {
  return stored.range ? stored.range->complete_length : stored.body_length;
}

bool says_otherwise(const ResponseHead& answer, const StoredHead& stored, HeaderId id) {
  const auto now = answer.headers.find(id);
  return now && now != stored.response.headers.find(id);
}

bool has_other_length(const ResponseHead& answer, const StoredHead& stored) {
  const auto text = answer.headers.find(HeaderId::content_length);
  if (!text) return false;
  std::uint64_t length = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), length);
  return error != std::errc{} || end != text->data() + text->size() || length != complete_length(stored);
}

}  // namespace

bool add_conditions(HeaderMap& request, std::span<const StoredHead* const> variants, std::size_t selected) {
  const std::string tags = collect_tags(variants, selected);
  const std::string_view date = selected < variants.size() ? date_to_ask_with(*variants[selected]) : std::string_view{};
  if (tags.empty() && date.empty()) return false;
  request.remove_if([](const HeaderField& field) {
    return field.id == HeaderId::if_none_match || field.id == HeaderId::if_modified_since;
  });
  if (!tags.empty()) request.add(HeaderId::if_none_match, tags);
  if (!date.empty()) request.add(HeaderId::if_modified_since, date);
  return true;
}

Confirmed confirmed_by(const ResponseHead& not_modified, std::span<const StoredHead* const> variants,
                       std::size_t selected) {
  constexpr std::size_t kNone = Selection::kNone;
  const bool has_selected = selected < variants.size();
  const std::string_view tag = tag_of(not_modified.headers);
  if (tag.empty()) {
    // No validator, or only a date: it can only be about the one whose date we sent.
    if (!has_selected) return {kNone, false};
    return {selected, !says_otherwise(not_modified, *variants[selected], HeaderId::last_modified)};
  }
  if (has_selected && tags_match_weakly(tag_of(variants[selected]->response.headers), tag)) return {selected, true};
  for (std::size_t i = 0; i < variants.size(); ++i) {
    if (i == selected || !has_a_say(variants, i, selected)) continue;
    if (tags_match_strongly(tag_of(variants[i]->response.headers), tag)) return {i, true};
  }
  // A tag that we never sent. If there was only the selected one to speak of, it is confirmed, but section 4.3.4
  // forbids to update it.
  std::size_t asked = 0;
  for (std::size_t i = 0; i < variants.size(); ++i) asked += i == selected || has_a_say(variants, i, selected);
  return {has_selected && asked == 1 ? selected : kNone, false};
}

namespace {

// What the 304 says may be meant for the one who asked: an echo of a field that we do not know, of a cookie, of Origin.
bool is_for_one(const HeaderMap& request, const HeaderMap& news, const StoredHead& stored) {
  return unkeyed_inputs(request, stored.response.headers) != InputKind::harmless ||
         is_somebodys(request, news, parse_response_directives(stored.response.headers));
}

// Nothing of the answer may show in what is stored: the request may have asked for something else, or the answer is for
// the bearer of a password (section 3.5).
bool says_nothing_to_others(const HeaderMap& request, const HeaderMap& answer, const StoredHead& stored) {
  const HeaderMap& kept = stored.response.headers;
  if (stored.scope == Scope::shared && unkeyed_inputs(request, kept) == InputKind::dangerous) return true;
  return request.has(HeaderId::authorization) &&
         !may_share_authorized(parse_response_directives(answer.has(HeaderId::cache_control) ? answer : kept));
}

bool has(const HeaderMap& all, const HeaderField& wanted) {
  return std::any_of(all.begin(), all.end(), [&wanted](const HeaderField& field) {
    return same_name(field, wanted) && field.value == wanted.value;
  });
}

bool has_all(const HeaderMap& all, const HeaderMap& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&all](const HeaderField& field) { return has(all, field); });
}

void keep_freshness_only(HeaderMap& news) {
  news.remove_if([](const HeaderField& field) {
    return field.id != HeaderId::date && field.id != HeaderId::cache_control && field.id != HeaderId::expires &&
           field.id != HeaderId::age && field.id != HeaderId::vary;
  });
}

}  // namespace

bool freshen(StoredHead& stored, const ResponseHead& not_modified, const HeaderMap& request, const CacheRules& rules,
             WallTime request_time, WallTime response_time) {
  if (says_nothing_to_others(request, not_modified.headers, stored)) return true;
  HeaderMap news = not_modified.headers;
  remove_unkept_fields(news);
  if (stored.scope == Scope::shared && is_for_one(request, not_modified.headers, stored)) keep_freshness_only(news);
  const bool was_public = parse_response_directives(stored.response.headers).is_public;
  const bool is_public = news.has(HeaderId::cache_control) ? parse_response_directives(news).is_public : was_public;
  // A cookie for the one who asked is not for everybody else.
  if (stored.scope == Scope::shared && !is_public) news.remove_if(is_cookie);
  const bool has_vary = news.has(HeaderId::vary);
  update(stored, std::move(news), request_time, response_time);
  HeaderMap& updated = stored.response.headers;
  for (const std::string_view name : restricted_fields(updated)) updated.remove(name);
  updated = compact(updated);
  if (has_vary && vary_matches(stored, request)) {
    HeaderMap again;
    if (record_vary(stored.response.headers, request, again) != VaryRecord::recorded) return false;
    if (stored.scope == Scope::personal) record_unknown_inputs(request, again);
    stored.vary_request = compact(again);
  }
  return may_still_be_kept(stored, parse_response_directives(stored.response.headers), rules);
}

StoredHead head_for_asker(const StoredHead& stored, const ResponseHead& not_modified, bool all,
                          const StoredHead& for_others, WallTime request_time, WallTime response_time) {
  HeaderMap news = not_modified.headers;
  remove_message_fields(news);
  StoredHead head = stored;
  if (all) {
    update(head, std::move(news), request_time, response_time);
  } else {
    for (const HeaderField& field : news)
      if (is_cookie(field)) head.response.headers.add(field.name, field.value);
  }
  if (!has_all(for_others.response.headers, head.response.headers)) head.scope = Scope::personal;
  return head;
}

bool only_confirms(const StoredHead& before, const StoredHead& after) {
  const HeaderMap& old = before.response.headers;
  const HeaderMap& now = after.response.headers;
  const bool untouched = before.response_time == after.response_time && before.invalidated == after.invalidated;
  if (untouched && old.size() == now.size() && has_all(old, now)) return true;
  if (before.invalidated || old.size() != now.size() || !parse_response_directives(now).no_cache) return false;
  if (before.vary_request.size() != after.vary_request.size()) return false;
  return std::all_of(now.begin(), now.end(),
                     [&old](const HeaderField& field) { return field.id == HeaderId::date || has(old, field); });
}

HeadEffect apply_head_answer(StoredHead& stored, const ResponseHead& answer, const HeaderMap& request,
                             const CacheRules& rules, WallTime request_time, WallTime response_time) {
  if (answer.status != 200 || !can_be_asked_about(stored)) return HeadEffect::none;
  if (says_nothing_to_others(request, answer.headers, stored)) return HeadEffect::none;
  const bool another = says_otherwise(answer, stored, HeaderId::etag) ||
                       says_otherwise(answer, stored, HeaderId::last_modified) || has_other_length(answer, stored);
  if (another || !freshen(stored, answer, request, rules, request_time, response_time)) {
    stored.invalidated = true;
    return HeadEffect::invalidated;
  }
  return HeadEffect::updated;
}

}  // namespace outrider
