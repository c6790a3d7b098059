#include "robot/action_words.hpp"

#include "base/url_percent.hpp"
#include "base/utf8.hpp"

#include <unicode/uchar.h>

#include <algorithm>
#include <array>

namespace outrider {
namespace {

constexpr std::size_t kMostText = 4096;  // bytes of one text that are looked at
// "how-to-delete-a-file-safely" is the title of a page; what is pressed has a short name.
constexpr std::size_t kMostWordsOfAnAction = 4;
constexpr std::size_t kMostBytesWithoutBlanks = 45;  // the same for scripts that write none

// Whole words. What is two words ("log out", "ta bort") is written as one.
constexpr auto kWords = std::to_array<std::string_view>({
    // English
    "logout",
    "logoff",
    "signout",
    "signoff",
    "delete",
    "remove",
    "destroy",
    "erase",
    "purge",
    "trash",
    "cart",
    "basket",
    "addtocart",
    "checkout",
    "buy",
    "buynow",
    "purchase",
    "order",
    "pay",
    "payment",
    "donate",
    "unsubscribe",
    "subscribe",
    "optout",
    "optin",
    "vote",
    "upvote",
    "downvote",
    "like",
    "unlike",
    "dislike",
    "follow",
    "unfollow",
    "confirm",
    "confirmation",
    "verify",
    "verification",
    "activate",
    "deactivate",
    "approve",
    "reject",
    "accept",
    "decline",
    "cancel",
    "submit",
    "send",
    "edit",
    "rollback",
    "revert",
    "undo",
    "restore",
    "ban",
    "block",
    "flag",
    "invite",
    "join",
    "leave",
    "reset",
    "install",
    "uninstall",
    "enable",
    "disable",
    "toggle",
    "mute",
    "markread",
    "markasread",
    "admin",
    "shutdown",
    "reboot",
    "wishlist",
    "reserve",
    "booking",
    "redeem",
    "claim",
    "impersonate",
    // German
    "abmelden",
    "ausloggen",
    "löschen",
    "loeschen",
    "entfernen",
    "warenkorb",
    "kaufen",
    "bestellen",
    "bezahlen",
    "kasse",
    "abbestellen",
    "abonnieren",
    "abstimmen",
    "bestätigen",
    "bestaetigen",
    "kündigen",
    "kuendigen",
    "stornieren",
    "absenden",
    "freischalten",
    "bearbeiten",
    "austragen",
    "merkzettel",
    "buchen",
    // French
    "déconnexion",
    "deconnexion",
    "déconnecter",
    "deconnecter",
    "supprimer",
    "effacer",
    "panier",
    "acheter",
    "commander",
    "payer",
    "désabonner",
    "desabonner",
    "désinscrire",
    "desinscrire",
    "désinscription",
    "voter",
    "confirmer",
    "valider",
    "annuler",
    "envoyer",
    "réserver",
    // Spanish, Portuguese, Italian
    "cerrarsesión",
    "cerrarsesion",
    "salir",
    "desconectar",
    "eliminar",
    "borrar",
    "carrito",
    "cesta",
    "comprar",
    "pagar",
    "baja",
    "votar",
    "confirmar",
    "cancelar",
    "enviar",
    "suscribirse",
    "sair",
    "excluir",
    "apagar",
    "remover",
    "carrinho",
    "descadastrar",
    "esci",
    "disconnetti",
    "elimina",
    "cancella",
    "carrello",
    "acquista",
    "compra",
    "paga",
    "disiscriviti",
    "vota",
    "conferma",
    "annulla",
    "invia",
    "prenota",
    // Dutch, Swedish, Danish, Norwegian, Finnish
    "uitloggen",
    "afmelden",
    "verwijderen",
    "winkelwagen",
    "winkelmand",
    "kopen",
    "bestel",
    "betalen",
    "uitschrijven",
    "stemmen",
    "bevestigen",
    "annuleren",
    "loggaut",
    "radera",
    "tabort",
    "varukorg",
    "kundvagn",
    "köp",
    "avregistrera",
    "rösta",
    "bekräfta",
    "avbryt",
    "logud",
    "kurv",
    "indkøbskurv",
    "afmeld",
    "bekræft",
    "loggut",
    "slett",
    "handlekurv",
    "kjøp",
    "bekreft",
    "kirjauduulos",
    "poista",
    "ostoskori",
    "osta",
    "vahvista",
    "peruuta",
    // Polish, Czech, Hungarian, Romanian, Turkish
    "wyloguj",
    "usuń",
    "usun",
    "koszyk",
    "kup",
    "zamów",
    "zapłać",
    "wypisz",
    "głosuj",
    "potwierdź",
    "anuluj",
    "odhlásit",
    "odhlasit",
    "smazat",
    "košík",
    "kosik",
    "koupit",
    "potvrdit",
    "zrušit",
    "kijelentkezés",
    "törlés",
    "kosár",
    "vásárlás",
    "deconectare",
    "șterge",
    "sterge",
    "coș",
    "cumpără",
    "çıkış",
    "cikis",
    "sepet",
    "satınal",
    "onayla",
    "iptal",
    // Russian, Ukrainian, Greek
    "выйти",
    "выход",
    "удалить",
    "корзина",
    "корзину",
    "купить",
    "заказать",
    "оплатить",
    "отписаться",
    "голосовать",
    "подтвердить",
    "отменить",
    "вийти",
    "видалити",
    "кошик",
    "купити",
    "підтвердити",
    "αποσύνδεση",
    "διαγραφή",
    "καλάθι",
    "αγορά",
    "επιβεβαίωση",
    // Arabic, Hebrew
    "خروج",
    "حذف",
    "سلة",
    "شراء",
    "تأكيد",
    "إلغاء",
    "התנתק",
    "מחק",
    "עגלה",
    "אישור",
});

// Scripts that write no blanks between words.
constexpr auto kAnywhere = std::to_array<std::string_view>({
    "ログアウト", "削除", "カート", "購入", "注文",     "退会",   "配信停止", "投票", "確認", "キャンセル", "退出",
    "登出",       "注销", "註銷",   "删除", "刪除",     "购物车", "購物車",   "购买", "購買", "下单",       "取消",
    "订阅",       "退订", "确认",   "確定", "로그아웃", "삭제",   "장바구니", "구매", "탈퇴", "투표",       "취소",
});

std::string folded(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto c = static_cast<UChar32>(next_code_point(text, at));
    append_utf8(out, static_cast<char32_t>(u_foldCase(c, U_FOLD_CASE_DEFAULT)));
  }
  return out;
}

bool writes_no_blanks(std::string_view word) {
  std::size_t at = 0;
  const char32_t c = word.empty() ? U' ' : next_code_point(word, at);
  return c >= 0x2E80 && c <= 0xD7FF;  // CJK, kana, Hangul
}

}  // namespace

