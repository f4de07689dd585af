// @ts-check
// The page of a case: canvas, form, remarks, history, and what to do when two tabs changed the same case.
import { ask, pageData, toast } from "../base/api.js";
import { addKeys } from "../base/keys.js";
import { Canvas } from "./canvas.js";
import { Draft, sendWaiting } from "./draft.js";
import { button, element, widget } from "./fields.js";
import { scaled } from "./geometry.js";

const data = pageData("case-data");
const CANVAS_SIDE = 1024;
/** @type {import("./fields.js").Field[]} */
const form = data.form;
const layers = form.filter((field) => field.kind === "regions");
const pictures = form.filter((field) => field.kind === "pictures");
const $ = (/** @type {string} */ name) => /** @type {any} */ (document.querySelector(`[data-${name}]`));
const address = (/** @type {string} */ path, side = 0) => `/annotate/${data.project}/picture?side=${side}&path=${encodeURIComponent(path)}`;
let shown = "";
/** @type {any[]} */ let remarks = data.remarks;

// The canvas works in pixels of the picture; a layer may be kept on a canvas whose longer side is 1024.
const factor = (/** @type {string} */ layer) => layers.find((field) => field.name === layer)?.unit === "canvas" ? Math.max(...canvas.size) / CANVAS_SIDE : 1;
const digits = (/** @type {string} */ layer) => (layers.find((field) => field.name === layer)?.unit === "canvas" ? 2 : 0);
const first = () => pictures.flatMap((field) => draft.values[field.name].map((/** @type {any} */ entry) => entry.path))[0] ?? "";

const canvas = new Canvas($("canvas"), {
  regions: (layer) => shown !== first() ? [] : draft.values[layer].map((/** @type {any} */ region) => scaled(region, factor(layer), 3)),
  commit: (layer, region, id) => draft.change(region ? `move ${id}` : "", (values) => {
    const at = values[layer].findIndex((/** @type {any} */ one) => one.id === id);
    if (at < 0) return;
    if (region) values[layer][at] = scaled(region, 1 / factor(layer), digits(layer));
    else values[layer].splice(at, 1);
  }),
  create: (layer, region) => {
    const taken = new Set(draft.values[layer].map((/** @type {any} */ one) => one.id));
    let number = taken.size + 1;
    while (taken.has(`r${number}`)) number += 1;
    draft.change("", (values) => values[layer].push(scaled({ ...region, id: `r${number}` }, 1 / factor(layer), digits(layer))));
    return `r${number}`;
  },
  selected: (what) => {
    for (const made of document.querySelectorAll(".region-list button")) {
      const chosen = what !== null && made.closest("[data-field]")?.getAttribute("data-field") === what.layer && /** @type {any} */ (made).dataset.id === what.id;
      made.setAttribute("aria-pressed", String(chosen));
      if (chosen) made.scrollIntoView({ block: "nearest" });
    }
    useLayer(canvas.layer);
  },
  tool: (name) => { for (const made of document.querySelectorAll("[data-tool-button]")) made.setAttribute("aria-pressed", String(made.getAttribute("data-tool-button") === name)); },
}, layers.map((field) => field.name));

const draft = new Draft(data, {
  changed: () => update(),
  state: (name, text) => { const chip = $("saved"); chip.textContent = text; chip.className = `chip ${{ saved: "good", away: "warn", conflict: "bad", refused: "bad" }[name] ?? ""}`; chip.dataset.state = name; },
  remarks: (list) => { remarks = list; showRemarks(); },
  conflict: (theirs) => offerBoth(theirs),
});

const studio = {
  change: (/** @type {string} */ group, /** @type {(values: any) => void} */ change) => draft.change(group, change),
  picture: address,
  pick: pickPicture,
  show: (/** @type {string} */ path) => showPicture(path),
  select: (/** @type {string} */ layer, /** @type {string} */ id) => canvas.choose({ layer, id }),
};

