// outrider inspect encoding: the whole way from a body to UTF-8 text, through the real program.
#include "base/content_encoder.hpp"
#include "tests/support/encoding_data.hpp"
#include "tests/support/process.hpp"

#include <gtest/gtest.h>
#include <boost/json.hpp>

namespace outrider {
namespace {

namespace json = boost::json;
using testing_support::ProcessOptions;
using testing_support::ProcessResult;
using testing_support::TemporaryDirectory;

class InspectEncoding : public testing::Test {
 protected:
  ProcessResult run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"inspect", "encoding"});
    return testing_support::run_process(OUTRIDER_BINARY, arguments, options_);
  }

  // The answers to lines, as they are.
  std::vector<std::string> ask(const std::string& lines) {
    options_.input = lines;
    const ProcessResult result = run({"--ndjson"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    std::vector<std::string> answers;
    std::istringstream out(result.out);
    for (std::string line; std::getline(out, line);) answers.push_back(line);
    return answers;
  }

  TemporaryDirectory home_;
  ProcessOptions options_;
};

TEST_F(InspectEncoding, File_IsJudged) {
  const std::string file = home_.write("page.html", "<meta charset=koi8-r><p>\xC1\xC2");
  EXPECT_EQ(run({file}).out, "charset  KOI8-R\nsource   meta\nmime     text/plain\n");
  EXPECT_EQ(run({file, "--content-type", "text/html; charset=windows-1251"}).out,
            "charset  windows-1251\nsource   http\nmime     text/html\n");
  EXPECT_EQ(run({file, "--text"}).out, "<meta charset=koi8-r><p>аб");
  EXPECT_EQ(run({file, "--json", "--text"}).out,
            R"({"charset":"KOI8-R","source":"meta","mime":"text/plain","text":"<meta charset=koi8-r><p>аб"})"
            "\n");
}

TEST_F(InspectEncoding, ContentCoding_ComesOffFirst) {
  const std::string file =
      home_.write("page.gz", encode_content(ContentCoding::gzip, "<meta charset=koi8-r><p>\xC1\xC2"));
  EXPECT_EQ(run({file, "--content-encoding", "gzip", "--text"}).out, "<meta charset=koi8-r><p>аб");
  const ProcessResult wrong = run({file, "--content-encoding", "br"});
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_TRUE(wrong.err.starts_with("outrider: the body is not valid br")) << wrong.err;
}

TEST_F(InspectEncoding, Mistakes_AreToldInOneLine) {
  EXPECT_EQ(run({}).err, "outrider: a file is missing (see outrider inspect encoding --help)\n");
  EXPECT_EQ(run({}).exit_code, 2);
  EXPECT_EQ(run({"/does/not/exist"}).err, "outrider: \"/does/not/exist\" cannot be read, or is empty\n");
  EXPECT_EQ(run({"/does/not/exist"}).exit_code, 1);
  EXPECT_EQ(run({"--ndjson", "--json"}).exit_code, 2);
}

TEST_F(InspectEncoding, Help_HasAnExample) {
  const ProcessResult result = run({"--help"});
  EXPECT_EQ(result.exit_code, 0);
  for (const std::string_view part : {"Usage: outrider inspect encoding", "Example", "--ndjson", "--content-type"})
    EXPECT_NE(result.out.find(part), std::string::npos) << part;
}

TEST_F(InspectEncoding, Lines_AreAnsweredOneByOne) {
  const std::string file = home_.write("page.html", "\xEF\xBB\xBFgr\xC3\xBCn");
  const auto answers =
      ask("{\"base64\":\"Z3L8bg==\",\"content_type\":\"text/plain; charset=latin1\"}\n"
          "{\"base64\":\"Z3L8bg==\",\"content_type\":\"text/plain; charset=latin1\",\"text\":false}\n"
          "{\"file\":" +
          json::serialize(json::value(file)) +
          "}\n"
          "{\"base64\":\"???\"}\n"
          "{}\n"
          "nonsense\n"
          "{\"base64\":\"\"}\n");
  const std::vector<std::string> expected = {
      R"({"charset":"windows-1252","source":"http","mime":"text/plain","text":"grün"})",
      R"({"charset":"windows-1252","source":"http","mime":"text/plain"})",
      R"({"charset":"UTF-8","source":"bom","mime":"text/plain","text":"grün"})",
      R"({"error":"expected \"base64\" or \"file\""})",
      R"({"error":"expected \"base64\" or \"file\""})",
      R"({"error":"not a JSON object"})",
      R"({"charset":"windows-1252","source":"default","mime":"text/plain","text":""})",
  };
  EXPECT_EQ(answers, expected);
}

TEST_F(InspectEncoding, RealTexts_AreDecoded) {
  const auto file = test::encoding_file("texts.json");
  if (!file) GTEST_SKIP() << "skipped: no shared data";
  const json::value parsed = json::parse(*file);
  const json::array& texts = parsed.as_array();
  std::string lines;
  for (const json::value& text : texts) {
    const json::object request{{"base64", text.at("bytes_b64")},
                               {"content_type", "text/plain; charset=" + std::string(text.at("label").as_string())}};
    lines += json::serialize(request) + '\n';
  }
  const auto answers = ask(lines);
  ASSERT_EQ(answers.size(), texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const json::value answer = json::parse(answers[i]);
    EXPECT_EQ(answer.at("text"), texts[i].at("text")) << texts[i].at("id");
    EXPECT_EQ(answer.at("charset"), texts[i].at("encoding")) << texts[i].at("id");
  }
}

}  // namespace
}  // namespace outrider
