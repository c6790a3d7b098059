// llhttp's reading of a head, to compare ours with: where it accepts one that we accept, it must find the same fields.
#pragma once

#include "base/http_chars.hpp"
#include "base/http_headers.hpp"
#include "tests/fuzz/require.hpp"

#include <llhttp.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace outrider::test {

class LlhttpReferee {
 public:
  // `head` must be exactly the bytes of one head, as they came.
  static void check(llhttp_type_t type, std::string_view head, const HeaderMap& ours) {
    LlhttpReferee referee;
    llhttp_settings_t settings;
    llhttp_settings_init(&settings);
    settings.on_header_field = [](llhttp_t* parser, const char* at, std::size_t length) {
      of(parser).add(at, length, false);
      return 0;
    };
    settings.on_header_value = [](llhttp_t* parser, const char* at, std::size_t length) {
      of(parser).add(at, length, true);
      return 0;
    };
    settings.on_headers_complete = [](llhttp_t*) { return 1; };  // no body
    llhttp_t parser;
    llhttp_init(&parser, type, &settings);
    parser.data = &referee;
    if (llhttp_execute(&parser, head.data(), head.size()) != HPE_OK) return;  // it may be stricter about a value
    require(referee.fields_.size() == ours.size());
    for (std::size_t i = 0; i < ours.size(); ++i) {
      require(referee.fields_[i].first == ours.at(i).name);
      require(trim_ows(referee.fields_[i].second) == ours.at(i).value);
    }
  }

 private:
  static LlhttpReferee& of(llhttp_t* parser) { return *static_cast<LlhttpReferee*>(parser->data); }

  void add(const char* at, std::size_t length, bool value) {
    if (!value && (fields_.empty() || in_value_)) fields_.emplace_back();
    in_value_ = value;
    (value ? fields_.back().second : fields_.back().first).append(at, length);
  }

  std::vector<std::pair<std::string, std::string>> fields_;
  bool in_value_ = false;
};

}  // namespace outrider::test
