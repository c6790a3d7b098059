// Follows the reader. All text that came from pages is set as text, never as markup.
"use strict";
(() => {
  const $ = id => document.getElementById(id);
  const make = (name, properties, ...children) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(properties || {}))
      if (key in element) element[key] = value; else element.setAttribute(key, value);
    element.append(...children.filter(child => child !== null && child !== ""));
    return element;
  };
  const safe = url => /^https?:/i.test(url) ? url : "#";
  const host = url => { try { return new URL(url).host; } catch { return url; } };
  const when = millis => {
    const days = Math.floor((Date.now() - millis) / 86400000);
    return days < 1 ? "today" : days === 1 ? "yesterday" : days < 30 ? days + " days ago" : new Date(millis).toLocaleDateString();
  };
  const asked = new URLSearchParams(location.search).get("url");
  let following = !asked, front = null, shown = asked || "", told = new Set(), drawn = "";

  function picture(hit) {
    const box = make("div", { className: "picture " + hit.picture });
    box.setAttribute("aria-hidden", "true");
    if (hit.picture === "ready") {
      const image = make("img", { src: "picture?url=" + encodeURIComponent(hit.url), alt: "", loading: "lazy" });
      image.onload = () => { if (image.naturalWidth < 100) image.className = "small"; };
      image.onerror = () => box.replaceChildren(host(hit.url)[0] || "");
      box.append(image);
    } else box.append(host(hit.url).replace(/^www\./, "")[0] || "");
    return box;
  }

  function card(hit, facts) {
    const link = make("a", { href: safe(hit.url), target: "_blank", rel: "noopener" }, hit.title || hit.url);
    return make("li", {}, picture(hit), make("h3", {}, link),
      hit.text ? make("p", { className: "text" }, hit.text) : make("p", { className: "quiet" }, "a link without words"),
      make("p", { className: "quiet" }, ...facts, host(hit.url)));
  }

  const ofMemory = hit => card(hit, [
    hit.kind === "redirect" ? make("span", { className: "chip" }, "redirects here") : "", hit.same_site ? make("span", { className: "chip" }, "same site") : "",
    hit.aside ? make("span", { className: "chip" }, "menu") : "", `seen ${when(hit.last_seen)}` + (hit.links > 1 ? `, ${hit.links} links` : "") + " · "]);
  const ofSearch = hit => card(hit, [make("span", { className: "chip" }, hit.links ? "links here" : hit.looked_at ? "no link found" : "not read"), ""]);

  function replace(list, cards) {
    const at = [...list.querySelectorAll("a")].indexOf(document.activeElement);
    list.replaceChildren(...cards);
    if (at >= 0) list.querySelectorAll("a")[at]?.focus();
  }

  function drawSearch(data) {
    const search = data.search;
    $("search-part").hidden = search.mode === "off";
    if (search.mode === "off") return;
    const words = { waiting: "waiting", asking: `asking ${search.engine} …`, reading: "reading what was found …", done: search.hits.length ? "" : `${search.engine} knows nothing more.`, failed: search.why };
    $("search-said").textContent = !search.open ? "Nobody is told about this page: it is not one that everybody may see." : words[search.stage] ?? `${search.engine} has not been told about this page.`;
    const may = search.open && (!search.stage || search.stage === "failed");
    $("search-act").replaceChildren(may ? make("button", { type: "button", onclick: () => ask(data.url) }, `Ask ${search.engine}`) : "");
    replace($("found"), search.hits.map(ofSearch));
    if (may && search.mode === "always" && !told.has(data.url)) void ask(data.url);
  }

  async function ask(url) {
    told.add(url);
    const answer = await fetch("search", { method: "POST", headers: { "Content-Type": "application/x-www-form-urlencoded" }, body: new URLSearchParams({ url }) });
    if (!answer.ok) $("search-said").textContent = (await answer.json()).detail;
    else await look();
  }

  async function look() {
    if (!shown) return $("page").replaceChildren(make("p", {}, "Open a page in a browser that uses Outrider: the pages that link to it appear here."));
    const wanted = shown;
    const answer = await fetch("mirror?url=" + encodeURIComponent(wanted));
    const text = await answer.text();
    if (wanted !== shown) return;  // the reader has gone on meanwhile
    if (!answer.ok) return $("page").replaceChildren(make("p", {}, JSON.parse(text).detail));
    if (text === drawn) return;
    drawn = text;
    const data = JSON.parse(text);
    const title = data.title || (front?.url === data.url && front.title) || data.url;
    $("page").replaceChildren(make("p", { className: "title" }, title), make("p", { className: "quiet" }, make("a", { href: safe(data.url), target: "_blank", rel: "noopener" }, data.url)));
    document.title = `${title} – Rear mirror`;
    $("memory-part").hidden = false;
    $("none").hidden = data.hits.length > 0;
    replace($("hits"), data.hits.map(ofMemory));
    drawSearch(data);
  }

  function setFollowing(on) {
    following = on;
    $("follow").setAttribute("aria-pressed", String(on));
    if (on && front) shown = front.url;
    void look();
  }
  $("follow").onclick = () => setFollowing(!following);
  $("go").onsubmit = event => {
    event.preventDefault();
    const typed = $("url").value.trim();
    if (!typed) return setFollowing(true);
    shown = typed.includes("://") ? typed : "https://" + typed;
    setFollowing(false);
  };

  const events = new EventSource("events");
  let lost = 0;
  events.onopen = () => { clearTimeout(lost); $("dot").className = "dot open"; if ($("live").textContent !== "live") $("live").textContent = "live"; };
  // Each answer ends at once and the browser asks again: only a longer silence is one.
  events.onerror = () => { clearTimeout(lost); lost = setTimeout(() => { $("dot").className = "dot"; $("live").textContent = "Outrider does not answer"; }, 4000); };
  events.onmessage = event => {
    front = JSON.parse(event.data).page;
    if (following && front) shown = front.url;
    void look();
  };
  if (!following) setFollowing(false);
  if (asked) $("url").value = asked;
})();
