// The gallery: filters and the page of cases live in the address; only the cards of one page exist.

const ORDERS = [
  ["worst", "Worst first"],
  ["best", "Best first"],
  ["apart", "Runs differ most"],
  ["pair", "Pair differs most"],
  ["suite", "Order of the suite"],
];
const SIDES = [["", "either way"], ["a", "the first"], ["b", "the second"]];
const PLAIN_FIELDS = { failure: "failure", status: "status", metric: "metric", from: "from", to: "to", text: "q", order: "sort", side: "side", by: "by", page: "page" };

const NO_PICTURE = (text = "no picture") => make("span", { class: "none", text });

// A picture that says so where it does not come; a folder beside the page that lacked one is not asked again.
function image(book, one, source, alt, options = {}) {
  if (!source.startsWith("data:") && book.lost.has(book.root(one, source))) return NO_PICTURE("not beside this file");
  const node = make("img", { src: source, alt, decoding: "async", draggable: "false", ...options });
  if (source.startsWith("data:")) return node;
  node.loading = "lazy";
  node.addEventListener("error", () => {
    book.lost.add(book.root(one, source));
    node.replaceWith(NO_PICTURE("not beside this file"));
  }, { once: true });
  return node;
}

// The error map of a run: codes over a ghost of the answer; of an older run a plain picture at ΔE 5.
function errorMap(book, one, run, alt) {
  const codes = book.picture(one, "levels", run);
  if (!codes) {
    const old = book.picture(one, "error", run);
    return old ? [image(book, one, old, alt)] : [NO_PICTURE()];
  }
  const map = image(book, one, codes, alt, { class: "levels" });
  const ghost = map.tagName === "IMG" ? book.picture(one, "answer") : null;
  return [ghost ? image(book, one, ghost, "", { class: "ghost" }) : null, map];
}

function framed(caption, ...pictures) {
  return make("span", { class: "pic" }, make("span", { class: "frame" }, pictures.flat()), make("span", { class: "cap", text: caption }));
}

function small(book, one, role, run, caption, alt) {
  const source = book.picture(one, role, run);
  return framed(caption, source ? image(book, one, source, alt) : NO_PICTURE());
}

function badge(book, run) {
  return make("b", { class: `badge run${run % 8}`, text: book.runs[run].letter, title: book.runs[run].name });
}

function chip(book, run, one) {
  const mode = book.failures[book.modes[run][one]];
  return make("span", { class: "chip", title: mode.note }, make("i", { class: `swatch mode-${mode.key}` }), mode.label);
}

function choice(options) {
  return make("select", {}, options.map(([value, label]) => make("option", { value, text: label })));
}

class Gallery {
  constructor(data, section, viewer) {
    const book = Book.of(data);
    Object.assign(this, { book, viewer, section });
    this.filters = section.querySelector(".filters");
    this.list = section.querySelector(".cases");
    this.found = section.querySelector(".found");
    this.fields = new Map();
    this.state = this.fresh();
    startErrorMaps();
    section.querySelector(".tolerance").replaceWith(toleranceSlider(() => this.remember(false)));
    this.build();
    this.pagers = [...section.querySelectorAll(".pager")];
    viewer.moved = (one, run) => { this.looking = one === null ? null : [one, run]; this.remember(false); };
    addEventListener("hashchange", () => this.follow());
    section.classList.toggle("all-judged", book.allJudged);
    if (!this.follow()) this.refresh();
  }

  fresh() {
    return { tags: {}, runs: this.book.runs.map((_, run) => run), failure: "", status: "", metric: this.book.metrics[0]?.key ?? "", from: "", to: "", text: "", order: "worst", a: "", b: "", by: "", side: "", page: "1" };
  }

  // Filter to what a table cell or a bar stands for.
  show({ tags, run, mode }) {
    this.state = { ...this.fresh(), tags: this.withPart(tags), failure: mode ?? "" };
    if (run !== null && run !== undefined) this.state.runs = [run];
    this.refresh();
    this.remember(true);
  }

  // Diagnostic cases stay out of averages, so they stay out of the cases behind one.
  withPart(tags) {
    const diagnostic = this.book.diagnosticOnly(tags);
    return diagnostic === null || "part" in tags ? { ...tags } : { ...tags, part: diagnostic ? "diagnostic" : "averaged" };
  }

