// Those who judge for one task: classifiers write attributes down, filters decide by them. The robot has its own
// (TaskSpec: languages, topic …); whoever submits a task may add these. All are called by the robot's thread, for one
// page at a time: return at once, ask nobody. What a judge is given ends with the call.
#pragma once

#include "base/url.hpp"
#include "plugins/api/link.hpp"
#include "plugins/api/page_content.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace outrider {

enum class Decision : std::uint8_t { none, accept, reject };  // AND: one rejection is enough

struct UrlDecision {
  Decision decision = Decision::none;
  std::string reason;  // of a rejection, for people: "filtered by reject path /cgi-bin/"
};

// Of a pair of task and page, or task and link. Few and small: a vector is faster than any map. Of a link, "score" is
// its place in a best_first queue.
class Attributes {
 public:
  void set(std::string_view name, double value);
  std::optional<double> get(std::string_view name) const;
  std::size_t size() const { return values_.size(); }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }

 private:
  std::vector<std::pair<std::string, double>> values_;
};

struct JudgedPage {
  const Url& url;
  int status = 0;
  const PageContent& page;  // its `text` only if TaskJudges::need_text
};

struct JudgedLink {
  const JudgedPage& page;
  const Url& url;
  LinkKind kind = LinkKind::anchor;
  std::uint16_t flags = 0;     // LinkFlags
  std::uint32_t position = 0;  // among the links of the page
  std::string_view text;       // of the anchor
};

struct TaskJudges {
  bool need_text = false;  // the text of pages: then they are asked for without content coding, and read closely
  std::function<void(const JudgedPage&, Attributes& out)> classify_page;
  // A page that is rejected is no result, and its links are not followed.
  std::function<UrlDecision(const JudgedPage&, const Attributes&)> filter_page;
  std::function<void(const JudgedLink&, const Attributes& page, Attributes& out)> classify_link;
  std::function<UrlDecision(const JudgedLink&, const Attributes&)> filter_link;

  bool any() const { return classify_page || filter_page || classify_link || filter_link; }
};

}  // namespace outrider
