// What the commands say: results on standard output, complaints on standard error, and the exit codes.
#pragma once

#include <string>
#include <string_view>

namespace outrider::cli {

inline constexpr int kSuccess = 0;
inline constexpr int kFailure = 1;  // it was meant well, but did not work
inline constexpr int kUsage = 2;    // a wrong option, key or value

// One line on standard error: "outrider: …". Control characters are escaped.
void complain(std::string_view message);

// What is for eyes alone and no line of its own, on standard error as it is: how far something is.
void write_error_stream(std::string_view text);
inline constexpr std::string_view kClearLine = "\r\x1b[K";  // on a terminal

// At the start of main: a closed standard stream is occupied, lest the next file opened takes its number and receives
// what is meant for people; and a reader that leaves is an error code instead of a signal.
void secure_standard_streams();

// Buffered standard output. A reader that has left (`outrider config default | head -1`) is no error: closed() tells a
// loop to stop, and finish() is quiet about it.
class Output {
 public:
  void write(std::string_view text);
  void line(std::string_view text) {
    write(text);
    write("\n");
  }
  void flush();
  bool closed() const { return error_ != 0; }

  // Flushes; returns the exit code, having complained if the output could not be written.
  int finish(int code = kSuccess);

 private:
  std::string buffer_;
  int error_ = 0;  // errno of the first failed write
};

}  // namespace outrider::cli
