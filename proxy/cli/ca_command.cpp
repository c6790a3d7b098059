// ca show, export, install, remove, renew: the certificate authority of this Outrider, and who trusts it.
#include "base/escape.hpp"
#include "proxy/cli/authority_source.hpp"
#include "proxy/cli/command_line.hpp"
#include "proxy/cli/commands.hpp"
#include "proxy/cli/output.hpp"
#include "proxy/cli/trust_stores.hpp"
#include "proxy/mobile_profile.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>
#include <boost/json.hpp>

#include <cstdlib>
#include <fstream>
#include <memory>

namespace outrider::cli {
namespace {

namespace fs = std::filesystem;
using AuthorityPtr = std::shared_ptr<const Authority>;

struct Options {
  AuthoritySource source;
  std::string format = "pem";
  std::optional<std::string> out;
  bool system = false;
  bool user = false;
  bool json = false;
};

int failed(const Error& error) {
  complain(error.detail);
  return kFailure;
}

std::string day(WallTime time) {
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
}

std::string home() {
  const char* variable = std::getenv("HOME");
  return variable == nullptr ? "" : variable;
}

std::string shown(const BrowserDatabase& database) {
  return fmt::format("{} ({})", database.browser, one_line(database.folder.string()));
}

// In words, for `ca show`: which browsers and stores of this machine trust it.
void show_trust(Output& out, const Authority& authority) {
  std::vector<std::string> trusting;
  std::vector<std::string> unknown;
  for (const BrowserDatabase& database : browser_databases(home())) {
    const Result<bool> trusted = is_trusted(database, authority);
    if (trusted && *trusted) trusting.push_back(shown(database));
    if (trusted) continue;
    std::string why = fmt::format("not known: {}", one_line(trusted.error().detail));
    if (unknown.empty() || unknown.back() != why) unknown.push_back(std::move(why));  // no certutil: said once
  }
  if (system_trusts(authority)) trusting.emplace_back("the system");
  trusting.insert(trusting.end(), unknown.begin(), unknown.end());
  if (trusting.empty()) trusting.emplace_back("nobody here yet; see outrider ca install");
  for (std::size_t i = 0; i < trusting.size(); ++i)
    out.line(fmt::format("{}  {}", i == 0 ? "trusted by " : "           ", trusting[i]));
}

int show(Options& options) {
  const Result<AuthorityPtr> authority = options.source.open_at_any_time();
  if (!authority) return failed(authority.error());
  const Authority& ca = **authority;
  Output out;
  if (options.json) {
    const auto warning = ca.warning(Clock::system().now());
    out.line(boost::json::serialize(
        boost::json::object{{"name", ca.name()},
                            {"fingerprint", ca.fingerprint()},
                            {"valid_from", day(ca.not_before())},
                            {"valid_to", day(ca.not_after())},
                            {"warning", warning ? boost::json::value(*warning) : boost::json::value(nullptr)}}));
    return out.finish();
  }
  out.line(fmt::format("name         {}", one_line(ca.name())));
  out.line(fmt::format("fingerprint  {}", ca.fingerprint()));
  out.line(fmt::format("valid        {} to {}", day(ca.not_before()), day(ca.not_after())));
  out.line(fmt::format("kept in      {}",
                       one_line(options.source.is_own() ? options.source.config().get<TlsSettings>().ca_certificate
                                                        : options.source.folder().string())));
  show_trust(out, ca);
  if (const auto warning = ca.warning(Clock::system().now())) out.line(fmt::format("attention    {}", *warning));
  return out.finish();
}

int export_it(Options& options) {
  const Result<AuthorityPtr> authority = options.source.open_at_any_time();
  if (!authority) return failed(authority.error());
  const Authority& ca = **authority;
  std::string bytes = ca.pem();
  if (options.format == "der") bytes = ca.der();
  if (options.format == "mobileconfig") bytes = mobile_profile(ca.name(), ca.der(), ca.fingerprint());
  if (options.out) {
    std::ofstream file{*options.out, std::ios::binary | std::ios::trunc};
    file << bytes;
    file.close();
    if (!file) {
      complain(fmt::format("cannot write {}", one_line(*options.out)));
      return kFailure;
    }
    return kSuccess;
  }
  if (options.format == "der" && ::isatty(STDOUT_FILENO) != 0) {
    complain("DER is not for the eyes: say where to with --out FILE");
    return kUsage;
  }
  Output out;
  out.write(bytes);
  return out.finish();
}

// Without --system and --user: the browsers.
int install(Options& options) {
  const Result<AuthorityPtr> authority = options.source.open();
  if (!authority) return failed(authority.error());
  Output out;
  int code = kSuccess;
  if (options.user || !options.system) {
    for (const BrowserDatabase& database : browser_databases(home())) {
      if (const Result<void> added = add_trust(database, **authority); !added) {
        code = failed(added.error());
        if (!database.exists) break;  // no certutil: the others would say the same
      } else {
        out.line(fmt::format("{} trusts {}", shown(database), one_line((*authority)->name())));
      }
    }
    if (code == kSuccess) out.line("Close running browsers and open them again: then they know it.");
  }
  if (options.system) {
    out.flush();
    if (const Result<void> added = add_system_trust(**authority); !added) return failed(added.error());
    out.line(fmt::format("the system trusts {}", one_line((*authority)->name())));
  }
  return out.finish(code);
}

// Without --system and --user: wherever it is. The certificate is enough: who wants to be rid of an authority whose key
// is lost or in the wrong hands must be able to.
int remove(Options& options) {
  const Result<AuthorityCertificate> authority = options.source.read_certificate();
  if (!authority) return failed(authority.error());
  const bool everywhere = !options.user && !options.system;
  Output out;
  int code = kSuccess;
  int removed = 0;
  if (options.user || everywhere) {
    for (const BrowserDatabase& database : browser_databases(home())) {
      const Result<bool> gone = remove_trust(database, *authority);
      if (!gone) {
        code = failed(gone.error());
      } else if (*gone) {
        ++removed;
        out.line(fmt::format("removed from {}", shown(database)));
      }
    }
  }
  if (options.system || (everywhere && system_trusts(*authority))) {
    out.flush();
    if (const Result<void> gone = remove_system_trust(*authority); !gone) return failed(gone.error());
    ++removed;
    out.line("removed from the system");
  }
  if (code == kSuccess && removed == 0) out.line("nobody here trusted it");
  return out.finish(code);
}

// Who trusted the old one trusts the new one. Of the old one the certificate is enough, for a key that others could
// read or that is damaged is why people renew.
int renew(Options& options) {
  if (options.source.is_own()) {
    complain("the authority is your own (tls.ca_certificate): renew it where it was made");
    return kUsage;
  }
  const Result<AuthorityCertificate> old = options.source.read_certificate();
  if (!old && old.error().kind == ErrorKind::not_found) {
    complain("there is none yet; it is made at the first start, or by outrider ca install");
    return kFailure;
  }
  int code = kSuccess;
  std::vector<BrowserDatabase> trusting;
  if (old) {
    for (const BrowserDatabase& database : browser_databases(home())) {
      const Result<bool> trusted = is_trusted(database, *old);
      if (!trusted) code = failed(trusted.error());
      if (trusted && *trusted) trusting.push_back(database);
    }
  } else {
    code = failed(old.error());
  }
  const bool by_system = old && system_trusts(*old);
  const Result<AuthorityPtr> fresh = Authority::renew(options.source.folder(), Clock::system().now());
  if (!fresh) return failed(fresh.error());
  Output out;
  out.line(fmt::format("new: {}, valid until {}", one_line((*fresh)->name()), day((*fresh)->not_after())));
  if (!old)
    complain(
        "so the old authority cannot be found where it is trusted: remove it there yourself (browsers and system; its "
        "name begins with \"Outrider CA of\"), then: outrider ca install");
  for (const BrowserDatabase& database : trusting) {
    const Result<void> added = add_trust(database, **fresh);
    const Result<bool> gone = remove_trust(database, *old);
    if (!added) code = failed(added.error());
    if (!gone) code = failed(gone.error());
    if (added && gone) out.line(fmt::format("replaced in {}", shown(database)));
  }
  if (by_system) {
    out.flush();
    const Result<void> gone = remove_system_trust(*old);
    const Result<void> added = add_system_trust(**fresh);
    if (!gone) code = failed(gone.error());
    if (!added) code = failed(added.error());
    if (gone && added) out.line("replaced in the system");
  }
  out.line("Restart Outrider and your browsers. Other devices need the new certificate too: http://outrider.internal/");
  return out.finish(code);
}

}  // namespace

void add_ca_commands(CommandLine& line) {
  const Command group = line.add_group(
      "ca", "The certificate authority that lets browsers accept opened HTTPS connections", "outrider ca install");
  const auto add_one = [&](const char* name, const char* description, const char* example, int (*action)(Options&)) {
    const auto options = std::make_shared<Options>();
    const Command command = line.add_command(group, name, description, example, [options, action] {
      if (const std::optional<int> wrong = options->source.load()) return *wrong;
      return action(*options);
    });
    options->source.add_to(command);
    return std::pair<Command, std::shared_ptr<Options>>{command, options};
  };
  const auto [showing, show_options] =
      add_one("show", "Its name, fingerprint and end, and who trusts it on this machine", "outrider ca show", show);
  showing.add_flag("--json", show_options->json, "Print JSON");
  const auto [exporting, export_options] = add_one("export", "Write its certificate, for other devices and programs",
                                                   "outrider ca export --out ca.pem", export_it);
  exporting
      .add_option("--format", export_options->format,
                  "pem (most programs), der (Windows, Android) or mobileconfig (Apple); default: pem")
      .option_text("FORMAT")
      .among({"pem", "der", "mobileconfig"});
  exporting.add_option("--out", export_options->out, "To this file instead of standard output").option_text("FILE");
  const auto [installing, install_options] =
      add_one("install", "Let the browsers of your account trust it (Chromium, Chrome, Firefox)",
              "outrider ca install --user --system", install);
  installing.add_flag("--user", install_options->user, "The browsers of your account (the default)");
  installing.add_flag("--system", install_options->system, "The store of the system: curl, Python … (asks for sudo)");
  const auto [removing, remove_options] =
      add_one("remove", "Let nobody on this machine trust it any more", "outrider ca remove", remove);
  removing.add_flag("--user", remove_options->user, "Only the browsers of your account");
  removing.add_flag("--system", remove_options->system, "Only the store of the system (asks for sudo)");
  add_one("renew", "Make a new one; who trusted the old one on this machine trusts the new one", "outrider ca renew",
          renew);
}

}  // namespace outrider::cli