  // ---- the address: #cases?task=border&failure=no_output&run=A,B&metric=miou&from=0&to=20&a=A&b=B&by=5&case=border/012

  address() {
    const { state, book } = this;
    const plain = this.fresh();
    const parts = Object.entries(state.tags).filter(([, value]) => value);
    for (const [field, name] of Object.entries(PLAIN_FIELDS)) if (state[field] !== plain[field]) parts.push([name, state[field]]);
    if (state.runs.length < book.runs.length) parts.push(["run", state.runs.map((run) => book.runs[run].letter).join(",")]);
    for (const end of ["a", "b"]) if (state[end] !== "") parts.push([end, book.runs[state[end]].letter]);
    if (TOLERANCE.value !== 5) parts.push(["t", TOLERANCE.value]);
    if (this.looking) parts.push(["case", book.ids[this.looking[0]]], ["view", book.runs[this.looking[1]].letter]);
    const text = (value) => encodeURIComponent(value).replaceAll("%2F", "/").replaceAll("%2C", ",");
    return parts.length ? `#cases?${parts.map(([name, value]) => `${text(name)}=${text(value)}`).join("&")}` : "#cases";
  }

  remember(push) {
    const wanted = this.address();
    if (wanted === location.hash || (wanted === "#cases" && !location.hash.startsWith("#cases?"))) return;
    this.said = wanted;
    if (push) location.hash = wanted;
    else location.replace(wanted);
  }

  // Show what the address says; false where it speaks of something else.
  follow() {
    const { hash } = location;
    if (hash === this.said) return true;
    this.said = null;
    if (hash !== "" && !hash.startsWith("#cases?")) return false;
    const { book } = this;
    const state = this.fresh();
    const given = new URLSearchParams(hash.slice("#cases?".length));
    const runOf = (letter) => book.runs.findIndex((run) => run.letter === letter);
    const names = Object.fromEntries(Object.entries(PLAIN_FIELDS).map(([field, name]) => [name, field]));
    for (const [name, value] of given) {
      if (name === "run") state.runs = value.split(",").map(runOf).filter((run) => run >= 0);
      else if (name === "a" || name === "b") state[name] = runOf(value) < 0 ? "" : runOf(value);
      else if (name in names) state[names[name]] = value;
      else if (book.tags.some((tag) => tag.key === name)) state.tags[name] = value;
    }
    if (!state.runs.length) state.runs = this.fresh().runs;
    if (state.a !== "" && state.b !== "" && !given.has("sort")) state.order = "pair";
    if (Object.keys(state.tags).length && !given.has("part")) state.tags = this.withPart(state.tags);
    if (given.has("t")) setTolerance(Number(given.get("t")));
    this.state = state;
    this.refresh();
    const one = given.has("case") ? book.placeOf(given.get("case")) : -1;
    this.look(one, runOf(given.get("view")));
    if (hash && one < 0) this.section.scrollIntoView({ behavior: "instant" }); // a long way: nobody wants to watch it
    return true;
  }

  look(one, run) {
    if (one < 0) { this.looking = null; this.viewer.close(); return; }
    const shown = this.matches.includes(one) ? this.matches : [one];
    const present = this.state.runs.filter((r) => this.book.has(r, one));
    const first = present.includes(run) ? run : present[0];
    if (first === undefined) return;
    this.looking = [one, first];
    this.viewer.open(shown, shown.indexOf(one), first, this.state.runs);
  }

  // ---- the controls

  change(values, push = true) {
    Object.assign(this.state, { page: "1" }, values);
    this.refresh();
    this.remember(push);
  }

