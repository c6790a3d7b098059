// What a view is given, and small things that several views draw.
import { Child, h } from "./dom";

export interface Overview {
  version: string;
  server: string;
  role: "user" | "reader" | "admin";
  user: string | null;
  parts: Record<string, boolean>;
}
export interface Place { path: string; values: URLSearchParams }
// Draws itself into `room`; what it returns is called when the person goes elsewhere.
export type View = (room: HTMLElement, place: Place, overview: Overview) => Promise<(() => void) | void> | (() => void) | void;

export function problemText(problem: unknown): string {
  return problem instanceof Error ? problem.message : String(problem);
}

export function empty(title: string, ...next: Child[]): HTMLElement {
  return h("div", { class: "empty" }, h("h2", {}, title), h("p", {}, ...next));
}

export function facts(rows: [string, Child][]): HTMLElement {
  return h("dl", { class: "facts" },
    ...rows.filter(([, value]) => value !== "" && value !== null && value !== undefined && value !== false)
      .map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
}

export function chip(text: string, tone = ""): HTMLElement {
  return h("span", { class: "chip " + tone }, text);
}

// A field that stays with its label where a line breaks.
export function labelled(words: string, field: HTMLElement): HTMLElement {
  return h("span", { class: "labelled" }, h("label", { for: field.id }, words), field);
}
