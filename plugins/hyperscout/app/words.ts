// What the card says, in words: from the link itself and from what is known. What is not known is not said.

export interface Link {
  url: string;
  text: string;
  opens: "here" | "new";
  download: boolean;
}

// As plugins/hyperscout/card_facts.cpp writes it.
export interface Facts {
  title?: string;
  site?: string;
  description?: string;
  icon?: string;
  picture?: string;
  language?: string;
  kind?: string;
  size?: number;
  reading?: number; // seconds
  author?: string;
  published?: number; // milliseconds since 1970, here and below
  visits?: number;
  visited?: number;
  changed?: boolean; // since the last visit
  state?: "alive" | "dead" | "failing" | "moved";
  status?: number;
  trouble?: string;
  moved_to?: string;
  links_in?: number;
  links_out?: number;
  linked_by?: { url: string; title: string }[];
  fetched?: number;
  fresh?: boolean; // just now, for this card
  tried?: number; // the last look, which failed
  looking?: boolean; // the robot is on its way
  refused?: string; // why the robot does not go
  copy?: boolean;
}

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31557600], ["month", 2629800], ["week", 604800], ["day", 86400], ["hour", 3600], ["minute", 60],
];

export function ago(then: number, now = Date.now()): string {
  const seconds = (now - then) / 1000;
  for (const [unit, length] of UNITS) if (seconds >= length) return relative.format(-Math.round(seconds / length), unit);
  return "just now";
}

export function age(then: number, now = Date.now()): string {
  const text = ago(then, now);
  return text === "just now" ? text : text === "yesterday" ? "1 day old" : text.replace(/ ago$/, " old").replace(/^last /, "1 ") .replace(/^1 (week|month|year)$/, "1 $1 old");
}

export function bytes(count: number): string {
  const steps = ["B", "kB", "MB", "GB"];
  let step = 0;
  for (; count >= 1000 && step < 3; ++step) count /= 1000;
  return `${count >= 10 || !step ? Math.round(count) : count.toFixed(1)} ${steps[step]}`;
}

const KINDS: Record<string, string> = {
  "text/html": "Web page", "application/xhtml+xml": "Web page", "application/pdf": "PDF", "application/zip": "ZIP archive",
  "text/plain": "Text", "application/json": "JSON", "text/css": "Style sheet", "text/javascript": "Script",
};
export function kindOf(mime: string): string {
  const [family, form = ""] = mime.split("/");
  if (KINDS[mime]) return KINDS[mime]!;
  if (/^(image|audio|video|font)$/.test(family!)) return `${form.replace(/^x-|\+.*$/g, "").toUpperCase()} ${family}`;
  return mime;
}

export function languageOf(code: string): string {
  try {
    return new Intl.DisplayNames("en", { type: "language" }).of(code) ?? code;
  } catch {
    return code;
  }
}

const many = (count: number, one: string) => `${count.toLocaleString("en")} ${one}${count === 1 ? "" : "s"}`;

export function facts(f: Facts): string[] {
  const out = [];
  if (f.kind) out.push(kindOf(f.kind) + (f.size ? ", " + bytes(f.size) : ""));
  else if (f.size) out.push(bytes(f.size));
  if (f.language) out.push(languageOf(f.language));
  if (f.reading && f.reading >= 20) out.push(`${Math.max(1, Math.round(f.reading / 60))} min read`);
  if (f.author) out.push(f.author);
  if (f.published) out.push(new Date(f.published).toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" }));
  return out;
}

export function you(f: Facts): string {
  if (!f.visits || !f.visited) return "";
  return `You were here ${ago(f.visited)}` + (f.visits > 1 ? `, ${f.visits.toLocaleString("en")} times in all` : "") + (f.changed ? "; changed since" : "");
}

export function way(link: Link, here: string): string[] {
  const url = new URL(link.url);
  if (url.protocol === "mailto:") return ["Writes a mail"];
  if (url.protocol === "tel:") return ["Calls a number"];
  const out = [url.hostname === here ? "Same site" : `Leaves ${here}`];
  if (link.opens === "new") out.push("opens a new window");
  if (link.download) out.push("downloads a file");
  return out;
}

export function around(f: Facts): string {
  const out = [];
  if (f.links_in) out.push(`${many(f.links_in, "page")} ${f.links_in === 1 ? "links" : "link"} here`);
  if (f.links_out) out.push(`${many(f.links_out, "link")} out`);
  return out.join(" · ");
}

export function state(f: Facts): { word: string; tone: string } | undefined {
  switch (f.state) {
    case "alive": return { word: "Alive", tone: "good" };
    case "dead": return { word: f.status ? `Dead: ${f.status}` : `Dead: ${f.trouble}`, tone: "bad" };
    case "failing": return { word: f.status ? `Answers ${f.status}` : `${f.trouble}`, tone: "warn" };
    case "moved": return { word: f.moved_to ? `Moved to ${new URL(f.moved_to).hostname}` : "Moved", tone: "warn" };
  }
  return undefined;
}

// How the look ended that did not bring the page.
function failure(f: Facts, tried: number): string {
  const what = f.status ? `answer ${f.status}` : f.trouble ?? "no answer";
  return `${what[0].toUpperCase()}${what.slice(1)}, ${ago(tried)}`;
}

export function source(f: Facts): string {
  if (f.tried) return failure(f, f.tried);
  if (f.fresh) return "Just fetched";
  if (f.fetched) return `From memory, ${age(f.fetched)}`;
  if (f.refused) return `Not fetched: ${f.refused}`;
  return f.looking ? "" : "Not seen so far";
}
