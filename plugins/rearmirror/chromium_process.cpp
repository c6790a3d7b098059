#include "plugins/rearmirror/chromium_process.hpp"

#include "plugins/api/proxy_user.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace outrider {
namespace {

namespace fs = std::filesystem;

// Where Chromium expects them.
constexpr int kReads = 3;
constexpr int kWrites = 4;
constexpr int kLookEvery = 100;  // milliseconds: whether anybody still waits
constexpr rlim_t kLargestFile = 256 << 20;
// What pages expect of a browser; the mark of previews follows.
constexpr std::string_view kUserAgent =
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36";

Error io_error(std::string_view what) {
  return {ErrorKind::io, Side::self, fmt::format("cannot {}: {}", what, std::strerror(errno))};
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

// Between fork and exec: nothing that allocates or locks, since another thread may have been in the middle of it.
[[noreturn]] void become_chromium(int reads, int writes, char* const* arguments, char* const* environment) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  const rlimit files{kLargestFile, kLargestFile};
  ::setrlimit(RLIMIT_FSIZE, &files);
  if (::nice(10) == -1) {  // then it is as quick as we are
  }
  const int nothing = ::open("/dev/null", O_RDWR);
  ::dup2(nothing, 0);
  ::dup2(nothing, 1);
  ::dup2(nothing, 2);
  ::dup2(reads, kReads);
  ::dup2(writes, kWrites);
  ::syscall(SYS_close_range, kWrites + 1, ~0U, 0);
  ::execve(arguments[0], arguments, environment);
  ::_exit(127);
}

// Out of the way of those that the child needs.
FileDescriptor moved_up(int fd) {
  FileDescriptor low{fd};
  return FileDescriptor{::fcntl(low.get(), F_DUPFD_CLOEXEC, 64)};
}

bool is_program(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::string spki_digest(const std::string& pem) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> bio{BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())),
                                                      &BIO_free};
  const std::unique_ptr<X509, decltype(&X509_free)> certificate{
      bio ? PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr) : nullptr, &X509_free};
  if (!certificate) return {};
  unsigned char* der = nullptr;
  const int size = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate.get()), &der);
  if (size <= 0) return {};
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned length = 0;
  EVP_Digest(der, static_cast<std::size_t>(size), digest, &length, EVP_sha256(), nullptr);
  OPENSSL_free(der);
  unsigned char text[4 * EVP_MAX_MD_SIZE];
  const int written = EVP_EncodeBlock(text, digest, static_cast<int>(length));
  return {reinterpret_cast<char*>(text), static_cast<std::size_t>(written)};
}

std::string find_chromium(const std::string& wanted) {
  if (wanted == "none") return {};
  if (!wanted.empty()) return is_program(wanted) ? wanted : std::string{};
  for (const char* folder : {"/usr/bin", "/usr/local/bin", "/snap/bin"})
    for (const char* name : {"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"})
      if (const fs::path path = fs::path{folder} / name; is_program(path)) return path.string();
  return {};
}

std::vector<std::string> chromium_arguments(const ChromiumOptions& options, const std::string& folder) {
  std::vector<std::string> arguments{
      options.program, "--headless=new", "--remote-debugging-pipe", "--user-data-dir=" + folder + "/profile",
      "--proxy-server=http://" + options.proxy,
      "--proxy-bypass-list=<-loopback>",  // also what is on this machine
      fmt::format("--user-agent={} {}", kUserAgent, kPreviewAgent),
      // The proxy finds out where names lead; nothing else is to be asked.
      "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE ::1",
      "--force-webrtc-ip-handling-policy=disable_non_proxied_udp", "--disable-quic", "--incognito", "--no-first-run",
      "--no-default-browser-check", "--no-pings", "--disable-gpu", "--disable-extensions", "--disable-plugins",
      "--disable-sync", "--disable-background-networking", "--disable-component-update", "--disable-default-apps",
      "--disable-domain-reliability", "--disable-breakpad", "--disable-dev-shm-usage", "--disable-notifications",
      "--disable-features=Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider", "--mute-audio",
      "--deny-permission-prompts", "--block-new-web-contents", "--password-store=basic", "--use-mock-keychain",
      "--renderer-process-limit=2", "--disk-cache-size=1048576", "--window-size=1024,768", "--hide-scrollbars"};
  if (!options.trusted_spki.empty())
    arguments.push_back("--ignore-certificate-errors-spki-list=" + options.trusted_spki);
  if (options.without_sandbox) arguments.push_back("--no-sandbox");
  arguments.push_back("about:blank");
  return arguments;
}

