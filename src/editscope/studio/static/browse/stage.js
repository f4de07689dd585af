// @ts-check
// Pictures of a case in panes that zoom and pan together: side by side, with a slider, or blinking.
import { draw, make } from "./dom.js";

/** @typedef {{kind: string, label: string, src: string, full: string, small: string}} Picture */
/** @typedef {{name: string, color: number, score: string, label: string, status: string, edits: Picture[], levels: string, mode: string}} StageRun */

const MODES = [["side", "Side by side"], ["swipe", "Slider"], ["blink", "Blink"]];
const SHOWN = [["edit", "Edits"], ["error", "Error maps"], ["both", "Both"]];
const LARGEST_ZOOM = 32;

export class Stage {
  /** @param {HTMLElement} node @param {{given: Picture[], runs: StageRun[], judged: boolean}} data @param {(run: number) => void} choose */
  constructor(node, data, choose) {
    this.node = node;
    this.data = data;
    this.choose = choose;
    this.mode = "side";
    this.shown = "edit";
    this.run = 0;
    this.under = "";
    this.cut = 50;
    this.view = { z: 1, x: 0, y: 0 };
    this.full = false;
    this.rate = 2;
    this.blinking = !matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.timer = 0;
    this.showing = 1;
    this.hasMaps = data.runs.some((run) => run.levels);
    this.render();
  }

  /** @param {Record<string, unknown>} values */
  set(values) { Object.assign(this, values); this.render(); }

  get current() { return this.data.runs[this.run]; }

  /** What the edit in question can be compared with. */
  others() {
    const given = this.data.given.map((one) => /** @type {[string, string]} */ ([`given ${one.kind}`, one.label]));
    const runs = this.data.runs.map((run, place) => /** @type {[string, string]} */ ([`run ${place}`, run.name])).filter((_, place) => place !== this.run && this.data.runs[place].edits.length);
    return [...given, ...runs];
  }

