// What a client of the event stream sends over WebSocket: whatever it is and however it is cut, the same verdict, no
// reply that is longer than what was asked, and nothing after the end.
#include "proxy/websocket_frames.hpp"
#include "tests/fuzz/require.hpp"

#include <cstdint>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace outrider;
  const std::string_view bytes{reinterpret_cast<const char*>(data), size};
  WebSocketReader whole;
  std::string reply;
  const bool goes_on = whole.feed(bytes, reply);
  require(reply.size() <= bytes.size() + 4);

  WebSocketReader one_by_one;
  std::string again;
  bool still = true;
  for (std::size_t i = 0; i < size && still; ++i) still = one_by_one.feed(bytes.substr(i, 1), again);
  require(still == goes_on && again == reply);
  return 0;
}
