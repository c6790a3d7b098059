// Runs a fuzz target without libFuzzer, the same way every time, so that it can be an ordinary test in every preset:
// first each file of the corpus as it is, then seeded mutations of them. What tests/fuzz/run finds and is kept in the
// corpus stays found.
//
//   fuzz_NAME [--mutations N] [--seed N] [--save DIRECTORY] CORPUS...
//
// CORPUS is a directory or a file (so a saved crash is reproduced with `--mutations 0 FILE`). A crash, failed check or
// hang leaves its input in a file, whose name is printed.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
// The sanitizers' own name; absent without one.
// NOLINTNEXTLINE(bugprone-reserved-identifier)
extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)());

namespace {

using Bytes = std::string;

constexpr std::size_t kLargestMutant = 64 * 1024;
constexpr unsigned kSecondsPerInput = 60;  // under a sanitizer on a busy machine; longer is a hang

// Pieces that parsers of URLs and HTTP care about.
// clang-format off
constexpr std::string_view kTokens[] = {
    "\r\n", "\n", "\r", "\r\n\r\n", {"\0", 1}, " ", "\t", ":", ";", ",", "=", "\"",
    "/", "//", "/../", "%2e%2e/", "\\", "?", "#", "@", "[", "]", "[::1]", "%", "%00", "%zz", "|",
    "\x7f", "\x80", "\xff", "\xc3\xa4", "\xef\xbf\xbd", "\xe2\x80\x8d", "xn--", "0x7f.1", "127.1",
    "http:", "https://", "file:", "data:",
    "0", "-1", "+1", "0x1", "65536", "4294967296", "18446744073709551615", "18446744073709551616", "ffffffffffffffff",
    "10000000000000000",
    "GET ", "HEAD ", "CONNECT ", "HTTP/1.0", "HTTP/1.1", "HTTP/2.0", " HTTP/1.1\r\n", "HTTP/1.1 100 Continue\r\n\r\n",
    "HTTP/1.1 204 \r\n", "Host: a\r\n", "Content-Length: 5\r\n", "Content-Length: 5, 5\r\n",
    "Transfer-Encoding: chunked\r\n", "Transfer-Encoding: ,chunked\r\n", "Connection: close, x\r\n",
    "Upgrade: websocket\r\n", "Expect: 100-continue\r\n", "0\r\n\r\n", "5\r\nhello\r\n", ";ext=\"v\"\r\n",
};
// clang-format on

// ---- what to do when an input breaks the target: only async-signal-safe calls ----

const std::uint8_t* g_input = nullptr;
std::size_t g_input_size = 0;
std::array<char, 4096> g_crash_path{};

void say_in_handler(const char* text) {
  [[maybe_unused]] const auto ignored = ::write(STDERR_FILENO, text, std::strlen(text));
}

void save_input() {
  if (g_input == nullptr) return;
  const int file = ::open(g_crash_path.data(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) {
    say_in_handler("replay: the input could not be saved\n");
    return;
  }
  for (std::size_t done = 0; done < g_input_size;) {
    const auto written = ::write(file, g_input + done, g_input_size - done);
    if (written <= 0) break;
    done += static_cast<std::size_t>(written);
  }
  ::close(file);
  say_in_handler("replay: the input is in ");
  say_in_handler(g_crash_path.data());
  say_in_handler("\n");
  g_input = nullptr;  // the abort that follows a sanitizer's report must not save again
}

void on_signal(int signal) {
  if (signal == SIGALRM) say_in_handler("replay: the target hangs\n");
  save_input();
  std::signal(signal == SIGALRM ? SIGABRT : signal, SIG_DFL);
  std::raise(signal == SIGALRM ? SIGABRT : signal);
}

void catch_failures() {
  for (const int signal : {SIGABRT, SIGILL, SIGTRAP, SIGFPE, SIGALRM}) std::signal(signal, on_signal);
  if (__sanitizer_set_death_callback != nullptr) {
    __sanitizer_set_death_callback(save_input);  // the sanitizer handles SIGSEGV and SIGBUS better than we could
  } else {
    for (const int signal : {SIGSEGV, SIGBUS}) std::signal(signal, on_signal);
  }
}

void run_one(std::string_view input) {
  // A heap block of exactly this size, so that AddressSanitizer sees a read of one byte too many.
  const std::unique_ptr<std::uint8_t[]> exact(new std::uint8_t[input.size()]);
  std::copy(input.begin(), input.end(), exact.get());
  g_input = exact.get();
  g_input_size = input.size();
  ::alarm(kSecondsPerInput);
  LLVMFuzzerTestOneInput(exact.get(), input.size());
  ::alarm(0);
  g_input = nullptr;
}

// ---- mutations ----

class Mutator {
 public:
  Mutator(const std::vector<Bytes>& seeds, std::uint64_t seed) : seeds_(seeds), random_(seed) {}

  Bytes mutate(std::size_t index) {
    Bytes input = seeds_[index % seeds_.size()];
    for (std::size_t step = below(4) + 1; step > 0; --step) change_once(input);
    if (input.size() > kLargestMutant) input.resize(kLargestMutant);
    return input;
  }

 private:
  // Not std::uniform_int_distribution: its results differ between standard libraries.
  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : static_cast<std::size_t>(random_() % limit); }

  void change_once(Bytes& input) {
    switch (below(8)) {
      case 0:
        flip_bit(input);
        break;
      case 1:
        if (!input.empty()) input[below(input.size())] = static_cast<char>(below(256));
        break;
      case 2:
        input.resize(below(input.size() + 1));
        break;
      case 3:
        input.erase(below(input.size() + 1), below(16) + 1);
        break;
      case 4:
        splice(input);
        break;
      case 5:
        repeat_piece(input);
        break;
      default:
        input.insert(below(input.size() + 1), kTokens[below(std::size(kTokens))]);
        break;
    }
  }

  void flip_bit(Bytes& input) {
    if (input.empty()) return;
    char& byte = input[below(input.size())];
    byte = static_cast<char>(static_cast<unsigned char>(byte) ^ (1u << below(8)));
  }

  // The beginning of one seed, the end of another.
  void splice(Bytes& input) {
    const Bytes& other = seeds_[below(seeds_.size())];
    input.resize(below(input.size() + 1));
    input.append(other, below(other.size() + 1));
  }

  void repeat_piece(Bytes& input) {
    const std::size_t from = below(input.size() + 1);
    const Bytes piece = input.substr(from, below(32) + 1);
    for (std::size_t times = below(8) + 1; times > 0; --times) input.insert(from, piece);
  }

  const std::vector<Bytes>& seeds_;
  std::mt19937_64 random_;
};

// ---- command line and corpus ----

struct Options {
  std::size_t mutations = 2000;
  std::size_t seed = 1;
  std::string save = ".";
  std::vector<std::string> corpus;
};

[[noreturn]] void fail(const std::string& message) {
  std::fprintf(stderr, "replay: %s\n", message.c_str());
  std::exit(2);
}

std::size_t number(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) fail("not a number: " + std::string(text));
  return value;
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (!argument.starts_with("--")) {
      options.corpus.emplace_back(argument);
      continue;
    }
    if (++i == argc) fail("a value is missing behind " + std::string(argument));
    if (argument == "--mutations") {
      options.mutations = number(argv[i]);
    } else if (argument == "--seed") {
      options.seed = number(argv[i]);
    } else if (argument == "--save") {
      options.save = argv[i];
    } else {
      fail("unknown option " + std::string(argument));
    }
  }
  if (options.corpus.empty()) fail("no corpus given");
  return options;
}

