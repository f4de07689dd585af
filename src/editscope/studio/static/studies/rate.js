// @ts-check
// The page of a rater: items one after the other, votes that are kept until the studio has saved them.
import { Refused, ask, pageData, toast } from "../base/api.js";
import { addKeys } from "../base/keys.js";
import { Outbox, randomKey } from "../base/outbox.js";
import { makePanes, showFeedback, watchZoom } from "./panes.js";
import { makeScales } from "./scales.js";

/** @typedef {{key: string, instruction: string, pictures: Record<string, [number, number]>}} Item */
/** @typedef {{item: string, key: string, side?: string, scores?: Record<string, number>, seconds: number, answered_at: number, browser: string}} Ballot */
/** @typedef {{item: string, key: string, status: string, message: string, feedback: any}} Receipt */

const study = pageData("study");
const here = location.pathname.replace(/\/+$/, "");
const AHEAD = 4;
const MOST = 200;
const browser = remembered("editscope-browser", () => randomKey(16));
const $ = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** @type {Item[]} */
let items = [];
/** @type {Map<string, Promise<Record<string, string>>>} */
const pictures = new Map();
/** @type {Set<string>} */
const voted = new Set();
let step = study.step, done = study.done, of = study.of, sinceBreak = 0, shownAt = 0, busy = false, lastVoted = "";
/** @type {Item | null} */
let current = null;
const known = () => step === "qualification" || step === "calibration";
const scales = study.kind === "ratings" ? makeScales($("scales"), study.scales, refreshAnswers) : null;

/** Send votes; one alone after a failure, which that one may have caused. @param {[string, Ballot][]} waiting @param {boolean} again @returns {Promise<[string, string][]>} */
async function sendVotes(waiting, again) {
  const body = { votes: waiting.slice(0, again ? 1 : MOST).map(([, vote]) => vote) };
  const { receipts } = await ask(`${here}/api/votes`, { method: "POST", body, signal: AbortSignal.timeout(15000) });
  received(receipts);
  return receipts.map((/** @type {Receipt} */ receipt) => [receipt.item, receipt.key]);
}

/** @type {Outbox<Ballot>} Votes that wait, each under its item. */
const queue = new Outbox(`editscope-vote:${study.id}:`, sendVotes, (state, waiting, message) => {
  const label = $("saved");
  const votes = waiting === 1 ? "1 vote" : `${waiting} votes`;
  label.className = `saved ${state === "saved" ? "good" : state === "sending" ? "" : "wait"}`;
  label.textContent =
    state === "saved" ? (voted.size || done ? "All votes saved" : "") : state === "sending" ? "Saving …"
      : state === "away" ? `${message ? "Not saved yet" : "No connection"}: ${votes} kept here, sent later` : `${votes} not accepted: ${message}`;
  label.title = message;
  $("end-queue").textContent = waiting ? `${votes} still wait to be sent. Please keep this page open.` : "All your votes are saved.";
  progress();
});

addEventListener("beforeunload", (event) => { if (queue.fragile) event.preventDefault(); });
addEventListener("storage", (event) => {
  // Another tab of the same rater voted: this one goes on with what is left.
  if (!event.key?.startsWith(queue.prefix) || !event.newValue) return;
  const item = event.key.slice(queue.prefix.length);
  voted.add(item);
  if (current?.key === item && !busy) next();
});

/** @param {string} name @param {() => string} make */
function remembered(name, make) {
  try {
    const value = localStorage.getItem(name) ?? make();
    localStorage.setItem(name, value);
    return value;
  } catch { return make(); }
}

/** Show one section. @param {string} id */
function show(id) {
  for (const name of ["welcome", "work", "break", "end", "loading"]) $(name).hidden = name !== id;
  progress();
}

/** Show how far the rater is; votes that wait count, since they are not lost. */
function progress() {
  const bar = /** @type {HTMLProgressElement} */ ($("progress"));
  const count = Math.min(done + (known() ? 0 : queue.waiting().length), of);
  bar.max = Math.max(of, 1);
  bar.value = count;
  $("count").textContent = of && !known() ? `${count} of ${of}` : "";
}

