// @ts-check
// The page of a reviewer: one record after the other, with the way back.
import { ask, pageData, toast } from "../base/api.js";
import { addKeys } from "../base/keys.js";
import { Outbox, isRefusal, randomKey } from "../base/outbox.js";

const data = pageData("review-data");
/** @template {HTMLElement} T @param {string} id @returns {T} */
const at = (id) => /** @type {T} */ (document.getElementById(id));
const reason = /** @type {HTMLSelectElement} */ (at("reason"));
const note = /** @type {HTMLInputElement} */ (at("note"));
const saved = at("saved");
/** @type {Map<number, any>} Records that were loaded, so that the way goes on while the studio is away. */
const loaded = new Map();
/** @type {number[]} Numbers of records in the order in which they were seen. */
const seen = [];
let place = -1;
/** @type {any} */
let record = null;

for (const text of data.reasons) reason.append(new Option(text, text));

/** @typedef {{record: string, fingerprint: string, decision: string, reason: string, note: string, texts: Record<string, string>, key: string}} Decision */

let sent = false;
let refused = false;

/** Send the oldest decision; one that the studio refuses does not hold up the others. @param {[string, Decision][]} waiting @returns {Promise<[string, string][]>} */
async function sendDecision([[name, made]]) {
  try {
    const answer = await ask(`${data.base}/api/decisions`, { method: "POST", body: made, signal: AbortSignal.timeout(15000) });
    [sent, refused] = [true, false];
    showDone(answer.done);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    [sent, refused] = [true, true];
    toast(/** @type {Error} */ (error).message, "bad");
  }
  return [[name, made.key]];
}

/** @type {Outbox<Decision>} Decisions that wait, named so that the oldest comes first. */
const outbox = new Outbox(`editscope-review:${data.person}:`, sendDecision, (reached, _, message) => {
  if (reached === "saved" && !sent) return;
  const state = reached === "saved" && refused ? "refused" : reached;
  const texts = { saved: "saved", sending: "saving …", away: message ? `not saved yet: ${message}` : "not saved yet: the studio is away, we keep trying", refused: "not saved" };
  saved.textContent = texts[state];
  saved.className = `chip ${{ saved: "good", sending: "", away: "warn", refused: "bad" }[state]}`;
  saved.dataset.state = state;
});

/** @param {number} done */
const showDone = (done) => { at("progress").textContent = data.role === "adjudicator" ? `${done.toLocaleString()} settled by you` : `${done.toLocaleString()} of ${data.total.toLocaleString()} decided by you`; };

/** @param {number} number */
async function load(number) {
  if (!loaded.has(number)) loaded.set(number, await ask(`${data.base}/api/record/${number}`));
  return loaded.get(number);
}

/** @param {string} tag @param {string} text @param {string} [kind] */
function el(tag, text, kind = "") {
  const made = document.createElement(tag);
  made.textContent = text;
  if (kind) made.className = kind;
  made.dir = "auto";
  return made;
}

/** Whether a value is an object with names. @param {unknown} value @returns {value is Record<string, unknown>} */
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** A value on one line. @param {unknown} value @returns {string} */
function inline(value) {
  if (value === null || value === undefined || value === "") return "–";
  if (Array.isArray(value)) return value.map(inline).join(", ");
  if (isObject(value)) return Object.entries(value).map(([name, inner]) => `${name}: ${inline(inner)}`).join(", ");
  return typeof value === "number" ? value.toLocaleString(undefined, { maximumFractionDigits: 4 }) : String(value);
}

/** A value as people read it: lists as lists, rows with names as a table. @param {unknown} value */
function readable(value) {
  const made = el("dd", "");
  if (!Array.isArray(value) || !value.length) {
    made.textContent = inline(Array.isArray(value) ? null : value);
    return made;
  }
  if (!value.every(isObject)) {
    const list = document.createElement("ol");
    list.append(...value.map((one) => el("li", inline(one))));
    made.append(list);
    return made;
  }
  const names = [...new Set(value.flatMap((row) => Object.keys(row)))];
  const table = document.createElement("table");
  const head = table.createTHead().insertRow();
  const body = table.createTBody();
  for (const name of names) {
    const cell = el("th", name, value.every((row) => typeof row[name] === "number") ? "figure" : "");
    cell.setAttribute("scope", "col");
    head.append(cell);
  }
  for (const row of value) body.insertRow().append(...names.map((name) => el("td", inline(row[name]), typeof row[name] === "number" ? "figure" : "")));
  table.className = "plain-table";
  made.append(table);
  return made;
}

/** @param {HTMLElement} list @param {Record<string, unknown>} facts */
function fill(list, facts) {
  list.replaceChildren(...Object.entries(facts).flatMap(([name, value]) => [el("dt", name), readable(value)]));
}

