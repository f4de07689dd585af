// The gallery: filters, sorting, and cards that are made as one scrolls.

const CHUNK = 40;
const ORDERS = [
  ["worst", "Worst first"],
  ["best", "Best first"],
  ["apart", "Runs differ most"],
  ["suite", "Order of the suite"],
];

const pictureCache = new Map();

// The pictures of a case lie in a block of their own, which is read when the case comes into view.
function picturesOf(index) {
  if (!pictureCache.has(index)) {
    const block = document.getElementById(`p${index}`);
    pictureCache.set(index, block ? JSON.parse(block.textContent) : []);
    if (block) block.remove();
  }
  return pictureCache.get(index);
}

function picture(index, place, caption, alt) {
  const source = picturesOf(index)[place];
  const frame = source
    ? make("img", { src: source, alt, loading: "lazy", decoding: "async" })
    : make("span", { class: "none", text: "no picture" });
  return make("span", { class: "pic" }, make("span", { class: "frame" }, frame), make("span", { class: "cap", text: caption }));
}

function badge(data, run) {
  return make("b", { class: `badge run${run % 8}`, text: data.runs[run].letter, title: data.runs[run].name });
}

function chip(data, result) {
  const mode = data.failures[result.f];
  return make("span", { class: "chip", title: mode.note }, make("i", { class: `swatch mode-${mode.key}` }), mode.label);
}

function shown(data, value, place) {
  if (value === null || value === undefined) return "–";
  return value.toFixed(data.metrics[place].scale === 1 ? 2 : 1);
}

