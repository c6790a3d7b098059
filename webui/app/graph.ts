// A graph of pages and links, drawn on a canvas while it grows. Forces pull linked pages together and push all others
// apart; those far away act as one (Barnes and Hut), so thousands of pages move smoothly.

export interface Spot { number: number; url: string; depth: number; state: string }

interface Body { spot: Spot; x: number; y: number; vx: number; vy: number; links: number }
// A square of the plane: how many are in it, and where their middle is.
interface Cell { mass: number; x: number; y: number; size: number; body: Body | null; inside: (Cell | null)[] | null }

const kRepulsion = 1500, kSpring = 0.04, kLength = 34, kCentre = 0.004, kFriction = 0.86, kFar = 0.9, kCold = 0.02;

export class Graph {
  readonly canvas = document.createElement("canvas");
  onPick: (spot: Spot) => void = () => {};
  private bodies: Body[] = [];
  private byNumber = new Map<number, Body>();
  private edges: [Body, Body][] = [];
  private unborn: [number, number][] = [];  // one of their ends is not there yet
  private heat = 0;
  private drawn = false;
  private frame = 0;
  private scale = 1; private left = 0; private top = 0;
  private touched = false;  // the person has moved the picture: it is theirs
  private hovered: Body | null = null;
  private still = matchMedia("(prefers-reduced-motion: reduce)");
  private colours: Record<string, string> = {};
  private resized: ResizeObserver;
  private scheme = matchMedia("(prefers-color-scheme: dark)");
  private recolour = () => { this.readColours(); this.wake(0.01); };

  constructor(private readonly mostNodes = 4000, private readonly mostEdges = 12000) {
    this.canvas.className = "graph";
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.scheme.addEventListener("change", this.recolour);
    this.resized = new ResizeObserver(() => this.wake(0.01));
    this.resized.observe(this.canvas);
    this.listen();
  }

  get size() { return this.bodies.length; }
  get full() { return this.bodies.length >= this.mostNodes; }

  clear() {
    this.bodies = []; this.edges = []; this.unborn = []; this.byNumber.clear(); this.touched = false;
  }

  add(spots: Spot[], edges: [number, number][]) {
    if (!this.bodies.length) this.drawn = false;
    for (const spot of spots) {
      const known = this.byNumber.get(spot.number);
      if (known) { known.spot = spot; continue; }
      if (this.full) continue;
      const angle = spot.number * 2.39996, far = 8 * Math.sqrt(this.bodies.length + 1);
      const body: Body = { spot, x: far * Math.cos(angle), y: far * Math.sin(angle), vx: 0, vy: 0, links: 0 };
      this.bodies.push(body);
      this.byNumber.set(spot.number, body);
    }
    const waiting = this.unborn.concat(edges);
    this.unborn = [];
    for (const [from, to] of waiting) {
      const a = this.byNumber.get(from), b = this.byNumber.get(to);
      if (!a || !b) { if (this.unborn.length < 3 * this.mostEdges && !this.full) this.unborn.push([from, to]); continue; }
      if (this.edges.length >= this.mostEdges) continue;
      if (!b.links && b !== this.bodies[0]) { const turn = b.spot.number * 2.39996; b.x = a.x + 20 * Math.cos(turn); b.y = a.y + 20 * Math.sin(turn); }
      a.links++; b.links++;
      this.edges.push([a, b]);
    }
    this.canvas.setAttribute("aria-label", `Graph of ${this.bodies.length} pages and ${this.edges.length} links. The list of addresses below says the same in words.`);
    this.wake(spots.length || edges.length ? 1 : 0.01);
  }

  stop() {
    cancelAnimationFrame(this.frame);
    this.resized.disconnect();
    this.scheme.removeEventListener("change", this.recolour);
  }

  private wake(heat: number) {
    this.heat = Math.max(this.heat, heat);
    if (!this.frame) this.frame = requestAnimationFrame(() => this.turn());
  }

  private turn() {
    this.frame = 0;
    if (!this.canvas.isConnected) return;
    const begin = performance.now(), waits = this.still.matches;
    // Who does not want to see things move gets the picture when it has settled; nobody's page hangs meanwhile.
    do { if (this.heat > kCold) this.move(); } while (waits && this.heat > kCold && performance.now() - begin < 30);
    if (!waits || this.heat <= kCold || !this.drawn) this.draw();
    if (this.heat > kCold) this.wake(0);
  }

  // --- forces

