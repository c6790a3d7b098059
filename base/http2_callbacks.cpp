#include "base/http2_callbacks.hpp"

#include "base/http2_connection.hpp"
#include "base/spare_text.hpp"

#include <new>

namespace outrider {
namespace {

constexpr std::size_t kWorthARoom = 4096;  // more will follow

Http2Connection& connection_of(void* user) {
  return *static_cast<Http2Connection*>(user);
}

// Nothing but memory can run out here.
template <class Work>
int guarded(Work&& work) noexcept {
  try {
    work();
    return 0;
  } catch (...) {
    return NGHTTP2_ERR_CALLBACK_FAILURE;
  }
}

bool ends_stream(const nghttp2_frame& frame) {
  return (frame.hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
}

// nghttp2 would leave out a field that it does not like and go on; we do not (RFC 9113 section 8.2.1).
int invalid_header(nghttp2_session*, const nghttp2_frame*, const std::uint8_t*, std::size_t, const std::uint8_t*,
                   std::size_t, std::uint8_t, void*) {
  return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
}

nghttp2_session_callbacks* make_table() {
  nghttp2_session_callbacks* made = nullptr;
  if (nghttp2_session_callbacks_new(&made) != 0) throw std::bad_alloc{};
  nghttp2_session_callbacks_set_on_begin_frame_callback(made, Http2Callbacks::begin_frame);
  nghttp2_session_callbacks_set_on_begin_headers_callback(made, Http2Callbacks::begin_headers);
  nghttp2_session_callbacks_set_on_header_callback(made, Http2Callbacks::header);
  nghttp2_session_callbacks_set_on_invalid_header_callback(made, invalid_header);
  nghttp2_session_callbacks_set_on_frame_recv_callback(made, Http2Callbacks::frame_received);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(made, Http2Callbacks::data_received);
  nghttp2_session_callbacks_set_on_stream_close_callback(made, Http2Callbacks::stream_closed);
  nghttp2_session_callbacks_set_on_frame_send_callback(made, Http2Callbacks::frame_sent);
  nghttp2_session_callbacks_set_on_frame_not_send_callback(made, Http2Callbacks::frame_not_sent);
  nghttp2_session_callbacks_set_send_data_callback(made, Http2Callbacks::send_data);
  return made;
}

}  // namespace

const nghttp2_session_callbacks* Http2Callbacks::table() {
  static nghttp2_session_callbacks* const table = make_table();
  return table;
}

int Http2Callbacks::begin_frame(nghttp2_session* session, const nghttp2_frame_hd* header, void* user) {
  const bool empty_data =
      header->type == NGHTTP2_DATA && header->length == 0 && (header->flags & NGHTTP2_FLAG_END_STREAM) == 0;
  const bool moves_something = header->type == NGHTTP2_DATA || header->type == NGHTTP2_HEADERS ||
                               header->type == NGHTTP2_CONTINUATION || header->type == NGHTTP2_WINDOW_UPDATE;
  if (empty_data || !moves_something) connection_of(user).frivolous_frame();
  // nghttp2 does not look at PRIORITY at all where RFC 9218 is in use.
  if (header->type == NGHTTP2_PRIORITY && header->stream_id == 0)
    nghttp2_session_terminate_session(session, NGHTTP2_PROTOCOL_ERROR);
  return 0;
}

int Http2Callbacks::begin_headers(nghttp2_session*, const nghttp2_frame*, void* user) {
  connection_of(user).block_.clear();
  return 0;
}

int Http2Callbacks::header(nghttp2_session*, const nghttp2_frame*, const std::uint8_t* name, std::size_t name_length,
                           const std::uint8_t* value, std::size_t value_length, std::uint8_t, void* user) {
  return guarded([&] {
    connection_of(user).block_.add({reinterpret_cast<const char*>(name), name_length},
                                   {reinterpret_cast<const char*>(value), value_length});
  });
}

int Http2Callbacks::frame_received(nghttp2_session*, const nghttp2_frame* frame, void* user) {
  Http2Connection& connection = connection_of(user);
  return guarded([&] {
    switch (frame->hd.type) {
      case NGHTTP2_HEADERS:
        headers_complete(connection, *frame);
        break;
      case NGHTTP2_DATA:
        if (ends_stream(*frame)) {
          if (Http2Stream* stream = connection.find(frame->hd.stream_id)) stream->ended_by_peer();
        }
        break;
      case NGHTTP2_SETTINGS:
        if ((frame->hd.flags & NGHTTP2_FLAG_ACK) == 0) {
          connection.peer_settled_ = true;
          connection.settled_.notify();
        }
        break;
      default:
        break;
    }
  });
}

void Http2Callbacks::headers_complete(Http2Connection& connection, const nghttp2_frame& frame) {
  if (frame.headers.cat == NGHTTP2_HCAT_REQUEST) {
    request_complete(connection, frame);
    return;
  }
  if (Http2Stream* stream = connection.find(frame.hd.stream_id)) message_complete(connection, *stream, frame);
}

void Http2Callbacks::request_complete(Http2Connection& connection, const nghttp2_frame& frame) {
  auto stream = std::make_shared<Http2Stream>(connection, connection.side());
  stream->id_ = frame.hd.stream_id;
  stream->request_.emplace(connection.block_.take_request(ends_stream(frame)));
  stream->receive_ended_ = ends_stream(frame);
  connection.add_stream(stream);
  const bool malformed = !*stream->request_ && stream->request_->error().kind == ErrorKind::bad_message;
  if (malformed) {  // RFC 9113 section 8.1.1
    connection.reset_stream(*stream, NGHTTP2_PROTOCOL_ERROR);
  } else {
    connection.arrived_.push_back(std::move(stream));
  }
}

// A response, or the trailers behind a body.
void Http2Callbacks::message_complete(Http2Connection& connection, Http2Stream& stream, const nghttp2_frame& frame) {
  const bool ended = ends_stream(frame);
  std::optional<Error> fault;
  if (connection.role_ == Http2Connection::Role::server || stream.final_head_) {
    Result<HeaderMap> trailers = connection.block_.take_trailers(connection.side());
    if (trailers) {
      stream.trailers_ = std::move(*trailers);
    } else {
      fault = trailers.error();
    }
  } else {
    Result<Http2Block::Response> head = connection.block_.take_response(ended, stream.method_);
    if (!head) {
      fault = head.error();
    } else if (stream.heads_.size() >= Http2Stream::kInformationalAtMost) {
      fault = Error{ErrorKind::bad_message, connection.side(), "too many informational responses"};
    } else {
      stream.final_head_ = !head->head.is_informational();
      stream.heads_.push_back(std::move(*head));
      stream.changed_.notify();
    }
  }
  if (fault) {
    stream.error_ = std::move(fault);
    connection.reset_stream(stream, NGHTTP2_PROTOCOL_ERROR);
    stream.changed_.notify();
  } else if (ended) {
    stream.ended_by_peer();
  }
}

int Http2Callbacks::data_received(nghttp2_session* session, std::uint8_t, std::int32_t id, const std::uint8_t* data,
                                  std::size_t length, void* user) {
  Http2Connection& connection = connection_of(user);
  return guarded([&] {
    Http2Stream* stream = connection.find(id);
    if (stream == nullptr || stream->error_) {  // nobody will read it
      nghttp2_session_consume(session, id, length);
      return;
    }
    if (length >= kWorthARoom) lend_room(stream->received_);
    stream->received_.append(reinterpret_cast<const char*>(data), length);
    connection.data_received(length);
    stream->changed_.notify();
  });
}

int Http2Callbacks::stream_closed(nghttp2_session*, std::int32_t id, std::uint32_t code, void* user) {
  return guarded([&] { connection_of(user).remove_stream(id, code); });
}

int Http2Callbacks::frame_sent(nghttp2_session*, const nghttp2_frame* frame, void* user) {
  const bool may_end = frame->hd.type == NGHTTP2_DATA || frame->hd.type == NGHTTP2_HEADERS;
  if (!may_end || !ends_stream(*frame)) return 0;
  if (Http2Stream* stream = connection_of(user).find(frame->hd.stream_id)) {
    stream->all_sent_ = true;
    stream->changed_.notify();
  }
  return 0;
}

// A request that could not be sent any more, because the origin has said GOAWAY: it is as if it had been refused.
int Http2Callbacks::frame_not_sent(nghttp2_session*, const nghttp2_frame* frame, int, void* user) {
  if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
  return guarded([&] { connection_of(user).remove_stream(frame->hd.stream_id, NGHTTP2_REFUSED_STREAM); });
}

ssize_t Http2Callbacks::offer_data(nghttp2_session* session, std::int32_t id, std::uint8_t*, std::size_t length,
                                   std::uint32_t* flags, nghttp2_data_source*, void* user) {
  Http2Stream* stream = connection_of(user).find(id);
  if (stream == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  const std::size_t offered = std::min(length, stream->unsent());
  if (offered == 0 && !stream->send_ended_) {
    stream->deferred_ = true;
    return NGHTTP2_ERR_DEFERRED;
  }
  *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
  if (offered == stream->unsent() && stream->send_ended_) {
    *flags |= NGHTTP2_DATA_FLAG_EOF;
    if (!stream->send_trailers_.empty()) {
      *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
      const int submitted = guarded([&] {
        Http2Fields fields;
        fields.set_trailers(stream->send_trailers_);
        nghttp2_submit_trailer(session, id, fields.data(), fields.size());
      });
      if (submitted != 0) return submitted;
    }
  }
  return static_cast<ssize_t>(offered);
}

int Http2Callbacks::send_data(nghttp2_session*, nghttp2_frame* frame, const std::uint8_t* header, std::size_t length,
                              nghttp2_data_source*, void* user) {
  Http2Connection& connection = connection_of(user);
  if (connection.output_full()) return NGHTTP2_ERR_WOULDBLOCK;
  Http2Stream* stream = connection.find(frame->hd.stream_id);
  if (stream == nullptr || stream->unsent() < length) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  return guarded([&] {
    constexpr std::size_t kFrameHeader = 9;
    connection.out_.append(reinterpret_cast<const char*>(header), kFrameHeader);
    stream->take(length, connection.out_);
  });
}

// --- what a stream has to tell nghttp2

bool Http2Stream::send_request(const RequestHead& head, std::string_view scheme, std::string_view path, bool ends) {
  method_ = head.method;
  Http2Fields fields;
  fields.set_request(head, scheme, path);
  return submit_request(fields, ends);
}

bool Http2Stream::send_extended_connect(const RequestHead& head, std::string_view protocol, std::string_view path) {
  method_ = Method::connect;
  Http2Fields fields;
  fields.set_request(head, "https", path, protocol);
  return submit_request(fields, false);
}

bool Http2Stream::submit_request(const Http2Fields& fields, bool ends) {
  if (closed()) return false;
  nghttp2_data_provider provider{};
  provider.read_callback = Http2Callbacks::offer_data;
  const std::int32_t id = nghttp2_submit_request(connection_->session_, nullptr, fields.data(), fields.size(),
                                                 ends ? nullptr : &provider, nullptr);
  connection_ended_ = id < 0;  // it takes no more of them
  if (id < 0) return false;
  id_ = id;
  send_ended_ = ends;
  connection_->add_stream(shared_from_this());
  connection_->want_write();
  return true;
}

bool Http2Stream::send_response(const ResponseHead& head, bool ends) {
  if (closed()) return false;
  Http2Fields fields;
  fields.set_response(head);
  nghttp2_data_provider provider{};
  provider.read_callback = Http2Callbacks::offer_data;
  send_ended_ = ends;
  head_sent_ = nghttp2_submit_response(connection_->session_, id_, fields.data(), fields.size(),
                                       ends ? nullptr : &provider) == 0;
  connection_->want_write();
  return head_sent_;
}

bool Http2Stream::send_informational(const ResponseHead& head) {
  if (closed()) return false;
  Http2Fields fields;
  fields.set_response(head);
  const int submitted = nghttp2_submit_headers(connection_->session_, NGHTTP2_FLAG_NONE, id_, nullptr, fields.data(),
                                               fields.size(), nullptr);
  connection_->want_write();
  return submitted >= 0;
}

void Http2Stream::resume() {
  if (closed()) return;
  if (deferred_) {
    deferred_ = false;
    nghttp2_session_resume_data(connection_->session_, id_);
  }
  connection_->want_write();
}

}  // namespace outrider
