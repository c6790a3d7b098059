// plugins/example as a part of the program.
#include "plugins/example/example.hpp"

#include "base/config_loader.hpp"
#include "plugins/api/plugin.hpp"
#include "proxy/rewriter.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

struct ExampleTest : ::testing::Test {
  ExampleTest() {
    ConfigSchema schema;
    example->describe_settings(schema);
    example->configure(*load_config_text(schema, "[plugins.example]\nmark = \"away\"\n", "test"));
  }
  const std::shared_ptr<Plugin> example = make_example_plugin();

  std::string rewritten(std::string_view page) {
    PageRewriter::Filters filters;
    filters.push_back(example->on_page({}, {}));
    PageRewriter rewriter{std::move(filters), {}};
    std::string out{rewriter.feed(page)};
    out += rewriter.finish();
    return out;
  }
};

TEST_F(ExampleTest, LinksElsewhere_GetTheTitleOfTheSettings) {
  EXPECT_EQ(rewritten("<a href=/x>x</a><a href='https://y/'>y</a><a>z</a>"),
            "<a href=/x>x</a><a title=\"away\" href='https://y/'>y</a><a>z</a>");
}

TEST_F(ExampleTest, Links_AreCounted) {
  rewritten("<a href=1><a href=2><a>");
  EXPECT_EQ(example->on_document({}).body, "2 links\n");
}

}  // namespace
}  // namespace outrider
