// Runs a program to its end and keeps what it said. For tests of the real binary.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace outrider::testing_support {

struct ProcessResult {
  int exit_code = -1;  // -N: ended by signal N
  std::string out;
  std::string err;
};

struct ProcessOptions {
  std::string input;                               // standard input
  std::map<std::string, std::string> environment;  // all of it, but for the options of sanitizers
  std::string stdout_path;                         // instead of keeping it: "/dev/full"
};

ProcessResult run_process(const std::string& program, const std::vector<std::string>& arguments,
                          const ProcessOptions& options = {});

// A program that is talked to line by line.
class CoProcess {
 public:
  CoProcess(const std::string& program, const std::vector<std::string>& arguments);
  ~CoProcess();
  CoProcess(const CoProcess&) = delete;
  CoProcess& operator=(const CoProcess&) = delete;

  void write(std::string_view text);
  std::string read_line();  // without the newline; empty at the end or after 10 s of silence
  void close_input();
  void close_output();
  int wait();  // the exit code

 private:
  int pid_ = -1;
  int to_ = -1;
  int from_ = -1;
};

// An empty directory that vanishes with the object.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path write(const std::string& name, std::string_view content) const;

 private:
  std::filesystem::path path_;
};

std::string read_text(const std::filesystem::path& path);

}  // namespace outrider::testing_support
