#include "proxy/plugin_documents.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

PluginAnswer with_fields_of_ours(int status) {
  return {status,
          "text/plain",
          "text",
          {{"Content-Length", "99"},
           {"Transfer-Encoding", "gzip"},
           {"Content-Encoding", "br"},
           {"Connection", "X-Mine"},
           {"bad name", "x"},
           {"X-Split", "a\r\nX-More: b"},
           {"X-Mine", "1"},
           {"Cache-Control", "max-age=5"}},
          nullptr};
}

void expect_only_its_own(const HeaderMap& headers) {
  for (const char* name : {"Transfer-Encoding", "Content-Encoding", "Connection", "bad name", "X-Split", "X-More"})
    EXPECT_EQ(headers.find(name), std::nullopt) << name;
  EXPECT_EQ(headers.find("X-Mine"), "1");
  EXPECT_EQ(headers.joined(HeaderId::cache_control), "max-age=5") << "instead of ours";
}

TEST(PluginDocuments, Answer_IsFramedByTheProxy) {
  const Answer answer = plugin_answer(with_fields_of_ours(201), {});
  EXPECT_EQ(answer.head.status, 201);
  EXPECT_EQ(answer.body, "text");
  EXPECT_EQ(answer.head.headers.find(HeaderId::content_length), "4");
  expect_only_its_own(answer.head.headers);
}

// It goes out in chunks: a length beside them would be taken for the end by some, and for an attack by others
// (RFC 9112 section 6.3).
TEST(PluginDocuments, Stream_IsFramedByTheProxy) {
  const ResponseHead head = plugin_stream_head(with_fields_of_ours(200), {});
  EXPECT_EQ(head.status, 200);
  EXPECT_FALSE(head.headers.has(HeaderId::content_length));
  expect_only_its_own(head.headers);
}

TEST(PluginDocuments, StatusThatIsNone_IsAFailure) {
  for (const int status : {-1, 0, 99, 100, 101, 600, 70'000}) {
    EXPECT_EQ(plugin_answer(with_fields_of_ours(status), {}).head.status, 500) << status;
    EXPECT_EQ(plugin_stream_head(with_fields_of_ours(status), {}).status, 500) << status;
  }
}

TEST(PluginDocuments, AnswerThatMustBeEmpty_IsEmpty) {
  for (const int status : {204, 304}) {
    const Answer answer = plugin_answer(with_fields_of_ours(status), {});
    EXPECT_EQ(answer.body, "");
    EXPECT_FALSE(answer.head.headers.has(HeaderId::content_length));
    EXPECT_FALSE(may_have_content(status));
  }
  EXPECT_TRUE(may_have_content(200));
}

}  // namespace
}  // namespace outrider
