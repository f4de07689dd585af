// @ts-check
// The draft of one case: every change can be undone, is saved as you go, and is kept in the browser until it is saved.
import { ask, Refused } from "../base/api.js";

const SAVE_AFTER_MS = 700;
const CHECK_AFTER_MS = 250;
const MOST_UNDO = 200;

/** @typedef {Record<string, any>} Values */
/** @typedef {{base: number, token: string, values: Values}} Pending */
/** @typedef {{pending: Pending | null, values: Values, base: number}} Kept */

/** Where a browser keeps the draft of a case. @param {number} project @param {number} id */
export const place = (project, id) => `editscope-annotate-${project}-${id}`;

/** @param {string} key @returns {Kept | null} */
export function kept(key) {
  try { return JSON.parse(localStorage.getItem(key) ?? "null"); } catch { return null; }
}

/** @param {string} key @param {Kept | null} what */
function keep(key, what) {
  try {
    if (what) localStorage.setItem(key, JSON.stringify(what));
    else localStorage.removeItem(key);
  } catch { /* a browser that keeps nothing: the page says so by "not saved" */ }
}

export class Draft {
  /**
   * @param {{project: number, case: number, values: Values, revision: number}} data
   * @param {{changed: (how: string) => void, state: (name: string, text: string) => void, remarks: (list: any[]) => void,
   *          conflict: (theirs: {revision: number, values: Values}) => void}} on
   */
  constructor(data, on) {
    this.address = `/annotate/api/${data.project}/cases/${data.case}`;
    this.key = place(data.project, data.case);
    this.values = data.values;
    this.base = data.revision;
    this.on = on;
    /** @type {string[]} */ this.past = [];
    /** @type {string[]} */ this.future = [];
    this.group = "";
    /** @type {Pending | null} */ this.pending = null;
    this.dirty = false;
    this.stopped = false;
    this.sending = false;
    this.wait = 1000;
    /** @type {number | undefined} */ this.saveTimer = undefined;
    /** @type {number | undefined} */ this.checkTimer = undefined;
    window.addEventListener("online", () => this.flush());
    this.resume();
  }

  /** Go on with what this browser kept, where the studio did not get it. */
  resume() {
    const before = kept(this.key);
    if (!before) return;
    if (JSON.stringify(before.values) === JSON.stringify(this.values) && !before.pending) { keep(this.key, null); return; }
    this.past.push(JSON.stringify(this.values));
    this.values = before.values;
    this.pending = before.pending;
    this.base = before.base;
    this.dirty = true;
    this.flush();
  }

  /**
   * Change the values. Changes with the same name, one right after the other, are undone together.
   * @param {string} group @param {(values: Values) => void} change
   */
  change(group, change) {
    const before = JSON.stringify(this.values);
    change(this.values);
    if (JSON.stringify(this.values) === before) return;
    if (!group || group !== this.group) this.past.push(before);
    if (this.past.length > MOST_UNDO) this.past.shift();
    this.group = group;
    this.future = [];
    this.touched("change");
  }

  undo() { this.step(this.past, this.future); }
  redo() { this.step(this.future, this.past); }

  /** @param {string[]} from @param {string[]} to */
  step(from, to) {
    const values = from.pop();
    if (values === undefined) return;
    to.push(JSON.stringify(this.values));
    this.values = JSON.parse(values);
    this.group = "";
    this.touched("step");
  }

  /** Replace all values, as one change. @param {Values} values */
  replace(values) {
    this.change("", () => { this.values = structuredClone(values); });
    this.on.changed("step");
  }

  /** @param {string} how */
  touched(how) {
    this.dirty = true;
    keep(this.key, { pending: this.pending, values: this.values, base: this.base });
    this.on.changed(how);
    if (!this.sending && !this.stopped) this.on.state("dirty", "Not saved yet");
    clearTimeout(this.saveTimer);
    clearTimeout(this.checkTimer);
    this.saveTimer = setTimeout(() => this.flush(), SAVE_AFTER_MS);
    this.checkTimer = setTimeout(() => this.check(), CHECK_AFTER_MS);
  }

