// @ts-check
// The gallery: cards only for what is in view, fetched in lots, with filters in the address.
import { ask, toast } from "../base/api.js";
import { addKeys } from "../base/keys.js";
import { make } from "./dom.js";

const LOT = 60;
const MOST_LOTS = 12;
const GAP = 14;
const LEAST_SIDE = 110;
const LARGEST_SIDE = 200;
const AHEAD = 500; // pixels above and below the window that have cards too

const grid = /** @type {HTMLElement} */ (document.getElementById("grid"));
const form = /** @type {HTMLFormElement} */ (document.getElementById("filters"));
const found = /** @type {HTMLElement} */ (document.getElementById("found"));

/** @type {Map<number, Promise<any>>} */
let lots = new Map();
/** @type {Map<number, HTMLElement>} */
let nodes = new Map();
let total = 0;
let chosen = -1;
let asked = 0;
/** @type {{columns: number, side: number, width: number, height: number}} */
let shape = { columns: 1, side: 132, width: 300, height: 260 };

function question() {
  const pairs = [...new FormData(form).entries()].filter(([name, value]) => value !== "" && !(name === "sort" && value === "suite"));
  const words = new URLSearchParams(/** @type {any} */ (pairs));
  if (!words.has("min") && !words.has("max") && !words.has("sort")) words.delete("metric");
  return words;
}

const shownRuns = () => Math.max(1, form.querySelectorAll("input[name=show]:checked").length || Math.min(1, Number(grid.dataset.runs)));

function measure() {
  const wide = grid.clientWidth;
  const pictures = Number(grid.dataset.given) + shownRuns();
  const gaps = 8 * (pictures - 1) + 26;
  const columns = Math.max(1, Math.floor((wide + GAP) / (Math.min(pictures * LEAST_SIDE + gaps, wide) + GAP)));
  const width = (wide - GAP * (columns - 1)) / columns;
  const side = Math.max(64, Math.min(LARGEST_SIDE, Math.floor((width - gaps) / pictures)));
  shape = { columns, side, width, height: side + 152 };
  grid.style.setProperty("--side", `${side}px`);
  grid.style.height = `${Math.ceil(total / columns) * (shape.height + GAP)}px`;
}

/** The lot that a card is in. @param {number} place */
function lotOf(place) {
  const number = Math.floor(place / LOT);
  let lot = lots.get(number);
  if (!lot) {
    const words = question();
    words.set("offset", String(number * LOT));
    words.set("limit", String(LOT));
    lot = ask(`${grid.dataset.api}?${words}`);
    lots.set(number, lot);
    if (lots.size > MOST_LOTS) {
      const far = [...lots.keys()].sort((a, b) => Math.abs(b - number) - Math.abs(a - number))[0];
      lots.delete(far);
    }
  }
  return lot;
}

async function start() {
  const turn = ++asked;
  lots = new Map();
  chosen = -1;
  history.replaceState(null, "", `${location.pathname}?${question()}`);
  try {
    const first = await lotOf(0);
    if (turn !== asked) return;
    total = first.total;
    found.textContent = first.total === first.of ? `${first.of.toLocaleString("en")} cases` : `${first.total.toLocaleString("en")} of ${first.of.toLocaleString("en")} cases`;
  } catch (error) {
    if (turn !== asked) return;
    total = 0;
    found.textContent = error instanceof Error ? error.message : String(error);
  }
  for (const node of nodes.values()) node.remove();
  nodes = new Map();
  measure();
  show();
  for (const link of document.querySelectorAll(".set-tabs a[aria-current]")) link.setAttribute("href", location.pathname + location.search);
}

function show() {
  const top = grid.getBoundingClientRect().top;
  const step = shape.height + GAP;
  const from = Math.max(0, Math.floor((-top - AHEAD) / step)) * shape.columns;
  const to = Math.min(total, Math.ceil((window.innerHeight - top + AHEAD) / step) * shape.columns);
  for (const [place, node] of nodes) if (place < from || place >= to) { node.remove(); nodes.delete(place); }
  for (let place = from; place < to; place += 1) if (!nodes.has(place)) add(place);
}

/** @param {number} place */
function add(place) {
  const node = make("a", { class: "case-card waiting", role: "listitem", tabindex: "-1", "data-place": place });
  const [row, column] = [Math.floor(place / shape.columns), place % shape.columns];
  node.style.transform = `translate(${column * (shape.width + GAP)}px, ${row * (shape.height + GAP)}px)`;
  node.style.width = `${shape.width}px`;
  node.style.height = `${shape.height}px`;
  nodes.set(place, node);
  grid.append(node);
  const turn = asked;
  lotOf(place).then((lot) => {
    const card = lot.cards[place - lot.offset];
    if (turn !== asked || !card || nodes.get(place) !== node) return;
    fill(node, card);
  }, (error) => { if (turn === asked) toast(error.message, "bad"); });
}

