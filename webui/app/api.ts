// The API from the page's side: requests, and the stream of events. The cookie is the browser's; the key that changes need
// besides is stored for this very origin, port included.

const keyName = "outrider-session-key";
export const sessionKey = {
  get: () => localStorage.getItem(keyName) ?? "",
  set: (key: string) => localStorage.setItem(keyName, key),
};

export class Problem extends Error {
  constructor(readonly status: number, readonly kind: string, readonly title: string, detail: string) { super(detail); }
}

async function fail(answer: Response): Promise<never> {
  let problem: any = {};
  try { problem = await answer.json(); } catch { /* not one of ours */ }
  throw new Problem(answer.status, String(problem.type ?? "").split("/").pop() ?? "", problem.title ?? "It failed",
    problem.detail ?? `Status ${answer.status}`);
}

export async function ask<T = any>(path: string, method = "GET", body?: unknown): Promise<T> {
  const answer = await fetch("/api/v1" + path, {
    method,
    credentials: "same-origin",
    cache: "no-store",
    headers: {
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...(method === "GET" ? {} : { "X-Outrider-Session": sessionKey.get() }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  if (!answer.ok) return fail(answer);
  return answer.status === 204 ? (undefined as any) : answer.json();
}

export function query(values: Record<string, string | number | undefined | null>): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value !== undefined && value !== null && value !== "") pairs.set(name, String(value));
  const text = pairs.toString();
  return text ? "?" + text : "";
}

type Listener = (data: any) => void;

// One stream for the whole page: a browser has only six connections for all of its windows here. It outlives a restart of the server: the browser tries again by itself, and where it gives
// up (an answer that is no stream), this does. Not all events are repeated then: "again" is told to whoever has to ask anew.
export class Live {
  private source: EventSource | null = null;
  private listeners = new Map<string, Set<Listener>>();
  private bound = new Set<string>();
  private retry = 0;
  private lastId = "";
  private greeted = false;
  private extra = "";
  state: "open" | "waiting" | "closed" = "closed";
  onState: () => void = () => {};
  onRefused: () => void = () => {};

  start() {
    this.stop();
    this.source = new EventSource("/api/v1/events" + query({ with: this.extra, after: this.lastId }));
    this.bound.clear();
    this.source.onopen = () => this.set("open");
    this.source.onerror = (event) => {
      if (event instanceof MessageEvent) return;  // an event of ours that is called "error": a page that could not be loaded
      const gone = this.source?.readyState === EventSource.CLOSED;
      this.set("waiting");
      if (!gone) return;
      this.stop();
      this.retry = window.setTimeout(() => this.tryAgain(), 1500);
    };
    for (const kind of new Set(["hello", ...this.listeners.keys()])) this.bind(kind);
  }
  private async tryAgain() {
    try {
      await ask("");
      this.start();
    } catch (problem) {
      if (problem instanceof Problem && problem.status === 403) return this.onRefused();
      this.retry = window.setTimeout(() => this.tryAgain(), 1500);
    }
  }
  stop() {
    clearTimeout(this.retry);
    this.source?.close();
    this.source = null;
  }
  // What is not told unasked, as long as a view wants it; "" = nothing. Begins with another "hello".
  want(kinds: string) {
    if (this.extra === kinds) return;
    this.extra = kinds;
    if (this.source) this.start();
  }
  on(kind: string, listener: Listener): () => void {
    if (!this.listeners.has(kind)) this.listeners.set(kind, new Set());
    this.listeners.get(kind)!.add(listener);
    this.bind(kind);
    return () => this.listeners.get(kind)!.delete(listener);
  }
  private bind(kind: string) {
    if (!this.source || this.bound.has(kind)) return;
    this.bound.add(kind);
    this.source.addEventListener(kind, (event) => {
      const message = event as MessageEvent;
      if (typeof message.data !== "string") return;  // "error" is also the name of the browser's own event
      if (message.lastEventId) this.lastId = message.lastEventId;
      this.tell(kind, JSON.parse(message.data));
      if (kind !== "hello") return;
      if (this.greeted) this.tell("again", null);
      this.greeted = true;
    });
  }
  private tell(kind: string, data: any) {
    for (const listener of [...this.listeners.get(kind) ?? []]) listener(data);
  }
  private set(state: "open" | "waiting" | "closed") {
    this.state = state;
    this.onState();
  }
}
export const live = new Live();