class Gallery {
  constructor(data, section, viewer) {
    this.data = data;
    this.viewer = viewer;
    this.filters = section.querySelector(".filters");
    this.list = section.querySelector(".cases");
    this.more = section.querySelector(".more");
    this.found = section.querySelector(".found");
    this.words = data.cases.map((one) => `${one.id} ${one.text}`.toLowerCase());
    this.fields = new Map();
    this.clear();
    this.build();
    this.watcher = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      this.append();
      this.watch(); // looked at anew: the end may still be in view
    }, { rootMargin: "900px" });
    this.refresh();
  }

  clear() {
    this.state = { tags: {}, runs: this.data.runs.map((_, run) => run), mode: "", from: "", to: "", text: "", order: "worst" };
  }

  // Filter to what a table cell or a bar stands for.
  show({ tags, run, mode }) {
    this.clear();
    const parts = this.data.tags.some((tag) => tag.key === "part");
    const diagnostic = parts && this.data.cases.some((one) => one.tags.part === "diagnostic" && fits(one, tags))
      && !this.data.cases.some((one) => one.tags.part === "averaged" && fits(one, tags));
    this.state.tags = { ...tags, ...(parts ? { part: diagnostic ? "diagnostic" : "averaged" } : {}) };
    this.state.mode = mode;
    if (run !== null) this.state.runs = [run];
    this.refresh();
  }

  build() {
    const { data } = this;
    const first = make("div", { class: "filter-line" });
    const text = make("input", { type: "search", placeholder: "Words of the instruction, or an id" });
    first.append(this.field("text", "Search", text, "grow"));
    const orders = ORDERS.filter(([key]) => key !== "apart" || data.runs.length > 1);
    first.append(this.field("order", "Order", choice(orders)));
    if (data.runs.length > 1) first.append(this.runToggles());
    this.reset = make("button", { class: "reset", type: "button", text: "Reset", on: { click: () => { this.clear(); this.refresh(); } } });
    first.append(this.reset);
    const second = make("div", { class: "filter-line" });
    for (const tag of data.tags) {
      if (tag.values.length < 2 || tag.values.length > 80) continue;
      second.append(this.field(`tag:${tag.key}`, tag.label, choice([["", "All"], ...tag.values])));
    }
    second.append(this.field("mode", "Failure mode", choice([["", "All"], ...data.failures.map((mode) => [mode.key, mode.label])])));
    const from = make("input", { type: "number", min: 0, max: 100, step: "any", placeholder: "0", "aria-label": "Lowest score" });
    const to = make("input", { type: "number", min: 0, max: 100, step: "any", placeholder: "100", "aria-label": "Highest score" });
    this.fields.set("from", from);
    this.fields.set("to", to);
    for (const [name, input] of [["from", from], ["to", to]]) {
      input.name = name;
      input.addEventListener("input", () => { this.state[name] = input.value; this.refresh(); });
    }
    second.append(make("div", { class: "field" }, `${data.metrics[0].label} from – to`, make("div", { class: "range" }, from, "–", to)));
    const wide = matchMedia("(min-width: 861px)").matches;
    this.filters.append(first, make("details", { class: "folding", open: wide }, make("summary", { text: "More filters" }), second));
  }

  field(name, label, input, extra = "") {
    input.name = name;
    input.addEventListener("input", () => {
      if (name.startsWith("tag:")) this.state.tags = { ...this.state.tags, [name.slice(4)]: input.value };
      else this.state[name] = input.value;
      this.refresh();
    });
    this.fields.set(name, input);
    input.id = `filter-${name}`;
    return make("div", { class: `field ${extra}` }, make("label", { for: input.id, text: label }), input);
  }

  runToggles() {
    this.toggles = this.data.runs.map((run, index) => make("button", {
      class: "toggle", type: "button", "aria-pressed": "true",
      on: { click: () => this.toggle(index) },
    }, badge(this.data, index), run.name));
    return make("div", { class: "field runs" }, "Runs", make("div", { class: "toggles" }, this.toggles));
  }

  toggle(run) {
    const { runs } = this.state;
    const next = runs.includes(run) ? runs.filter((other) => other !== run) : [...runs, run].sort((a, b) => a - b);
    this.state.runs = next.length ? next : this.data.runs.map((_, index) => index);
    this.refresh();
  }

  // The results of a case that the filters on runs, failure mode and score let through.
  results(one) {
    const { runs, mode, from, to } = this.state;
    return runs.filter((run) => {
      const result = one.runs[run];
      if (!result) return false;
      if (mode && this.data.failures[result.f].key !== mode) return false;
      const score = result.m[0];
      if (from !== "" && !(score >= Number(from))) return false;
      return to === "" || score <= Number(to);
    });
  }

  select() {
    const words = this.state.text.toLowerCase().split(/\s+/).filter(Boolean);
    const kept = [];
    this.data.cases.forEach((one, index) => {
      if (!fits(one, this.state.tags)) return;
      if (!words.every((word) => this.words[index].includes(word))) return;
      if (!this.results(one).length) return;
      const scores = this.state.runs.filter((run) => one.runs[run]).map((run) => one.runs[run].m[0] ?? 0);
      const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
      kept.push({ index, mean, apart: Math.max(...scores) - Math.min(...scores) });
    });
    const by = { worst: (a, b) => a.mean - b.mean, best: (a, b) => b.mean - a.mean, apart: (a, b) => b.apart - a.apart };
    if (by[this.state.order]) kept.sort(by[this.state.order]);
    return kept.map((entry) => entry.index);
  }

  refresh() {
    this.matches = this.select();
    this.made = 0;
    this.list.replaceChildren();
    const number = this.state.runs.length;
    this.list.className = `cases ${number > 1 ? `many runs${number}` : "one"}`;
    this.showState();
    if (!this.matches.length) this.list.append(make("p", { class: "empty", text: "No case fits these filters." }));
    this.append();
    this.watch();
  }

  watch() {
    this.watcher.disconnect();
    if (this.made < this.matches.length) this.watcher.observe(this.more);
  }

  showState() {
    const { state, data, matches } = this;
    for (const [name, input] of this.fields) {
      const value = name.startsWith("tag:") ? state.tags[name.slice(4)] ?? "" : state[name];
      if (input.value !== value) input.value = value;
      input.closest(".field").classList.toggle("changed", name !== "order" && name !== "from" && name !== "to" && value !== "");
    }
    const ranged = state.from !== "" || state.to !== "";
    this.fields.get("from").closest(".field").classList.toggle("changed", ranged);
    this.toggles?.forEach((button, run) => button.setAttribute("aria-pressed", String(state.runs.includes(run))));
    this.reset.disabled = !(Object.values(state.tags).some(Boolean) || state.mode || state.text || ranged
      || state.runs.length < data.runs.length || state.order !== "worst");
    const number = (n) => n.toLocaleString("en");
    this.found.replaceChildren(make("b", { text: number(matches.length) }), ` of ${number(data.cases.length)} cases`);
  }

  append() {
    const next = this.matches.slice(this.made, this.made + CHUNK);
    this.list.append(...next.map((index, i) => this.card(index, this.made + i)));
    this.made += next.length;
    this.more.hidden = this.made >= this.matches.length;
  }

  card(index, position) {
    const { data, state } = this;
    const one = data.cases[index];
    const open = (run) => () => this.viewer.open(this.matches, position, run, state.runs);
    const runs = state.runs.filter((run) => one.runs[run]);
    const alone = state.runs.length === 1;
    const pair = make("button", { class: "open problem", type: "button", "aria-label": `Open ${one.id}`, on: { click: open(runs[0]) } },
      make("span", { class: "verdict" }, make("span", { class: "chip", text: "The problem" })),
      picture(index, one.pics[0], "Input", `Input of ${one.id}`), picture(index, one.pics[1], "Answer", `Answer of ${one.id}`));
    const results = runs.map((run) => make("button", {
      class: `open result run${run % 8}`, type: "button", "aria-label": `Open ${one.id}, ${data.runs[run].name}`, on: { click: open(run) },
    }, this.verdict(one, run, alone), picture(index, one.runs[run].pics[0], "Edit", `Edit by ${data.runs[run].name}`),
      picture(index, one.runs[run].pics[1], "Error at ΔE 5", `Error map of ${data.runs[run].name}`)));
    return make("article", { class: "case", "data-id": one.id },
      make("div", { class: "about" }, make("header", { class: "case-head" }, make("code", { text: one.id }), this.tags(one)),
        make("p", { class: "ask", text: one.text, title: one.text })),
      make("div", { class: "strip" }, pair, results));
  }

  tags(one) {
    return tagLabels(this.data, one).map((label) => make("span", { class: "tag", text: label }));
  }

  verdict(one, run, alone) {
    const result = one.runs[run];
    return make("span", { class: "verdict" }, alone && this.data.runs.length === 1 ? null : badge(this.data, run),
      make("b", { class: "score", text: shown(this.data, result.m[0], 0), title: this.data.metrics[0].label }), chip(this.data, result));
  }
}

function fits(one, tags) {
  return Object.entries(tags).every(([tag, value]) => !value || one.tags[tag] === value);
}

function choice(options) {
  return make("select", {}, options.map(([value, label]) => make("option", { value, text: label })));
}

// Tags in words, without those that the id says already and without "default".
function tagLabels(data, one) {
  return data.tags.filter((tag) => tag.key !== "part" || one.tags.part === "diagnostic")
    .map((tag) => [one.tags[tag.key], tag.values.find(([value]) => value === one.tags[tag.key])])
    .filter(([value, found]) => found && value !== "default" && value !== "test")
    .map(([, found]) => found[1]);
}
