// @ts-check
// The page of a case: pictures, the table of runs, curves, and the details of the run in question.
import { ask, pageData } from "../base/api.js";
import { addKeys } from "../base/keys.js";
import { detailsOf } from "./details.js";
import { foldLong, make, outside } from "./dom.js";
import { Stage, curvesFigure } from "./stage.js";

const data = pageData("case-data");
const KEPT = "editscope-case";
/** @type {any} */
const shared = globalThis; // errormap.js, which the report has too, is not a module

const kept = (() => { try { return JSON.parse(sessionStorage.getItem(KEPT) ?? "{}"); } catch { return {}; } })();
let run = Math.max(0, data.runs.findIndex((/** @type {any} */ one) => one.id === kept.run));
let which = 0;

function keep() {
  try { sessionStorage.setItem(KEPT, JSON.stringify({ run: data.runs[run]?.id, mode: stage.mode, shown: stage.shown, tolerance: tolerance.value })); } catch { /* a browser that keeps nothing */ }
}

foldLong();
const stage = new Stage(/** @type {HTMLElement} */ (document.getElementById("stage")), data, choose);
const tolerance = /** @type {HTMLInputElement} */ (document.getElementById("tolerance"));
const curves = data.runs.filter((/** @type {any} */ one) => one.curves);
/** @type {(t: number) => void} */
let followCurves = () => {};

// ---- the table of runs

const table = /** @type {HTMLTableElement} */ (document.getElementById("runs-table"));
function fillTable() {
  const metrics = data.metrics;
  const optional = [["size", "Size"], ["latency", "Latency"], ["cost", "Cost"]].filter(([key]) => data.runs.some((/** @type {any} */ one) => one[key]));
  table.replaceChildren(
    make("thead", {}, make("tr", {}, make("th", { text: "Run" }), metrics.map((/** @type {any} */ metric) => make("th", { class: "figure", title: metric.note, text: metric.label })), make("th", { text: "How it ended" }), optional.map(([, label]) => make("th", { class: "figure", text: label })))),
    make("tbody", {}, data.runs.map((/** @type {any} */ one, /** @type {number} */ place) => make("tr", { class: `run${one.color}${place === run ? " chosen-row" : ""}`, "data-place": place, on: { click: (/** @type {Event} */ event) => { if (!(event.target instanceof HTMLAnchorElement)) choose(place); } } },
      make("td", {}, make("i", { class: "dot" }), " ", make("a", { href: one.href, class: "text", dir: "auto", text: one.name })),
      one.metrics.map((/** @type {string} */ value) => make("td", { class: "figure", text: value })),
      make("td", { title: one.note }, make("i", { class: `swatch mode-${one.mode}` }), ` ${one.label}${one.status && one.status !== one.label ? ` · ${one.status}` : ""}`),
      optional.map(([key]) => make("td", { class: "figure quiet", text: one[key] }))))));
}

// ---- curves

const curveCard = /** @type {HTMLElement} */ (document.getElementById("curves"));
function fillCurves() {
  if (!curves.length) return;
  curveCard.hidden = false;
  const titles = ["IoU", "Edit accuracy", "Preservation accuracy"];
  curveCard.querySelector(".segmented")?.replaceChildren(...titles.map((title, place) => make("button", { type: "button", "aria-pressed": String(place === which), text: title, on: { click: () => { which = place; fillCurves(); } } })));
  const { svg, follow } = curvesFigure(curves, which, curves.indexOf(data.runs[run]));
  curveCard.querySelector(".curve-box")?.replaceChildren(svg);
  followCurves = follow;
  follow(Number(tolerance.value));
}

// ---- error maps

function startMaps() {
  if (!stage.hasMaps) return;
  /** @type {HTMLElement} */ (document.getElementById("map-legend")).hidden = false;
  if (kept.tolerance !== undefined) tolerance.value = kept.tolerance;
  shared.startErrorMaps();
  setTolerance(Number(tolerance.value));
  tolerance.addEventListener("input", () => setTolerance(Number(tolerance.value)));
}

/** @param {number} value */
function setTolerance(value) {
  const held = Math.min(10, Math.max(0, value));
  tolerance.value = String(held);
  /** @type {HTMLElement} */ (document.getElementById("tolerance-says")).textContent = String(held);
  if (stage.hasMaps) shared.setTolerance(held);
  followCurves(held);
  keep();
}

// ---- the run in question

/** @param {number} place */
function choose(place) {
  if (place < 0 || place >= data.runs.length) return;
  run = place;
  stage.setRun(place);
  for (const row of table.querySelectorAll("tbody tr")) row.classList.toggle("chosen-row", /** @type {HTMLElement} */ (row).dataset.place === String(place));
  fillCurves();
  fillDetails();
  keep();
}