  private move() {
    this.heat *= this.bodies.length > 1000 ? 0.97 : 0.985;  // many find their places well enough sooner
    const tree = this.tree();
    for (const body of this.bodies) {
      if (tree) this.push(body, tree);
      body.vx -= body.x * kCentre; body.vy -= body.y * kCentre;
    }
    for (const [a, b] of this.edges) {
      const dx = b.x - a.x, dy = b.y - a.y, length = Math.sqrt(dx * dx + dy * dy) || 1;
      const force = kSpring * (length - kLength) / length;
      const ofA = force / Math.max(1, Math.sqrt(a.links)), ofB = force / Math.max(1, Math.sqrt(b.links));
      a.vx += dx * ofA; a.vy += dy * ofA; b.vx -= dx * ofB; b.vy -= dy * ofB;
    }
    for (const body of this.bodies) {
      body.vx *= kFriction; body.vy *= kFriction;
      const speed = Math.hypot(body.vx, body.vy), most = 30 * this.heat;
      const slow = speed > most ? most / speed : 1;
      body.x += body.vx * slow; body.y += body.vy * slow;
    }
  }

  private tree(): Cell | null {
    if (!this.bodies.length) return null;
    let most = 1;
    for (const body of this.bodies) most = Math.max(most, Math.abs(body.x), Math.abs(body.y));
    const root: Cell = { mass: 0, x: 0, y: 0, size: 2 * most, body: null, inside: null };
    for (const body of this.bodies) this.insert(root, body, -most, -most, 2 * most, 0);
    return root;
  }
  private insert(cell: Cell, body: Body, left: number, top: number, size: number, depth: number) {
    cell.x = (cell.x * cell.mass + body.x) / (cell.mass + 1);
    cell.y = (cell.y * cell.mass + body.y) / (cell.mass + 1);
    cell.mass++;
    if (cell.mass === 1) { cell.body = body; return; }
    if (depth > 24) return;
    if (!cell.inside) {
      cell.inside = [null, null, null, null];
      const before = cell.body!;
      cell.body = null;
      this.descend(cell, before, left, top, size, depth);
    }
    this.descend(cell, body, left, top, size, depth);
  }
  private descend(cell: Cell, body: Body, left: number, top: number, size: number, depth: number) {
    const half = size / 2, right = body.x >= left + half, below = body.y >= top + half;
    const index = (right ? 1 : 0) + (below ? 2 : 0);
    const child = cell.inside![index] ?? (cell.inside![index] = { mass: 0, x: 0, y: 0, size: half, body: null, inside: null });
    this.insert(child, body, left + (right ? half : 0), top + (below ? half : 0), half, depth + 1);
  }
  private push(body: Body, cell: Cell) {
    const dx = body.x - cell.x, dy = body.y - cell.y;
    const square = dx * dx + dy * dy + 0.01;
    if (!cell.inside || cell.size * cell.size < kFar * kFar * square) {
      if (cell.body === body) return;
      const force = Math.min(kRepulsion * cell.mass / square, 60) / Math.sqrt(square) * 0.05;
      body.vx += dx * force; body.vy += dy * force;
      return;
    }
    for (const child of cell.inside) if (child) this.push(body, child);
  }

  // --- picture

  private readColours() {
    const style = getComputedStyle(this.canvas);
    for (const name of ["accent", "soft", "line-strong", "bad", "ink", "paper"]) this.colours[name] = style.getPropertyValue("--" + name).trim();
  }
  private radius(body: Body) { return Math.min(2.4 + Math.sqrt(body.links) * 0.55, 10); }

  private fit(width: number, height: number) {
    if (this.touched || !this.bodies.length) return;
    let x0 = Infinity, x1 = -Infinity, y0 = Infinity, y1 = -Infinity;
    for (const b of this.bodies) { x0 = Math.min(x0, b.x); x1 = Math.max(x1, b.x); y0 = Math.min(y0, b.y); y1 = Math.max(y1, b.y); }
    const scale = Math.min(width / (x1 - x0 + 60), height / (y1 - y0 + 60), 2.2);
    this.scale += (scale - this.scale) * (this.still.matches || this.heat <= kCold ? 1 : 0.12);
    this.left = width / 2 - (x0 + x1) / 2 * this.scale;
    this.top = height / 2 - (y0 + y1) / 2 * this.scale;
  }