/** @param {any} picture */
function figure(picture) {
  const made = document.createElement("figure");
  made.append(el("figcaption", picture.name));
  if (picture.problem) { made.append(el("p", picture.problem, "problem")); return made; }
  const image = new Image(picture.width, picture.height);
  image.alt = picture.name;
  image.src = picture.address;
  made.append(image);
  return made;
}

/** @param {any} shown */
function show(shown) {
  record = shown;
  at("finished").hidden = true;
  at("record").hidden = false;
  at("record-id").textContent = `${shown.number + 1}. ${shown.id}`;
  at("pictures").replaceChildren(...shown.pictures.map(figure));
  at("others").replaceChildren(...shown.others.map((/** @type {any} */ other) => el("p",
    [`${other.reviewer}: ${other.decision}`, other.reason, other.note, ...Object.entries(other.texts).map(([name, text]) => `${name}: ${text}`)]
      .filter(Boolean).join("\n"), "others-decision")));
  const mine = shown.mine;
  at("texts").replaceChildren(...Object.entries(shown.texts).map(([name, text]) => {
    const label = document.createElement("label");
    label.className = "field";
    const area = document.createElement("textarea");
    area.name = name;
    area.dir = "auto";
    area.value = mine?.texts?.[name] ?? String(text);
    label.append(el("span", name), area);
    return label;
  }));
  fill(at("fields"), shown.fields);
  at("provenance").hidden = !Object.keys(shown.provenance).length;
  fill(/** @type {HTMLElement} */ (at("provenance").querySelector("dl")), shown.provenance);
  note.value = mine?.note ?? "";
  if (mine?.reason) {
    if (![...reason.options].some((option) => option.value === mine.reason)) reason.append(new Option(mine.reason, mine.reason));
    reason.value = mine.reason;
  }
  at("accept").classList.toggle("chosen", mine?.decision === "accept");
  at("reject").classList.toggle("chosen", mine?.decision === "reject");
  /** @type {HTMLButtonElement} */ (at("back")).disabled = place <= 0;
  document.documentElement.dataset.record = shown.id;
}

async function forward() {
  try {
    if (place + 1 < seen.length) { place += 1; show(await load(seen[place])); return; }
    const answer = await ask(`${data.base}/api/next?after=${seen.length ? seen[seen.length - 1] : -1}`);
    showDone(answer.done);
    const number = answer.number ?? null;
    if (number === null || seen.includes(number)) { finish(); return; }
    seen.push(number);
    place = seen.length - 1;
    show(await load(number));
    if (number + 1 < data.total) load(number + 1).catch(() => { /* it is loaded when its turn comes */ });
  } catch (error) {
    // The studio is away: go on with what is loaded already.
    const next = [...loaded.keys()].sort((a, b) => a - b).find((number) => !seen.includes(number) && !loaded.get(number).mine);
    if (next === undefined) { toast("The studio cannot be reached. Your decisions are kept; try again in a moment.", "bad"); return; }
    seen.push(next);
    place = seen.length - 1;
    show(loaded.get(next));
  }
}

function finish() {
  record = null;
  place = seen.length;
  at("record").hidden = true;
  at("finished").hidden = false;
  at("record-id").textContent = "";
  document.documentElement.dataset.record = "";
}

async function back() {
  if (place <= 0) return;
  place -= 1;
  show(await load(seen[place]));
}

/** @param {"accept" | "reject"} decision */
async function decide(decision) {
  if (!record) return;
  /** @type {Record<string, string>} */
  const texts = {};
  for (const area of at("texts").querySelectorAll("textarea")) texts[area.name] = area.value;
  const made = { record: record.id, fingerprint: record.fingerprint, decision, reason: decision === "reject" ? reason.value : "", note: note.value, texts, key: randomKey(24) };
  record.mine = { ...made, texts: { ...texts } };
  await outbox.put(`${String(Date.now()).padStart(15, "0")}:${made.key}`, made);
  await forward();
}

at("accept").addEventListener("click", () => decide("accept"));
at("reject").addEventListener("click", () => decide("reject"));
at("back").addEventListener("click", back);
at("forward").addEventListener("click", forward);
addKeys([
  { keys: ["a"], what: "Accept, with the texts as they stand", run: () => decide("accept") },
  { keys: ["r"], what: "Reject, with the reason that is chosen", run: () => decide("reject") },
  { keys: ["ArrowLeft", "k"], what: "Back to the record before", run: back },
  { keys: ["ArrowRight", "j"], what: "Next record", run: forward },
  { keys: ["e"], what: "Edit the first text", run: () => at("texts").querySelector("textarea")?.focus() },
  { keys: ["Escape"], what: "Leave the text", run: () => /** @type {HTMLElement} */ (document.activeElement)?.blur(), typing: true },
]);
await outbox.flush();
await forward();
