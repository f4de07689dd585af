// The pictures of one case, large: beside one another, one over the other with a divider, blinking, or of all runs.

const MODES = [["side", "Side by side"], ["swipe", "Slider"], ["blink", "Blink"], ["runs", "All runs"]];

const SMALL = 160; // pixels of the longer side of a small picture
const ENOUGH = 400; // pixels of the longer side from which a picture does not look blurred beside a larger one

class Stage {
  constructor(book) {
    this.book = book;
    this.mode = "side";
    this.under = "answer";
    this.over = "edit";
    this.of = "edit";
    this.rate = 2;
    this.cut = 50;
    this.view = { z: 1, x: 0, y: 0 };
  }

  // All pictures of the case `one`; `runs` are those to choose from, `run` the one in question.
  render(one, run, runs) {
    Object.assign(this, { one, run, runs });
    this.roles = this.book.judged(one) ? [...this.book.givenRoles(one), ...this.edits()] : [...(this.book.knownRoles?.(one) ?? ["input", "answer"]), "edit", "error"];
    this.settle();
    this.stop();
    this.pictures = [];
    this.panes = make("div", { class: `panes by-${this.mode}` });
    this.node = make("div", { class: "stage" }, this.controls(), this.panes, this.foot());
    this.panes.append(...this[`${this.mode}Panes`]());
    this.sharpen(this.pictures);
    this.move({});
    this.panes.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.panes.addEventListener("dblclick", (event) => this.zoom(event, this.view.z > 1 ? 1 / this.view.z : 4));
    this.panes.addEventListener("pointerdown", (event) => this.press(event));
    return this.node;
  }

  edits() {
    if (!this.book.judged(this.one)) return ["edit", "error"];
    const roles = this.book.editRoles(this.one, this.run);
    return roles.length ? roles : ["edit"];
  }

  // What was chosen for another case may not be there in this one: then the edit over the last picture before it.
  settle() {
    const edits = this.edits();
    if (!this.roles.includes(this.over)) [this.over] = edits;
    if (!this.roles.includes(this.under)) this.under = this.roles.findLast((role) => !edits.includes(role)) ?? edits[0];
    if (!edits.includes(this.of)) [this.of] = edits;
  }

  again() {
    const old = this.node;
    old.replaceWith(this.render(this.one, this.run, this.runs));
    this.changed?.();
  }

  set(values) { Object.assign(this, values); this.again(); }

  controls() {
    const modes = MODES.filter(([mode]) => mode !== "runs" || this.runs.length > 1).map(([mode, label]) => make("button", {
      type: "button", "data-key": `mode ${mode}`, "aria-pressed": String(mode === this.mode), text: label, on: { click: () => this.set({ mode }) },
    }));
    const tool = (label, text, action) => make("button", { class: "round", type: "button", "data-key": label, "aria-label": label, title: label, text, on: { click: action } });
    return make("div", { class: "stage-bar" }, make("div", { class: "segmented", role: "group", "aria-label": "How to look" }, modes), this.choices(),
      make("div", { class: "zoom", role: "group", "aria-label": "Zoom" }, tool("Zoom out", "−", () => this.zoom(null, 0.5)), tool("Zoom in", "+", () => this.zoom(null, 2)),
        tool("Whole picture", "⤢", () => this.move({ z: 1, x: 0, y: 0 })), this.zoomSays = make("output", { class: "zoom-says", "aria-live": "polite" })));
  }

  // Which two pictures to compare, or what to show of every run.
  choices() {
    const named = (roles) => roles.map((role) => [role, roleName(role)]);
    const roles = named(this.roles);
    const pick = (field, label, options) => {
      const select = choice(options);
      select.value = this[field];
      select.setAttribute("aria-label", label);
      select.dataset.key = field;
      select.addEventListener("input", () => this.set({ [field]: select.value }));
      return select;
    };
    if (this.mode === "runs") return make("span", { class: "picks" }, pick("of", "What to show of every run", named(this.edits())));
    if (this.mode === "side") return make("span", { class: "picks" });
    return make("span", { class: "picks" }, pick("over", "First picture", roles), this.mode === "swipe" ? " | " : " ↔ ", pick("under", "Second picture", roles));
  }

