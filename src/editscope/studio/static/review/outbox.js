// @ts-check
// Decisions that wait for the studio: each stays in the browser's storage until the studio says that it is saved.
import { Refused, ask } from "../base/api.js";

/** @typedef {{record: string, fingerprint: string, decision: string, reason: string, note: string, texts: Record<string, string>, key: string}} Decision */

/** A key that no other decision has, also where the page is not a secure context. */
export const newKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

export class Outbox {
  /** @type {Map<string, Decision>} */
  #memory = new Map();
  #sending = false;
  #tries = 0;
  #timer = 0;

  /**
   * @param {string} address @param {number} person
   * @param {(state: "saved" | "sending" | "away" | "refused", message: string, done: number | null) => void} told
   */
  constructor(address, person, told) {
    this.address = address;
    this.prefix = `editscope-review:${person}:`;
    this.told = told;
    addEventListener("online", () => this.flush());
  }

  /** What waits, oldest first. @returns {[string, Decision][]} */
  waiting() {
    const found = new Map(this.#memory);
    try {
      for (const name of Object.keys(localStorage).filter((key) => key.startsWith(this.prefix)))
        found.set(name, JSON.parse(localStorage.getItem(name) ?? "null"));
    } catch { /* a browser that keeps nothing */ }
    return [...found].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  /** Keep a decision and send it. @param {Decision} decision */
  put(decision) {
    const name = `${this.prefix}${String(Date.now()).padStart(15, "0")}:${decision.key}`;
    try { localStorage.setItem(name, JSON.stringify(decision)); } catch { this.#memory.set(name, decision); }
    return this.flush();
  }

  /** Send what waits; again later where the studio cannot be reached. */
  async flush() {
    if (this.#sending) return;
    clearTimeout(this.#timer);
    this.#sending = true;
    try {
      for (let next = this.waiting()[0]; next; next = this.waiting()[0]) {
        this.told("sending", "", null);
        let done = null;
        let refusal = "";
        try {
          done = (await ask(this.address, { method: "POST", body: next[1], signal: AbortSignal.timeout(15000) })).done;
        } catch (error) {
          if (!(error instanceof Refused) || error.status >= 500 || [401, 408, 421, 429].includes(error.status)) throw error;
          refusal = error.message;
        }
        this.#memory.delete(next[0]);
        try { localStorage.removeItem(next[0]); } catch { /* a browser that keeps nothing */ }
        this.#tries = 0;
        this.told(refusal ? "refused" : "saved", refusal, done);
      }
    } catch {
      this.told("away", "", null);
      this.#timer = setTimeout(() => this.flush(), Math.min(15000, 1000 * 2 ** this.#tries));
      this.#tries += 1;
    } finally {
      this.#sending = false;
    }
  }
}