/** @type {Map<string, {field: import("./fields.js").Field, widget: import("./fields.js").Widget, box: HTMLElement}>} */
const widgets = new Map();
const sections = new Map();
for (const field of form) {
  if (!sections.has(field.section)) {
    const section = element("section", { className: "form-section" }, element("h2", { textContent: field.section }));
    sections.set(field.section, section);
    $("form").append(section);
  }
  const made = widget(field, studio);
  const label = element("span", { className: "label", textContent: field.label + (field.required ? " *" : "") });
  const box = element("div", { className: "field" }, label, ...(field.help ? [element("small", { textContent: field.help })] : []), made.element, element("ul", { className: "remarks own" }));
  box.dataset.field = field.name;
  widgets.set(field.name, { field, widget: made, box });
  sections.get(field.section).append(box);
}

function update() {
  for (const { field, widget: made, box } of widgets.values()) {
    box.hidden = !Object.entries(field.when).every(([name, wanted]) => wanted.includes(draft.values[name]));
    /** @type {any} */ (made.update)(draft.values[field.name], draft.values);
  }
  for (const section of sections.values()) section.hidden = [...section.querySelectorAll(".field")].every((box) => box.hidden);
  $("undo").disabled = !draft.past.length;
  $("redo").disabled = !draft.future.length;
  const paths = pictures.flatMap((field) => draft.values[field.name].map((/** @type {any} */ entry) => entry.path));
  if (!paths.includes(shown)) showPicture(paths[0] ?? "");
  else canvas.render();
}

function showRemarks() {
  for (const { field, widget: made, box } of widgets.values()) {
    const mine = remarks.filter((remark) => remark.field === field.name);
    const rows = made.rows ? [...made.rows.children] : [];
    for (const list of box.querySelectorAll(".remarks")) list.replaceChildren();
    for (const remark of mine) {
      const place = (remark.entry !== null && rows[remark.entry]?.querySelector(".remarks")) || box.querySelector(".remarks.own");
      place.append(element("li", { className: remark.severity, textContent: remark.message }));
    }
    box.classList.toggle("has-wrong", mine.some((remark) => remark.severity === "wrong"));
  }
  const wrong = remarks.filter((remark) => remark.severity === "wrong").length;
  const advice = remarks.length - wrong;
  $("summary").textContent = wrong || advice ? [wrong ? `${wrong} to mend` : "", advice ? `${advice} suggestion${advice === 1 ? "" : "s"}` : ""].filter(Boolean).join(", ") : "Nothing to mend";
  $("summary").className = `chip ${wrong ? "bad" : advice ? "warn" : "good"}`;
}

/** @param {string} path */
async function showPicture(path) {
  shown = path;
  let size = data.sizes[path];
  if (path && !size) {
    try { size = (await ask(`/annotate/api/${data.project}/size?path=${encodeURIComponent(path)}`)).size; } catch { size = null; }
    if (size) data.sizes[path] = size;
  }
  if (size) canvas.show(address(path), size);
  else canvas.render();
  $("no-picture").hidden = Boolean(size);
}

