// Fixed cases of a training, large: the stage of the report, with steps in the place of runs.

// What the stage asks about pictures: a case has inputs, perhaps an answer, and an edit at each step.
class SampleBook {
  constructor({ steps, cases }) {
    Object.assign(this, { cases, lost: new Set() });
    this.runs = steps.map((name) => ({ name, letter: "" }));
    this.ids = cases.map(({ id }) => id);
    this.texts = cases.map(({ text }) => text);
  }

  judged() { return true; } // there is no error map

  has(step, one) { return Boolean(this.cases[one].edits[step]); }

  givenRoles(one) {
    const { inputs, answer } = this.cases[one];
    const given = inputs.map((_, i) => (inputs.length > 1 ? `input ${i + 1}` : "input")).filter((_, i) => inputs[i]);
    return answer ? [...given, "answer"] : given;
  }

  editRoles(one, step) { return this.has(step, one) ? ["edit"] : []; }

  pair(one, role, step) {
    const [kind, which] = roleParts(role);
    const { inputs, answer, edits } = this.cases[one];
    return (kind === "edit" ? edits[step] : kind === "answer" ? answer : inputs[Number(which || 1) - 1]) ?? null;
  }

  picture(one, role, step = null) { return this.pair(one, role, step)?.[0] ?? null; }

  full(one, role, step) { return this.pair(one, role, step)?.[1] ?? null; }

  root(one, address) { return address.split("/").slice(0, -1).join("/"); }
}

class SampleStage extends Stage {
  controls() {
    const bar = super.controls();
    const all = bar.querySelector("[data-key='mode runs']");
    if (all) all.textContent = "All steps";
    return bar;
  }

  choices() { return this.mode === "runs" ? make("span", { class: "picks" }) : super.choices(); }

  runsPanes() {
    const given = this.roles.filter((role) => role !== "edit").map((role) => this.pane([role], roleName(role)));
    return [...given, ...this.runs.map((step) => {
      const pane = this.pane(["edit"], this.book.runs[step].name, step);
      pane.classList.toggle("chosen", step === this.run);
      return pane;
    })];
  }
}

class SampleViewer {
  constructor(data, dialog) {
    this.book = new SampleBook(data);
    this.stage = new SampleStage(this.book);
    this.dialog = dialog;
    dialog.tabIndex = -1;
    dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
    dialog.addEventListener("close", () => this.stage.stop());
    document.addEventListener("keydown", (event) => { if (dialog.open) this.key(event); });
  }

  open(one, step) {
    this.stage.view = { z: 1, x: 0, y: 0 };
    this.show(one, step);
    if (this.dialog.open) return;
    this.dialog.showModal();
    this.dialog.focus();
  }

  show(one, step) {
    const { book } = this;
    const steps = book.runs.map((_, i) => i).filter((i) => book.has(i, one));
    Object.assign(this, { one, steps, step: steps.includes(step) ? step : steps.at(-1) ?? 0 });
    const button = (label, text, to, disabled) => make("button", { class: "round", type: "button", "aria-label": label, title: label, disabled, text, on: { click: to } });
    const bar = make("header", { class: "viewer-bar" }, make("h2", { text: book.ids[one] }), make("span", { class: "at", text: `${one + 1} of ${book.ids.length}` }),
      button("Previous case", "←", () => this.go(-1), one === 0), button("Next case", "→", () => this.go(1), one === book.ids.length - 1),
      button("Close", "×", () => this.dialog.close(), false));
    this.dialog.replaceChildren(bar, make("div", { class: "viewer-body" }, make("p", { class: "ask", text: book.texts[one] }), this.slider(), this.stage.render(one, this.step, steps)));
  }

  // The slider moves through the steps; only the pictures are made anew, so that it keeps the hand on it.
  slider() {
    if (this.steps.length < 2) return null;
    const says = make("output", { text: this.book.runs[this.step].name });
    const input = make("input", { type: "range", min: 0, max: this.steps.length - 1, step: 1, value: this.steps.indexOf(this.step), "aria-label": "Step" });
    input.addEventListener("input", () => {
      this.step = this.steps[Number(input.value)];
      says.textContent = this.book.runs[this.step].name;
      const { node } = this.stage;
      node.replaceWith(this.stage.render(this.one, this.step, this.steps));
    });
    return make("label", { class: "steps" }, "Step", input, says);
  }

  go(by) {
    const next = this.one + by;
    if (next < 0 || next >= this.book.ids.length) return;
    this.stage.view = { z: 1, x: 0, y: 0 };
    this.show(next, this.step);
    this.dialog.focus();
  }

  turn(by) {
    const next = this.steps[this.steps.indexOf(this.step) + by];
    if (next !== undefined) { this.show(this.one, next); this.dialog.focus(); }
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches?.("input, select")) return;
    const moves = { ArrowLeft: () => this.go(-1), ArrowRight: () => this.go(1), ArrowUp: () => this.turn(-1), ArrowDown: () => this.turn(1) };
    if (moves[event.key]) moves[event.key]();
    else if ((event.key === " " && event.target.matches?.("button")) || !this.stage.key(event)) return;
    event.preventDefault();
  }
}

document.addEventListener("DOMContentLoaded", () => {
  const block = document.getElementById("samples-data");
  if (!block) return;
  const viewer = new SampleViewer(JSON.parse(block.textContent), document.querySelector("#samples .viewer"));
  document.querySelector(".samples").addEventListener("click", (event) => {
    const button = event.target.closest("button[data-case]");
    if (!button) return;
    const last = viewer.book.runs.length - 1;
    viewer.open(Number(button.dataset.case), button.dataset.role === "edit" ? Number(button.dataset.place) : last);
  });
});
