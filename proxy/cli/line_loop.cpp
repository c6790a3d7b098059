#include "proxy/cli/line_loop.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <vector>

namespace outrider::cli {
namespace {

constexpr std::size_t kReadSize = 256 * 1024;

class Lines {
 public:
  Lines(Output& out, const std::function<std::string(std::string_view)>& answer, std::string_view too_long)
      : out_(out), answer_(answer), too_long_(too_long) {}

  void feed(std::string_view data) {
    while (!out_.closed()) {
      const std::size_t end = data.find('\n');
      if (end == std::string_view::npos) break;
      finish_line(data.substr(0, end));
      data.remove_prefix(end + 1);
    }
    keep(data);
  }

  void end() { finish_line({}); }

 private:
  // The beginning of a line whose end has not been read yet.
  void keep(std::string_view part) {
    overlong_ = overlong_ || part_.size() + part.size() > kLongestLine;
    if (overlong_) {
      part_.clear();
    } else {
      part_ += part;
    }
  }

  void finish_line(std::string_view rest) {
    if (overlong_ || !part_.empty() || rest.size() > kLongestLine) {
      keep(rest);
      rest = part_;
    }
    if (overlong_) {
      out_.line(too_long_);
    } else {
      if (rest.ends_with('\r')) rest.remove_suffix(1);
      if (!rest.empty()) out_.line(answer_(rest));
    }
    part_.clear();
    overlong_ = false;
  }

  Output& out_;
  const std::function<std::string(std::string_view)>& answer_;
  std::string_view too_long_;
  std::string part_;
  bool overlong_ = false;
};

}  // namespace

int answer_lines(Output& out, const std::function<std::string(std::string_view line)>& answer,
                 std::string_view too_long) {
  Lines lines(out, answer, too_long);
  std::vector<char> buffer(kReadSize);
  while (!out.closed()) {
    const ssize_t got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      complain(fmt::format("cannot read standard input: {}", std::generic_category().message(errno)));
      return out.finish(kFailure);
    }
    if (got == 0) break;
    lines.feed({buffer.data(), static_cast<std::size_t>(got)});
    out.flush();  // all that was asked so far is answered before waiting for more
  }
  lines.end();
  return out.finish();
}

}  // namespace outrider::cli
