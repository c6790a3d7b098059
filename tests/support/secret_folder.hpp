// A folder that is gone after the test, and files in it with a chosen mode.
#pragma once

#include "tests/support/process.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace outrider::testing {

struct SecretFolder : testing_support::TemporaryDirectory {
  std::string file(const std::string& name) const { return (path() / name).string(); }
  std::string write(const std::string& name, const std::string& text, unsigned mode = 0600) const {
    std::ofstream{file(name)} << text;
    chmod(file(name).c_str(), mode);
    return file(name);
  }
  std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream{file(name)}.rdbuf();
    return text.str();
  }
  unsigned mode(const std::string& name) const {
    struct stat status {};
    stat(file(name).c_str(), &status);
    return status.st_mode & 07777U;
  }
  std::size_t count() const {
    std::size_t n = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator{path()}) ++n;
    return n;
  }
};

}  // namespace outrider::testing