/** @param {any} node @param {any} card */
function fill(node, card) {
  node.classList.remove("waiting");
  node.href = card.href;
  node.tabIndex = 0;
  node.setAttribute("aria-label", `${card.name}: ${card.text}`);
  const picture = (/** @type {any} */ one, /** @type {string} */ label) => one.src
    ? make("img", { src: one.src, width: shape.side, height: shape.side, alt: label, decoding: "async", on: { error: lost } })
    : make("span", { class: "no-picture", text: one.none ?? "No picture" });
  node.append(
    make("span", { class: "card-head" }, make("code", { class: "text", dir: "auto", text: card.name }), make("small", { text: card.tags.join(" · ") })),
    make("span", { class: "card-pictures" },
      card.given.map((/** @type {any} */ one) => make("span", { class: "card-picture" }, picture(one, one.label), make("small", { class: "cap", text: one.label }))),
      card.runs.map((/** @type {any} */ run) => make("span", { class: `card-picture run${run.color}` }, picture(run, `Edit of ${run.name}`),
        make("small", { class: "cap" }, make("i", { class: "dot" }), make("b", { text: run.score ?? "" }), " ", make("span", { class: "text", dir: "auto", text: run.name })),
        make("small", { class: "cap mode" }, run.mode ? make("i", { class: `swatch mode-${run.mode}` }) : null, make("span", { class: "text", text: run.label ?? "" }))))),
    make("span", { class: "card-text text", dir: "auto", text: card.text }));
}

/** @param {Event} event */
function lost(event) {
  /** @type {HTMLElement} */ (event.target).replaceWith(make("span", { class: "no-picture", text: "This picture is gone" }));
}

/** @param {number} step */
function go(step) {
  const focused = /** @type {HTMLElement | null} */ (document.activeElement)?.dataset?.place;
  chosen = Math.min(total - 1, Math.max(0, (focused === undefined ? chosen : Number(focused)) + step));
  if (total === 0) return;
  const top = grid.getBoundingClientRect().top + window.scrollY + Math.floor(chosen / shape.columns) * (shape.height + GAP);
  if (top < window.scrollY + 70 || top + shape.height > window.scrollY + window.innerHeight) window.scrollTo({ top: top - 120, behavior: "instant" });
  show();
  nodes.get(chosen)?.focus({ preventScroll: true });
}

let timer = 0;
form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("input", (event) => {
  const box = event.target;
  if (box instanceof HTMLInputElement && box.name === "show" && form.querySelectorAll("input[name=show]:checked").length > Number(grid.dataset.most)) {
    box.checked = false;
    toast(`At most ${grid.dataset.most} runs fit; take one out first.`);
    return;
  }
  clearTimeout(timer);
  timer = setTimeout(start, box instanceof HTMLInputElement && box.type !== "checkbox" ? 180 : 0);
});
document.getElementById("reset")?.addEventListener("click", clear);

function clear() {
  for (const field of form.querySelectorAll("select, input")) {
    if (field instanceof HTMLSelectElement) field.selectedIndex = 0;
    else if (field instanceof HTMLInputElement && field.type !== "checkbox") field.value = "";
  }
  start();
}

let waiting = false;
window.addEventListener("scroll", () => {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; show(); });
}, { passive: true });
new ResizeObserver(() => {
  const before = shape.width;
  measure();
  if (Math.abs(before - shape.width) < 0.5) return;
  for (const node of nodes.values()) node.remove();
  nodes = new Map();
  show();
}).observe(grid);

addKeys([
  { keys: ["j", "ArrowRight"], what: "Next case", run: () => go(1) },
  { keys: ["k", "ArrowLeft"], what: "Previous case", run: () => go(-1) },
  { keys: ["ArrowDown"], what: "A row down", run: () => go(chosen < 0 ? 1 : shape.columns) },
  { keys: ["ArrowUp"], what: "A row up", run: () => go(-shape.columns) },
  { keys: [" "], what: "Open the case", run: () => nodes.get(chosen)?.click() },
  { keys: ["/"], what: "Search", run: () => /** @type {HTMLElement} */ (form.querySelector("[name=q]")).focus() },
  { keys: ["Escape"], what: "Leave a field", typing: true, run: () => /** @type {HTMLElement} */ (document.activeElement).blur() },
  { keys: ["x"], what: "Clear all filters", run: clear },
]);

// Cases that a running run finishes join the list when nobody is in the middle of it.
let revision = grid.dataset.revision;
setInterval(async () => {
  if (document.hidden || window.scrollY > 400) return;
  const answer = await ask("/api/live").catch(() => null);
  if (!answer || answer.revision === revision) return;
  revision = answer.revision;
  start();
}, 5000);

start();
