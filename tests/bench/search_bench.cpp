// The full-text index under load: pages a second into it, time of queries on it, bytes on disk, and how long erasing
// takes. Pages are made of real sentences (langid of the test data) of one language each, plus words that no other page
// has; or of the text of real HTML files with all tags cut out.
//
//   bench_search                                        10,000 pages
//   OUTRIDER_BENCH_PAGES=100000 OUTRIDER_BENCH_HTML=FOLDER OUTRIDER_BENCH_FOLDER=FOLDER bench_search
// With OUTRIDER_BENCH_KEEP=FOLDER the index is kept there, filled by the first run, and asked by the following ones.
#include "cache/search_index.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace outrider {
namespace {

namespace fs = std::filesystem;
using Timer = std::chrono::steady_clock;

double since(Timer::time_point start) {
  return std::chrono::duration<double>(Timer::now() - start).count();
}
double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}
std::string variable(const char* name, std::string otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::move(otherwise) : value;
}

struct Sample {
  std::string language, title, text;
};

std::string without_tags(const std::string& html) {
  std::string text;
  bool tag = false;
  for (std::size_t i = 0; i < html.size(); ++i) {
    if (html[i] == '<') tag = true;
    if (!tag) text += html[i] == '\n' ? ' ' : html[i];
    if (html[i] == '>') tag = false;
  }
  return text;
}

// Texts of about 5,000 bytes: what is left of a page of 15 KB.
std::vector<Sample> samples_of_html(const fs::path& folder) {
  std::vector<Sample> samples;
  for (const auto& entry : fs::recursive_directory_iterator{folder, fs::directory_options::skip_permission_denied}) {
    if (!entry.is_regular_file() || entry.path().extension() != ".html") continue;
    std::ostringstream html;
    html << std::ifstream{entry.path()}.rdbuf();
    std::string text = without_tags(html.str());
    for (std::size_t at = 0; at + 2500 < text.size(); at += 5000)
      samples.push_back({"en", text.substr(at, 60), text.substr(at, 5000)});
  }
  return samples;
}

std::map<std::string, std::vector<std::string>> sentences() {
  std::map<std::string, std::vector<std::string>> all;
  for (const auto& entry : fs::directory_iterator{fs::path{OUTRIDER_TEST_DATA} / "langid"}) {
    if (entry.path().extension() != ".tsv") continue;
    std::ifstream file{entry.path()};
    for (std::string line; std::getline(file, line);)
      if (const auto tab = line.find('\t'); tab != std::string::npos)
        all[entry.path().stem()].push_back(line.substr(tab + 1));
  }
  return all;
}

class Pages {
 public:
  Pages() {
    if (const std::string folder = variable("OUTRIDER_BENCH_HTML", ""); !folder.empty())
      html_ = samples_of_html(folder);
    if (html_.empty()) sentences_ = sentences();
    for (const auto& [language, list] : sentences_) languages_.push_back(language);
    fmt::print("{} samples of HTML, {} languages of sentences\n", html_.size(), languages_.size());
  }

  SearchDocument make(std::uint64_t number) {
    SearchDocument page;
    const Sample sample = html_.empty() ? of_sentences() : html_[random_() % html_.size()];
    page.url = fmt::format("https://www.site{}.example/section/page-{}.html", number % 4000, number);
    page.id = page.url;
    page.language = sample.language;
    page.title = sample.title;
    page.text = sample.text;
    for (int i = 0; i < 4; ++i) page.text += fmt::format(" {}", invented_word());
    page.headings = {sample.text.substr(0, 50), sample.text.substr(100, 40)};
    page.anchor_texts = {sample.title, "more about this"};
    page.mime = "text/html";
    page.fetched = WallTime{std::chrono::seconds{1'760'000'000 + static_cast<std::int64_t>(random_() % 30'000'000)}};
    // Few pages have many links.
    page.in_degree = static_cast<std::uint32_t>(std::pow(2.0, 12.0 * std::pow(uniform(), 4.0)));
    if (random_() % 20 == 0) {
      page.visits = {{"", 1 + static_cast<std::uint32_t>(random_() % 5), page.fetched}};
    }
    page.simhash = random_();
    page.fingerprint = random_();
    for (int i = 0; i < 40; ++i)
      page.link_targets.push_back(fmt::format("https://www.site{}.example/page-{}.html",
                                              (number + random_() % 8) % 4000, random_() % 1'000'000));
    return page;
  }

 private:
  double uniform() { return static_cast<double>(random_() >> 11) * 0x1p-53; }
  std::string invented_word() {
    std::string word;
    for (int i = 0; i < 9; ++i) word += static_cast<char>('a' + random_() % 26);
    return word;
  }
  Sample of_sentences() {
    const std::uint64_t dice = random_() % 10;
    const std::string& language = dice < 6 ? "en" : dice < 8 ? "de" : languages_[random_() % languages_.size()];
    const std::vector<std::string>& list = sentences_[language];
    Sample sample{language, list[random_() % list.size()], ""};
    while (sample.text.size() < 5000) sample.text += list[random_() % list.size()] + "\n";
    return sample;
  }

  std::mt19937_64 random_{20'261'116};
  std::vector<Sample> html_;
  std::map<std::string, std::vector<std::string>> sentences_;
  std::vector<std::string> languages_;
};

void report(const char* name, std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const auto at = [&times](double share) {
    return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
  };
  fmt::print("{:<22} {:>4} queries: p50 {:6.2f} ms, p95 {:6.2f} ms, p99 {:6.2f} ms, worst {:6.2f} ms\n", name,
             times.size(), at(0.5), at(0.95), at(0.99), times.back());
}

// Words as people ask for them: drawn from the texts, so common ones come often.
std::vector<std::string> words_of(const std::vector<std::string>& texts) {
  std::vector<std::string> words;
  for (const std::string& text : texts) {
    std::istringstream stream{text};
    for (std::string word; stream >> word;)
      if (word.size() > 3 &&
          std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::isalpha(c) || c > 127; }))
        words.push_back(word);
  }
  return words;
}

