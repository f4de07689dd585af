// @ts-check
// The canvas: a picture with boxes and polygons on it, which are drawn, moved, resized and deleted by pointer or by keys.
import { bent, bounds, clamp, moved, resized } from "./geometry.js";

const SVG = "http://www.w3.org/2000/svg";
const HANDLES = ["nw", "n", "ne", "e", "se", "s", "sw", "w"];
const SMALLEST = 3; // pixels of the screen: less is a click, not a box
const CLOSE = 10;

/** @typedef {import("./geometry.js").Region} Region */
/** @typedef {{layer: string, id: string}} Selected */

/** @param {string} name @param {Record<string, string | number>} attributes */
function make(name, attributes = {}) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}

export class Canvas {
  /**
   * Regions come and go in pixels of the picture.
   * @param {SVGSVGElement} svg
   * @param {{regions: (layer: string) => Region[], commit: (layer: string, region: Region | null, id: string) => void,
   *          selected: (what: Selected | null) => void, create: (layer: string, region: Omit<Region, "id">) => string,
   *          tool: (name: string) => void}} on
   * @param {string[]} layers
   */
  constructor(svg, on, layers) {
    this.svg = svg;
    this.on = on;
    this.layers = layers;
    this.layer = layers[0] ?? "";
    this.size = [1, 1];
    this.view = [0, 0, 1, 1];
    this.tool = "select";
    /** @type {Selected | null} */ this.chosen = null;
    this.corner = -1;
    /** @type {Region | null} */ this.live = null;
    /** @type {any} */ this.gesture = null;
    /** @type {number[][]} */ this.corners = [];
    /** @type {Map<number, number[]>} */ this.fingers = new Map();
    this.panning = false;
    this.frame = 0;
    this.image = make("image", { class: "picture" });
    this.groups = Object.fromEntries(layers.map((name, at) => [name, make("g", { class: `layer layer${at}` })]));
    this.sketch = make("polyline", { class: "sketch" });
    this.handles = make("g", { class: "handles" });
    svg.append(this.image, ...Object.values(this.groups), this.sketch, this.handles);
    /** @type {Map<string, SVGElement>} */ this.shapes = new Map();
    svg.addEventListener("pointerdown", (event) => this.down(event));
    svg.addEventListener("pointermove", (event) => this.move(event));
    svg.addEventListener("pointerup", (event) => this.up(event));
    svg.addEventListener("pointercancel", (event) => this.up(event));
    svg.addEventListener("dblclick", () => this.closePolygon());
    svg.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    new ResizeObserver(() => this.fit(false)).observe(svg);
  }

  // The picture and the part of it that is seen

  /** @param {string} address @param {number[]} size */
  show(address, size) {
    this.image.setAttribute("href", address);
    this.image.setAttribute("width", String(size[0]));
    this.image.setAttribute("height", String(size[1]));
    const same = this.size[0] === size[0] && this.size[1] === size[1];
    this.size = size;
    if (!same) this.fit(true);
    this.render();
  }

  /** Show the whole picture, or keep the zoom where only the window changed. @param {boolean} whole */
  fit(whole) {
    const wide = this.svg.clientWidth || 1, high = this.svg.clientHeight || 1;
    if (whole || this.view[2] <= 1) {
      const scale = Math.max(this.size[0] / wide, this.size[1] / high) * 1.02;
      this.view = [(this.size[0] - wide * scale) / 2, (this.size[1] - high * scale) / 2, wide * scale, high * scale];
    } else {
      const scale = this.view[2] / (this.lastWide || wide);
      this.view = [this.view[0], this.view[1], wide * scale, high * scale];
    }
    this.lastWide = wide;
    this.look();
  }

  /** Zoom by a factor around a point of the picture, by default the middle. @param {number} factor @param {number[]} [at] */
  zoom(factor, at) {
    const [x, y, w, h] = this.view;
    const [px, py] = at ?? [x + w / 2, y + h / 2];
    const widest = Math.max(this.size[0], this.size[1]) * 4;
    const by = clamp(w / factor, 8, widest) / w;
    this.view = [px - (px - x) * by, py - (py - y) * by, w * by, h * by];
    this.look();
  }

  /** @param {number} dx @param {number} dy */
  pan(dx, dy) {
    this.view[0] += dx;
    this.view[1] += dy;
    this.look();
  }

  look() {
    this.svg.setAttribute("viewBox", this.view.join(" "));
    this.svg.style.setProperty("--u", String(this.pixel()));
    this.drawHandles();
  }

  /** How many pixels of the picture one of the screen is. */
  pixel() { return this.view[2] / (this.svg.clientWidth || 1); }

  // What is drawn