  private draw() {
    this.drawn = true;
    const ratio = devicePixelRatio || 1, width = this.canvas.clientWidth, height = this.canvas.clientHeight;
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.width = Math.round(width * ratio); this.canvas.height = Math.round(height * ratio);
    }
    if (!this.colours.accent) this.readColours();
    this.fit(width, height);
    const ink = this.canvas.getContext("2d")!;
    ink.setTransform(ratio, 0, 0, ratio, 0, 0);
    ink.clearRect(0, 0, width, height);
    ink.setTransform(ratio * this.scale, 0, 0, ratio * this.scale, ratio * this.left, ratio * this.top);
    ink.lineWidth = 0.7 / this.scale;
    ink.strokeStyle = this.colours["line-strong"];
    ink.globalAlpha = this.edges.length > 3000 ? 0.18 : this.edges.length > 500 ? 0.3 : 0.5;
    ink.beginPath();
    for (const [a, b] of this.edges) { ink.moveTo(a.x, a.y); ink.lineTo(b.x, b.y); }
    ink.stroke();
    ink.globalAlpha = 1;
    // One path a colour: three fills, however many pages.
    for (const [state, colour] of [["queued", "line-strong"], ["fetched", "accent"], ["failed", "bad"]]) {
      ink.fillStyle = this.colours[colour];
      ink.beginPath();
      for (const body of this.bodies) {
        if (body.spot.state !== state) continue;
        const r = this.radius(body);
        ink.moveTo(body.x + r, body.y);
        ink.arc(body.x, body.y, r, 0, 7);
      }
      ink.fill();
    }
    if (this.bodies[0]) this.ring(ink, this.bodies[0], 3);
    if (this.hovered) this.label(ink, this.hovered, width, ratio);
  }
  private ring(ink: CanvasRenderingContext2D, body: Body, gap: number) {
    ink.strokeStyle = this.colours.ink;
    ink.lineWidth = 1.5 / this.scale;
    ink.beginPath();
    ink.arc(body.x, body.y, this.radius(body) + gap / this.scale, 0, 7);
    ink.stroke();
  }
  private label(ink: CanvasRenderingContext2D, body: Body, width: number, ratio: number) {
    this.ring(ink, body, 2);
    ink.strokeStyle = this.colours.accent;
    ink.beginPath();
    for (const [a, b] of this.edges) if (a === body || b === body) { ink.moveTo(a.x, a.y); ink.lineTo(b.x, b.y); }
    ink.stroke();
    ink.setTransform(ratio, 0, 0, ratio, 0, 0);
    ink.font = "13px system-ui, sans-serif";
    const text = body.spot.url.length > 90 ? body.spot.url.slice(0, 89) + "…" : body.spot.url;
    const wide = ink.measureText(text).width + 16;
    const x = Math.max(4, Math.min(body.x * this.scale + this.left + 10, width - wide - 4)), y = Math.max(24, body.y * this.scale + this.top - 12);
    ink.fillStyle = this.colours.ink;
    ink.beginPath();
    ink.roundRect(x, y - 17, wide, 24, 6);
    ink.fill();
    ink.fillStyle = this.colours.paper;
    ink.fillText(text, x + 8, y);
  }

  // --- the person

  private under(event: MouseEvent): Body | null {
    const box = this.canvas.getBoundingClientRect();
    const x = (event.clientX - box.left - this.left) / this.scale, y = (event.clientY - box.top - this.top) / this.scale;
    let best: Body | null = null, least = (9 / this.scale) ** 2;
    for (const body of this.bodies) {
      const square = (body.x - x) ** 2 + (body.y - y) ** 2;
      if (square < Math.max(least, this.radius(body) ** 2)) { best = body; least = square; }
    }
    return best;
  }
  zoom(factor: number, x = this.canvas.clientWidth / 2, y = this.canvas.clientHeight / 2) {
    const next = Math.max(0.05, Math.min(this.scale * factor, 8));
    this.left = x - (x - this.left) * next / this.scale;
    this.top = y - (y - this.top) * next / this.scale;
    this.scale = next;
    this.touched = true;
    this.wake(0.01);
  }
  whole() { this.touched = false; this.wake(0.01); }

  private listen() {
    let from: { x: number; y: number; moved: boolean } | null = null;
    this.canvas.addEventListener("pointerdown", (event) => { from = { x: event.clientX, y: event.clientY, moved: false }; this.canvas.setPointerCapture(event.pointerId); });
    this.canvas.addEventListener("pointermove", (event) => {
      if (from) {
        const dx = event.clientX - from.x, dy = event.clientY - from.y;
        if (!from.moved && Math.hypot(dx, dy) < 4) return;
        this.left += dx; this.top += dy;
        from = { x: event.clientX, y: event.clientY, moved: true };
        this.touched = true;
      } else {
        const body = this.under(event);
        if (body === this.hovered) return;
        this.hovered = body;
        this.canvas.style.cursor = body ? "pointer" : "grab";
      }
      this.wake(0.01);
    });
    this.canvas.addEventListener("pointerup", (event) => {
      const body = from && !from.moved ? this.under(event) : null;
      from = null;
      if (body) this.onPick(body.spot);
    });
    this.canvas.addEventListener("pointerleave", () => { this.hovered = null; this.wake(0.01); });
    this.canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const box = this.canvas.getBoundingClientRect();
      this.zoom(Math.exp(-event.deltaY * 0.0015), event.clientX - box.left, event.clientY - box.top);
    }, { passive: false });
    this.canvas.addEventListener("keydown", (event) => {
      const step: Record<string, [number, number]> = { ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40] };
      if (event.key === "+" || event.key === "-") this.zoom(event.key === "+" ? 1.3 : 1 / 1.3);
      else if (event.key === "0") this.whole();
      else if (step[event.key]) { this.left += step[event.key][0]; this.top += step[event.key][1]; this.touched = true; this.wake(0.01); }
      else return;
      event.preventDefault();
    });
  }
}
