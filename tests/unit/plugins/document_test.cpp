#include "plugins/api/document.hpp"

#include <gtest/gtest.h>
#include <boost/json.hpp>

namespace outrider {
namespace {

// WHATWG URL, application/x-www-form-urlencoded parsing.
TEST(PluginDocument, FormValues_AreDecoded) {
  EXPECT_EQ(form_value("a=1&url=http%3A%2F%2Fx%2F%3Fq%3D1%262&b", "url"), "http://x/?q=1&2");
  EXPECT_EQ(form_value("a=x+y%2Bz", "a"), "x y+z");
  EXPECT_EQ(form_value("a&b=", "a"), "");
  EXPECT_EQ(form_value("ab=1", "a"), std::nullopt);
  EXPECT_EQ(form_value("", "a"), std::nullopt);
  EXPECT_EQ(form_value("a=1&a=2", "a"), "1");
}

// WHATWG HTML section 9.2.6: a line "data:" each; JSON has no line ends of its own.
TEST(PluginDocument, Events_AreOneLineWithTheirNumber) {
  const PluginAnswer news = event_answer(7, boost::json::value("a\nb"));
  EXPECT_EQ(news.content_type, "text/event-stream");
  EXPECT_EQ(news.body, "retry: 1000\nid: 7\ndata: \"a\\nb\"\n\n");
  EXPECT_EQ(event_answer(7, std::nullopt).body, "retry: 1000\n\n");
  PluginDocumentRequest request;
  EXPECT_EQ(last_event_id(request), 0u);
  request.headers.add("Last-Event-ID", "7");
  EXPECT_EQ(last_event_id(request), 7u);
}

TEST(PluginDocument, WhoIsElsewhereAndHasNoName_MayNotLook) {
  PluginDocumentRequest request;
  EXPECT_FALSE(may_look(request));
  request.user = "@192.168.1.7";  // as the proxy calls those of other machines who have not logged in
  EXPECT_FALSE(may_look(request));
  request.user = "anna";
  EXPECT_TRUE(may_look(request));
  request.user.clear();
  request.local = true;
  EXPECT_TRUE(may_look(request));
}

}  // namespace
}  // namespace outrider
