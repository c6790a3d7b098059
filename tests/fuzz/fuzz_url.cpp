// URLs: any bytes as input, base and setter value. The first line of the data is the base, the second the value that is
// set, the rest is parsed. Checks: the serialisation parses to itself; the fast and the general parser agree; whatever
// a setter does, the result parses to itself; a canonical key is its own key; the other readers of URLs do not crash.
#include "base/canonical_key.hpp"
#include "base/url.hpp"
#include "base/url_inspect.hpp"
#include "base/url_parser.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace {

using outrider::CanonicalOptions;
using outrider::Result;
using outrider::Url;
using outrider::UrlParser;

void require(bool ok) {
  if (!ok) __builtin_trap();
}

void require_same(const Url& a, const Url& b) {
  require(a.href() == b.href() && a.protocol() == b.protocol() && a.username() == b.username());
  require(a.password() == b.password() && a.host() == b.host() && a.hostname() == b.hostname());
  require(a.port() == b.port() && a.pathname() == b.pathname() && a.query() == b.query() &&
          a.fragment() == b.fragment());
  require(a.host_kind() == b.host_kind() && a.has_opaque_path() == b.has_opaque_path() && a.origin() == b.origin());
}

void require_stable(const Url& url) {
  const Result<Url> again = Url::parse(url.href());
  require(again.has_value());
  require_same(*again, url);
  for (char c : url.href()) require(static_cast<unsigned char>(c) >= 0x20 && static_cast<unsigned char>(c) < 0x7F);
}

void require_stable_key(const Url& url, const CanonicalOptions& options) {
  const std::string key = canonical_key(url, options);
  const Result<Url> parsed = Url::parse(key);
  require(parsed.has_value() && parsed->href() == key && canonical_key(*parsed, options) == key);
}

std::string_view take_line(std::string_view& data) {
  const std::size_t end = data.find('\n');
  if (end == std::string_view::npos) return {};
  const std::string_view line = data.substr(0, end);
  data.remove_prefix(end + 1);
  return line;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  std::string_view data(reinterpret_cast<const char*>(bytes), size);
  const std::string_view base_text = take_line(data);
  const std::string_view value = take_line(data);
  const std::unique_ptr<char[]> exact(new char[data.size()]);  // the last part ends where the allocation does
  std::copy(data.begin(), data.end(), exact.get());
  const std::string_view input(exact.get(), data.size());

  const Result<Url> base = Url::parse(base_text);
  const Url* base_or_null = base ? &*base : nullptr;
  const Result<Url> url = Url::parse(input, base_or_null);
  UrlParser general(input, base_or_null, {});
  require((general.run() == nullptr) == url.has_value());
  (void)outrider::inspect_url_ndjson_line(input);
  (void)outrider::parse_host(input, true);
  (void)Url::parse(input, base_or_null, value.substr(0, 16));
  if (!url) return 0;
  require_same(general.take(), *url);
  require_stable(*url);
  (void)url->registrable_domain();

  static const CanonicalOptions kEverything = [] {
    CanonicalOptions options;
    options.drop_directory_index = options.drop_trailing_slash = options.sort_query = true;
    return options;
  }();
  static const CanonicalOptions kDefault;
  require_stable_key(*url, kDefault);
  require_stable_key(*url, kEverything);

  using Setter = bool (Url::*)(std::string_view);
  for (Setter set : {&Url::set_protocol, &Url::set_username, &Url::set_password, &Url::set_host, &Url::set_hostname,
                     &Url::set_port, &Url::set_pathname, &Url::set_search, &Url::set_hash, &Url::set_href}) {
    Url changed = *url;
    const bool taken = (changed.*set)(value);
    if (!taken) require(changed == *url);
    require_stable(changed);
  }
  Url changed = *url;  // and one after the other
  changed.set_host(value);
  changed.set_pathname(value);
  changed.set_search(value);
  changed.set_protocol("foo");
  require_stable(changed);
  return 0;
}
