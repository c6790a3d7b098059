// inspect links, inspect language: how Outrider reads a page.
#include "base/escape.hpp"
#include "cache/page_inspect.hpp"
#include "proxy/cli/command_line.hpp"
#include "proxy/cli/commands.hpp"
#include "proxy/cli/line_loop.hpp"
#include "proxy/cli/output.hpp"

#include <fmt/format.h>
#include <boost/json.hpp>

#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>

namespace outrider::cli {
namespace {

constexpr std::size_t kLargestFile = 16 << 20;
constexpr const char* kNowhere = "about:blank";  // no relative link leads on from there

struct LinksOptions {
  std::string file = "-";
  std::string url = kNowhere;
  std::string charset;
  bool json = false;
  bool ndjson = false;
};

struct LanguageOptions {
  std::string file = "-";
  bool html = false;
  bool json = false;
  bool ndjson = false;
};

// A file, or standard input for "-"; nothing, with a complaint, if it cannot be read.
std::optional<std::string> read_input(const std::string& file) {
  std::ifstream opened;
  std::istream& in = file == "-" ? std::cin : opened;
  if (file != "-") opened.open(file, std::ios::binary);
  if (!in) {
    complain(fmt::format("{} cannot be read", quoted(utf8_prefix(file, 200))));
    return std::nullopt;
  }
  std::string text(kLargestFile, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

std::string_view text_of(const boost::json::object& object, std::string_view name) {
  return std::string_view(object.at(name).get_string());
}

// A page without an address has only those links that are complete. How many would some address add?
void tell_left_out(const std::string& html, const LinksOptions& options, std::size_t found) {
  if (options.url != kNowhere) return;
  const std::size_t all = inspect_links(html, "http://page.invalid/", options.charset).at("links").get_array().size();
  if (all <= found) return;
  const std::size_t left_out = all - found;
  complain(fmt::format("{} relative link{} left out: give --url", left_out, left_out == 1 ? "" : "s"));
}

int print_links(const LinksOptions& options) {
  const auto html = read_input(options.file);
  if (!html) return kFailure;
  const boost::json::object found = inspect_links(*html, options.url, options.charset);
  if (const auto* error = found.if_contains("error")) {
    complain(std::string_view(error->get_string()));
    return kFailure;
  }
  tell_left_out(*html, options, found.at("links").get_array().size());
  Output out;
  if (options.json) {
    out.line(boost::json::serialize(found));
  } else {
    for (const boost::json::value& value : found.at("links").get_array()) {
      const boost::json::object& link = value.get_object();
      out.line(fmt::format("{:<12} {:<12} {}  {}", text_of(link, "kind"), text_of(link, "reach"),
                           one_line(text_of(link, "target")), one_line(text_of(link, "text"))));
    }
  }
  return out.finish(kSuccess);
}

int print_language(const LanguageOptions& options) {
  const auto text = read_input(options.file);
  if (!text) return kFailure;
  const boost::json::object found =
      options.html ? inspect_language_of_page(*text) : inspect_language_of_text(*text, "");
  Output out;
  if (options.json) {
    out.line(boost::json::serialize(found));
  } else {
    const std::string_view language = text_of(found, "language");
    out.line(
        fmt::format("{}  {:.3f}", language.empty() ? "unknown" : language, found.at("confidence").to_number<double>()));
  }
  return out.finish(kSuccess);
}

int answer(std::string (*line_to_line)(std::string_view)) {
  Output out;
  return answer_lines(out, line_to_line, R"({"error":"line longer than 1 MiB"})");
}

}  // namespace

void add_inspect_links(CommandLine& line, const Command& group) {
  const auto options = std::make_shared<LinksOptions>();
  const Command command = line.add_command(
      group, "links", "Print the links of a page",
      "outrider inspect links page.html --url https://example.com/a/\n"
      "  echo '{\"html\":\"<a href=b>\",\"url\":\"https://example.com/a/\"}' | outrider inspect links --ndjson",
      [options] { return options->ndjson ? answer(inspect_links_ndjson_line) : print_links(*options); });
  command.add_option("file", options->file, "The page; - is standard input").option_text("FILE");
  command.add_option("--url", options->url, "Where the page was found").option_text("URL");
  command.add_option("--charset", options->charset, "Encoding in which the page came").option_text("NAME");
  command.add_flag("--json", options->json, "Print one JSON object");
  command.add_flag("--ndjson", options->ndjson,
                   "Read {\"html\",\"url\"} objects from standard input, one per line; answer each");
}

void add_inspect_language(CommandLine& line, const Command& group) {
  const auto options = std::make_shared<LanguageOptions>();
  const Command command = line.add_command(
      group, "language", "Tell the language of a text",
      "outrider inspect language letter.txt\n"
      "  echo '{\"text\":\"Guten Tag\"}' | outrider inspect language --ndjson",
      [options] { return options->ndjson ? answer(inspect_language_ndjson_line) : print_language(*options); });
  command.add_option("file", options->file, "The text; - is standard input").option_text("FILE");
  command.add_flag("--html", options->html, "It is a page: its running text counts");
  command.add_flag("--json", options->json, "Print one JSON object");
  command.add_flag("--ndjson", options->ndjson,
                   "Read {\"text\"} or {\"html\"} objects from standard input, one per line; answer each");
}

}  // namespace outrider::cli
