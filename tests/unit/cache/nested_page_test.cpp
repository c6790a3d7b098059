#include "cache/nested_page.hpp"

#include "cache/page_scan.hpp"
#include "cache/tree_blocks.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace outrider {
namespace {

namespace fs = std::filesystem;

std::string told(const std::vector<TextBlock>& blocks) {
  std::ostringstream out;
  for (const TextBlock& block : blocks)
    out << block.text << " |" << block.words << ' ' << block.link_bytes << ' ' << int{block.heading} << ' '
        << block.in_main << block.set_apart << block.is_running_text << '\n';
  return out.str();
}

std::string read(std::string_view html) {
  const auto blocks = read_nested_page(html);
  return blocks ? told(*blocks) : "gave up";
}

// --- pages whose tree is what their tags say

class NestedPage : public testing::TestWithParam<const char*> {};

TEST_P(NestedPage, IsReadAsGumboReadsIt) {
  EXPECT_EQ(read(GetParam()), told(read_tree(GetParam())));
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, NestedPage,
    testing::Values(
        "<!DOCTYPE html><html><head><title>T</title></head><body><p>One</p><p>Two</p></body></html>\n",
        "<p>One<p>Two<div>Three</div>Four", "One<br>two<hr>three", "a <b>b <i>c</i></b> d",
        "<ul><li>One<li>Two<ul><li>Inner</ul><li>Three</ul>After", "<dl><dt>One<dd>Two<dt>Three<dd><p>Four</dl>x",
        "<table><tr><td>A<td>B<tr><th>C<td>D</table>E",
        "<!DOCTYPE html><p>A<table><caption>B</caption><tr><td>C</table>D",
        "<table><colgroup><col><col></colgroup><thead><tr><td>A</thead><tbody><tr><td>B</tbody></table>",
        "<table><col><tr><td><table><tr><td>Inner</table>Outer<td>Next</table>", "<h1>A</h1><h2>B</h3>C",
        "<main><p>In main</main><article>and <header>its header</header></article>", "<form><p>A<li>B</form>C",
        "<nav><div>menu</div></nav>text<footer>end</footer>", "<select><option>A<option>B</select>text",
        "<div hidden>no</div><div aria-hidden=true>no</div><div role=navigation>no</div><div class='x "
        "sidebar'>no</div>yes",
        "<div class=\"a&amp;b\" id=toc>no</div>yes", "<body hidden>nothing</body>",
        "<svg><g><path d=x /><title>T</title></g></svg>text",
        "<p><svg viewBox=x><image href=y /><a><text>in</text></a></svg>text</p>", "<textarea><p>A</textarea>B",
        "<title>T</title>text<title>U</title>more", "<head><noscript><link rel=x></noscript></head>text",
        "<body><noscript><p>A</p></noscript>B", "<a href=x>link <span>in</span></a> and <a href=y>another</a>",
        "<pre>\nA\n  B</pre>C", "</p>A</p>B", "<p>A</div>B</p>C", "<object><p>A</object>B", "<button>no</button>yes",
        "A</body></html>B<p>C", "<template><p>a<b><template>b</template>c</template>d<p>e",
        "<head><template><td>a</template></head>b", "<script>if (a<b) x()</script>A<style>p{}</style>B<!-- c -->C",
        "<custom-element>A<b>B</b></custom-element>C", "<p>A<span>B<div>C</div>D",
        "<blockquote><p>A<blockquote>B</blockquote>C</blockquote>", "", " \n ", "<address>A<li>B<p>C</address>D"));

// --- pages that a tree builder mends

class MendedPage : public testing::TestWithParam<const char*> {};

TEST_P(MendedPage, IsLeftToGumbo) {
  EXPECT_EQ(read(GetParam()), "gave up");
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, MendedPage,
    testing::Values("<b>a<i>b</b>c</i>", "<p><b>a<p>b", "<a href=x>a<a href=y>b", "<table>text<tr><td>x</table>",
                    "<table><tr><div>x</div></table>", "<form><form>x", "<div><form></div>x</form>",
                    "<p>a<table><tr><td>x</table>",  // no doctype: the table is in the paragraph
                    "<b><div>a</b>b</div>", "<table><template><tr></template></table>", "<h1><h2>a</h1>",
                    "<body>a<body hidden>", "<svg><p>a</svg>", "<svg><g><path d=x/></g></svg>",
                    "<svg><foreignObject><p>a</foreignObject></svg>", "<frameset><frame></frameset>",
                    "<select><div>a</select>", "<table><tr><td><b>a<td>b</table>", "<button>a<button>b",
                    "<ruby>a<rt>b</ruby>", "<head><noscript><p>a</noscript></head>"));

// --- documents that people wrote, and wrote wrongly on purpose

fs::path data_folder() {
  const char* root = std::getenv("OUTRIDER_TEST_DATA");
  return fs::path(root != nullptr ? root : OUTRIDER_TEST_DATA);
}

struct Compared {
  int nested = 0, all = 0;
  void compare(const std::string& document, const std::string& name) {
    if (scan_page(document, Url::parse("https://site.example/").value()).too_much_for_tree) return;
    ++all;
    const auto blocks = read_nested_page(document);
    if (!blocks) return;
    ++nested;
    EXPECT_EQ(told(*blocks), told(read_tree(document))) << name;
  }
};

TEST(NestedPages, OddDocumentsAreReadAsGumboReadsThemOrNotAtAll) {
  const fs::path folder = data_folder() / "html5lib" / "tree-construction";
  if (!fs::exists(folder)) GTEST_SKIP() << "no shared data";
  Compared compared;
  for (const auto& file : fs::recursive_directory_iterator(folder)) {
    if (file.path().extension() != ".dat") continue;
    std::ifstream in(file.path(), std::ios::binary);
    std::string document;
    bool in_data = false;
    for (std::string line; std::getline(in, line);) {
      if (line == "#errors" && in_data) compared.compare(document, file.path().filename());
      if (in_data) document += line + "\n";
      if (line == "#data") document.clear();
      if (line == "#data" || line == "#errors") in_data = line == "#data";
    }
  }
  EXPECT_GT(compared.nested, 100);
}

// Real ones: OUTRIDER_BENCH_PAGES, or the calls for papers of the shared data.
TEST(NestedPages, RealPagesAreReadAsGumboReadsThem) {
  const char* given = std::getenv("OUTRIDER_BENCH_PAGES");
  const fs::path folder = given != nullptr ? fs::path{given} : data_folder() / "cfp";
  if (!fs::exists(folder)) GTEST_SKIP() << "no shared data";
  Compared compared;
  for (const auto& file : fs::recursive_directory_iterator(folder)) {
    if (!file.path().extension().string().starts_with(".htm")) continue;
    std::ifstream in(file.path(), std::ios::binary);
    std::stringstream bytes;
    bytes << in.rdbuf();
    compared.compare(bytes.str(), file.path());
  }
  RecordProperty("pages", compared.all);
  RecordProperty("nested", compared.nested);
  EXPECT_GT(compared.nested * 4, compared.all) << compared.nested << " of " << compared.all;
}

}  // namespace
}  // namespace outrider