const body = /** @type {HTMLElement} */ (document.querySelector(".details-body"));
let asked = 0;
async function fillDetails() {
  const one = data.runs[run];
  if (!one) return;
  const turn = ++asked;
  /** @type {HTMLElement} */ (document.getElementById("details-title")).textContent = `Details: ${one.name}`;
  const words = new URLSearchParams({ run: one.id, id: data.case, variant: data.variant });
  try {
    const answer = await ask(`${data.details}?${words}`);
    if (turn === asked) body.replaceChildren(...detailsOf(answer));
  } catch (error) {
    if (turn === asked) body.replaceChildren(make("p", { class: "notice", text: error instanceof Error ? error.message : String(error) }));
  }
}

// ---- what the suite says, when somebody asks for it

document.getElementById("about")?.addEventListener("toggle", async () => {
  const box = /** @type {HTMLElement} */ (document.querySelector(".about-body"));
  if (box.childElementCount) return;
  box.replaceChildren(make("p", { class: "quiet", text: "Reading …" }));
  try {
    const about = await ask(`${data.about}?${new URLSearchParams({ id: data.case })}`);
    const rows = about.instructions.map((/** @type {any} */ one) => [[one.level === "default" ? "" : one.level, one.language, one.variant].filter(Boolean).join(" · "), one.text]);
    if (about.hint) rows.push(["Hint", about.hint]);
    if (about.checklist) rows.push(["Checklist", about.checklist]);
    for (const one of about.questions ?? []) rows.push([`Question${one.region ? ` on ${one.region}` : ""}`, `${one.text} → ${one.answer}`]);
    for (const one of about.regions ?? []) rows.push([`Region ${one.name}`, one.box.join(", ")]);
    if (about.problem) rows.push(["Not available", about.problem]);
    box.replaceChildren(make("dl", { class: "facts-list" }, rows.flatMap((/** @type {string[]} */ [name, text]) => [make("dt", { text: name }), outside(text, "dd")])));
  } catch (error) { box.replaceChildren(make("p", { class: "notice", text: error instanceof Error ? error.message : String(error) })); }
});

// ---- keys

/** @param {string} id */
const follow = (id) => { const link = document.getElementById(id); if (link instanceof HTMLAnchorElement) { keep(); location.href = link.href; } };
/** @param {number} x @param {number} y @param {() => void} otherwise @returns {(event: KeyboardEvent) => void} */
const arrow = (x, y, otherwise) => (event) => { if (event.shiftKey) stage.pan(-x, -y); else otherwise(); };
addKeys([
  { keys: ["j", "ArrowRight"], what: "Next case", run: arrow(1, 0, () => follow("after")) },
  { keys: ["k", "ArrowLeft"], what: "Previous case", run: arrow(-1, 0, () => follow("before")) },
  { keys: ["ArrowDown"], what: "Next run; with Shift all arrows pan", run: arrow(0, 1, () => choose(run + 1)) },
  { keys: ["ArrowUp"], what: "Previous run", run: arrow(0, -1, () => choose(run - 1)) },
  { keys: [" "], what: "Switch between the two pictures", run: () => stage.turn() },
  { keys: ["1"], what: "Side by side", run: () => stage.set({ mode: "side" }) },
  { keys: ["2"], what: "Slider", run: () => stage.set({ mode: "swipe" }) },
  { keys: ["3"], what: "Blink", run: () => stage.set({ mode: "blink", blinking: true }) },
  { keys: ["e"], what: "Edits, error maps or both", run: () => { if (stage.hasMaps) stage.set({ mode: "side", shown: { edit: "error", error: "both", both: "edit" }[stage.shown] }); keep(); } },
  { keys: ["["], what: "Lower tolerance of the error map", run: () => setTolerance(Number(tolerance.value) - 1) },
  { keys: ["]"], what: "Higher tolerance", run: () => setTolerance(Number(tolerance.value) + 1) },
  { keys: ["+", "="], what: "Zoom in", run: () => stage.zoom(null, 2) },
  { keys: ["-"], what: "Zoom out", run: () => stage.zoom(null, 0.5) },
  { keys: ["0"], what: "Whole picture", run: () => stage.move({ z: 1, x: 0, y: 0 }) },
  { keys: ["v"], what: "Next level, language or repeat", run: nextVariant },
  { keys: ["i"], what: "All that the suite says", run: () => { const box = document.getElementById("about"); if (box instanceof HTMLDetailsElement) box.open = !box.open; } },
  { keys: ["u"], what: "Up: the gallery", run: () => follow("back") },
]);

function nextVariant() {
  const links = [...document.querySelectorAll(".levels-list a")];
  const at = links.findIndex((link) => link.getAttribute("aria-current"));
  const next = links[(at + 1) % links.length];
  if (next instanceof HTMLAnchorElement && links.length > 1) { keep(); location.href = next.href; }
}

stage.set({ mode: kept.mode === "swipe" || kept.mode === "blink" ? kept.mode : "side", shown: stage.hasMaps && kept.shown ? kept.shown : "edit", run });
fillTable();
startMaps();
fillCurves();
fillDetails();
