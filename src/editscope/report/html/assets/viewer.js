// The larger view of one case: pictures, tolerance, metrics, curves; arrows go to the next case or the other run.

// Curves of one case over ΔE 0 … 10, with a line at the tolerance of the error map.
function caseCurves(titles, curves) {
  const [width, height, left, right, top, bottom] = [300, 170, 30, 10, 8, 24];
  const x = (t) => left + ((width - left - right) * t) / 10;
  const y = (v) => top + (height - top - bottom) * (1 - v);
  const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Tolerance curves of this case" });
  for (const v of [0, 0.25, 0.5, 0.75, 1]) svg.append(draw("line", { x1: left, x2: width - right, y1: y(v), y2: y(v), class: "grid" }));
  for (const v of [0, 0.5, 1]) svg.append(draw("text", { x: left - 6, y: y(v) + 3, class: "tick end" }, String(100 * v)));
  for (const t of [0, 5, 10]) svg.append(draw("text", { x: x(t), y: height - 8, class: "tick middle" }, String(t)));
  const at = draw("line", { y1: top, y2: height - bottom, class: "at-tolerance" });
  svg.append(at);
  const dots = curves.map((curve, i) => {
    const points = curve.map((v, t) => `${x(t).toFixed(1)},${y(v).toFixed(1)}`).join(" ");
    const dot = draw("circle", { r: 3, class: "dot" });
    svg.append(draw("g", { class: `curve${i} run${i}` }, draw("polyline", { points, class: "line" }), dot));
    return dot;
  });
  const follow = (t) => {
    for (const end of ["x1", "x2"]) at.setAttribute(end, x(t));
    dots.forEach((dot, i) => { dot.setAttribute("cx", x(t)); dot.setAttribute("cy", y(curves[i][t])); });
  };
  const keys = titles.map((title, i) => make("span", { class: `curve${i}` }, make("i", {}), make("span", { text: title })));
  return [make("figure", { class: "panel" }, make("figcaption", { text: "Over the color tolerance ΔE" }), svg, make("p", { class: "curve-keys" }, keys)), follow];
}

class Viewer {
  constructor(data, dialog) {
    this.data = data;
    this.book = Book.of(data);
    this.dialog = dialog;
    this.stage = new Stage(this.book);
    this.stage.changed = () => this.focusAgain(this.focused);
    this.moved = () => {};
    dialog.tabIndex = -1;
    document.addEventListener("keydown", (event) => { if (dialog.open) this.key(event); });
    dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
    dialog.addEventListener("close", () => { this.stage.stop(); this.moved(null); });
    dialog.addEventListener("focusin", (event) => { this.focused = event.target.dataset?.key ?? null; });
    TOLERANCE.listeners.add((t) => { if (dialog.open) this.followTolerance?.(t); });
  }

  open(matches, position, run, runs) {
    Object.assign(this, { matches, position, run, runs });
    this.stage.view = { z: 1, x: 0, y: 0 };
    this.render();
    if (this.dialog.open) return;
    this.dialog.showModal();
    this.dialog.focus(); // not its first button
  }