/** Ask for items, so that some are ahead. @param {boolean} [agreed] */
async function fill(agreed = false) {
  const want = AHEAD + queue.waiting().length;
  const answer = await ask(`${here}/api/items`, { method: "POST", body: { want, agreed }, signal: AbortSignal.timeout(20000) });
  if (answer.step !== step) items = [];
  ({ step, done, of } = answer);
  const waiting = new Set(queue.waiting().map(([item]) => item));
  for (const item of answer.items) {
    if (voted.has(item.key) || waiting.has(item.key) || items.some((other) => other.key === item.key)) continue;
    if (item.key === current?.key && !$("work").hidden) continue;
    items.push(item);
    pictures.set(item.key, fetched(item));
  }
}

/** The pictures of an item, held in memory so that a lost connection does not matter. @param {Item} item */
async function fetched(item) {
  const names = Object.keys(item.pictures);
  const made = await Promise.all(names.map(async (name) => {
    for (let turn = 0; ; turn += 1) {
      try {
        const response = await fetch(`${here}/picture/${item.key}/${name}`);
        if (response.ok) return URL.createObjectURL(await response.blob());
        if (response.status < 500) return "";
      } catch { /* no connection: again below */ }
      await new Promise((resolve) => setTimeout(resolve, Math.min(1000 * 2 ** turn, 15000)));
    }
  }));
  return Object.fromEntries(names.map((name, place) => [name, made[place]]));
}

async function next() {
  busy = true;
  current = null;
  if (study.breakAfter && sinceBreak >= study.breakAfter) { sinceBreak = 0; show("break"); busy = false; return; }
  items = items.filter((item) => !voted.has(item.key));
  try {
    if (!items.length) { show("loading"); await fill(); } else if (items.length < AHEAD) fill().catch(() => {});
  } catch (error) {
    if (error instanceof Refused && error.status < 500) { finish("This link cannot be used", error.message); return; }
    $("loading").textContent = "No connection. Your votes are kept; this page goes on when the studio is back.";
    setTimeout(next, 2000);
    return;
  }
  const item = items.shift();
  if (!item) { ended(); return; }
  const urls = await (pictures.get(item.key) ?? fetched(item));
  current = item;
  const phase = { qualification: "Practice: these have a known answer", calibration: "Calibration: you see the right scores after each" };
  $("phase").hidden = !known();
  $("phase").textContent = phase[/** @type {keyof phase} */ (step)] ?? "";
  showInstruction(item.instruction);
  await makePanes($("panes"), item, urls, choose);
  scales?.clear();
  $("feedback").hidden = true;
  $("answers").hidden = false;
  $("undo").hidden = !lastVoted || known();
  refreshAnswers();
  show("work");
  shownAt = performance.now();
  busy = false;
}

/** @param {string} text */
function showInstruction(text) {
  const box = /** @type {HTMLElement} */ ($("instruction").parentElement);
  $("instruction").textContent = text;
  box.classList.remove("all");
  requestAnimationFrame(() => {
    const long = $("instruction").scrollHeight > $("instruction").clientHeight + 4;
    box.classList.toggle("long", long);
    $("more").hidden = !long;
  });
}

function refreshAnswers() {
  const box = $("answers");
  const wanted = study.kind === "ratings" ? [["save", "Save", "Enter"]]
    : [["left", "A is better", "←"], ...(study.ties ? [["tie", "No difference", "↓"]] : []), ["right", "B is better", "→"]];
  if (!box.childElementCount) {
    for (const [side, label, key] of wanted) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "button first";
      button.dataset.side = side;
      const name = document.createElement("kbd");
      name.textContent = key;
      name.setAttribute("aria-hidden", "true");
      button.append(label, name);
      button.addEventListener("click", () => choose(side));
      box.append(button);
    }
  }
  for (const button of box.querySelectorAll("button")) button.disabled = !!scales && !scales.complete();
}

