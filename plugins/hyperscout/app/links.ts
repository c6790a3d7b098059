// Which elements of a page get a preview, and what the page itself says about them.

export interface Target {
  url: string;
  text: string;
  opens: "here" | "new"; // where following it leads
  download: boolean;
}

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
  if (bare(url.href) === bare(location.href) && (raw.includes("#") || raw === "")) return null;
  const frame = (link.getAttribute("target") ?? "").toLowerCase();
  return {
    url: url.href.slice(0, 4096),
    text: (link.textContent ?? "").trim().replace(/\s+/g, " ").slice(0, 200),
    opens: frame && !["_self", "_top", "_parent"].includes(frame) ? "new" : "here",
    download: link.hasAttribute("download"),
  };
}
