#include "proxy/user_file.hpp"

#include "base/escape.hpp"
#include "proxy/password_hash.hpp"
#include "proxy/secret_file.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace outrider {
namespace {

Error wrong(std::string detail) {
  return Error{ErrorKind::invalid_argument, Side::self, std::move(detail)};
}

std::string to_hex(const Sha256& digest) {
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

bool from_hex(std::string_view text, Sha256& digest) {
  if (text.size() != 2 * digest.size()) return false;
  const auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
  };
  for (std::size_t i = 0; i < digest.size(); ++i) {
    const int high = digit(text[2 * i]);
    const int low = digit(text[2 * i + 1]);
    if (high < 0 || low < 0) return false;
    digest[i] = static_cast<std::uint8_t>(high << 4 | low);
  }
  return true;
}

// Calls visit(line without its end, number from 1) until it returns false.
template <class Visit>
void each_line(std::string_view text, Visit&& visit) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!visit(line, number)) return;
  }
}

bool is_comment(std::string_view line) {
  return line.find_first_not_of(" \t") == std::string_view::npos || line.starts_with('#');
}

std::string_view name_in(std::string_view line) {
  return line.substr(0, line.find(':'));
}

// "name:secret" or what is wrong with it.
std::string parse_line(std::string_view line, UserEntry& entry) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return "has no colon; write name:hash";
  entry.name = line.substr(0, colon);
  if (std::string problem = name_problem(entry.name); !problem.empty()) return "has no valid name: " + problem;
  // htpasswd and /etc/shadow users may have further fields.
  const std::string_view secret = line.substr(colon + 1, line.find(':', colon + 1) - colon - 1);
  if (from_hex(secret, entry.token)) return {};
  entry.hash = secret;
  const std::string problem = secret.empty() ? "is missing" : hash_problem(entry.hash);
  return problem.empty() ? problem : fmt::format("the hash of \"{}\" {}", entry.name, problem);
}

// The text without the lines for which `drop(line)`, in their place the new line (at the end if there was none).
template <class Drop>
std::string with_line(std::string_view text, Drop&& drop, std::string_view line, std::size_t& dropped) {
  std::string out;
  const auto put = [&out](std::string_view l) {
    out += l;
    out += '\n';
  };
  dropped = 0;
  each_line(text, [&](std::string_view old, std::size_t) {
    if (is_comment(old) || !drop(old)) {
      put(old);
    } else if (dropped++ == 0 && !line.empty()) {
      put(line);
    }
    return true;
  });
  if (dropped == 0 && !line.empty()) put(line);
  return out;
}

Result<std::string> check_all(std::string text) {
  Result<std::vector<UserEntry>> users = parse_users(text);
  if (!users) return users.error();
  return text;
}

}  // namespace

Sha256 sha256(std::string_view text) {
  Sha256 digest{};
  EVP_Digest(text.data(), text.size(), digest.data(), nullptr, EVP_sha256(), nullptr);
  return digest;
}

std::string name_problem(std::string_view name) {
  if (name.empty()) return "it is empty";
  if (name.size() > 128) return "it is longer than 128 bytes";
  if (name.front() == '#') return "it begins with #, which begins a comment";
  if (name.find(':') != std::string_view::npos) return "it contains a colon";
  if (name.front() == ' ' || name.back() == ' ' || !is_plain_text(name))
    return "it contains control or invisible characters";
  return {};
}

Result<std::vector<UserEntry>> parse_users(std::string_view text) {
  std::vector<UserEntry> entries;
  std::set<std::string, std::less<>> with_password;
  std::string problem;
  each_line(text, [&](std::string_view line, std::size_t number) {
    if (is_comment(line)) return true;
    UserEntry entry;
    std::string wrong_with_it = parse_line(line, entry);
    if (wrong_with_it.empty() && !entry.is_token() && !with_password.insert(entry.name).second)
      wrong_with_it = fmt::format("\"{}\" has a password already", entry.name);
    if (!wrong_with_it.empty()) {
      problem = fmt::format("line {}: {}", number, wrong_with_it);
      return false;
    }
    entries.push_back(std::move(entry));
    return true;
  });
  if (!problem.empty()) return wrong(std::move(problem));
  return entries;
}

Result<std::vector<UserEntry>> load_users(const std::string& path) {
  Result<std::string> text = read_secret_file(path);
  if (!text) return text.error();
  Result<std::vector<UserEntry>> users = parse_users(*text);
  if (!users) return wrong(fmt::format("{}: {}", path, users.error().detail));
  return users;
}

Result<Added> add_user(const std::string& path, std::string_view name, std::string_view password) {
  if (const std::string problem = name_problem(name); !problem.empty())
    return wrong(fmt::format("{} cannot be a user name: {}", quoted(name), problem));
  Result<std::string> hash = hash_password(password);
  if (!hash) return hash.error();
  std::size_t replaced = 0;
  Result<void> edited = edit_secret_file(path, [&](const std::string& text) {
    const auto is_his_password = [name](std::string_view line) {
      UserEntry entry;
      return name_in(line) == name && (!parse_line(line, entry).empty() || !entry.is_token());
    };
    return check_all(with_line(text, is_his_password, fmt::format("{}:{}", name, *hash), replaced));
  });
  if (!edited) return edited.error();
  return replaced > 0 ? Added::replaced : Added::created;
}

Result<void> remove_user(const std::string& path, std::string_view name) {
  return edit_secret_file(path, [&](const std::string& text) -> Result<std::string> {
    std::size_t removed = 0;
    std::string rest = with_line(
        text, [name](std::string_view line) { return name_in(line) == name; }, {}, removed);
    if (removed > 0) return rest;
    return Error{ErrorKind::not_found, Side::self, fmt::format("{}: there is no user {}", path, quoted(name))};
  });
}

Result<std::string> add_token(const std::string& path, std::string_view name) {
  if (const std::string problem = name_problem(name); !problem.empty())
    return wrong(fmt::format("{} cannot be a user name: {}", quoted(name), problem));
  Sha256 random{};
  if (RAND_bytes(random.data(), static_cast<int>(random.size())) != 1)
    return Error{ErrorKind::io, Side::self, "the system has no random numbers"};
  const std::string token = "ort_" + to_hex(random);  // recognisable when it turns up where it should not
  Result<void> edited = edit_secret_file(path, [&](const std::string& text) {
    std::size_t none = 0;
    return check_all(with_line(
        text, [](std::string_view) { return false; }, fmt::format("{}:{}", name, to_hex(sha256(token))), none));
  });
  if (!edited) return edited.error();
  return token;
}

Result<std::vector<UserSummary>> list_users(const std::string& path) {
  const Result<std::vector<UserEntry>> users = load_users(path);
  if (!users) return users.error();
  std::vector<UserSummary> list;
  std::map<std::string, std::size_t, std::less<>> at;
  for (const UserEntry& user : *users) {
    const auto [place, is_new] = at.try_emplace(user.name, list.size());
    if (is_new) list.push_back({user.name});
    UserSummary& summary = list[place->second];
    if (user.is_token()) {
      ++summary.tokens;
    } else {
      summary.has_password = true;
    }
  }
  return list;
}

}  // namespace outrider