  build() {
    const { book } = this;
    const several = book.runs.length > 1;
    const text = make("input", { type: "search", placeholder: "Words of the instruction, or an id" });
    const first = make("div", { class: "filter-line" }, this.field("text", "Search", text, "grow"),
      this.field("order", "Order", choice(ORDERS.filter(([key]) => several || (key !== "apart" && key !== "pair")))));
    this.reset = make("button", { class: "reset", type: "button", text: "Reset", on: { click: () => { this.state = this.fresh(); this.refresh(); this.remember(true); } } });
    first.append(this.reset);
    const second = make("div", { class: "filter-line" });
    for (const tag of book.tags) {
      if (tag.apart || tag.values.length < 2 || tag.values.length > 80) continue;
      second.append(this.field(`tag:${tag.key}`, tag.label, choice([["", "All"], ...tag.values])));
    }
    second.append(this.field("failure", book.allJudged ? "Verdicts" : "Failure mode", choice([["", "All"], ...book.failures.map((mode) => [mode.key, mode.label])])));
    if (book.statuses.length > 1 && !book.allJudged) second.append(this.field("status", "Status", choice([["", "All"], ...book.statuses])));
    second.append(this.range());
    const wide = matchMedia("(min-width: 861px)").matches;
    this.filters.append(first, several ? this.runToggles() : "",
      make("details", { class: "folding", open: wide }, make("summary", { text: "More filters" }), second, several ? this.pair() : null));
  }

  field(name, label, input, extra = "") {
    input.name = name;
    const typed = input.tagName === "INPUT";
    input.addEventListener("input", () => {
      if (name.startsWith("tag:")) this.change({ tags: { ...this.state.tags, [name.slice(4)]: input.value } });
      else this.change({ [name]: input.value }, !typed);
    });
    this.fields.set(name, input);
    input.id = `filter-${name}`;
    return make("div", { class: `field ${extra}` }, make("label", { for: input.id, text: label }), input);
  }

  // A metric, and the range that its values must be in: two ends on one track, or typed.
  range() {
    const { book } = this;
    const metric = choice(book.metrics.map(({ key, label }) => [key, label]));
    metric.setAttribute("aria-label", "Metric of range and order");
    metric.addEventListener("input", () => this.change({ metric: metric.value, from: "", to: "" }));
    this.fields.set("metric", metric);
    const ends = [["from", "Lowest score"], ["to", "Highest score"]].map(([name, label]) => {
      const typed = make("input", { type: "number", min: 0, step: "any", "aria-label": label, name });
      const slid = make("input", { type: "range", min: 0, max: 100, step: 1, "aria-label": `${label}, slider`, class: `end ${name}` });
      typed.addEventListener("input", () => this.change({ [name]: typed.value }, false));
      slid.addEventListener("input", () => {
        const far = name === "from" ? Number(slid.value) <= Number(slid.min) : Number(slid.value) >= Number(slid.max);
        this.change({ [name]: far ? "" : slid.value }, false);
      });
      this.fields.set(name, typed);
      this[`${name}Slider`] = slid;
      return [typed, slid];
    });
    return make("div", { class: "field range-field" }, make("span", { class: "range-name" }, metric),
      make("div", { class: "range" }, ends[0][0], make("span", { class: "track" }, make("i", {}), ends[0][1], ends[1][1]), ends[1][0]));
  }

  pair() {
    const runs = [["", "–"], ...this.book.runs.map((run, index) => [String(index), `${run.letter} · ${run.name}`])];
    const end = (name, label) => {
      const select = choice(runs);
      select.addEventListener("input", () => {
        const values = { [name]: select.value === "" ? "" : Number(select.value) };
        const other = name === "a" ? this.state.b : this.state.a;
        this.change({ ...values, order: select.value !== "" && other !== "" ? "pair" : this.state.order === "pair" ? "worst" : this.state.order });
      });
      select.id = `filter-${name}`;
      this.fields.set(name, select);
      return make("div", { class: "field" }, make("label", { for: select.id, text: label }), select);
    };
    const by = make("input", { type: "number", min: 0, step: "any", placeholder: "0" });
    return make("div", { class: "filter-line pair" }, end("a", "Compare"), end("b", "with"),
      this.field("side", "Better is", choice(SIDES)), this.field("by", "By at least", by, "narrow"));
  }

  runToggles() {
    this.toggles = this.book.runs.map((run, index) => make("button", {
      class: "toggle", type: "button", "aria-pressed": "true", on: { click: () => this.toggle(index) },
    }, badge(this.book, index), make("span", { text: run.name })));
    return make("div", { class: "field runs" }, "Runs", make("div", { class: "toggles" }, this.toggles));
  }

  toggle(run) {
    const { runs } = this.state;
    const next = runs.includes(run) ? runs.filter((other) => other !== run) : [...runs, run].sort((a, b) => a - b);
    this.change({ runs: next.length ? next : this.fresh().runs });
  }

