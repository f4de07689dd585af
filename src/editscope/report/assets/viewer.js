// The larger view of one case: pictures, metrics, curves; arrows go to the next case or the other run.

const SVG = "http://www.w3.org/2000/svg";

function draw(tag, attributes, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

// Curves of one case over ΔE 0 … 10, in thousandths.
function caseCurves(titles, curves) {
  const [width, height, left, right, top, bottom] = [300, 170, 30, 10, 8, 24];
  const x = (t) => left + ((width - left - right) * t) / 10;
  const y = (v) => top + (height - top - bottom) * (1 - v / 1000);
  const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Tolerance curves of this case" });
  for (const v of [0, 250, 500, 750, 1000]) svg.append(draw("line", { x1: left, x2: width - right, y1: y(v), y2: y(v), class: "grid" }));
  for (const v of [0, 500, 1000]) svg.append(draw("text", { x: left - 6, y: y(v) + 3, class: "tick end" }, String(v / 10)));
  for (const t of [0, 5, 10]) svg.append(draw("text", { x: x(t), y: height - 8, class: "tick middle" }, String(t)));
  curves.forEach((curve, i) => {
    const points = curve.map((v, t) => `${x(t).toFixed(1)},${y(v).toFixed(1)}`).join(" ");
    svg.append(draw("g", { class: `curve${i} run${i}` }, draw("polyline", { points, class: "line" }), draw("circle", { cx: x(10), cy: y(curve[10]), r: 2.5, class: "dot" })));
  });
  const keys = titles.map((title, i) => make("span", { class: `curve${i}` }, make("i", {}), make("span", { text: title })));
  return make("figure", { class: "panel" }, make("figcaption", { text: "Over the colour tolerance ΔE" }), svg, make("p", { class: "curve-keys" }, keys));
}

class Viewer {
  constructor(data, dialog) {
    this.data = data;
    this.dialog = dialog;
    dialog.tabIndex = -1;
    document.addEventListener("keydown", (event) => { if (dialog.open) this.key(event); });
    dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  }

  open(matches, position, run, runs) {
    Object.assign(this, { matches, position, run, runs });
    this.render();
    if (!this.dialog.open) this.dialog.showModal();
  }

  key(event) {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!step) return;
    event.preventDefault();
    this.go(step[0]);
    this.turn(step[1]);
  }

  go(step) {
    const next = this.position + step;
    if (!step || next < 0 || next >= this.matches.length) return;
    this.position = next;
    this.render();
  }

  turn(step) {
    const runs = this.present();
    const next = runs[runs.indexOf(this.run) + step];
    if (!step || next === undefined) return;
    this.run = next;
    this.render();
  }

  get one() { return this.data.cases[this.matches[this.position]]; }

  present() { return this.runs.filter((run) => this.one.runs[run]); }

  render() {
    const { one, data } = this;
    const index = this.matches[this.position];
    if (!one.runs[this.run]) this.run = this.present()[0];
    const result = one.runs[this.run];
    const name = data.runs[this.run].name;
    const pictures = make("div", { class: "pictures" },
      picture(index, one.pics[0], "Input", `Input of ${one.id}`), picture(index, one.pics[1], "Answer", `Answer of ${one.id}`),
      picture(index, result.pics[0], "Edit", `Edit by ${name}`), picture(index, result.pics[1], "Error at ΔE 5", `Error map of ${name}`));
    const body = make("div", { class: "viewer-body" }, make("p", { class: "ask", text: one.text }), this.tabs(), pictures,
      make("template", {}), make("div", { class: "viewer-facts" }, this.metrics(result), this.story(one, result),
        result.c ? caseCurves(data.curves, result.c) : null));
    const legend = document.querySelector("#cases .map-legend");
    if (legend) body.querySelector("template").replaceWith(legend.cloneNode(true));
    const key = this.dialog.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    this.dialog.replaceChildren(this.bar(one), body);
    // What had the focus was made anew: the same control gets it again, or the dialog itself.
    const again = [...this.dialog.querySelectorAll("button")].find((button) => key && button.dataset.key === key && !button.disabled);
    if (this.dialog.open) (again ?? this.dialog).focus();
  }

  bar(one) {
    const { position, matches } = this;
    const button = (label, text, action, disabled) => make("button", { class: "round", type: "button", "data-key": label, "aria-label": label, title: label, disabled, text, on: { click: action } });
    return make("header", { class: "viewer-bar" }, make("h2", { text: one.id }),
      make("span", { class: "at", text: `${(position + 1).toLocaleString("en")} of ${matches.length.toLocaleString("en")}` }),
      button("Previous case", "←", () => this.go(-1), position === 0),
      button("Next case", "→", () => this.go(1), position === matches.length - 1),
      button("Close", "×", () => this.dialog.close(), false));
  }

  tabs() {
    const runs = this.present();
    if (this.data.runs.length < 2) return null;
    return make("div", { class: "tabs", role: "tablist", "aria-label": "Runs" }, runs.map((run) => make("button", {
      class: `tab run${run % 8}`, type: "button", role: "tab", "data-key": `run ${run}`, "aria-selected": String(run === this.run),
      on: { click: () => { this.run = run; this.render(); } },
    }, badge(this.data, run), this.data.runs[run].name, make("small", { text: shown(this.data, this.one.runs[run].m[0], 0) }))));
  }

  metrics(result) {
    const bar = (metric, value) => metric.scale === 1 || value === null ? make("span", {})
      : make("span", { class: "bar" }, make("i", { class: "fill", style: `width:${value}%` }));
    return make("div", { class: `facts-list figures run${this.run % 8}` }, this.data.metrics.flatMap((metric, i) => [
      make("span", { text: metric.label, title: metric.note }), make("b", { text: shown(this.data, result.m[i], i) }),
      bar(metric, result.m[i])]));
  }

  story(one, result) {
    const mode = this.data.failures[result.f];
    const facts = [["Case", tagLabels(this.data, one).join(" · ")], ["Output", result.z], ["Status", result.s], ["Reason", result.why],
      ["Latency", result.t === undefined ? null : result.t < 1 ? `${Math.round(1000 * result.t)} ms` : `${result.t.toFixed(1)} s`], ["Fingerprint", one.print]];
    return make("div", {}, make("p", { class: "mode-says" }, make("b", {}, make("i", { class: `swatch mode-${mode.key}` }), mode.label), ` ${mode.note}`),
      make("dl", { class: "facts-list", style: "margin-top:10px" }, facts.filter(([, value]) => value)
        .flatMap(([label, value]) => [make("dt", { text: label }), make("dd", { text: value })])),
      make("p", { class: "keys", style: "margin-top:10px" }, make("kbd", { text: "←" }), " ", make("kbd", { text: "→" }), " cases",
        this.data.runs.length > 1 ? [" · ", make("kbd", { text: "↑" }), " ", make("kbd", { text: "↓" }), " runs"] : null));
  }
}