  async check() {
    try {
      const answer = await ask(`${this.address}/check`, { method: "POST", body: { values: this.values } });
      this.on.remarks(answer.remarks);
    } catch { /* the next save says more */ }
  }

  /** Send what is not saved, one save after the other. @returns {Promise<void>} */
  async flush() {
    clearTimeout(this.saveTimer);
    if (this.sending || this.stopped || !(this.dirty || this.pending)) return;
    this.sending = true;
    try {
      while (this.pending || this.dirty) {
        if (!this.pending) {
          this.pending = { base: this.base, token: crypto.randomUUID(), values: structuredClone(this.values) };
          this.dirty = false;
          keep(this.key, { pending: this.pending, values: this.values, base: this.base });
        }
        this.on.state("saving", "Saving …");
        const answer = await ask(this.address, { method: "PUT", body: this.pending });
        this.base = answer.revision;
        this.wait = 1000;
        if (JSON.stringify(this.pending.values) !== JSON.stringify(this.values)) this.dirty = true;
        this.pending = null;
        keep(this.key, this.dirty ? { pending: null, values: this.values, base: this.base } : null);
        this.on.remarks(answer.remarks);
      }
      this.on.state("saved", "Saved");
    } catch (error) {
      this.failed(error);
    } finally {
      this.sending = false;
    }
  }

  /** @param {unknown} error */
  failed(error) {
    if (error instanceof Refused && error.status === 409) {
      this.stopped = true;
      this.pending = null;
      this.dirty = true;
      this.on.state("conflict", "Changed somewhere else");
      this.theirs();
      return;
    }
    if (error instanceof Refused && error.status < 500) {
      this.pending = null; // the studio will not take it, now or later: the next change is another one
      this.on.state("refused", error.message);
      return;
    }
    const away = !(error instanceof Refused);
    this.on.state("away", away ? "The studio is away; kept in this browser" : /** @type {Error} */ (error).message);
    this.saveTimer = setTimeout(() => this.flush(), this.wait);
    this.wait = Math.min(2 * this.wait, 15000);
  }

  /** Ask what was saved meanwhile, and let the person choose. */
  async theirs() {
    try {
      const answer = await ask(`${this.address}/history`);
      const newest = answer.revisions[0];
      this.on.conflict({ revision: newest.number, values: newest.content });
    } catch {
      this.saveTimer = setTimeout(() => this.theirs(), 2000);
    }
  }

  /** Save mine on top of what was saved meanwhile. @param {number} revision */
  keepMine(revision) {
    this.base = revision;
    this.stopped = false;
    this.flush();
  }

  /** Take what was saved meanwhile; mine can be had back with undo. @param {{revision: number, values: Values}} theirs */
  takeTheirs(theirs) {
    this.past.push(JSON.stringify(this.values));
    this.values = structuredClone(theirs.values);
    this.base = theirs.revision;
    this.dirty = false;
    this.stopped = false;
    keep(this.key, null);
    this.on.changed("step");
    this.on.state("saved", "Saved");
    this.check();
  }
}

/**
 * Send what this browser keeps of other cases of a project; what somebody else changed meanwhile waits for its page.
 * @param {number} project @param {number} except
 */
export async function sendWaiting(project, except = 0) {
  const start = place(project, 0).slice(0, -1);
  let keys = [];
  try { keys = Object.keys(localStorage).filter((key) => key.startsWith(start)); } catch { return; }
  for (const key of keys) {
    const id = Number(key.slice(start.length));
    const before = kept(key);
    if (!before || id === except) continue;
    const todo = before.pending ?? { base: before.base, token: crypto.randomUUID(), values: before.values };
    try {
      const answer = await ask(`/annotate/api/${project}/cases/${id}`, { method: "PUT", body: todo });
      const more = JSON.stringify(todo.values) !== JSON.stringify(before.values);
      keep(key, more ? { pending: null, values: before.values, base: answer.revision } : null);
    } catch { /* it stays */ }
  }
}
