// The cases of the report as columns: what they are, what runs made of them, where their pictures lie.

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const NOT_THERE = -1;
const LIKE_THE_OTHERS = -2;

const ROLE_ORDER = ["input", "reference", "answer", "effects", "edit"];
const ROLE_NAMES = { input: "Input", answer: "Answer", edit: "Edit", error: "Error map", effects: "Effects", reference: "Reference" };

// "input2" is the second input, "edit A" the edit of path A.
function roleParts(role) {
  const [, kind, which] = /^([a-z]+) ?(.*)$/.exec(role);
  return [kind, which];
}

function byRole(a, b) {
  const [[kindA, whichA], [kindB, whichB]] = [roleParts(a), roleParts(b)];
  return ROLE_ORDER.indexOf(kindA) - ROLE_ORDER.indexOf(kindB) || whichA.localeCompare(whichB, "en", { numeric: true });
}

function roleName(role) {
  const [kind, which] = roleParts(role);
  return `${ROLE_NAMES[kind] ?? kind}${which ? ` ${which}` : ""}`;
}

// The colors of the effects in overlays: those of a case, or of all cases.
function effectKeys(book, one = null, run = 0) {
  const here = book.metrics.flatMap((metric, i) => (metric.color && (one === null || !Number.isNaN(book.value(run, i, one) ?? NaN)) ? [metric] : []));
  if (!here.length) return null;
  return make("p", { class: "map-keys effect-keys" }, here.map(({ color, effect }) => {
    const key = make("i", {});
    key.style.background = color;
    return make("span", {}, key, effect);
  }));
}

class Book {
  static of(data) {
    if (!data.book) {
      const block = document.getElementById("places");
      Object.defineProperty(data, "book", { value: new Book(data, block ? JSON.parse(block.textContent) : { shared: {}, own: [] }) });
    }
    return data.book;
  }

  constructor(data, places) {
    const { runs, metrics, failures, statuses, tags, curves, cases, results } = data;
    Object.assign(this, { runs, metrics, failures, statuses, tags, curves, places, results });
    this.ids = cases.id;
    this.texts = cases.text;
    this.prints = cases.print;
    this.judgedOnes = cases.judged ?? [];
    this.n = this.ids.length;
    // Levels, languages and repeats are edits of one case.
    const several = this.ids.some((id) => id.includes("@")) && new Set(this.ids.map((id) => id.split("@")[0])).size < this.n;
    this.entries = several ? "edits" : "cases";
    this.tagColumns = cases.tags.map((column) => Int16Array.from(column));
    this.modes = results.map((one) => Int8Array.from(one.f));
    this.values = results.map((one) => one.m.map((column) => Float64Array.from(column, (v) => v ?? NaN)));
    this.words = this.ids.map((id, i) => `${id} ${this.texts[i]}`.toLowerCase());
    this.blocks = new Map();
    this.lost = new Set(); // folders beside the page from which a picture did not come
  }

  has(run, one) { return this.modes[run][one] >= 0; }

  value(run, metric, one) { return this.values[run][metric][one]; }

  status(run, one) { return this.results[run].s[one] ?? 0; }

  shown(value, metric) {
    if (value === null || value === undefined || Number.isNaN(value)) return "–";
    return value.toFixed(this.metrics[metric].decimals ?? (this.metrics[metric].scale === 1 ? 2 : 1));
  }

  // Where a value lies on its scale, in percent; null where the scale has no end.
  share(value, metric) {
    const { low = 0, high = 100, scale } = this.metrics[metric];
    return scale === 1 || Number.isNaN(value) ? null : (100 * (Math.min(high, Math.max(low, value)) - low)) / (high - low);
  }

  // Whether judges scored this case: it has no error map, and perhaps no answer.
  judged(one) { return Boolean(this.judgedOnes[one]); }

  get allJudged() { return this.n > 0 && this.judgedOnes.length === this.n && this.judgedOnes.every(Boolean); }

