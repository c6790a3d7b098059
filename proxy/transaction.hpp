// One request and its answer: who asks, may they, what is asked of whom, and the way back. Everything before the
// exchange and behind it that is not caching.
#pragma once

#include "base/http_client.hpp"
#include "base/url.hpp"
#include "cache/exchange_response.hpp"
#include "proxy/access.hpp"
#include "proxy/exchange_id.hpp"
#include "proxy/exchange_record.hpp"
#include "proxy/intercept_rules.hpp"
#include "proxy/memory_tap.hpp"
#include "proxy/responder.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace outrider {

class ClientSide;
class PageTransform;
class PluginExchange;
struct PluginAnswer;

class Transaction {
 public:
  explicit Transaction(ClientSide& client);
  ~Transaction();  // records what was cut off

  Task<> run();
  // To be called when it is over: counters always, a record only if somebody listens.
  void record();

 private:
  Task<bool> admitted(std::optional<Admission> admission);  // false: refused, and said so
  Task<> forward(const Url& url);
  Task<> connect();
  Task<Result<void>> confirm_tunnel();
  Task<> pass_unseen(std::string host, std::uint16_t port);
  // intercept_tunnel.cpp
  Result<TunnelFate> fate_of(const std::string& host, std::uint16_t port);
  Task<> intercept(std::string host, std::uint16_t port);
  Task<bool> speaks_tls(Stream& client, bool& tls);
  void prepare_origin(const std::string& host, std::uint16_t port);
  void handshake_failed(Stream& client, const std::string& host, const Error& error);
  Task<> answer_own_site(std::string_view path, bool through_proxy);
  Task<bool> may_use_the_proxy();
  Task<> answer_switch(const struct OwnSiteContext& context);  // whether HTTPS may be opened
  Task<Result<std::string>> read_small_body(std::size_t most);
  // transaction_web.cpp: the API and the monitor
  Task<> answer_web(std::string_view path_and_query, const struct OwnSiteContext& context);
  Task<> send_stream(struct WebAnswer answer);
  Task<> answer_as_final_recipient();  // OPTIONS and TRACE whose Max-Forwards has run out
  Task<> refuse(Error error);
  Task<> send(const Answer& answer);

  bool names_ourselves(std::string_view host, std::uint16_t port) const;
  void prepare_request(RequestHead& head);
  void prepare_response(ExchangeResponse& response);
  Task<> relay_response(ExchangeResponse& response, MemoryTap& tap);
  Task<Result<void>> relay_body(ExchangeResponse& response, MemoryTap& tap);
  bool pass_on(std::string_view bytes, ExchangeResponse& response, MemoryTap& tap);
  std::string who() const;  // as the memory knows people
  // Where this request may go: with the robot's rules if nobody asked for the page (plugins/api/proxy_user.hpp).
  const std::shared_ptr<const AddressPolicy>& address_policy() const;
  void note_safe_query(const Url& url, ExchangeResponse& response);
  // transaction_page.cpp: what plugins do
  Task<> send_plugin_answer(const PluginAnswer& given);
  Task<> send_plugin_stream(PluginAnswer given);
  Task<> answer_plugin_resource(std::string_view path);
  Task<> answer_plugin_document(std::string_view path, const struct OwnSiteContext& context);
  Task<Result<void>> relay_page(ExchangeResponse& response, PageTransform& page, MemoryTap& tap);
  Task<> switch_protocols(ExchangeResponse& response);
  Task<> pass_on_informational(const ResponseHead& head);
  ErrorContext error_context();

  ClientSide& client_;
  RequestHead& request_;
  const Method method_;
  const HttpVersion client_version_;
  const SteadyTime begin_;
  const ExchangeId id_;
  UserName user_;     // who asks; nullptr = nobody in particular
  std::string host_;  // whom for, as far as it is known: "host:port"
  int status_ = 0;    // 0: no answer was given
  std::uint64_t bytes_in_ = 0;
  std::uint64_t bytes_out_ = 0;
  std::string_view cache_verdict_;
  std::optional<CacheVerdict> exchange_verdict_;  // absent: the cache was not asked
  std::optional<Error> error_;
  ClientTimings timings_;
  ExchangeRecord::Fields response_fields_;   // only while somebody watches
  std::unique_ptr<PluginExchange> plugins_;  // nullptr: no plugin wants to see this
  std::string accept_;
  std::string cache_status_;  // of a failure, for its answer; "" = no cache was asked
  std::string upgrade_;       // the protocol the client wants to switch to; "" = none
  bool wants_continue_ = false;
  bool uploads_ = false;  // the client side counts the bytes of the request's body
  bool recorded_ = false;
};

}  // namespace outrider
