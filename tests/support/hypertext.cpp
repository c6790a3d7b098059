#include "tests/support/hypertext.hpp"

#include <initializer_list>

namespace outrider::testing {
namespace {

std::string answer(std::string_view type, std::string_view body) {
  return page(body, "Content-Type: " + std::string{type} + "\r\nCache-Control: max-age=3600\r\n");
}

// A page that names itself, so that no two have the same bytes.
void put(ScriptedOrigin& origin, const std::string& path, const std::string& body, const std::string& head = "") {
  origin.on(path,
            answer("text/html", "<!DOCTYPE html><title>" + path + "</title>" + head + "<p>" + path + "</p>" + body));
}

std::string links(std::initializer_list<const char*> targets) {
  std::string text;
  for (const char* target : targets) text += "<a href=\"" + std::string{target} + "\">" + target + "</a>\n";
  return text;
}

void move(ScriptedOrigin& origin, const std::string& path, const std::string& status, const std::string& target) {
  origin.on(path, "HTTP/1.1 " + status + "\r\nLocation: " + target + "\r\nContent-Length: 0\r\n\r\n");
}

void serve_structure(ScriptedOrigin& origin) {
  put(origin, "/frames.html", "<iframe src=/frame/menu.html></iframe><iframe src=/frame/body.html></iframe>");
  put(origin, "/frame/menu.html", links({"body.html", "/index.html"}));
  put(origin, "/frame/body.html", "<iframe src=inner.html></iframe>");
  put(origin, "/frame/inner.html", "");
  put(origin, "/map.html",
      "<img src=/pictures/map.png usemap=#m><map name=m><area href=/map/north.html><area "
      "href=/map/south.html><area></map>");
  put(origin, "/map/north.html", links({"/map.html"}));
  put(origin, "/map/south.html", links({"/map.html"}));
  put(origin, "/tree/", links({"1", "2"}));
  put(origin, "/tree/1", links({"3", "4"}));
  put(origin, "/tree/2", links({"5", "6"}));
  for (const char* leaf : {"/tree/3", "/tree/4", "/tree/5", "/tree/6"}) put(origin, leaf, "");
}

void serve_redirects(ScriptedOrigin& origin) {
  put(origin, "/redirects.html", links({"/moved/permanent", "/moved/temporary", "/moved/chain/1", "/moved/loop"}));
  move(origin, "/moved/permanent", "301 Moved Permanently", "/redirects/target.html");
  move(origin, "/moved/temporary", "302 Found", "/redirects/target.html");
  move(origin, "/moved/chain/1", "301 Moved Permanently", "2");
  move(origin, "/moved/chain/2", "307 Temporary Redirect", "3");
  move(origin, "/moved/chain/3", "308 Permanent Redirect", "/redirects/end.html");
  move(origin, "/moved/loop", "302 Found", "/moved/loop");
  put(origin, "/redirects/target.html", "");
  put(origin, "/redirects/end.html", "");
  put(origin, "/refresh.html", "", "<meta http-equiv=refresh content='5; url=/refresh/next.html'>");
  put(origin, "/refresh/next.html", "", "<meta http-equiv=refresh content='5; url=/refresh.html'>");
}

void serve_documents(ScriptedOrigin& origin) {
  put(origin, "/huge.html",
      links({"/huge/first.html"}) + std::string(2 * kHugePageCut, 'x') + links({"/huge/last.html"}));
  put(origin, "/huge/first.html", "");
  put(origin, "/huge/last.html", "");
  put(origin, "/files.html",
      links({"/files/a.pdf", "/files/b.zip", "/files/c.txt", "/files/wrong.html", "/files/no-extension"}));
  origin.on("/files/a.pdf", answer("application/pdf", "%PDF-1.4 <a href=/files/never.html>"));
  origin.on("/files/b.zip", answer("application/zip", "PK\3\4 <a href=/files/never.html>"));
  origin.on("/files/c.txt", answer("text/plain", "<a href=/files/never.html>text</a>"));
  origin.on("/files/wrong.html", answer("image/png", "<a href=/files/never.html>not a picture</a>"));
  put(origin, "/files/no-extension", "");
  put(origin, "/duplicates.html", links({"/dup/1/x.html", "/dup/2/x.html"}));
  for (const char* copy : {"/dup/1/x.html", "/dup/2/x.html"})
    origin.on(copy, answer("text/html", "<!DOCTYPE html><title>copy</title>" + links({"y.html"})));
  put(origin, "/dup/1/y.html", "");
  put(origin, "/dup/2/y.html", "");
}

void serve_forbidden(ScriptedOrigin& origin) {
  origin.on("/robots.txt", answer("text/plain", "User-agent: *\nDisallow: /private/\n"));
  put(origin, "/nofollow.html", "<a rel=nofollow href=/nofollow/1.html>1</a>" + links({"/nofollow/meta.html"}));
  put(origin, "/nofollow/meta.html", links({"/nofollow/2.html"}), "<meta name=robots content=nofollow>");
  put(origin, "/nofollow/1.html", "");
  put(origin, "/nofollow/2.html", "");
  put(origin, "/secret.html", links({"/private/a.html", "/private/b.html", "/private-not.html"}));
  put(origin, "/private/a.html", "");
  put(origin, "/private/b.html", "");
  put(origin, "/private-not.html", "");
  put(origin, "/script.html",
      "<script>document.write('<a href=/script/never.html>x</a>')</script>" +
          links({"javascript:go()", "/script/real.html"}) + "<!-- <a href=/script/never.html> -->");
  put(origin, "/script/real.html", "");
  put(origin, "/broken.html",
      links({"/missing.html", "mailto:a@example.com", "ftp://example.com/", "#top", "http://elsewhere.example/"}));
}

}  // namespace

void serve_hypertext(ScriptedOrigin& origin) {
  put(origin, "/index.html",
      links({"/frames.html", "/map.html", "/redirects.html", "/huge.html", "/files.html", "/refresh.html",
             "/nofollow.html", "/secret.html", "/duplicates.html", "/tree/", "/script.html", "/broken.html"}));
  serve_structure(origin);
  serve_redirects(origin);
  serve_documents(origin);
  serve_forbidden(origin);
}

}  // namespace outrider::testing
