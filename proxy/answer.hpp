// A complete answer that the proxy gives itself, as a value: the session only has to write it.
// Made by proxy/responder (failures) and proxy/own_site (pages at our own address).
#pragma once

#include "base/http_message.hpp"

#include <string>
#include <string_view>

namespace outrider {

struct Answer {
  ResponseHead head;   // complete: Content-Length, Date and the security fields are in it
  std::string body;    // empty for HEAD
  bool close = false;  // the head announces it: close the connection behind this answer
};

// What every answer of ours has in common, whatever it says.
struct AnswerFrame {
  Method method = Method::get;  // HEAD: the length is announced, the body is not sent
  std::string_view date;        // of now, as DateCache has it; left out if empty
  bool close = false;
  std::string_view cache_status{};  // a member of Cache-Status (RFC 9211); empty: no cache was asked
};

// Fills in everything but the fields that are special to one answer. Nothing of ours is ever stored by a cache, sniffed
// for another type, or framed.
Answer make_answer(int status, std::string_view content_type, std::string body, const AnswerFrame& frame);

}  // namespace outrider
