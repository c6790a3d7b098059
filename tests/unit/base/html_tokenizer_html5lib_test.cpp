// The tokenizer cases of html5lib, https://github.com/html5lib/html5lib-tests (shared data, html5lib/tokenizer).
#include "base/html_tokenizer.hpp"

#include "base/utf8.hpp"
#include "tests/support/html_recorder.hpp"
#include "tests/support/url_cases.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

namespace outrider {
namespace {

namespace json = boost::json;
using test::HtmlStart;
using test::RecordedToken;
using Kind = RecordedToken::Kind;

std::filesystem::path data_folder() {
  const char* root = std::getenv("OUTRIDER_TEST_DATA");
  return std::filesystem::path(root != nullptr ? root : OUTRIDER_TEST_DATA) / "html5lib" / "tokenizer";
}

json::value load(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  return json::parse(replace_lone_surrogates(text.str()));
}

// As UTF-8 would be if it had surrogates: some cases are about them.
void append_code_unit(std::string& out, unsigned unit) {
  if (unit >= 0xD800 && unit <= 0xDFFF) {
    out += {static_cast<char>(0xE0 | unit >> 12), static_cast<char>(0x80 | (unit >> 6 & 0x3F)),
            static_cast<char>(0x80 | (unit & 0x3F))};
  } else {
    append_utf8(out, unit);
  }
}

// "doubleEscaped": \uXXXX inside the string stands for the code unit.
std::string unescaped(std::string_view text, bool escaped) {
  std::string out;
  while (!text.empty()) {
    if (escaped && text.starts_with("\\u")) {
      append_code_unit(out, static_cast<unsigned>(std::stoul(std::string(text.substr(2, 4)), nullptr, 16)));
      text.remove_prefix(6);
    } else {
      out += text.front();
      text.remove_prefix(1);
    }
  }
  return out;
}

HtmlContent content_of(std::string_view state) {
  if (state == "PLAINTEXT state") return HtmlContent::plaintext;
  if (state == "RCDATA state") return HtmlContent::rcdata;
  if (state == "RAWTEXT state") return HtmlContent::rawtext;
  if (state == "Script data state") return HtmlContent::script;
  if (state == "CDATA section state") return HtmlContent::cdata;
  EXPECT_EQ(state, "Data state");
  return HtmlContent::data;
}

json::value or_null(const HtmlDoctype::Range& range, const std::string& text) {
  return range.present ? json::value(text) : json::value(nullptr);
}

// The tokens in the notation of the cases, text joined over the borders of CDATA sections and filler.
json::array in_notation(const std::vector<RecordedToken>& tokens) {
  json::array out;
  for (const RecordedToken& token : tokens) {
    switch (token.kind) {
      case Kind::start_tag: {
        json::object attributes;
        for (const auto& [name, value] : token.attributes) attributes[name] = value;
        json::array tag{"StartTag", token.name, attributes};
        if (token.flag) tag.push_back(true);
        out.push_back(tag);
        break;
      }
      case Kind::end_tag:
        out.push_back(json::array{"EndTag", token.name});
        break;
      case Kind::text:
        if (token.name.empty()) break;
        if (!out.empty() && out.back().at(0) == "Character")
          out.back().at(1).as_string() += token.name;
        else
          out.push_back(json::array{"Character", token.name});
        break;
      case Kind::comment:
        out.push_back(json::array{"Comment", token.name});
        break;
      case Kind::doctype:
        out.push_back(json::array{"DOCTYPE", or_null(token.has_name, token.name),
                                  or_null(token.has_public, token.public_id),
                                  or_null(token.has_system, token.system_id), !token.flag});
        break;
      case Kind::filler:
        break;
    }
  }
  return out;
}

void unescape_all(json::value& value, bool escaped) {
  if (json::string* text = value.if_string()) {
    *text = unescaped(*text, escaped);
  } else if (json::array* list = value.if_array()) {
    for (json::value& item : *list) unescape_all(item, escaped);
  } else if (json::object* object = value.if_object()) {
    json::object copy;
    for (auto& [key, item] : *object) {
      unescape_all(item, escaped);
      copy[unescaped(key, escaped)] = item;
    }
    *object = copy;
  }
}

// Cases may have their text in several pieces.
json::array expected_tokens(const json::object& c, bool escaped) {
  json::array out;
  for (json::value token : c.at("output").as_array()) {
    unescape_all(token, escaped);
    if (token.at(0) == "Character" && !out.empty() && out.back().at(0) == "Character")
      out.back().at(1).as_string() += std::string_view(token.at(1).as_string());
    else
      out.push_back(token);
  }
  return out;
}

void check_case(const json::object& c, const std::string& state) {
  const bool escaped = c.contains("doubleEscaped") && c.at("doubleEscaped").as_bool();
  const std::string input = unescaped(c.at("input").as_string(), escaped);
  HtmlStart start;
  start.content = content_of(state);
  if (const json::value* last = c.if_contains("lastStartTag")) start.last_start_tag = last->as_string();
  const std::vector<RecordedToken> tokens = test::tokenize_html({input}, start);
  EXPECT_EQ(in_notation(tokens), expected_tokens(c, escaped)) << json::serialize(c) << " in " << state;
  EXPECT_EQ(test::first_split_that_matters(input, tokens, start), "") << json::serialize(c) << " in " << state;
}

TEST(HtmlTokenizerHtml5lib, EveryCase_WholeAndSplitAtEveryByte) {
  if (!std::filesystem::exists(data_folder())) GTEST_SKIP() << "skipped: no shared data";
  std::set<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(data_folder()))
    if (entry.path().extension() == ".test") files.insert(entry.path());
  int count = 0;
  for (const std::filesystem::path& file : files) {
    const json::value tests = load(file);
    for (const char* list : {"tests", "xmlViolationTests"}) {
      const json::value* cases = tests.as_object().if_contains(list);
      if (cases == nullptr) continue;
      for (const json::value& c : cases->as_array()) {
        ++count;
        const json::value* states = c.as_object().if_contains("initialStates");
        if (states == nullptr) {
          check_case(c.as_object(), "Data state");
          continue;
        }
        for (const json::value& state : states->as_array()) check_case(c.as_object(), std::string(state.as_string()));
      }
    }
  }
  EXPECT_GT(count, 4000);
  RecordProperty("cases", count);
}

}  // namespace
}  // namespace outrider
