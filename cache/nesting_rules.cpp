#include "cache/nesting_rules.hpp"

namespace outrider {
namespace {

using Kind = NestingKind;

constexpr HtmlNameKey key(std::string_view name) {
  return html_name_key(name);
}

Kind kind_of_rare(HtmlNameKey element) {
  switch (element) {
    case key("article"):
    case key("aside"):
    case key("blockquote"):
    case key("center"):
    case key("details"):
    case key("dir"):
    case key("fieldset"):
    case key("figcaption"):
    case key("figure"):
    case key("footer"):
    case key("header"):
    case key("hgroup"):
    case key("listing"):
    case key("main"):
    case key("menu"):
    case key("nav"):
    case key("summary"):
    case key("address"):
      return Kind::block;
    case key("area"):
    case key("base"):
    case key("bgsound"):
    case key("embed"):
    case key("param"):
    case key("source"):
    case key("track"):
      return Kind::empty;
    case key("big"):
    case key("font"):
    case key("nobr"):
    case key("s"):
    case key("strike"):
      return Kind::formatting;
    case key("applet"):
    case key("marquee"):
    case key("object"):
      return Kind::boundary;
    case key("iframe"):
    case key("noembed"):
    case key("textarea"):
    case key("title"):
      return Kind::raw;
    case key("html"):
    case key("head"):
      return Kind::root;
    case key("form"):
      return Kind::form;
    case key("button"):
      return Kind::button;
    case key("select"):
      return Kind::select;
    case key("svg"):
      return Kind::svg;
    case key("noscript"):
      return Kind::special;
    case key("basefont"):
    case key("body"):
    case key("dialog"):
    case key("frame"):
    case key("frameset"):
    case key("image"):
    case key("isindex"):
    case key("keygen"):
    case key("math"):
    case key("menuitem"):
    case key("noframes"):
    case key("optgroup"):
    case key("option"):
    case key("plaintext"):
    case key("rb"):
    case key("rp"):
    case key("rt"):
    case key("rtc"):
    case key("search"):
    case key("template"):
    case key("xmp"):
      return Kind::strange;
    default:
      return Kind::ordinary;
  }
}

}  // namespace

NestingKind nesting_kind(HtmlNameKey element) {
  switch (element) {
    case key("span"):
      return Kind::ordinary;
    case key("a"):
    case key("b"):
    case key("code"):
    case key("em"):
    case key("i"):
    case key("small"):
    case key("strong"):
    case key("tt"):
    case key("u"):
      return Kind::formatting;
    case key("div"):
    case key("dl"):
    case key("ol"):
    case key("p"):
    case key("pre"):
    case key("section"):
    case key("ul"):
      return Kind::block;
    case key("li"):
    case key("dd"):
    case key("dt"):
      return Kind::item;
    case key("h1"):
    case key("h2"):
    case key("h3"):
    case key("h4"):
    case key("h5"):
    case key("h6"):
      return Kind::heading;
    case key("br"):
    case key("input"):
    case key("wbr"):
      return Kind::empty;
    case key("hr"):
      return Kind::rule;
    case key("td"):
    case key("th"):
    case key("caption"):
      return Kind::boundary;
    case key("table"):
      return Kind::table;
    case key("tr"):
    case key("tbody"):
    case key("thead"):
    case key("tfoot"):
    case key("colgroup"):
    case key("col"):
      return Kind::table_part;
    default:
      return kind_of_rare(element);
  }
}

bool leaves_svg(HtmlNameKey element) {
  switch (element) {
    case key("desc"):
    case key("foreignobject"):
    case key("annotation-xml"):
    case key("sub"):
    case key("sup"):
    case key("span"):
    case key("ruby"):
    case key("var"):
      return true;
    case key("a"):
    case key("image"):
    case key("title"):
      return false;
    default: {
      const Kind kind = nesting_kind(element);
      return kind != Kind::ordinary && kind != Kind::svg;
    }
  }
}

}  // namespace outrider
