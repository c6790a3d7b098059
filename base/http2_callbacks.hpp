// What nghttp2 tells an Http2Connection, and asks it for. Exceptions stop here: nghttp2 is C.
#pragma once

#include <nghttp2/nghttp2.h>

namespace outrider {

class Http2Connection;
class Http2Stream;

struct Http2Callbacks {
  static const nghttp2_session_callbacks* table();

  static int begin_frame(nghttp2_session* session, const nghttp2_frame_hd* header, void* user);
  static int begin_headers(nghttp2_session* session, const nghttp2_frame* frame, void* user);
  static int header(nghttp2_session* session, const nghttp2_frame* frame, const std::uint8_t* name,
                    std::size_t name_length, const std::uint8_t* value, std::size_t value_length, std::uint8_t flags,
                    void* user);
  static int frame_received(nghttp2_session* session, const nghttp2_frame* frame, void* user);
  static int data_received(nghttp2_session* session, std::uint8_t flags, std::int32_t id, const std::uint8_t* data,
                           std::size_t length, void* user);
  static int stream_closed(nghttp2_session* session, std::int32_t id, std::uint32_t code, void* user);
  static int frame_sent(nghttp2_session* session, const nghttp2_frame* frame, void* user);
  static int frame_not_sent(nghttp2_session* session, const nghttp2_frame* frame, int error, void* user);
  // How much of a body may go now, and the frame that carries it.
  static ssize_t offer_data(nghttp2_session* session, std::int32_t id, std::uint8_t* buffer, std::size_t length,
                            std::uint32_t* flags, nghttp2_data_source* source, void* user);
  static int send_data(nghttp2_session* session, nghttp2_frame* frame, const std::uint8_t* header, std::size_t length,
                       nghttp2_data_source* source, void* user);

 private:
  static void headers_complete(Http2Connection& connection, const nghttp2_frame& frame);
  static void request_complete(Http2Connection& connection, const nghttp2_frame& frame);
  static void message_complete(Http2Connection& connection, Http2Stream& stream, const nghttp2_frame& frame);
};

}  // namespace outrider
