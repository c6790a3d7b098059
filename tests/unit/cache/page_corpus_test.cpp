// The documents of html5lib's tree construction cases (shared data, html5lib/tree-construction): wrongly nested, broken
// and odd. All of them are read, and the links found in one pass are those of the tree that gumbo builds.
#include "cache/gumbo_tree.hpp"
#include "cache/page_reader.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

namespace outrider {
namespace {

namespace fs = std::filesystem;

fs::path data_folder() {
  const char* root = std::getenv("OUTRIDER_TEST_DATA");
  return fs::path(root != nullptr ? root : OUTRIDER_TEST_DATA) / "html5lib" / "tree-construction";
}

std::vector<std::string> load_documents() {
  std::vector<std::string> documents;
  for (const auto& file : fs::recursive_directory_iterator(data_folder())) {
    if (file.path().extension() != ".dat") continue;
    std::ifstream in(file.path(), std::ios::binary);
    std::string line;
    bool in_data = false;
    while (std::getline(in, line)) {
      if (line == "#data") {
        documents.emplace_back();
        in_data = true;
      } else if (line == "#errors") {
        in_data = false;
      } else if (in_data) {
        documents.back() += line + "\n";
      }
    }
  }
  return documents;
}

const std::vector<std::string>& documents() {
  static const std::vector<std::string> loaded = load_documents();
  return loaded;
}

// Few of the documents have links, but many have anchors: each <a> gets a target of its own.
std::string with_targets(const std::string& document) {
  std::string out;
  int number = 0;
  for (std::size_t at = 0; at < document.size(); ++at) {
    out += document[at];
    const bool is_anchor = document.compare(at, 2, "<a") == 0 && at + 2 < document.size() &&
                           (document[at + 2] == '>' || document[at + 2] == ' ');
    if (!is_anchor) continue;
    out += "a href=t" + std::to_string(number++);
    ++at;
  }
  return out;
}

// Of <a> elements in the tree; what is inside a <template> is not in the document.
std::set<std::string> links_of_tree(const std::string& document) {
  std::set<std::string> found;
  const GumboTree tree{document};
  std::vector<const GumboNode*> waiting{&tree.root()};
  while (!waiting.empty()) {
    const GumboNode& node = *waiting.back();
    waiting.pop_back();
    if (node.type != GUMBO_NODE_ELEMENT) continue;
    const GumboElement& element = node.v.element;
    if (const GumboAttribute* href = gumbo_get_attribute(&element.attributes, "href");
        href != nullptr && element.tag == GUMBO_TAG_A) {
      found.insert(std::string("https://site.example/") + href->value);
    }
    for (unsigned i = 0; i < element.children.length; ++i)
      waiting.push_back(static_cast<const GumboNode*>(element.children.data[i]));
  }
  return found;
}

TEST(PageCorpus, EveryDocumentIsRead) {
  if (!fs::exists(data_folder())) GTEST_SKIP() << "no shared data";
  ASSERT_GT(documents().size(), 1'000U);
  const Url page = Url::parse("https://site.example/").value();
  for (const std::string& document : documents()) {
    PageScan scan = scan_page(document, page);
    read_page(document, scan);
    EXPECT_EQ(scan.page.deep, !scan.too_much_for_tree) << document;
    scan.too_much_for_tree = true;
    read_page(document, scan);
    EXPECT_FALSE(scan.page.deep);
  }
}

TEST(PageCorpus, LinksAreThoseOfTheTree) {
  if (!fs::exists(data_folder())) GTEST_SKIP() << "no shared data";
  const Url page = Url::parse("https://site.example/").value();
  int with_links = 0;
  int differing = 0;
  for (const std::string& each : documents()) {
    const std::string document = with_targets(each);
    const std::set<std::string> expected = links_of_tree(document);
    std::set<std::string> found;
    for (const Link& link : scan_page(document, page).links)
      if (link.kind == LinkKind::anchor) found.insert(link.target);
    if (expected.empty() && found.empty()) continue;
    ++with_links;
    if (expected == found) continue;
    ++differing;
    std::printf("differs (%zu in the tree, %zu found): %s", expected.size(), found.size(), document.c_str());
  }
  std::printf("%d documents with links, %d differ\n", with_links, differing);
  EXPECT_GT(with_links, 40);
  EXPECT_EQ(differing, 0);
}

}  // namespace
}  // namespace outrider