int run() {
  const auto count = std::stoull(variable("OUTRIDER_BENCH_PAGES", "10000"));
  const std::string kept = variable("OUTRIDER_BENCH_KEEP", "");
  const fs::path folder =
      !kept.empty() ? kept
                    : variable("OUTRIDER_BENCH_FOLDER", (fs::temp_directory_path() / "outrider-bench-search").native());
  const fs::path filled = folder / "filled";
  const bool is_filled = !kept.empty() && fs::exists(filled);
  if (!is_filled) fs::remove_all(folder);
  Pages pages;
  std::vector<std::string> some_texts;  // every tenth page has one of them, for queries and snippets
  SearchIndexOptions options;
  options.folder = folder;
  options.text_of = [&some_texts](const SearchTextRef& page) {
    return some_texts[page.url.size() % some_texts.size()];
  };
  auto opened = SearchIndex::open(std::move(options));
  if (!opened) return fmt::print("{}\n", opened.error().to_string()), 1;
  SearchIndex& index = **opened;

  double busy = 0, busy_cpu = 0;
  std::uint64_t text_bytes = 0;
  const std::uint64_t at_once = kept.empty() ? 200 : 4000;  // the indexer commits every few hundred pages
  for (std::uint64_t done = 0; done < count;) {
    std::vector<SearchDocument> batch;
    for (std::uint64_t i = 0; i < at_once && done < count; ++i, ++done) batch.push_back(pages.make(done));
    const auto start = Timer::now();
    const double cpu = cpu_seconds();
    for (const SearchDocument& page : is_filled ? std::vector<SearchDocument>{} : batch)
      if (auto put = index.put(page); !put) return fmt::print("{}\n", put.error().to_string()), 1;
    if (auto committed = index.commit(); !is_filled && !committed)
      return fmt::print("{}\n", committed.error().to_string()), 1;
    busy += since(start);
    busy_cpu += cpu_seconds() - cpu;
    for (const SearchDocument& page : batch) text_bytes += page.text.size();
    for (std::size_t i = 0; i < batch.size() && some_texts.size() < 2000; i += 200) some_texts.push_back(batch[i].text);
    if (done % 10'000 == 0 && !is_filled)
      fmt::print("{:>7} pages: {:6.0f} pages/s, {:6.0f} pages/s of CPU, {} bytes on disk a page\n", done,
                 static_cast<double>(done) / busy, static_cast<double>(done) / busy_cpu, index.disk_bytes() / done);
  }
  fmt::print("text {} bytes a page\n", text_bytes / count);
  if (!kept.empty()) std::ofstream{filled} << count;

  const std::vector<std::string> words = words_of(some_texts);
  std::mt19937_64 random{7};
  const auto word = [&] { return words[random() % words.size()]; };
  const WallTime now{std::chrono::seconds{1'790'000'000}};
  const auto measure = [&](const char* name, int queries, auto make) {
    std::vector<double> times;
    for (int i = 0; i < queries; ++i) {
      const std::string query = make();
      const auto start = Timer::now();
      const auto answer = index.query({}, {query, 0, 10}, now);
      times.push_back(1e3 * since(start));
      if (!answer) fmt::print("{}: {}\n", query, answer.error().to_string());
    }
    report(name, std::move(times));
  };
  for (int round = 0; round < 2; ++round) {
    measure("one word", 300, [&] { return word(); });
    measure("two words", 300, [&] { return word() + " " + word(); });
    measure("four words", 300, [&] { return word() + " " + word() + " " + word() + " " + word(); });
    measure("phrase", 100, [&] {
      const std::string& t = some_texts[random() % some_texts.size()];
      const auto at = t.find(' ', t.size() / 2);
      return "\"" + t.substr(at + 1, t.find(' ', at + 12) - at - 1) + "\"";
    });
    measure("word and site", 100, [&] { return word() + fmt::format(" site:www.site{}.example", random() % 4000); });
    measure("visited", 100, [&] { return word() + " visited:yes"; });
    measure("prefix", 100, [&] { return word().substr(0, 4) + "*"; });
    measure("misspelt", 100, [&] {
      std::string w = word();
      w.insert(w.size() / 2, "x");
      return w;
    });
    measure("only a filter", 100, [&] { return fmt::format("site:site{}.example", random() % 4000); });
    measure("common", 20, [] { return std::string{"the and"}; });
  }

  if (!kept.empty()) return 0;
  index.remove("https://www.site7.example/section/page-7.html").value();
  const auto start = Timer::now();
  const double cpu = cpu_seconds();
  if (auto erased = index.erase_remnants(); !erased) fmt::print("{}\n", erased.error().to_string());
  fmt::print("erase: {:.1f} s, {:.1f} s of CPU; afterwards {} bytes on disk a page\n", since(start),
             cpu_seconds() - cpu, index.disk_bytes() / count);
  fs::remove_all(folder);
  return 0;
}

}  // namespace
}  // namespace outrider

int main() {
  return outrider::run();
}
