// inspect encoding: which character encoding a text has, who said so, and the text as UTF-8.
#include "base/charset.hpp"
#include "base/content_coding.hpp"
#include "base/escape.hpp"
#include "base/mime_sniff.hpp"
#include "base/mime_type.hpp"
#include "proxy/cli/command_line.hpp"
#include "proxy/cli/commands.hpp"
#include "proxy/cli/line_loop.hpp"
#include "proxy/cli/output.hpp"
#include "proxy/credentials.hpp"

#include <fmt/format.h>
#include <boost/json.hpp>

#include <fstream>
#include <memory>
#include <sstream>

namespace outrider::cli {
namespace {

namespace json = boost::json;

struct Options {
  std::string file;
  std::string content_type;
  std::string content_encoding;
  bool text = false;
  bool json = false;
  bool ndjson = false;
};

struct Verdict {
  DecodedText text;
  std::string mime;
};

Result<std::string> read_body(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream bytes;
  if (!file || !(bytes << file.rdbuf()))
    return Error{ErrorKind::not_found, Side::self,
                 fmt::format("{} cannot be read, or is empty", outrider::quoted(path))};
  return bytes.str();
}

// The way of an answer into the memory: content codings off, what is it, which encoding. Without a Content-Type the
// text counts as HTML.
Result<Verdict> judge(std::string_view body, std::string_view content_type, std::string_view content_encoding) {
  const Result<std::string> bytes = decode_content(content_encoding, body);
  if (!bytes) return bytes.error();
  const std::optional<MimeType> supplied = parse_mime_type(content_type);
  const std::string charset{supplied ? supplied->parameter("charset").value_or("") : ""};
  std::string mime = sniff_mime(content_type, false, *bytes);
  const bool is_html = !supplied || mime == "text/html" || mime == "application/xhtml+xml";
  return Verdict{decode_text(*bytes, charset, is_html), std::move(mime)};
}

json::object facts_of(const Verdict& verdict) {
  return {{"charset", verdict.text.charset}, {"source", to_string(verdict.text.source)}, {"mime", verdict.mime}};
}

std::string text_member(const json::object& line, std::string_view name) {
  const json::value* value = line.if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

Result<std::string> body_of(const json::object& line) {
  if (line.contains("file")) return read_body(text_member(line, "file"));
  std::string bytes;
  if (!line.contains("base64") || !decode_base64(text_member(line, "base64"), bytes))
    return Error{ErrorKind::invalid_argument, Side::self, "expected \"base64\" or \"file\""};
  return bytes;
}

std::string answer(std::string_view line) {
  const auto failed = [](std::string_view why) { return json::serialize(json::object{{"error", why}}); };
  json::error_code error;
  const json::value parsed = json::parse(line, error);
  if (error || !parsed.is_object()) return failed("not a JSON object");
  const json::object& request = parsed.get_object();
  const Result<std::string> body = body_of(request);
  if (!body) return failed(body.error().detail);
  const Result<Verdict> verdict =
      judge(*body, text_member(request, "content_type"), text_member(request, "content_encoding"));
  if (!verdict) return failed(verdict.error().detail);
  json::object facts = facts_of(*verdict);
  const json::value* wanted = request.if_contains("text");
  if (wanted == nullptr || *wanted != json::value(false)) facts["text"] = verdict->text.utf8;
  return json::serialize(facts);
}

int inspect_one(const Options& options) {
  const Result<std::string> body = read_body(options.file);
  const Result<Verdict> verdict =
      body ? judge(*body, options.content_type, options.content_encoding) : Result<Verdict>(body.error());
  if (!verdict) {
    complain(verdict.error().detail);
    return kFailure;
  }
  json::object facts = facts_of(*verdict);
  Output out;
  if (options.json) {
    if (options.text) facts["text"] = verdict->text.utf8;
    out.line(json::serialize(facts));
  } else if (options.text) {
    out.write(verdict->text.utf8);
  } else {
    for (const auto& fact : facts)
      out.line(fmt::format("{:<7}  {}", std::string_view(fact.key()),
                           one_line(std::string_view(fact.value().get_string()))));
  }
  return out.finish(kSuccess);
}

int inspect(const Options& options) {
  if (options.ndjson) {
    if (options.file.empty() && !options.json && !options.text && options.content_type.empty() &&
        options.content_encoding.empty()) {
      Output out;
      return answer_lines(out, answer, R"({"error":"line longer than 1 MiB"})");
    }
    complain("--ndjson reads everything from standard input: give nothing else (see outrider inspect encoding --help)");
    return kUsage;
  }
  if (options.file.empty()) {
    complain("a file is missing (see outrider inspect encoding --help)");
    return kUsage;
  }
  return inspect_one(options);
}

}  // namespace

void add_inspect_encoding(CommandLine& line, const Command& group) {
  const auto options = std::make_shared<Options>();
  const Command command = line.add_command(
      group, "encoding", "Find the character encoding of a text (WHATWG Encoding and HTML standards)",
      "outrider inspect encoding page.html --content-type 'text/html; charset=koi8-r'\n"
      "  outrider inspect encoding old.txt --text > utf8.txt\n"
      "  echo '{\"base64\":\"Z3L8bg==\",\"content_type\":\"text/plain\"}' | outrider inspect encoding --ndjson",
      [options] { return inspect(*options); });
  command.add_option("file", options->file, "The body of an answer").option_text("FILE");
  command.add_option("--content-type", options->content_type, "What the server said; without it the file is HTML")
      .option_text("TYPE");
  command.add_option("--content-encoding", options->content_encoding, "gzip, deflate, br, zstd: decoded first")
      .option_text("CODINGS");
  command.add_flag("--text", options->text, "Print the text as UTF-8; with --json as \"text\"");
  command.add_flag("--json", options->json, "Print one JSON object");
  command.add_flag("--ndjson", options->ndjson,
                   "Read {\"base64\" or \"file\",\"content_type\",\"content_encoding\",\"text\":false} objects from "
                   "standard input, one per line; answer each with {\"charset\",\"source\",\"mime\",\"text\"}");
}

}  // namespace outrider::cli