/** Vote. @param {string} side */
async function choose(side) {
  if (busy || !current || $("work").hidden || !$("feedback").hidden) return;
  if (side === "tie" && !study.ties) return;
  if (scales && !scales.complete()) { toast("Give a score on every scale."); return; }
  busy = true;
  const item = current;
  const seconds = Math.round(performance.now() - shownAt) / 1000;
  const answer = scales ? { scores: scales.values() } : { side };
  voted.add(item.key);
  const waits = known();
  const receipt = waits ? new Promise((resolve) => expected.set(item.key, resolve)) : null;
  queue.put(item.key, { item: item.key, key: randomKey(24), ...answer, seconds, answered_at: Date.now() / 1000, browser });
  sinceBreak += 1;
  if (receipt) {
    const { feedback } = await receipt;
    busy = false;
    if (feedback) { $("answers").hidden = true; showFeedback(feedback, study.scales); $("next").focus(); return; }
  } else {
    lastVoted = item.key;
  }
  release(item);
  next();
}

/** @type {Map<string, (receipt: any) => void>} */
const expected = new Map();

/** @param {Receipt[]} receipts */
function received(receipts) {
  for (const receipt of receipts) {
    if (receipt.status === "refused") toast(receipt.message, "bad");
    else if (!known()) done += 1;
    expected.get(receipt.item)?.(receipt);
    expected.delete(receipt.item);
  }
}

/** @param {Item} item */
function release(item) {
  const held = pictures.get(item.key);
  pictures.delete(item.key);
  held?.then((urls) => Object.values(urls).forEach((url) => URL.revokeObjectURL(url)));
}

async function takeBack() {
  if (!lastVoted || known()) return;
  const item = lastVoted;
  lastVoted = "";
  $("undo").hidden = true;
  try {
    await queue.flush();
    await ask(`${here}/api/retract`, { method: "POST", body: { item } });
    toast("Your last vote no longer counts.");
  } catch { toast("The vote could not be taken back; try again when you are connected.", "bad"); lastVoted = item; $("undo").hidden = false; }
}

function ended() {
  const words = {
    unqualified: ["Thank you", "This study needs other answers in the practice part, so it ends here for you."],
    closed: ["This study is closed", "Thank you for your interest."],
    finished: ["Thank you", "You have voted on everything that there is for you."],
  };
  const [title, text] = words[/** @type {keyof words} */ (step)] ?? words.finished;
  finish(title, text);
}

/** @param {string} title @param {string} text */
function finish(title, text) {
  $("end-title").textContent = title;
  $("end-text").textContent = text;
  show("end");
  queue.flush();
}

$("agree").addEventListener("click", async () => {
  try { await fill(true); } catch (error) { toast(error instanceof Refused ? error.message : "No connection; try again.", "bad"); return; }
  next();
});
$("next").addEventListener("click", () => { if (current) release(current); next(); });
$("continue").addEventListener("click", next);
$("undo").addEventListener("click", takeBack);
$("more").addEventListener("click", () => $("instruction").parentElement?.classList.toggle("all"));
const zoom = watchZoom($("panes"));
addKeys([
  ...(study.kind === "pairwise" ? [
    { keys: ["ArrowLeft", "1", "a"], what: "A is better", run: () => choose("left") },
    { keys: ["ArrowRight", "2", "b"], what: "B is better", run: () => choose("right") },
    ...(study.ties ? [{ keys: ["ArrowDown", "3", "t"], what: "No difference", run: () => choose("tie") }] : []),
  ] : [
    { keys: ["1", "2", "3", "4", "5", "6", "7", "8", "9", "0"], what: "Score on the marked scale (0 is 10)", run: (/** @type {KeyboardEvent} */ event) => scales?.press(event.key) },
    { keys: ["ArrowUp"], what: "The scale before", run: () => scales?.move(-1) },
    { keys: ["ArrowDown"], what: "The next scale", run: () => scales?.move(1) },
    { keys: ["Enter"], what: "Save, and go on", run: () => ($("feedback").hidden ? choose("save") : $("next").click()) },
  ]),
  { keys: ["z"], what: "Zoom in or out", run: () => zoom() },
  { keys: ["u"], what: "Take back the last vote", run: takeBack },
]);

queue.flush();
if (step === "welcome") show("welcome");
else if (["unqualified", "closed", "finished"].includes(step)) ended();
else next();