  // What a case with an answer gives: where its effects are known, their masks too.
  knownRoles(one) { return ["input", "answer", ...(this.picture(one, "effects") ? ["effects"] : [])]; }

  // The pictures that a judged case has for all runs, and those of one run, in the order in which they are looked at.
  givenRoles(one) {
    return Object.keys(this.places.shared).filter((role) => !role.startsWith("full") && this.picture(one, role)).sort(byRole);
  }

  editRoles(one, run) {
    return Object.keys(this.places.own[run] ?? {}).filter((role) => role.startsWith("edit") && this.picture(one, role, run)).sort(byRole);
  }

  // What was said about a run's edit of a case; the text lies in a block of its own.
  verdicts(one, run) {
    const element = document.getElementById(`v${one}`);
    return element ? JSON.parse(element.textContent)[run] ?? [] : [];
  }

  // Three curves over ΔE 0 … 10 as fractions, or null.
  curvesOf(run, one) {
    const text = this.results[run].c.slice(66 * one, 66 * one + 66);
    if (!text.trim()) return null;
    const value = (i) => (64 * DIGITS.indexOf(text[2 * i]) + DIGITS.indexOf(text[2 * i + 1])) / 1000;
    return [0, 11, 22].map((start) => Array.from({ length: 11 }, (_, t) => value(start + t)));
  }

  // The address of a picture: inside the page, or beside it, or null.
  picture(one, role, run = null) {
    const column = run === null ? this.places.shared[role] : this.places.own[run]?.[role];
    const at = column?.at[one] ?? NOT_THERE;
    if (at === NOT_THERE) return null;
    if (at === LIKE_THE_OTHERS) return column.like[0] + this.places.homes[one] + column.like[1];
    if (typeof at === "string") return at;
    const text = this.block(one)[at];
    return text.startsWith("data:") ? text : `data:image/webp;base64,${text}`;
  }

  // The pictures of a case lie in a block of their own, which is read when the case comes into view.
  block(one) {
    if (!this.blocks.has(one)) {
      const element = document.getElementById(`p${one}`);
      this.blocks.set(one, element ? JSON.parse(element.textContent) : []);
      if (this.blocks.size > 400) this.blocks.delete(this.blocks.keys().next().value);
    }
    return this.blocks.get(one);
  }

  // The part of an address by which a folder is known to be missing: all before the case.
  root(one, address) { return address.split(this.places.homes[one] ?? address)[0]; }

  // The full-size picture, beside the page: of a run, or of the case where the report was bundled.
  full(one, role, run) {
    const [kind, which] = roleParts(role);
    if (kind === "edit") return this.picture(one, which ? `full ${which}` : "full", run);
    return kind === "error" ? null : this.picture(one, `full_${role}`);
  }

  // Tags in words, without those that say nothing.
  labels(one) {
    return this.tags.map((tag, k) => [tag, tag.values[this.tagColumns[k][one]]])
      .filter(([tag, found]) => found && !tag.apart && tag.key !== "repeat" && !["default", "test", "averaged"].includes(found[0])).map(([, found]) => found[1]);
  }

  // The place of a case by its id; where it has several edits, of the first.
  placeOf(id) {
    const exact = this.ids.indexOf(id);
    return exact >= 0 ? exact : this.ids.findIndex((other) => other.startsWith(`${id}@`));
  }

  tagPlace(key, value) {
    const k = this.tags.findIndex((tag) => tag.key === key);
    return k < 0 ? null : [k, this.tags[k].values.findIndex(([known]) => known === value)];
  }

  diagnosticOnly(tags) {
    const part = this.tags.findIndex((tag) => tag.key === "part");
    if (part < 0) return null;
    const wanted = this.wantedTags(tags);
    const found = [false, false];
    for (let i = 0; i < this.n; i += 1) if (wanted.every(([k, v]) => this.tagColumns[k][i] === v)) found[this.tagColumns[part][i]] = true;
    return found[1] && !found[0];
  }