  foot() {
    if (this.mode === "swipe") {
      const slider = make("input", { type: "range", min: 0, max: 100, step: 0.5, value: this.cut, class: "cut-slider", "data-key": "cut", "aria-label": `Divider: ${roleName(this.over)} to the left, ${roleName(this.under)} to the right` });
      slider.addEventListener("input", () => this.setCut(Number(slider.value)));
      this.cutSlider = slider;
      return make("div", { class: "stage-foot" }, slider);
    }
    if (this.mode !== "blink") return null;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches && this.blinking === undefined;
    this.blinking = still ? false : this.blinking ?? true;
    const rate = make("input", { type: "range", min: 0.5, max: 6, step: 0.5, value: this.rate, "data-key": "rate", "aria-label": "Changes a second" });
    rate.addEventListener("input", () => { this.rate = Number(rate.value); this.beat(); });
    this.playButton = make("button", { class: "plain", type: "button", "data-key": "play", on: { click: () => { this.blinking = !this.blinking; this.beat(); } } });
    const once = make("button", { class: "plain", type: "button", "data-key": "switch", text: "Switch", title: "Space", on: { click: () => { this.blinking = false; this.beat(); this.flip(); } } });
    this.rateSays = make("output", {});
    return make("div", { class: "stage-foot" }, this.playButton, once, make("label", {}, "Rate ", rate), this.rateSays);
  }

  // ---- panes

  sidePanes() {
    this.panes.style.setProperty("--count", String(Math.max(2, Math.min(5, this.roles.length))));
    return this.roles.map((role) => this.pane([role], roleName(role)));
  }

  runsPanes() {
    const first = this.roles.includes("answer") ? "answer" : this.roles[0];
    return [this.pane([first], roleName(first)), ...this.runs.map((run) => {
      const pane = this.pane([this.of], this.book.runs[run].name, run);
      pane.querySelector("figcaption").prepend(badge(this.book, run), " ", make("b", { text: this.book.shown(this.book.value(run, 0, this.one), 0) }), " ");
      pane.classList.toggle("chosen", run === this.run);
      return pane;
    })];
  }

  swipePanes() {
    const pane = this.pane([this.under, this.over], "");
    pane.querySelector(".window").append(this.divider = make("span", { class: "divider", "aria-hidden": "true" }));
    pane.querySelector("figcaption").prepend(make("b", { text: roleName(this.over) }), " to the left, ", make("b", { text: roleName(this.under) }), " to the right. ");
    queueMicrotask(() => this.setCut(this.cut));
    return [pane];
  }

  blinkPanes() {
    const pane = this.pane([this.under, this.over], "");
    pane.querySelector("figcaption").prepend(this.nowShows = make("b", { class: "now" }), " ");
    this.layers = [...pane.querySelectorAll(".layer")];
    this.showing = 1;
    queueMicrotask(() => { this.flip(1); this.beat(); });
    return [pane];
  }

  // A window on one picture, or on two that are compared.
  pane(roles, caption, run = this.run) {
    const note = make("small", { class: "note" });
    const plates = roles.map((role) => this.plate(role, run, note));
    const layers = plates.map(({ nodes }, i) => make("span", { class: "layer", "data-role": roles[i] }, make("span", { class: "plane" }, nodes)));
    this.pictures.push(...plates.filter(({ picture }) => picture));
    return make("figure", { class: "pane" }, make("span", { class: "window" }, layers), make("figcaption", {}, caption ? `${caption} ` : "", note));
  }

  // Full size for every picture that has it, but not beside a blurred one, or the sharper one would seem better: where
  // one has none, it must be large enough itself; two that lie on one another are both in full size or neither.
  async sharpen(pictures) {
    const arrived = await Promise.all(pictures.map(({ full }) => this.arrival(full)));
    const sides = await Promise.all(pictures.map(({ picture }) => picture.decode().then(() => Math.max(picture.naturalWidth, picture.naturalHeight), () => Infinity)));
    const others = sides.filter((_, i) => !arrived[i]);
    const together = this.mode === "swipe" || this.mode === "blink";
    const blurred = others.length > 0 && (together || others.some((side) => side < Math.min(ENOUGH, ...arrived.filter(Boolean))));
    pictures.forEach(({ picture, full, note }, i) => {
      if (!arrived[i]) return;
      if (blurred) note.append(" · ", make("a", { href: full, target: "_blank", text: "open full size" }));
      else { picture.dataset.full = "1"; picture.src = full; }
    });
  }

  // The small picture; the note says what is shown. `full` is the address of the large one beside the page.
  plate(role, run, note) {
    const { book, one } = this;
    const own = role.startsWith("edit") || role === "error";
    const name = `${roleName(role)} of ${book.ids[one]}${own ? `, ${book.runs[run].name}` : ""}`;
    if (role === "error") {
      const nodes = errorMap(book, one, run, name);
      const map = nodes.find((node) => node?.classList.contains("levels"));
      map?.addEventListener("load", () => { if (!note.textContent) note.textContent = `${map.naturalWidth} × ${map.naturalHeight} blocks`; });
      if (!map && nodes[0]?.tagName === "IMG") note.textContent = "at ΔE 5, from an older run";
      return { nodes };
    }
    const full = book.full(one, role, run);
    const source = book.picture(one, role, own ? run : null);
    if (!source) return { nodes: [NO_PICTURE()] };
    const picture = image(book, one, source, name);
    if (picture.tagName !== "IMG") return { nodes: [picture] };
    picture.addEventListener("load", () => {
      const { naturalWidth: wide, naturalHeight: high } = picture;
      const kind = picture.dataset.full ? "full size, " : Math.max(wide, high) <= SMALL ? "small, " : "";
      note.textContent = `${kind}${wide} × ${high}`;
      this.node.style.setProperty("--ratio", String(picture.naturalWidth / picture.naturalHeight));
    });
    return { nodes: [picture], picture, full, note };
  }

