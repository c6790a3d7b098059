// Numbers and times for people.

export function bytes(n: number): string {
  if (n < 1000) return `${n} B`;
  const units = ["kB", "MB", "GB", "TB"];
  let value = n / 1000, unit = 0;
  while (value >= 999.5 && unit < units.length - 1) { value /= 1000; unit++; }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

export function count(n: number): string {
  return n.toLocaleString("en").replace(/,/g, "\u202f");
}

export function millis(ms: number): string {
  if (ms < 1) return "<1 ms";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 60000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 60000)} min`;
}

export function clock(iso: string): string {
  const date = new Date(iso);
  return isNaN(+date) ? "" : date.toLocaleTimeString([], { hour12: false });
}

export function day(iso: string): string {
  const date = new Date(iso);
  if (isNaN(+date)) return "";
  const today = new Date();
  const yesterday = new Date(+today - 86400000);
  if (date.toDateString() === today.toDateString()) return "Today";
  if (date.toDateString() === yesterday.toDateString()) return "Yesterday";
  return date.toLocaleDateString([], { weekday: "long", year: "numeric", month: "long", day: "numeric" });
}

// A day of the person who looks, "2026-11-17", and the midnights around it: days may have 23 or 25 hours.
export function localDay(date: Date): string {
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((n) => String(n).padStart(2, "0")).join("-");
}

export function midnight(day: string, days = 0): Date {
  const [y, m, d] = day.split("-").map(Number);
  return new Date(y, m - 1, d + days);
}

export function when(iso: string | null): string {
  if (!iso) return "never";
  const date = new Date(iso);
  return date.toLocaleDateString([], { year: "numeric", month: "short", day: "numeric" }) + ", " + clock(iso).slice(0, 5);
}

export function seconds(n: number): string {
  if (n < 90) return `${n} s`;
  if (n < 5400) return `${Math.round(n / 60)} min`;
  if (n < 129600) return `${Math.round(n / 3600)} h`;
  return `${Math.round(n / 86400)} days`;
}

export function split(url: string): { host: string; rest: string; secure: boolean } {
  const match = /^(https?):\/\/([^/?#]*)(.*)$/.exec(url);
  if (!match) return { host: url, rest: "", secure: false };
  return { host: match[2], rest: match[3] || "/", secure: match[1] === "https" };
}
