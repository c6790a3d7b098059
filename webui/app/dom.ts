// Elements from code. Text is always text: nothing here ever parses markup, so a title full of tags stays a title.

export type Child = Node | string | number | null | undefined | false;
type Value = string | number | boolean | null | undefined | EventListener | ((event: any) => void);

export function h<K extends keyof HTMLElementTagNameMap>(
  name: K, attributes: Record<string, Value> = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  apply(element, attributes);
  append(element, children);
  return element;
}

const kSvg = "http://www.w3.org/2000/svg";
export function svg(name: string, attributes: Record<string, Value> = {}, ...children: Child[]): SVGElement {
  const element = document.createElementNS(kSvg, name) as SVGElement;
  apply(element, attributes);
  append(element, children);
  return element;
}

function apply(element: Element, attributes: Record<string, Value>) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value as EventListener);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
}

function append(element: Element, children: Child[]) {
  for (const child of children)
    if (child !== null && child !== undefined && child !== false) element.append(child instanceof Node ? child : String(child));
}

export function replace(element: Element, ...children: Child[]) {
  element.replaceChildren();
  append(element, children);
}

// Only addresses of the web become links: what a page calls its address may be a script.
export function outside(url: string, text?: string): Node {
  if (!/^https?:\/\//i.test(url)) return document.createTextNode(text ?? url);
  return h("a", { href: url, rel: "noreferrer noopener", target: "_blank" }, text ?? url);
}
