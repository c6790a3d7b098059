// A headless Chromium as a child process that is spoken to by a pipe (--remote-debugging-pipe: no port that others
// could connect to). It has a profile of its own that is gone with it, the proxy as its only way out, no names of its
// own, and ends when we do. Used by one thread.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/file_descriptor.hpp"

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace outrider {

struct ChromiumOptions {
  std::string program;
  std::string proxy;         // "127.0.0.1:8282"
  std::string trusted_spki;  // base64 of the SHA-256 of a key: certificates that are signed with it are fine; "" = none
  bool without_sandbox = false;
  const std::atomic<bool>* cancelled = nullptr;  // true: nobody wants the answers any more
};

// For trusted_spki, of a certificate in PEM; "" = it is none.
std::string spki_digest(const std::string& pem);

// The one that is to be used; "" = there is none. `wanted` as in the settings.
std::string find_chromium(const std::string& wanted);

class ChromiumProcess {
 public:
  static Result<std::unique_ptr<ChromiumProcess>> start(const ChromiumOptions& options);
  ~ChromiumProcess();  // kills it and all that it started
  ChromiumProcess(const ChromiumProcess&) = delete;
  ChromiumProcess& operator=(const ChromiumProcess&) = delete;

  // Messages end with a NUL, which is not part of them.
  Result<void> send(std::string_view message, Deadline until);
  Result<std::string> receive(Deadline until);
  pid_t pid() const { return pid_; }

  static constexpr std::size_t kLargestMessage = 4 << 20;

 private:
  ChromiumProcess(FileDescriptor to, FileDescriptor from, std::filesystem::path folder,
                  const std::atomic<bool>* cancelled)
      : to_(std::move(to)), from_(std::move(from)), folder_(std::move(folder)), cancelled_(cancelled) {}
  Result<void> wait(int fd, short events, Deadline until) const;

  pid_t pid_ = -1;
  const FileDescriptor to_, from_;
  const std::filesystem::path folder_;
  const std::atomic<bool>* const cancelled_;
  std::string received_;
};

std::vector<std::string> chromium_arguments(const ChromiumOptions& options, const std::string& folder);

}  // namespace outrider
