// Which elements of a page get a preview, and what the page itself says about them.

export interface Target {
  url: string;
  text: string;
  opens: "here" | "new"; // where following it leads
  download: boolean;
}

const LONGEST_URL = 4096; // a part of it is another address
const COMMANDS = "button,[role=button],[role=tab],[role=menuitem],[role=option],[aria-haspopup]";

// The link that an event is about. Open shadow trees are looked into; closed ones hide their elements from everybody.
export function linkOf(event: Event): Element | null {
  for (const each of event.composedPath())
    if (each instanceof Element && (each.localName === "a" || each.localName === "area")) return each;
  return null;
}

// Nothing for what is no way to another document: commands, and places on this very page.
export function targetOf(link: Element): Target | null {
  const html = link as HTMLAnchorElement;
  const written: unknown = html.href;
  const raw = typeof written === "string" ? html.getAttribute("href") : link.getAttribute("href") ?? link.getAttribute("xlink:href");
  if (raw === null || link.closest(COMMANDS)) return null;
  let url: URL;
  try {
    url = new URL(raw, document.baseURI);
  } catch {
    return null;
  }
  if (!/^(https?|mailto|tel):$/.test(url.protocol)) return null;
  const bare = (text: string) => text.replace(/#.*/, "");
  if (url.href.length > LONGEST_URL) return null;
  if (bare(url.href) === bare(location.href) && (raw.includes("#") || raw === "")) return null;
  const frame = (link.getAttribute("target") ?? "").toLowerCase();
  return {
    url: url.href,
    // Without half characters, which are in no valid JSON: the last one may have been cut through.
    text: (link.textContent ?? "").trim().replace(/\s+/g, " ").slice(0, 200).replace(/[\uD800-\uDFFF]/gu, ""),
    opens: frame && !["_self", "_top", "_parent"].includes(frame) ? "new" : "here",
    download: link.hasAttribute("download"),
  };
}