  showState() {
    const { state, book } = this;
    const plain = this.fresh();
    for (const [name, input] of this.fields) {
      const value = String(name.startsWith("tag:") ? state.tags[name.slice(4)] ?? "" : state[name]);
      if (input.value !== value) input.value = value;
      const changed = name.startsWith("tag:") ? value !== "" : !["order", "metric"].includes(name) && value !== plain[name];
      if (name !== "from" && name !== "to" && name !== "metric") input.closest(".field").classList.toggle("changed", changed);
    }
    this.showRange();
    this.showCounts();
    this.toggles?.forEach((button, run) => button.setAttribute("aria-pressed", String(state.runs.includes(run))));
    this.reset.disabled = JSON.stringify({ ...state, tags: Object.values(state.tags).filter(Boolean) }) === JSON.stringify({ ...plain, tags: [] });
    const number = (n) => n.toLocaleString("en");
    this.found.replaceChildren(make("b", { text: number(this.matches.length) }), ` of ${number(book.n)} ${book.entries}`);
  }

  showRange() {
    const { state, book } = this;
    const metric = Math.max(0, book.metrics.findIndex(({ key }) => key === state.metric));
    let top = book.metrics[metric]?.high ?? 100;
    const least = book.metrics[metric]?.low ?? 0;
    if (book.metrics[metric]?.scale === 1) {
      top = 1;
      for (const run of book.values) for (const value of run[metric]) if (value > top) top = value;
      top = Math.ceil(top);
    }
    for (const slider of [this.fromSlider, this.toSlider]) Object.assign(slider, { min: least, max: top, step: top <= 20 ? 0.1 : 1 });
    this.fromSlider.value = state.from === "" ? least : state.from;
    this.toSlider.value = state.to === "" ? top : state.to;
    this.fields.get("from").placeholder = String(least);
    this.fields.get("to").placeholder = String(top);
    const track = this.fromSlider.parentElement;
    const at = (slider) => `${(100 * (slider.value - least)) / (top - least)}%`;
    track.style.setProperty("--from", at(this.fromSlider));
    track.style.setProperty("--to", at(this.toSlider));
    track.closest(".field").classList.toggle("changed", state.from !== "" || state.to !== "");
  }

  // How many cases each choice would leave, beside its name.
  showCounts() {
    const write = (name, labels, counts) => {
      const select = this.fields.get(name);
      if (select) labels.forEach((label, i) => {
        const option = select.options[i + 1];
        option.textContent = `${label} (${counts[i].toLocaleString("en")})`;
        option.disabled = counts[i] === 0 && !option.selected;
      });
    };
    this.book.tags.forEach((tag, k) => write(`tag:${tag.key}`, tag.values.map(([, label]) => label), this.counts.tags[k]));
    write("failure", this.book.failures.map((mode) => mode.label), this.counts.failure);
    write("status", this.book.statuses.map(([, label]) => label), this.counts.status);
  }

  // ---- the cards: a page of them at a time

  refresh() {
    Object.assign(this, this.book.select(this.state));
    const number = this.state.runs.length;
    // On a phone each edit takes the width of the page, so a page holds fewer of them.
    const [least, most, edits] = matchMedia("(max-width: 700px)").matches ? [2, 8, 10] : [4, 16, 36];
    this.size = Math.max(least, Math.min(number > 1 ? 12 : most, Math.floor(edits / number)));
    this.pages = Math.max(1, Math.ceil(this.matches.length / this.size));
    this.state.page = String(Math.min(this.pages, Math.max(1, Math.floor(Number(this.state.page)) || 1)));
    this.list.className = `cases ${number > 1 ? `many runs${number}` : "one"}`;
    this.showState();
    const first = (Number(this.state.page) - 1) * this.size;
    const cards = this.matches.slice(first, first + this.size).map((one, i) => this.card(one, first + i));
    this.list.replaceChildren(...cards);
    if (!cards.length) this.list.append(make("p", { class: "empty", text: "No case fits these filters." }));
    for (const pager of this.pagers) this.showPager(pager);
  }

  turnTo(page) {
    this.change({ page: String(page) });
    this.section.scrollIntoView({ behavior: "instant" });
  }