Result<std::unique_ptr<ChromiumProcess>> ChromiumProcess::start(const ChromiumOptions& options) {
  if (::geteuid() == 0 && !options.without_sandbox)
    return Error{ErrorKind::unsupported, Side::self, "the sandbox of Chromium does not work for root"};
  int to[2] = {-1, -1};
  int from[2] = {-1, -1};
  // A socket, because writing to a pipe whose reader has gone is a signal.
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, to) != 0) return io_error("make a socket");
  const FileDescriptor reads = moved_up(to[0]);
  FileDescriptor ours_to = moved_up(to[1]);
  if (::pipe2(from, O_CLOEXEC) != 0) return io_error("make a pipe");
  FileDescriptor ours_from = moved_up(from[0]);
  const FileDescriptor writes = moved_up(from[1]);
  if (!reads.is_open() || !writes.is_open() || !ours_to.is_open() || !ours_from.is_open())
    return io_error("move a pipe");
  ::fcntl(ours_to.get(), F_SETFL, O_NONBLOCK);
  ::fcntl(ours_from.get(), F_SETFL, O_NONBLOCK);

  std::string folder = (fs::temp_directory_path() / "outrider-mirror-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) return io_error("make a folder for Chromium");
  std::unique_ptr<ChromiumProcess> made{
      new ChromiumProcess{std::move(ours_to), std::move(ours_from), folder, options.cancelled}};
  std::vector<std::string> arguments = chromium_arguments(options, folder);
  // Nothing of ours: neither secrets nor the person's settings.
  std::vector<std::string> environment{"PATH=/usr/bin:/bin",        "HOME=" + folder,
                                       "TMPDIR=" + folder,          "LANG=C.UTF-8",
                                       "XDG_CONFIG_HOME=" + folder, "XDG_CACHE_HOME=" + folder};
  const std::vector<char*> argument_list = pointers(arguments);
  const std::vector<char*> environment_list = pointers(environment);
  const pid_t child = ::fork();
  if (child < 0) return io_error("start Chromium");
  if (child == 0) become_chromium(reads.get(), writes.get(), argument_list.data(), environment_list.data());
  ::setpgid(child, child);  // whoever comes first
  made->pid_ = child;
  return made;
}

ChromiumProcess::~ChromiumProcess() {
  if (pid_ > 0) {
    ::kill(-pid_, SIGKILL);
    ::kill(pid_, SIGKILL);
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
  }
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

Result<void> ChromiumProcess::wait(int fd, short events, Deadline until) const {
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(until.at() - Clock::system().steady()).count();
  if (left <= 0) return Error{ErrorKind::timeout, Side::self, "Chromium did not answer in time"};
  if (cancelled_ != nullptr && *cancelled_) return Error{ErrorKind::cancelled, Side::self, "nobody waits any more"};
  pollfd waited{fd, events, 0};
  const int ready = ::poll(&waited, 1, static_cast<int>(std::min<long long>(left, kLookEvery)));
  if (ready < 0 && errno != EINTR) return io_error("wait for Chromium");
  return {};
}

Result<void> ChromiumProcess::send(std::string_view message, Deadline until) {
  std::string all{message};
  all += '\0';
  std::string_view rest = all;
  while (!rest.empty()) {
    const ssize_t count = ::send(to_.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (count > 0) {
      rest.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN) {
      if (Result<void> ready = wait(to_.get(), POLLOUT, until); !ready) return ready;
    } else if (errno != EINTR) {
      return io_error("speak to Chromium");
    }
  }
  return {};
}

Result<std::string> ChromiumProcess::receive(Deadline until) {
  std::size_t looked_at = 0;
  for (;;) {
    if (const std::size_t end = received_.find('\0', looked_at); end != std::string::npos) {
      std::string message = received_.substr(0, end);
      received_.erase(0, end + 1);
      return message;
    }
    looked_at = received_.size();
    if (looked_at > kLargestMessage) return Error{ErrorKind::body_too_large, Side::self, "Chromium talks too much"};
    char piece[65536];
    const ssize_t count = ::read(from_.get(), piece, sizeof piece);
    if (count > 0) {
      received_.append(piece, static_cast<std::size_t>(count));
    } else if (count == 0) {
      return Error{ErrorKind::closed_early, Side::self, "Chromium has ended"};
    } else if (errno == EAGAIN) {
      if (Result<void> ready = wait(from_.get(), POLLIN, until); !ready) return ready.error();
    } else if (errno != EINTR) {
      return io_error("listen to Chromium");
    }
  }
}

}  // namespace outrider
