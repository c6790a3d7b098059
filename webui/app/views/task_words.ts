// What is said of a task, in its list and on its page: how it stands, and why it came to what it is.
import { count } from "../format";

export const tones: Record<string, string> = { running: "good", waiting: "accent", paused: "warn", finished: "soft", stopped: "soft", expired: "soft", failed: "bad" };

const reasons: Record<string, string> = {
  depth: "too far from the start", restriction: "outside of what the task may visit", scheme: "not a web address", nofollow: "marked nofollow",
  robots: "robots.txt forbids it", host_rule: "a rule about hosts", path_rule: "a rule about paths", url_rule: "a rule about addresses", mime: "of a type that is not wanted",
  extension: "of an ending that is not wanted", query: "has a “?”", too_long: "too long", trap: "looks endless", page_filter: "the page it is on was rejected", link_filter: "a filter of links",
  content_seen: "the page it is on says the same as another", limit: "the limit is reached", address: "the robot may not go there", kind: "this kind of link is not followed", redirects: "too many redirects", error: "it failed",
};
export const inWords = (reason: string) => reasons[reason] ?? reason.replace(/_/g, " ");

// The commonest first.
export function rejections(s: any): [string, number][] {
  return Object.entries<number>(s.rejected ?? {}).filter(([, n]) => n > 0).sort((a, b) => b[1] - a[1]);
}

// At its end without one answer that could be used.
export const isEmpty = (t: any) => t.state === "finished" && t.statistics.downloaded + t.statistics.cache_hits === 0;

// Why it stands where it does; "" = there is nothing to be said. `obstacle`: what stood in the way of the first address, if that is known.
export function explained(t: any, obstacle = ""): string {
  if (!isEmpty(t)) return t.why ?? "";
  const s = t.statistics, [most] = rejections(s);
  const reason = obstacle || t.why || (s.failed ? `${count(s.failed)} failed` : most ? inWords(most[0]) : "");
  return "nothing could be loaded" + (reason ? `: ${reason}` : "");
}