  render() {
    clearInterval(this.timer);
    const others = this.others();
    if (!others.some(([key]) => key === this.under)) this.under = (others.find(([key]) => key === "given answer") ?? others[0] ?? [""])[0];
    this.panes = make("div", { class: `panes by-${this.mode}` });
    this.node.replaceChildren(this.bar(others), this.panes, this.foot());
    this.panes.append(...(this.mode === "side" ? this.sidePanes() : [this.pairPane()]));
    this.panes.addEventListener("wheel", (/** @type {WheelEvent} */ event) => this.wheel(event), { passive: false });
    this.panes.addEventListener("dblclick", (/** @type {MouseEvent} */ event) => this.zoom(event, this.view.z > 1 ? 1 / this.view.z : 4));
    this.panes.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => this.press(event));
    this.move({});
    if (this.mode === "swipe") this.setCut(this.cut);
    if (this.mode === "blink") { this.flip(1); this.beat(); }
  }

  /** @param {[string, string][]} others */
  bar(others) {
    const group = (/** @type {string} */ label, /** @type {string[][]} */ choices, /** @type {string} */ now, /** @type {(key: string) => void} */ run) =>
      make("div", { class: "segmented", role: "group", "aria-label": label }, choices.map(([key, text]) => make("button", { type: "button", "aria-pressed": String(key === now), text, on: { click: () => run(key) } })));
    const tool = (/** @type {string} */ label, /** @type {string} */ text, /** @type {() => void} */ run) => make("button", { class: "round", type: "button", "aria-label": label, title: label, text, on: { click: run } });
    const select = make("select", { class: "input", "aria-label": "Compare with" }, others.map(([key, label]) => make("option", { value: key, text: label, selected: key === this.under })));
    select.addEventListener("input", () => this.set({ under: select.value }));
    this.zoomSays = make("output", { class: "zoom-says" });
    return make("div", { class: "stage-bar" },
      group("How to look", MODES, this.mode, (mode) => this.set({ mode })),
      this.hasMaps && this.mode === "side" ? group("What to show", SHOWN, this.shown, (shown) => this.set({ shown })) : null,
      this.mode === "side" ? null : make("span", { class: "picks" }, make("b", { class: "text", dir: "auto", text: this.current?.name ?? "" }), this.mode === "swipe" ? " over " : " and ", select),
      make("div", { class: "zoom", role: "group", "aria-label": "Zoom" }, this.zoomSays, tool("Zoom out", "−", () => this.zoom(null, 0.5)), tool("Zoom in", "+", () => this.zoom(null, 2)), tool("Whole picture", "⤢", () => this.move({ z: 1, x: 0, y: 0 }))));
  }

  foot() {
    if (this.mode === "swipe") {
      this.cutSlider = make("input", { type: "range", min: 0, max: 100, step: 0.5, value: this.cut, class: "cut-slider", "aria-label": "Divider between the two pictures" });
      this.cutSlider.addEventListener("input", () => this.setCut(Number(this.cutSlider.value)));
      return make("div", { class: "stage-foot" }, this.cutSlider);
    }
    if (this.mode !== "blink") return "";
    this.play = make("button", { type: "button", class: "button", on: { click: () => { this.blinking = !this.blinking; this.beat(); } } });
    this.now = make("b", { class: "now text", dir: "auto", "aria-live": "off" });
    const rate = make("input", { type: "range", min: 0.5, max: 6, step: 0.5, value: this.rate, "aria-label": "Changes a second" });
    rate.addEventListener("input", () => { this.rate = Number(rate.value); this.beat(); });
    return make("div", { class: "stage-foot" }, this.play, make("label", {}, "Rate ", rate), this.now);
  }

  sidePanes() {
    const panes = this.data.given.map((one) => this.pane([this.plane(one)], make("b", { text: one.label })));
    this.data.runs.forEach((run, place) => {
      const caption = () => [make("i", { class: "dot" }), " ", make("b", { text: run.score }), " ", make("span", { class: "text", dir: "auto", text: run.name }), make("small", { class: "mode" }, make("i", { class: `swatch mode-${run.mode}` }), ` ${run.label}`)];
      const add = (/** @type {any[]} */ planes, /** @type {string} */ extra) => {
        const pane = this.pane(planes, ...caption(), extra ? make("small", { text: extra }) : null);
        pane.classList.add(`run${run.color}`, "of-run");
        pane.classList.toggle("chosen", place === this.run);
        pane.dataset.run = String(place);
        panes.push(pane);
      };
      if (this.shown !== "error" || !run.levels) {
        if (!run.edits.length) add([this.nothing(run.status || "No picture")], "");
        for (const edit of run.edits) add([this.plane(edit, run.name)], run.edits.length > 1 ? edit.label : "");
      }
      if (this.shown !== "edit" && run.levels) add([this.map(run)], "Error map");
    });
    return panes;
  }

  pairPane() {
    const edit = this.current?.edits[0];
    const over = edit ? this.plane(edit, this.current.name) : this.nothing(this.current?.status || "No picture");
    const [kind, name] = [this.under.slice(0, this.under.indexOf(" ")), this.under.slice(this.under.indexOf(" ") + 1)];
    const other = kind === "given" ? this.data.given.find((one) => one.kind === name) : this.data.runs[Number(name)]?.edits[0];
    const under = other ? this.plane(other) : this.nothing("No picture");
    const pane = this.pane([under, over]);
    this.layers = [...pane.querySelectorAll(".layer")];
    if (this.mode === "swipe") { this.divider = make("span", { class: "divider", "aria-hidden": "true" }); pane.querySelector(".window")?.append(this.divider); }
    this.labels = [this.others().find(([key]) => key === this.under)?.[1] ?? "", this.current?.name ?? ""];
    return pane;
  }

  /** A window on one picture, or on two that lie on one another. @param {any[]} planes @param {...any} caption */
  pane(planes, ...caption) {
    return make("figure", { class: "pane" }, make("span", { class: "window" }, planes.map((nodes) => make("span", { class: "layer" }, make("span", { class: "plane" }, nodes)))), make("figcaption", {}, ...caption));
  }

  /** @param {Picture} one @param {string} [of] */
  plane(one, of = "") {
    const image = make("img", { src: this.full ? one.full : one.src, "data-full": one.full, alt: of ? `${one.label} of ${of}` : one.label, loading: "lazy", decoding: "async", draggable: "false" });
    image.addEventListener("load", () => { if (one.kind === "input" || !this.ratio) { this.ratio = image.naturalWidth / image.naturalHeight; this.node.style.setProperty("--ratio", String(this.ratio)); } });
    image.addEventListener("error", () => image.replaceWith(this.nothing("This picture is gone")));
    return image;
  }

  /** @param {StageRun} run */
  map(run) {
    const ghost = this.data.given.find((one) => one.kind === "answer") ?? this.data.given[0];
    return [ghost ? make("img", { src: ghost.src, class: "ghost", alt: "", draggable: "false" }) : null, make("img", { src: run.levels, class: "levels", alt: `Error map of ${run.name}`, loading: "lazy", draggable: "false" })].filter(Boolean);
  }

  /** @param {string} text */
  nothing(text) { return make("span", { class: "no-picture", text }); }

  // ---- divider and blinking

  /** @param {number} value */
  setCut(value) {
    this.cut = Math.min(100, Math.max(0, value));
    this.panes.style.setProperty("--cut", `${this.cut}%`);
    if (this.cutSlider) this.cutSlider.value = String(this.cut);
  }

  flip(to = 1 - this.showing) {
    this.showing = to;
    this.layers?.forEach((/** @type {Element} */ layer, /** @type {number} */ place) => layer.classList.toggle("away", place !== to));
    if (this.now) this.now.textContent = this.labels?.[to] ?? "";
  }

  beat() {
    clearInterval(this.timer);
    if (this.blinking) this.timer = setInterval(() => this.flip(), 1000 / this.rate);
    if (this.play) this.play.textContent = this.blinking ? "Pause" : "Blink";
  }

  /** Space: the other picture. */
  turn() {
    if (this.mode !== "blink") { this.set({ mode: "blink", blinking: false }); return; }
    this.blinking = false;
    this.beat();
    this.flip();
  }

  // ---- zoom and pan: all panes follow the same three numbers

  /** @param {{z?: number, x?: number, y?: number}} values */
  move(values) {
    const { z, x, y } = { ...this.view, ...values };
    const hold = (/** @type {number} */ v) => Math.min(0, Math.max(1 - z, v));
    this.view = { z, x: hold(x), y: hold(y) };
    const { style } = this.panes;
    style.setProperty("--z", String(z));
    style.setProperty("--x", `${100 * this.view.x}%`);
    style.setProperty("--y", `${100 * this.view.y}%`);
    this.panes.classList.toggle("zoomed", z > 1);
    this.zoomSays.textContent = z > 1 ? `${Math.round(10 * z) / 10} ×` : "";
    if (z > 1 && !this.full) {
      this.full = true;
      for (const image of this.panes.querySelectorAll("img[data-full]")) image.src = image.dataset.full;
    }
  }

  /** @param {MouseEvent | null} event @param {number} factor */
  zoom(event, factor) {
    const target = event?.target instanceof Element ? event.target.closest(".window") : null;
    const box = (target ?? this.panes.querySelector(".window")).getBoundingClientRect();
    const at = event && target ? [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height] : [0.5, 0.5];
    const z = Math.min(LARGEST_ZOOM, Math.max(1, this.view.z * factor));
    const keep = (/** @type {number} */ v, /** @type {number} */ p) => p - ((p - v) * z) / this.view.z;
    this.move({ z, x: keep(this.view.x, at[0]), y: keep(this.view.y, at[1]) });
  }

  /** @param {number} x @param {number} y */
  pan(x, y) { this.move({ x: this.view.x + x * 0.15, y: this.view.y + y * 0.15 }); }

  /** @param {WheelEvent} event */
  wheel(event) {
    if (!(event.target instanceof Element) || !event.target.closest(".window") || !(event.ctrlKey || event.metaKey || this.view.z > 1)) return;
    event.preventDefault();
    this.zoom(event, Math.exp(-event.deltaY / 300));
  }

  /** @param {PointerEvent} event */
  press(event) {
    const area = event.target instanceof Element ? event.target.closest(".window") : null;
    if (!area || event.button > 0) return;
    const pane = /** @type {HTMLElement | null} */ (area.closest("[data-run]"));
    if (pane && Number(pane.dataset.run) !== this.run) this.choose(Number(pane.dataset.run));
    const box = area.getBoundingClientRect();
    const cutting = this.mode === "swipe" && (event.target === this.divider || this.view.z === 1);
    if (!cutting && this.view.z === 1) return;
    event.preventDefault();
    area.setPointerCapture(event.pointerId);
    const { x, y } = this.view;
    const drag = (/** @type {any} */ now) => {
      if (cutting) this.setCut((100 * (now.clientX - box.left)) / box.width);
      else this.move({ x: x + (now.clientX - event.clientX) / box.width, y: y + (now.clientY - event.clientY) / box.height });
    };
    if (cutting) drag(event);
    area.addEventListener("pointermove", drag);
    area.addEventListener("lostpointercapture", () => area.removeEventListener("pointermove", drag), { once: true });
  }

  /** Another run is in question. @param {number} run */
  setRun(run) {
    this.run = run;
    if (this.mode !== "side") { this.render(); return; }
    for (const pane of this.panes.querySelectorAll("[data-run]")) pane.classList.toggle("chosen", Number(pane.dataset.run) === run);
    const pane = this.panes.querySelector(".chosen");
    pane?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
}