  wantedTags(tags) {
    return Object.entries(tags).filter(([, value]) => value).map(([key, value]) => this.tagPlace(key, value)).filter(Boolean);
  }

  // Which cases a state of the filters lets through, in its order; and for each choice of each filter, how many it would.
  select(state) {
    const tags = this.wantedTags(state.tags);
    const words = state.text.toLowerCase().split(/\s+/).filter(Boolean);
    const metric = Math.max(0, this.metrics.findIndex((one) => one.key === state.metric));
    const from = state.from === "" ? -Infinity : Number(state.from);
    const to = state.to === "" ? Infinity : Number(state.to);
    const ranged = state.from !== "" || state.to !== "";
    const failure = this.failures.findIndex((mode) => mode.key === state.failure);
    const status = this.statuses.findIndex(([key]) => key === state.status);
    const pair = state.a !== "" && state.b !== "" && state.a !== state.b;
    const least = Number(state.by) || 0;
    const counts = { tags: this.tags.map((tag) => new Uint32Array(tag.values.length)), failure: new Uint32Array(this.failures.length), status: new Uint32Array(this.statuses.length) };
    const kept = [];
    for (let i = 0; i < this.n; i += 1) {
      if (words.length && !words.every((word) => this.words[i].includes(word))) continue;
      let difference = 0;
      if (pair) {
        if (!this.has(state.a, i) || !this.has(state.b, i)) continue;
        difference = (this.value(state.b, metric, i) || 0) - (this.value(state.a, metric, i) || 0);
        const size = state.side === "b" ? difference : state.side === "a" ? -difference : Math.abs(difference);
        if (size < least || (state.side && size <= 0)) continue;
      }
      let missed = -1, misses = 0;
      for (const [k, v] of tags) if (this.tagColumns[k][i] !== v) { missed = k; misses += 1; }
      if (misses > 1) continue;
      let sum = 0, seen = 0, low = Infinity, high = -Infinity, modes = 0, states = 0, passes = false, present = false;
      for (const run of state.runs) {
        const mode = this.modes[run][i];
        if (mode < 0) continue;
        const value = this.value(run, metric, i);
        const unknown = Number.isNaN(value) && this.judged(i); // no verdict has no number
        const score = value || 0; // of pixels, no value counts as 0, as in the tables
        present = true;
        if (!unknown) { sum += score; seen += 1; low = Math.min(low, score); high = Math.max(high, score); }
        if (ranged && (unknown || !(score >= from && score <= to))) continue;
        const own = this.status(run, i);
        if (status < 0 || own === status) modes |= 1 << mode;
        if (failure < 0 || mode === failure) states |= 1 << own;
        if ((status < 0 || own === status) && (failure < 0 || mode === failure)) passes = true;
      }
      if (!present) continue;
      if (!misses) {
        for (let m = 0; m < counts.failure.length; m += 1) if (modes & (1 << m)) counts.failure[m] += 1;
        for (let s = 0; s < counts.status.length; s += 1) if (states & (1 << s)) counts.status[s] += 1;
      }
      if (!passes) continue;
      for (let k = 0; k < this.tags.length; k += 1) {
        const own = this.tagColumns[k][i];
        if (own >= 0 && (!misses || missed === k)) counts.tags[k][own] += 1;
      }
      if (!misses) kept.push([i, seen ? sum / seen : null, seen ? high - low : 0, Math.abs(difference)]);
    }
    const last = (a, b, size) => (a[1] === null || b[1] === null ? (a[1] === null) - (b[1] === null) : size);
    const by = { worst: (a, b) => last(a, b, a[1] - b[1]), best: (a, b) => last(a, b, b[1] - a[1]), apart: (a, b) => b[2] - a[2], pair: (a, b) => b[3] - a[3] }[state.order];
    if (by) kept.sort(by);
    return { matches: kept.map((entry) => entry[0]), counts };
  }
}
