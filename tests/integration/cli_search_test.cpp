// outrider search, on an index that no running Outrider holds: docs/search.md.
#include "cache/graph.hpp"
#include "tests/support/search_fixture.hpp"

#include <gmock/gmock.h>
#include <boost/json.hpp>

namespace outrider {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct CliSearch : testing::SearchFixture {
  testing_support::ProcessResult run(std::vector<std::string> arguments) {
    index.reset();
    GraphOptions memory;  // the index is a part of it
    memory.folder = folder.path() / "memory";
    memory.background = false;
    Metrics metrics;
    (*Graph::open(memory, metrics, Clock::system()))->close();
    arguments.insert(arguments.begin(), "search");
    // A port that nobody listens on.
    arguments.insert(arguments.end(), {"--data", folder.path().string(), "--address", "127.0.0.1:1"});
    testing_support::ProcessOptions options;
    options.environment = {{"HOME", folder.path()}, {"PATH", "/usr/bin:/bin"}};
    return testing_support::run_process(OUTRIDER_BINARY, arguments, options);
  }
};

TEST_F(CliSearch, Hits_AreTitleAndAddress) {
  put(page("https://a.example/", "The red \x1b[31m \n house", ""));
  put(page("https://b.example/", "The blue house", ""));
  commit();
  const auto result = run({"red", "house"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("  https://a.example/\n"));
  EXPECT_THAT(result.out, Not(HasSubstr("b.example")));
  EXPECT_THAT(result.out, Not(HasSubstr("\x1b"))) << "a page does not write on the terminal";
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 2);
}

TEST_F(CliSearch, WordsWithADash_BelongToTheQuery) {
  put(page("https://a.example/", "The red house", ""));
  put(page("https://b.example/", "The red server", ""));
  commit();
  const auto finds_the_other = [this](const std::vector<std::string>& words, const char* other) {
    const auto result = run(words);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 2) << result.out;
    EXPECT_THAT(result.out, HasSubstr(other));
  };
  finds_the_other({"red", "-house"}, "b.example");
  finds_the_other({"--limit", "5", "red", "-server"}, "a.example");
  finds_the_other({"red", "-house", "--limit", "5"}, "b.example");
  finds_the_other({"-house", "--limit=5", "red"}, "b.example");
  EXPECT_EQ(run({"red", "-h"}).out.find("Usage"), std::string::npos);
}

TEST_F(CliSearch, OptionsThatAreNone_AreRefusedBeforeTheQuery) {
  EXPECT_THAT(run({"--limt", "5", "red"}).err, HasSubstr("did you mean \"--limit\"?"));
  EXPECT_THAT(run({"red", "--limit=0"}).err, HasSubstr("--limit: \"0\" is too few"));
  EXPECT_THAT(run({"-h"}).out, HasSubstr("Usage: outrider search"));
  EXPECT_THAT(run({"red", "--help"}).out, HasSubstr("Usage: outrider search"));
}

TEST_F(CliSearch, Json_HasWhatTheApiHas) {
  put(page("https://a.example/", "Red house", ""));
  commit();
  const auto result = run({"house", "--json", "--limit", "5"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto answer = boost::json::parse(result.out);
  EXPECT_EQ(answer.at("hits").at(0).at("url").as_string(), "https://a.example/");
  EXPECT_EQ(answer.at("estimated_total").to_number<int>(), 1);
}

TEST_F(CliSearch, WhatCannotBeMeant_IsAUsageError) {
  const auto result = run({"before:soon"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("want a date"));
}

TEST_F(CliSearch, NothingFound_IsSaid) {
  EXPECT_EQ(run({"nothing"}).out, "Nothing found.\n");
}

}  // namespace
}  // namespace outrider
