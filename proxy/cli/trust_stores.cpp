#include "proxy/cli/trust_stores.hpp"

#include "base/escape.hpp"
#include "proxy/cli/program.hpp"

#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>

namespace outrider::cli {
namespace {

namespace fs = std::filesystem;

Error failure(std::string detail) {
  return Error{ErrorKind::io, Side::self, std::move(detail)};
}

// Below the home directory; packages of other kinds (snap, flatpak) keep a home of their own.
constexpr std::array kChromiumFolders = {".pki/nssdb", ".local/share/pki/nssdb", "snap/chromium/current/.pki/nssdb",
                                         ".var/app/org.chromium.Chromium/data/pki/nssdb",
                                         ".var/app/com.google.Chrome/data/pki/nssdb"};
constexpr std::array kFirefoxFolders = {".mozilla/firefox", ".config/mozilla/firefox",
                                        "snap/firefox/common/.mozilla/firefox",
                                        ".var/app/org.mozilla.firefox/.mozilla/firefox", ".librewolf"};

// The certificate in a file for programs that want one; gone with this object. It is no secret.
class CertificateFile {
 public:
  explicit CertificateFile(const AuthorityCertificate& authority) {
    std::error_code ignored;
    path_ = (fs::temp_directory_path(ignored) / "outrider-ca-XXXXXX").string();
    const int file = ::mkostemp(path_.data(), 0);
    if (file < 0) return;
    ::close(file);
    std::ofstream out{path_};
    out << authority.pem();
    good_ = out.flush().good();
  }
  CertificateFile(const CertificateFile&) = delete;
  CertificateFile& operator=(const CertificateFile&) = delete;
  ~CertificateFile() { ::unlink(path_.c_str()); }
  const std::string& path() const { return path_; }
  bool good() const { return good_; }