  render() {
    for (const layer of this.layers) {
      const group = this.groups[layer];
      const regions = this.on.regions(layer);
      const ids = new Set(regions.map((region) => `${layer}/${region.id}`));
      for (const [key, shape] of this.shapes) {
        if (key.startsWith(`${layer}/`) && !ids.has(key)) { shape.remove(); this.shapes.delete(key); }
      }
      const order = regions.map((region, at) => ({ region, at })).sort((a, b) => area(b.region) - area(a.region));
      order.forEach(({ region, at }, place) => {
        const shape = this.shapeOf(layer, region);
        this.place(shape, region, at + 1);
        if (group.children[place] !== shape) group.insertBefore(shape, group.children[place] ?? null);
      });
    }
    if (this.chosen && !this.region(this.chosen)) this.choose(null);
    this.drawHandles();
  }

  /** @param {string} layer @param {Region} region */
  shapeOf(layer, region) {
    const key = `${layer}/${region.id}`;
    const kind = region.points ? "polygon" : "rect";
    let shape = this.shapes.get(key);
    if (shape && shape.dataset.kind !== kind) { shape.remove(); shape = undefined; }
    if (!shape) {
      shape = /** @type {SVGElement} */ (make("g", { class: "region" }));
      shape.dataset.kind = kind;
      shape.dataset.layer = layer;
      shape.dataset.id = region.id;
      shape.append(make(kind, { class: "shape" }), make("text", { class: "tag" }));
      this.shapes.set(key, shape);
    }
    return shape;
  }

  /** @param {SVGElement} shape @param {Region} region @param {number} [number] */
  place(shape, region, number) {
    const [outline, tag] = /** @type {any} */ (shape.children);
    const [x, y, w, h] = region.box;
    if (region.points) outline.setAttribute("points", region.points.map((point) => point.join(",")).join(" "));
    else {
      outline.setAttribute("x", x); outline.setAttribute("y", y);
      outline.setAttribute("width", Math.max(w, 0)); outline.setAttribute("height", Math.max(h, 0));
    }
    tag.setAttribute("x", x); tag.setAttribute("y", y);
    if (number !== undefined && tag.textContent !== String(number)) tag.textContent = String(number);
    shape.classList.toggle("chosen", this.chosen?.id === shape.dataset.id && this.chosen?.layer === shape.dataset.layer);
  }

  drawHandles() {
    const region = this.live ?? (this.chosen && this.region(this.chosen));
    this.handles.replaceChildren();
    if (!region) return;
    const side = 9 * this.pixel();
    const spots = region.points
      ? region.points.map((point, at) => ({ at: String(at), x: point[0], y: point[1] }))
      : HANDLES.map((at) => ({ at, ...corner(region.box, at) }));
    for (const { at, x, y } of spots) {
      const handle = make("rect", { class: "handle", x: x - side / 2, y: y - side / 2, width: side, height: side });
      /** @type {SVGElement} */ (handle).dataset.at = at;
      if (region.points) handle.setAttribute("rx", String(side / 2));
      else handle.classList.add(`to-${at}`);
      if (Number(at) === this.corner) handle.classList.add("chosen");
      this.handles.append(handle);
    }
  }

  // Choosing

  /** @param {Selected} what */
  region(what) { return this.on.regions(what.layer).find((region) => region.id === what.id) ?? null; }

  /** @param {Selected | null} what */
  choose(what) {
    if (this.chosen) this.shapes.get(`${this.chosen.layer}/${this.chosen.id}`)?.classList.remove("chosen");
    this.chosen = what;
    this.corner = -1;
    if (what) {
      this.layer = what.layer;
      this.shapes.get(`${what.layer}/${what.id}`)?.classList.add("chosen");
    }
    this.drawHandles();
    this.on.selected(what);
  }

  /** The next or the one before, over all layers. @param {number} step */
  chooseNext(step) {
    const all = this.layers.flatMap((layer) => this.on.regions(layer).map((region) => ({ layer, id: region.id })));
    if (!all.length) return;
    const now = all.findIndex((one) => one.layer === this.chosen?.layer && one.id === this.chosen?.id);
    this.choose(all[now < 0 ? (step > 0 ? 0 : all.length - 1) : (now + step + all.length) % all.length]);
  }

  /** The next corner of a polygon, then none. */
  chooseCorner() {
    const points = this.chosen && this.region(this.chosen)?.points;
    if (!points) return;
    this.corner = this.corner + 1 >= points.length ? -1 : this.corner + 1;
    this.drawHandles();
  }

  /** @param {string} name */
  use(name) {
    this.tool = name;
    this.corners = [];
    this.sketch.setAttribute("points", "");
    this.svg.dataset.tool = name;
    this.on.tool(name);
  }

  // Changing by keys