/** Let the person choose a picture of the folder. @returns {Promise<string | null>} */
async function pickPicture() {
  const { pictures: paths } = await ask(`/annotate/api/${data.project}/pictures`);
  return new Promise((resolve) => {
    const filter = element("input", { className: "input", type: "search", placeholder: "Filter by name", "aria-label": "Filter by name" });
    const list = element("div", { className: "picker" });
    const dialog = element("dialog", {}, element("h2", { textContent: "Choose a picture" }), filter, list);
    const done = (/** @type {string | null} */ path) => { resolve(path); dialog.remove(); };
    const fill = () => list.replaceChildren(...paths.filter((/** @type {string} */ path) => path.toLowerCase().includes(filter.value.toLowerCase())).slice(0, 200).map((/** @type {string} */ path) => {
      const made = element("button", { type: "button", title: path }, element("img", { src: address(path, 160), alt: "", width: 96, height: 96, loading: "lazy" }), element("span", { textContent: path }));
      made.addEventListener("click", () => done(path));
      return made;
    }));
    filter.addEventListener("input", fill);
    dialog.addEventListener("close", () => done(null));
    fill();
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** @param {{revision: number, values: any}} theirs */
function offerBoth(theirs) {
  const differing = form.filter((field) => JSON.stringify(theirs.values[field.name]) !== JSON.stringify(draft.values[field.name]));
  const table = element("table", { className: "plain-table" }, element("thead", {}, element("tr", {}, ...["Field", "Saved elsewhere", "Yours"].map((text) => element("th", { textContent: text })))),
    element("tbody", {}, ...differing.map((field) => element("tr", {}, element("td", { textContent: field.label }), ...[theirs.values, draft.values].map((values) => element("td", { className: "text", dir: "auto", textContent: short(values[field.name]) }))))));
  const dialog = element("dialog", { className: "conflict" }, element("h2", { textContent: "This case was changed somewhere else" }),
    element("p", { className: "quiet", textContent: "Keep one of the two. The other one stays in the history, or can be had back with Undo." }), table,
    element("p", { className: "toolbar" }, button("Keep mine", "Keep mine", () => { dialog.remove(); draft.keepMine(theirs.revision); }, "first"), button("Take the other", "Take the other", () => { dialog.remove(); draft.takeTheirs(theirs); }, "")));
  dialog.addEventListener("cancel", (/** @type {Event} */ event) => event.preventDefault());
  document.body.append(dialog);
  dialog.showModal();
}

/** @param {any} value */
const short = (value) => { const text = typeof value === "string" ? value : JSON.stringify(value); return text.length > 300 ? `${text.slice(0, 300)} …` : text || "—"; };

async function openHistory() {
  const { revisions } = await ask(`/annotate/api/${data.project}/cases/${data.case}/history`);
  const list = element("ol", { className: "history", reversed: true });
  const dialog = element("dialog", {}, element("h2", { textContent: "History" }), list, element("p", {}, button("Close", "Close", () => dialog.remove(), "")));
  for (const one of revisions) {
    const use = button("Go back to this", `Go back to revision ${one.number}`, () => { dialog.remove(); draft.replace(one.content); }, "small");
    list.append(element("li", {}, element("span", { textContent: `Revision ${one.number}, ${new Date(one.saved_at * 1000).toLocaleString()}` }), use));
  }
  document.body.append(dialog);
  dialog.showModal();
}

/** @param {string} name */
function useLayer(name) {
  canvas.layer = name;
  for (const made of document.querySelectorAll("[data-layer-button]")) made.setAttribute("aria-pressed", String(made.getAttribute("data-layer-button") === name));
}

/** @param {number | null} id */
async function go(id) {
  if (id === null) { toast("There is no other case in this direction."); return; }
  await Promise.race([draft.flush(), new Promise((resolve) => setTimeout(resolve, 1500))]);
  location.href = `/annotate/${data.project}/case/${id}`;
}

function askAbout() {
  const field = form.find((one) => one.kind === "questions");
  if (!field || !canvas.chosen || canvas.chosen.layer !== field.of) { toast("Choose a region first."); return; }
  const region = canvas.chosen.id;
  draft.change("", (values) => values[field.name].push({ question: "", answer: "", category: "", region }));
  /** @type {any} */ (widgets.get(field.name)?.widget.rows?.lastElementChild)?.querySelector("textarea")?.focus();
}

async function removeCase() {
  const dialog = element("dialog", {}, element("h2", { textContent: "Remove this case?" }), element("p", { textContent: "It leaves the project and the next export. Its revisions stay in the studio's database." }),
    element("p", { className: "toolbar" }, button("Remove", "Remove this case", async () => {
      await draft.flush();
      try {
        await ask(draft.address, { method: "DELETE", body: { base: draft.base, token: crypto.randomUUID() } });
        location.href = data.after ?? data.before ? `/annotate/${data.project}/case/${data.after ?? data.before}` : `/annotate/${data.project}`;
      } catch (error) { toast(String(/** @type {Error} */ (error).message), "bad"); dialog.remove(); }
    }, "danger"), button("Keep it", "Keep it", () => dialog.remove(), "")));
  document.body.append(dialog);
  dialog.showModal();
}

for (const made of document.querySelectorAll("[data-tool-button]")) made.addEventListener("click", () => canvas.use(made.getAttribute("data-tool-button") ?? "select"));
for (const made of document.querySelectorAll("[data-layer-button]")) made.addEventListener("click", () => useLayer(made.getAttribute("data-layer-button") ?? ""));
$("undo").addEventListener("click", () => draft.undo());
$("redo").addEventListener("click", () => draft.redo());
$("zoom-in").addEventListener("click", () => canvas.zoom(1.25));
$("zoom-out").addEventListener("click", () => canvas.zoom(0.8));
$("zoom-fit").addEventListener("click", () => canvas.fit(true));
$("history").addEventListener("click", openHistory);
$("remove").addEventListener("click", removeCase);
$("delete")?.addEventListener("click", () => canvas.remove());
$("ask")?.addEventListener("click", askAbout);

const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const arrow = (/** @type {KeyboardEvent} */ event) => { const [x, y] = steps[/** @type {keyof steps} */ (event.key)]; const by = event.shiftKey ? 10 : 1; return [x * by, y * by]; };
const drawing = layers.length ? [
  { keys: ["v"], what: "Choose and move", run: () => canvas.use("select") },
  { keys: ["b"], what: "Draw boxes", run: () => canvas.use("box") },
  { keys: ["g"], what: "Draw polygons: click each corner, Enter closes", run: () => canvas.use("polygon") },
  { keys: ["n"], what: "New box in the middle of the view", run: () => canvas.addBox() },
  { keys: ["l"], what: "Next layer of regions", run: () => useLayer(layers[(layers.findIndex((field) => field.name === canvas.layer) + 1) % layers.length].name) },
  { keys: ["]", "["], what: "Choose the next region, or the one before", run: (/** @type {KeyboardEvent} */ event) => canvas.chooseNext(event.key === "]" ? 1 : -1) },
  { keys: ["e"], what: "Choose the next corner of a polygon", run: () => canvas.chooseCorner() },
  { keys: ["i"], what: "Add a corner after the chosen one", run: () => canvas.addCorner() },
  { keys: ["Ctrl+ArrowLeft", "Ctrl+ArrowRight", "Ctrl+ArrowUp", "Ctrl+ArrowDown"], what: "Resize the region; with Shift by 10", run: (/** @type {KeyboardEvent} */ event) => canvas.stretch(...(/** @type {[number, number]} */ (arrow(event)))) },
  { keys: ["Delete", "Backspace"], what: "Delete the region or the corner", run: () => canvas.remove() },
  { keys: ["q"], what: "New question about the chosen region", run: askAbout },
] : [];
addKeys([
  ...drawing,
  { keys: ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"], what: "Move the region, or the view where none is chosen; with Shift by 10", run: (event) => canvas.nudge(...(/** @type {[number, number]} */ (arrow(event)))) },
  { keys: ["Enter"], what: "Close the polygon", run: () => canvas.closePolygon() },
  { keys: ["Escape"], what: "Stop drawing, or choose nothing", run: () => { if (!canvas.cancel()) { canvas.choose(null); canvas.use("select"); } } },
  { keys: ["+", "="], what: "Zoom in", run: () => canvas.zoom(1.25) },
  { keys: ["-"], what: "Zoom out", run: () => canvas.zoom(0.8) },
  { keys: ["0"], what: "Show the whole picture", run: () => canvas.fit(true) },
  { keys: ["Ctrl+z"], what: "Undo", run: () => draft.undo() },
  { keys: ["Ctrl+y", "Ctrl+Z"], what: "Redo", run: () => draft.redo() },
  { keys: ["Ctrl+s"], what: "Save now", run: () => { draft.flush(); }, typing: true },
  { keys: ["j"], what: "Next case", run: () => { go(data.after); } },
  { keys: ["k"], what: "Case before", run: () => { go(data.before); } },
]);
document.addEventListener("keydown", (event) => { if (event.key === " " && document.activeElement === canvas.svg) { canvas.panning = true; event.preventDefault(); } });
document.addEventListener("keyup", (event) => { if (event.key === " ") canvas.panning = false; });

if (layers.length) useLayer(layers[0].name);
canvas.use("select");
update();
showRemarks();
sendWaiting(data.project, data.case);
