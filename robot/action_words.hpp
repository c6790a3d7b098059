// Words that make a link look like an action instead of a page: "logout", "löschen", "корзина", "削除". Known in
// several languages, extended and reduced by the configuration. Neighbour: prefetch_guard.hpp.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace outrider {

class ActionWords {
 public:
  // `more` are added to the built-in words, `fewer` are taken away. Any case.
  ActionWords(const std::vector<std::string>& more, const std::vector<std::string>& fewer);

  // The word of action in `text` (UTF-8, may be percent-encoded), if there is one. Words are found across separators
  // ("log-out", "sign_out") and in camel case ("deleteItem"); those of scripts without blanks anywhere. A long text is
  // the title of a page: nothing is found in it.
  std::optional<std::string> find_in(std::string_view text) const;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view word) const { return std::hash<std::string_view>{}(word); }
  };
  std::unordered_set<std::string, Hash, std::equal_to<>> words_;
  std::vector<std::string> anywhere_;
};

// The words of a text, folded to lower case: "/deleteItem/7?x" is "delete", "item", "x".
std::vector<std::string> folded_words(std::string_view text);

}  // namespace outrider