std::vector<Bytes> read_corpus(const std::vector<std::string>& places) {
  std::vector<std::filesystem::path> files;
  for (const auto& place : places) {
    if (std::filesystem::is_directory(place)) {
      for (const auto& entry : std::filesystem::recursive_directory_iterator(place))
        if (entry.is_regular_file()) files.push_back(entry.path());
    } else if (std::filesystem::is_regular_file(place)) {
      files.emplace_back(place);
    } else {
      fail("there is no corpus at " + place);
    }
  }
  std::sort(files.begin(), files.end());  // directories list their files in any order
  if (files.empty()) fail("the corpus is empty");

  std::vector<Bytes> seeds;
  for (const auto& path : files) {
    std::ifstream stream(path, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
    if (!stream) fail("cannot be read: " + path.string());
  }
  return seeds;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  const std::vector<Bytes> seeds = read_corpus(options.corpus);
  const std::string name = std::filesystem::path(argv[0]).filename().string();
  const std::string crash_path = (std::filesystem::path(options.save) / ("crash-" + name)).string();
  if (crash_path.size() >= g_crash_path.size()) fail("the path is too long: " + crash_path);
  std::copy(crash_path.begin(), crash_path.end(), g_crash_path.begin());
  catch_failures();

  for (const Bytes& seed : seeds) run_one(seed);
  Mutator mutator(seeds, options.seed);
  for (std::size_t i = 0; i < options.mutations; ++i) run_one(mutator.mutate(i));
  std::printf("%s: %zu seeds and %zu mutations passed\n", name.c_str(), seeds.size(), options.mutations);
  return 0;
}