  /** @param {number} dx @param {number} dy */
  nudge(dx, dy) {
    const region = this.chosen && this.region(this.chosen);
    if (!region || !this.chosen) { this.pan(dx * 20 * this.pixel(), dy * 20 * this.pixel()); return; }
    if (region.points && this.corner >= 0) {
      const [x, y] = region.points[this.corner];
      this.commit(bent(region, this.corner, clamp(x + dx, 0, this.size[0]), clamp(y + dy, 0, this.size[1])));
    } else this.commit(moved(region, dx, dy, this.size));
  }

  /** Move the right or the lower edge. @param {number} dx @param {number} dy */
  stretch(dx, dy) {
    const region = this.chosen && this.region(this.chosen);
    if (!region) return;
    const [x, y, w, h] = region.box;
    this.commit(resized(region, "es", Math.max(x + 1, x + w + dx), Math.max(y + 1, y + h + dy), this.size));
  }

  remove() {
    const chosen = this.chosen;
    const region = chosen && this.region(chosen);
    if (!chosen || !region) return;
    if (region.points && this.corner >= 0 && region.points.length > 3) {
      const points = region.points.filter((_, at) => at !== this.corner);
      this.corner = -1;
      this.commit({ ...region, points, box: bounds(points) });
      return;
    }
    this.chosen = null;
    this.on.commit(chosen.layer, null, chosen.id);
    this.on.selected(null);
    this.render();
  }

  /** Add a corner in the middle of the side after the chosen corner. */
  addCorner() {
    const region = this.chosen && this.region(this.chosen);
    if (!region?.points) return;
    const at = Math.max(this.corner, 0), next = region.points[(at + 1) % region.points.length];
    const middle = [(region.points[at][0] + next[0]) / 2, (region.points[at][1] + next[1]) / 2];
    const points = region.points.toSpliced(at + 1, 0, middle);
    this.corner = at + 1;
    this.commit({ ...region, points, box: bounds(points) });
  }

  /** A box in the middle of what is seen, for arrows to move. */
  addBox() {
    const [x, y, w, h] = this.view;
    const left = clamp(x + w * 0.4, 0, this.size[0]), top = clamp(y + h * 0.4, 0, this.size[1]);
    const box = [left, top, Math.min(w * 0.2, this.size[0] - left), Math.min(h * 0.2, this.size[1] - top)];
    this.create({ box });
  }

  /** @param {Omit<Region, "id">} region */
  create(region) {
    const layer = this.layer;
    const id = this.on.create(layer, region);
    this.render();
    this.choose({ layer, id });
  }

  /** @param {Region} region */
  commit(region) {
    if (!this.chosen) return;
    this.on.commit(this.chosen.layer, region, region.id);
    this.render();
  }

  // Changing by pointer

  /** @param {{clientX: number, clientY: number}} event */
  point(event) {
    const frame = this.svg.getBoundingClientRect();
    return [
      this.view[0] + ((event.clientX - frame.left) / frame.width) * this.view[2],
      this.view[1] + ((event.clientY - frame.top) / frame.height) * this.view[3],
    ];
  }

  /** @param {number[]} point */
  within(point) { return [clamp(point[0], 0, this.size[0]), clamp(point[1], 0, this.size[1])]; }

  /** @param {PointerEvent} event */
  down(event) {
    this.svg.focus({ preventScroll: true });
    this.fingers.set(event.pointerId, [event.clientX, event.clientY]);
    this.svg.setPointerCapture(event.pointerId);
    if (this.fingers.size === 2) { this.gesture = { kind: "pinch", apart: this.apart() }; this.live = null; this.render(); return; }
    const at = this.point(event);
    if (event.button === 1 || this.panning) { this.gesture = { kind: "pan", at }; return; }
    if (event.button !== 0) return;
    const target = /** @type {Element} */ (event.target);
    const handle = target.closest?.(".handle");
    if (handle && this.chosen) {
      this.gesture = { kind: "handle", at: /** @type {SVGElement} */ (handle).dataset.at, region: this.region(this.chosen) };
      const number = Number(this.gesture.at);
      this.corner = Number.isNaN(number) ? -1 : number;
      return;
    }
    if (this.tool === "box" && this.layer) { this.gesture = { kind: "draw", at: this.within(at) }; this.choose(null); return; }
    if (this.tool === "polygon" && this.layer) { this.addPoint(this.within(at)); return; }
    const shape = /** @type {SVGElement | null} */ (target.closest?.(".region"));
    if (shape) {
      this.choose({ layer: shape.dataset.layer ?? "", id: shape.dataset.id ?? "" });
      this.gesture = { kind: "move", at, region: this.chosen && this.region(this.chosen) };
    } else {
      this.gesture = { kind: "pan", at, click: [event.clientX, event.clientY] };
    }
  }

  apart() {
    const [a, b] = [...this.fingers.values()];
    return Math.hypot(a[0] - b[0], a[1] - b[1]);
  }