  // The longer side of a large picture that came, or 0; folders that had none are not asked again.
  arrival(address) {
    const { one } = this;
    if (!address || this.book.lost.has(this.book.root(one, address))) return Promise.resolve(0);
    return new Promise((resolve) => {
      const large = new Image();
      large.addEventListener("load", () => resolve(Math.max(large.naturalWidth, large.naturalHeight)));
      large.addEventListener("error", () => { this.book.lost.add(this.book.root(one, address)); resolve(0); });
      large.src = address;
    });
  }

  // ---- divider and blinking

  setCut(value) {
    this.cut = Math.min(100, Math.max(0, value));
    this.panes.style.setProperty("--cut", `${this.cut}%`);
    if (this.cutSlider) this.cutSlider.value = String(this.cut);
  }

  flip(to = 1 - this.showing) {
    this.showing = to;
    this.layers.forEach((layer, i) => layer.classList.toggle("away", i !== this.showing));
    this.nowShows.textContent = roleName(this.showing ? this.over : this.under);
  }

  beat() {
    clearInterval(this.timer);
    this.timer = this.blinking ? setInterval(() => this.flip(), 1000 / this.rate) : null;
    this.playButton.textContent = this.blinking ? "Pause" : "Blink";
    this.rateSays.textContent = `${this.rate} a second`;
  }

  stop() { clearInterval(this.timer); this.timer = null; }

  // ---- zoom and pan: all panes follow the same three numbers

  move(values) {
    const { z, x, y } = { ...this.view, ...values };
    const hold = (v) => Math.min(0, Math.max(1 - z, v));
    this.view = { z, x: hold(x), y: hold(y) };
    const style = this.panes.style;
    style.setProperty("--z", z);
    style.setProperty("--x", `${100 * this.view.x}%`);
    style.setProperty("--y", `${100 * this.view.y}%`);
    this.panes.classList.toggle("zoomed", z > 1);
    this.zoomSays.textContent = z > 1 ? `${Math.round(10 * z) / 10} ×` : "";
  }

  zoom(event, factor) {
    const box = (event?.target.closest?.(".window") ?? this.panes.querySelector(".window")).getBoundingClientRect();
    const at = event ? [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height] : [0.5, 0.5];
    const z = Math.min(32, Math.max(1, this.view.z * factor));
    const keep = (v, p) => p - ((p - v) * z) / this.view.z;
    this.move({ z, x: keep(this.view.x, at[0]), y: keep(this.view.y, at[1]) });
  }

  wheel(event) {
    if (!event.target.closest(".window") || !(event.ctrlKey || event.metaKey || this.view.z > 1)) return;
    event.preventDefault();
    this.zoom(event, Math.exp(-event.deltaY / 300));
  }

  press(event) {
    const area = event.target.closest(".window");
    if (!area || event.button > 0) return;
    const box = area.getBoundingClientRect();
    const cutting = this.mode === "swipe" && (event.target === this.divider || this.view.z === 1);
    if (!cutting && this.view.z === 1) return;
    event.preventDefault();
    area.setPointerCapture(event.pointerId);
    const { x, y } = this.view;
    const drag = (now) => {
      if (cutting) this.setCut((100 * (now.clientX - box.left)) / box.width);
      else this.move({ x: x + (now.clientX - event.clientX) / box.width, y: y + (now.clientY - event.clientY) / box.height });
    };
    if (cutting) drag(event);
    area.addEventListener("pointermove", drag);
    area.addEventListener("lostpointercapture", () => area.removeEventListener("pointermove", drag), { once: true });
  }

  // Keys that belong to the pictures; whether the key was one.
  key(event) {
    const mode = MODES[Number(event.key) - 1]?.[0];
    if (mode && (mode !== "runs" || this.runs.length > 1)) this.set({ mode });
    else if (event.key === "+" || event.key === "=") this.zoom(null, 2);
    else if (event.key === "-") this.zoom(null, 0.5);
    else if (event.key === "0") this.move({ z: 1, x: 0, y: 0 });
    else if (event.key === " " && this.mode === "blink") { this.blinking = false; this.beat(); this.flip(); }
    else if (event.key === "[" || event.key === "]") setTolerance(TOLERANCE.value + (event.key === "]" ? 1 : -1));
    else return false;
    return true;
  }
}
