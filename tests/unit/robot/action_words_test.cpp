#include "robot/action_words.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

const ActionWords kWords({"Verschenken"}, {"edit"});

TEST(ActionWords, ActionsOfManyLanguages_AreFound) {
  for (std::string_view text : {"logout",
                                "LOGOUT",
                                "log-out",
                                "sign_out.php",
                                "deleteItem",
                                "doDelete",
                                "add-to-cart",
                                "Unsubscribe",
                                "vote",
                                "confirm",
                                "abmelden",
                                "L\xC3\x96SCHEN",
                                "l%C3%B6schen",
                                "In den Warenkorb",
                                "panier",
                                "cerrar-sesi\xC3\xB3n",
                                "carrello",
                                "wyloguj",
                                "\xD0\x9A\xD0\xBE\xD1\x80\xD0\xB7\xD0\xB8\xD0\xBD\xD0\xB0",
                                "%E5%89%8A%E9%99%A4",
                                "退出登录",
                                "로그아웃",
                                "Logga ut",
                                "verschenken"}) {
    EXPECT_TRUE(kWords.find_in(text)) << text;
  }
}

TEST(ActionWords, Pages_AreNoActions) {
  for (std::string_view text :
       {"news", "articles", "2026", "index.html", "cartography", "voters", "undeleted-scenes",
        "how-to-delete-a-file-on-unix", "deliver", "products", "edit", "", "日本語", "logo.png"}) {
    EXPECT_FALSE(kWords.find_in(text)) << text;
  }
}

TEST(ActionWords, WordsAreCutAtSeparatorsAndInCamelCase) {
  EXPECT_EQ(folded_words("/deleteItem/7?xY=\xC3\x84pfel_z"),
            (std::vector<std::string>{"delete", "item", "x", "y", "\xC3\xA4pfel", "z"}));
  EXPECT_EQ(folded_words("HTMLPage"), (std::vector<std::string>{"htmlpage"}));
  EXPECT_TRUE(folded_words("\xFF\xFE 12").empty());
}

}  // namespace
}  // namespace outrider