/** Curves of runs over ΔE 0 … 10, with a line at the tolerance. @param {{name: string, color: number, curves: number[][]}[]} runs @param {number} which @param {number} chosen */
export function curvesFigure(runs, which, chosen) {
  const [width, height, left, right, top, bottom] = [640, 240, 36, 12, 10, 26];
  const x = (/** @type {number} */ t) => left + ((width - left - right) * t) / 10;
  const y = (/** @type {number} */ v) => top + (height - top - bottom) * (1 - v);
  const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Curves of every run over the color tolerance", class: "curves-svg" });
  for (const v of [0, 0.25, 0.5, 0.75, 1]) svg.append(draw("line", { x1: left, x2: width - right, y1: y(v), y2: y(v), class: "grid-line" }), draw("text", { x: left - 7, y: y(v) + 4, class: "tick-end" }, String(100 * v)));
  for (let t = 0; t <= 10; t += 1) svg.append(draw("text", { x: x(t), y: height - 8, class: "tick-middle" }, String(t)));
  const at = draw("line", { y1: top, y2: height - bottom, class: "at-tolerance" });
  svg.append(at);
  runs.forEach((run, place) => {
    const points = run.curves[which].map((v, t) => `${x(t).toFixed(1)},${y(v).toFixed(1)}`).join(" ");
    svg.append(draw("polyline", { points, class: `curve-line run${run.color}${place === chosen ? " chosen" : ""}` }, draw("title", {}, run.name)));
  });
  const follow = (/** @type {number} */ t) => { for (const end of ["x1", "x2"]) at.setAttribute(end, String(x(t))); };
  return { svg, follow };
}