 private:
  std::string path_;
  bool good_ = false;
};

Result<Ended> certutil(const BrowserDatabase& database, std::vector<std::string> arguments) {
  if (!find_program({"certutil"}))
    return failure(
        "certutil is missing, which changes the certificates of browsers; install it: sudo apt install "
        "libnss3-tools (Fedora: nss-tools)");
  arguments.insert(arguments.begin(), {"certutil", "-d", "sql:" + database.folder.string()});
  return run_program(arguments);
}

std::string first_line(const std::string& output) {
  return output.substr(0, output.find('\n'));
}

Error refused(const BrowserDatabase& database, const Ended& ended) {
  std::string reason = first_line(ended.output);
  if (ended.output.find("assword") != std::string::npos)
    reason = "it is protected by a primary password; add the certificate in the browser itself";
  return failure(fmt::format("{} in {}: {}", database.browser, database.folder.string(), one_line(reason)));
}

Result<void> make_database(const BrowserDatabase& database) {
  std::error_code problem;
  fs::create_directories(database.folder, problem);
  if (problem) return failure(fmt::format("cannot create {}: {}", database.folder.string(), problem.message()));
  ::chmod(database.folder.c_str(), 0700);
  const Result<Ended> made = certutil(database, {"-N", "--empty-password"});
  if (!made) return made.error();
  if (made->code != 0) return refused(database, *made);
  return {};
}

// Also where we may not look: certutil will say so.
bool has_database(const fs::path& folder) {
  std::error_code ignored;
  return fs::status(folder / "cert9.db", ignored).type() != fs::file_type::not_found;
}

// How this kind of system takes further authorities.
struct SystemStore {
  fs::path folder;
  std::string update;
};
std::optional<SystemStore> system_store() {
  for (const SystemStore& store : {SystemStore{"/usr/local/share/ca-certificates", "update-ca-certificates"},
                                   SystemStore{"/etc/pki/ca-trust/source/anchors", "update-ca-trust"}}) {
    std::error_code ignored;
    const fs::path tool = fs::path{"/usr/sbin"} / store.update;  // not on everybody's PATH
    if (fs::exists(tool, ignored)) return SystemStore{store.folder, tool.string()};
    if (const auto found = find_program({store.update})) return SystemStore{store.folder, found->string()};
  }
  return std::nullopt;
}

std::string digits_of(const AuthorityCertificate& authority) {
  std::string digits = authority.fingerprint().substr(0, 11);
  std::erase(digits, ':');
  return digits;
}

fs::path file_in(const SystemStore& store, const AuthorityCertificate& authority) {
  return store.folder / fmt::format("outrider-{}.crt", digits_of(authority));
}

Result<void> as_root(std::vector<std::string> command) {
  const std::string what = fmt::format("{}", fmt::join(command, " "));
  if (::geteuid() != 0) {
    if (!find_program({"sudo"})) return failure(fmt::format("this needs root; run as root: {}", what));
    command.insert(command.begin(), "sudo");
  }
  const Result<int> code = run_on_terminal(command);
  if (!code) return code.error();
  if (*code != 0) return failure(fmt::format("{} failed (exit code {})", what, *code));
  return {};
}

Result<SystemStore> need_system_store() {
  if (auto store = system_store()) return *store;
  return failure(
      "this system has no store of authorities that Outrider knows (update-ca-certificates or update-ca-trust); "
      "add the file of outrider ca export in the way of your system");
}

}  // namespace

std::vector<BrowserDatabase> browser_databases(const fs::path& home) {
  std::vector<BrowserDatabase> databases;
  for (const char* folder : kChromiumFolders) {
    const bool exists = has_database(home / folder);
    if (exists || folder == kChromiumFolders.front()) databases.push_back({"Chromium", home / folder, exists});
  }
  for (const char* folder : kFirefoxFolders) {
    std::error_code none;
    std::vector<fs::path> profiles;
    for (const auto& entry : fs::directory_iterator{home / folder, none})
      if (has_database(entry.path())) profiles.push_back(entry.path());
    if (none == std::errc::permission_denied) profiles.push_back(home / folder);  // certutil will say so
    std::sort(profiles.begin(), profiles.end());
    for (const fs::path& profile : profiles) databases.push_back({"Firefox", profile, true});
  }
  return databases;
}

std::string nickname(const AuthorityCertificate& authority) {
  return fmt::format("{} {}", authority.name(), digits_of(authority));
}

Result<bool> is_trusted(const BrowserDatabase& database, const AuthorityCertificate& authority) {
  if (!database.exists) return false;
  const Result<Ended> listed = certutil(database, {"-L", "-n", nickname(authority)});
  if (!listed) return listed.error();
  if (listed->code == 0) return true;
  if (listed->output.find("Could not find cert") != std::string::npos) return false;
  return failure(fmt::format("{} in {}: cannot be read, so it may trust it: {}", database.browser,
                             database.folder.string(), one_line(first_line(listed->output))));
}

Result<void> add_trust(const BrowserDatabase& database, const AuthorityCertificate& authority) {
  if (!database.exists)
    if (Result<void> made = make_database(database); !made) return made;
  const CertificateFile file{authority};
  if (!file.good()) return failure(fmt::format("cannot write {}", file.path()));
  const Result<Ended> added =
      certutil(database, {"-A", "-t", "C,,", "-n", nickname(authority), "-i", file.path()});  // C: may sign for sites
  if (!added) return added.error();
  if (added->code != 0) return refused(database, *added);
  return {};
}

Result<bool> remove_trust(const BrowserDatabase& database, const AuthorityCertificate& authority) {
  const Result<bool> there = is_trusted(database, authority);
  if (!there || !*there) return there;
  const Result<Ended> removed = certutil(database, {"-D", "-n", nickname(authority)});
  if (!removed) return removed.error();
  if (removed->code != 0) return refused(database, *removed);
  return true;
}

bool system_trusts(const AuthorityCertificate& authority) {
  const auto store = system_store();
  std::error_code ignored;
  return store && fs::exists(file_in(*store, authority), ignored);
}

Result<void> add_system_trust(const AuthorityCertificate& authority) {
  const Result<SystemStore> store = need_system_store();
  if (!store) return store.error();
  const CertificateFile file{authority};
  if (!file.good()) return failure(fmt::format("cannot write {}", file.path()));
  if (Result<void> put = as_root({"install", "-D", "-m", "644", file.path(), file_in(*store, authority).string()});
      !put)
    return put;
  return as_root({store->update});
}

Result<void> remove_system_trust(const AuthorityCertificate& authority) {
  const Result<SystemStore> store = need_system_store();
  if (!store) return store.error();
  if (Result<void> removed = as_root({"rm", "-f", file_in(*store, authority).string()}); !removed) return removed;
  return as_root({store->update});
}

}  // namespace outrider::cli