std::vector<std::string> folded_words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool was_lower = false;
  const auto end_word = [&] {
    if (!word.empty()) words.push_back(std::move(word));
    word.clear();
  };
  for (std::size_t at = 0; at < text.size();) {
    const auto c = static_cast<UChar32>(next_code_point(text, at));
    if (u_isalpha(c) == 0) {
      // A mark belongs to its letter ("ö" in two code points); anything else ends the word.
      if (u_charType(c) != U_NON_SPACING_MARK) end_word();
      was_lower = false;
      continue;
    }
    const bool is_upper = u_isupper(c) != 0;
    if (is_upper && was_lower) end_word();  // camelCase
    was_lower = !is_upper;
    append_utf8(word, static_cast<char32_t>(u_foldCase(c, U_FOLD_CASE_DEFAULT)));
  }
  end_word();
  return words;
}

ActionWords::ActionWords(const std::vector<std::string>& more, const std::vector<std::string>& fewer) {
  const auto add = [this](std::string_view word) {
    std::string key = folded(word);
    if (writes_no_blanks(key)) {
      anywhere_.push_back(std::move(key));
    } else {
      words_.insert(std::move(key));
    }
  };
  for (std::string_view word : kWords) add(word);
  for (std::string_view word : kAnywhere) add(word);
  for (const std::string& word : more) add(word);
  for (const std::string& word : fewer) {
    const std::string key = folded(word);
    words_.erase(key);
    std::erase(anywhere_, key);
  }
}

std::optional<std::string> ActionWords::find_in(std::string_view text) const {
  const std::string decoded = percent_decode(text.substr(0, kMostText));
  const std::vector<std::string> words = folded_words(decoded);
  if (words.size() > kMostWordsOfAnAction) return std::nullopt;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words_.contains(words[i])) return words[i];
    if (i + 1 == words.size()) break;
    if (std::string pair = words[i] + words[i + 1]; words_.contains(pair)) return pair;
  }
  if (decoded.size() > kMostBytesWithoutBlanks) return std::nullopt;
  const std::string whole = folded(decoded);
  for (const std::string& word : anywhere_) {
    if (whole.find(word) != std::string::npos) return word;
  }
  return std::nullopt;
}

}  // namespace outrider