  /** @param {PointerEvent} event */
  move(event) {
    if (this.fingers.has(event.pointerId)) this.fingers.set(event.pointerId, [event.clientX, event.clientY]);
    if (this.tool === "polygon" && this.corners.length && !this.gesture) {
      this.drawSketch([...this.corners, this.within(this.point(event))]);
      return;
    }
    const gesture = this.gesture;
    if (!gesture) return;
    if (gesture.kind === "pinch" && this.fingers.size === 2) {
      const apart = this.apart();
      const [a, b] = [...this.fingers.values()];
      this.zoom(apart / gesture.apart, this.point({ clientX: (a[0] + b[0]) / 2, clientY: (a[1] + b[1]) / 2 }));
      gesture.apart = apart;
      return;
    }
    const at = this.point(event);
    if (gesture.kind === "pan") { this.pan(gesture.at[0] - at[0], gesture.at[1] - at[1]); return; }
    if (gesture.kind === "draw") {
      const to = this.within(at);
      this.sketch.setAttribute("class", "sketch closed");
      const [x, y, w, h] = bounds([gesture.at, to]);
      this.drawSketch([[x, y], [x + w, y], [x + w, y + h], [x, y + h], [x, y]]);
      gesture.to = to;
      return;
    }
    const region = /** @type {Region | null} */ (gesture.region);
    if (!region || !this.chosen) return;
    if (gesture.kind === "move") this.live = moved(region, at[0] - gesture.at[0], at[1] - gesture.at[1], this.size);
    else {
      const to = this.within(at);
      this.live = region.points ? bent(region, Number(gesture.at), to[0], to[1]) : resized(region, gesture.at, to[0], to[1], this.size);
    }
    this.svg.classList.add("dragging");
    this.frame ||= requestAnimationFrame(() => this.drawLive());
  }

  /** Show where the region is now: once a frame, however many events the pointer sends. */
  drawLive() {
    this.frame = 0;
    const shape = this.chosen && this.shapes.get(`${this.chosen.layer}/${this.chosen.id}`);
    if (!shape || !this.live) return;
    this.place(shape, this.live);
    this.drawHandles();
  }

  /** @param {PointerEvent} event */
  up(event) {
    this.fingers.delete(event.pointerId);
    const gesture = this.gesture;
    if (this.fingers.size || !gesture) return;
    this.gesture = null;
    this.svg.classList.remove("dragging");
    if (gesture.kind === "draw") {
      this.drawSketch([]);
      const [x, y, w, h] = bounds([gesture.at, gesture.to ?? gesture.at]);
      if (Math.min(w, h) >= SMALLEST * this.pixel()) this.create({ box: [x, y, w, h] });
    } else if (gesture.click && Math.hypot(event.clientX - gesture.click[0], event.clientY - gesture.click[1]) < SMALLEST) {
      this.choose(null);
    }
    const live = this.live;
    this.live = null;
    if (live) this.commit(live);
  }

  /** @param {number[]} point */
  addPoint(point) {
    const first = this.corners[0];
    if (first && this.corners.length > 2 && Math.hypot(point[0] - first[0], point[1] - first[1]) < CLOSE * this.pixel()) {
      this.closePolygon();
      return;
    }
    const last = this.corners.at(-1);
    if (last && Math.hypot(point[0] - last[0], point[1] - last[1]) < 2 * this.pixel()) return; // the second half of a double click
    if (!first) this.choose(null);
    this.corners.push(point);
    this.drawSketch(this.corners);
  }

  closePolygon() {
    if (this.tool !== "polygon" || this.corners.length < 3) return;
    const points = this.corners;
    this.corners = [];
    this.drawSketch([]);
    this.create({ points, box: bounds(points) });
  }

  /** Forget what is being drawn; true where there was something. */
  cancel() {
    const busy = this.corners.length > 0 || this.gesture !== null;
    this.corners = [];
    this.gesture = null;
    this.live = null;
    this.svg.classList.remove("dragging");
    this.drawSketch([]);
    this.render();
    return busy;
  }

  /** @param {number[][]} points */
  drawSketch(points) {
    this.sketch.setAttribute("points", points.map((point) => point.join(",")).join(" "));
  }

  /** @param {WheelEvent} event */
  wheel(event) {
    event.preventDefault();
    if (event.shiftKey) { this.pan((event.deltaY || event.deltaX) * this.pixel(), 0); return; }
    this.zoom(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0015)), this.point(event));
  }
}

/** @param {Region} region */
const area = (region) => region.box[2] * region.box[3];

/** @param {number[]} box @param {string} at */
function corner(box, at) {
  const [x, y, w, h] = box;
  return {
    x: at.includes("w") ? x : at.includes("e") ? x + w : x + w / 2,
    y: at.includes("n") ? y : at.includes("s") ? y + h : y + h / 2,
  };
}