  close() { if (this.dialog.open) this.dialog.close(); }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches?.("input, select")) return; // their own keys move them
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (step) {
      this.go(step[0]);
      this.turn(step[1]);
    } else if ((event.key === " " && event.target.matches?.("button")) || !this.stage.key(event)) return;
    event.preventDefault();
  }

  go(step) {
    const next = this.position + step;
    if (!step || next < 0 || next >= this.matches.length) return;
    this.position = next;
    this.stage.view = { z: 1, x: 0, y: 0 };
    this.render();
  }

  turn(step) {
    const runs = this.present();
    const next = runs[runs.indexOf(this.run) + step];
    if (!step || next === undefined) return;
    this.run = next;
    this.render();
  }

  get one() { return this.matches[this.position]; }

  present() { return this.runs.filter((run) => this.book.has(run, this.one)); }

  render() {
    const { book, one } = this;
    if (!book.has(this.run, one)) [this.run] = this.present();
    const { run } = this;
    const focused = this.dialog.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    const curves = book.curvesOf(run, one);
    const [panel, follow] = curves ? caseCurves(book.curves, curves) : [null, () => {}];
    const shares = make("p", { class: "shares-now", "aria-live": "polite" });
    this.followTolerance = (t) => { follow(t); shares.replaceChildren(...this.shares(curves, t)); };
    const legend = document.querySelector("#cases .map-keys")?.cloneNode(true);
    this.dialog.replaceChildren(this.bar(one), make("div", { class: "viewer-body" }, make("p", { class: "ask", text: book.texts[one] }), this.tabs(),
      this.stage.render(one, run, this.present()),
      book.judged(one) ? null : make("div", { class: "map-legend" }, toleranceSlider(() => this.moved(one, run)), shares, legend, effectKeys(book, one, run)),
      make("div", { class: "viewer-facts" }, this.metrics(), this.story(), panel), book.judged(one) ? verdictPanel(book, one, run) : null, this.keys()));
    this.followTolerance(TOLERANCE.value);
    if (this.dialog.open) this.focusAgain(focused);
    this.moved(one, run);
  }

  // What had the focus was made anew: the same control gets it again, or the dialog itself.
  focusAgain(key) {
    const again = [...this.dialog.querySelectorAll("[data-key]")].find((node) => key && node.dataset.key === key && !node.disabled);
    (again ?? this.dialog).focus();
  }

  // What the curves say at a tolerance, live beside the slider.
  shares(curves, t) {
    if (!curves) return ["No pixels to compare."];
    const percent = (v) => make("b", { text: `${(100 * v).toFixed(1)} %` });
    return ["Right at this tolerance: ", percent(curves[1][t]), " of the edit, ", percent(curves[2][t]), " of the rest; IoU ", percent(curves[0][t])];
  }

  bar(one) {
    const { position, matches } = this;
    const button = (label, text, action, disabled) => make("button", { class: "round", type: "button", "data-key": label, "aria-label": label, title: label, disabled, text, on: { click: action } });
    return make("header", { class: "viewer-bar" }, make("h2", { text: this.book.ids[one] }),
      make("span", { class: "at", text: `${(position + 1).toLocaleString("en")} of ${matches.length.toLocaleString("en")}` }),
      button("Previous case", "←", () => this.go(-1), position === 0),
      button("Next case", "→", () => this.go(1), position === matches.length - 1),
      button("Close", "×", () => this.dialog.close(), false));
  }

  tabs() {
    if (this.book.runs.length < 2) return null;
    return make("div", { class: "tabs", role: "tablist", "aria-label": "Runs" }, this.present().map((run) => make("button", {
      class: `tab run${run % 8}`, type: "button", role: "tab", "data-key": `run ${run}`, "aria-selected": String(run === this.run),
      on: { click: () => { this.run = run; this.render(); } },
    }, badge(this.book, run), make("span", { text: this.book.runs[run].name }), make("small", { text: this.book.shown(this.book.value(run, 0, this.one), 0) }))));
  }

  metrics() {
    const { book, run, one } = this;
    const bar = (share) => share === null ? make("span", {}) : make("span", { class: "bar" }, make("i", { class: "fill", style: `width:${share}%` }));
    return make("div", { class: `facts-list figures run${run % 8}` }, book.metrics.flatMap((metric, i) => {
      const value = book.value(run, i, one);
      if (Number.isNaN(value) && book.judged(one)) return []; // a measure that does not apply, or has no verdict
      return [make("span", { text: metric.label, title: metric.note }), make("b", { text: book.shown(value, i) }), bar(book.share(value, i))];
    }));
  }

  story() {
    const { book, run, one } = this;
    const result = book.results[run];
    const mode = book.failures[book.modes[run][one]];
    const latency = result.t[one] ?? null;
    const status = book.status(run, one);
    const facts = [["Case", book.labels(one).join(" · ")], ["Output", result.z[one]], ["Status", status ? book.statuses[status][1] : null], ["Reason", result.why[one]],
      ["Asked", result.asked[one]], ["Trace", result.trace[one]],
      ["Notes", result.notes[one]?.join("; ")], ["Latency", latency === null ? null : latency < 1 ? `${Math.round(1000 * latency)} ms` : `${latency.toFixed(1)} s`], ["Fingerprint", book.prints[one]]];
    return make("div", {}, make("p", { class: "mode-says" }, make("b", {}, make("i", { class: `swatch mode-${mode.key}` }), mode.label), ` ${mode.note}`),
      make("dl", { class: "facts-list story" }, facts.filter(([, value]) => value)
        .flatMap(([label, value]) => [make("dt", { text: label }), make("dd", { text: value })])));
  }

  keys() {
    const keys = [["← →", "cases"], ...(this.book.runs.length > 1 ? [["↑ ↓", "runs"]] : []), ["1 2 3", "ways to look"], ...(this.book.allJudged ? [] : [["[ ]", "tolerance"]]), ["+ − 0", "zoom"], ["Space", "switch while blinking"]];
    return make("p", { class: "keys" }, keys.flatMap(([key, text], i) => [i ? " · " : "", ...key.split(" ").flatMap((k) => [make("kbd", { text: k }), " "]), text]));
  }
}