  // First, last, and the pages around this one; nothing where one page holds all.
  showPager(pager) {
    const here = Number(this.state.page);
    const shown = [...new Set([1, here - 1, here, here + 1, this.pages])].filter((page) => page >= 1 && page <= this.pages);
    const step = (label, text, page) => make("button", { type: "button", class: "round", "aria-label": label, title: label, text, disabled: page < 1 || page > this.pages, on: { click: () => this.turnTo(page) } });
    const numbers = shown.flatMap((page, i) => [
      i && page - shown[i - 1] > 1 ? make("span", { text: "…" }) : null,
      make("button", { type: "button", class: "page", text: page.toLocaleString("en"), "aria-label": `Page ${page}`, "aria-current": page === here ? "page" : null, on: { click: () => this.turnTo(page) } }),
    ]);
    const first = (here - 1) * this.size;
    const range = `${this.book.entries === "edits" ? "Edits" : "Cases"} ${(first + 1).toLocaleString("en")} to ${Math.min(first + this.size, this.matches.length).toLocaleString("en")}`;
    pager.replaceChildren(...(this.pages < 2 ? [] : [make("span", { class: "at", text: range }), step("Previous page", "←", here - 1), ...numbers.filter(Boolean), step("Next page", "→", here + 1)]));
  }

  card(one, position) {
    const { book, state } = this;
    const id = book.ids[one];
    const open = (run) => () => { this.looking = [one, run]; this.remember(true); this.viewer.open(this.matches, position, run, state.runs); };
    const runs = state.runs.filter((run) => book.has(run, one));
    const pair = make("button", { class: "open problem", type: "button", "aria-label": `Open ${id}`, on: { click: open(runs[0]) } },
      make("span", { class: "verdict" }, make("span", { class: "chip", text: "The problem" })),
      this.given(one).map((role) => small(book, one, role, null, roleName(role), `${roleName(role)} of ${id}`)));
    const results = runs.map((run) => make("button", {
      class: `open result run${run % 8}`, type: "button", "aria-label": `Open ${id}, ${book.runs[run].name}`, on: { click: open(run) },
    }, this.verdict(one, run), this.made(one, run)));
    return make("article", { class: "case", "data-id": id },
      make("div", { class: "about" }, make("header", { class: "case-head" }, make("code", { text: id }), this.labels(one)),
        make("p", { class: "ask", text: book.texts[one], title: book.texts[one] }), this.difference(one)),
      make("div", { class: "strip" }, pair, results));
  }

  // What the case gives: of a judged one its first inputs and references; the viewer has them all.
  given(one) {
    if (!this.book.judged(one)) return ["input", "answer"];
    const roles = this.book.givenRoles(one);
    return roles.length ? roles.slice(0, 4) : ["input"];
  }

  made(one, run) {
    const { book } = this;
    const picture = (role) => small(book, one, role, run, roleName(role), `${roleName(role)} by ${book.runs[run].name}`);
    if (!book.judged(one)) return [picture("edit"), framed("Error", errorMap(book, one, run, `Error map of ${book.runs[run].name}`))];
    const roles = book.editRoles(one, run);
    return (roles.length ? roles : ["edit"]).map(picture);
  }

  labels(one) {
    return this.book.labels(one).map((label) => make("span", { class: "tag", text: label }));
  }

  difference(one) {
    const { a, b } = this.state;
    if (a === "" || b === "" || a === b) return null;
    const metric = Math.max(0, this.book.metrics.findIndex(({ key }) => key === this.state.metric));
    const size = (this.book.value(b, metric, one) || 0) - (this.book.value(a, metric, one) || 0);
    return make("p", { class: "apart" }, badge(this.book, b), " against ", badge(this.book, a), make("b", { text: ` ${size > 0 ? "+" : ""}${this.book.shown(size, metric).replace("-", "−")}` }));
  }

  verdict(one, run) {
    const { book, state } = this;
    const metric = Math.max(0, book.metrics.findIndex(({ key }) => key === state.metric));
    return make("span", { class: "verdict" }, book.runs.length === 1 ? null : badge(book, run),
      make("b", { class: "score", text: book.shown(book.value(run, metric, one), metric), title: book.metrics[metric].label }), chip(book, run, one));
  }
}
