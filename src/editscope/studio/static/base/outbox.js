// @ts-check
// What a person has said and the studio has not saved yet. Each entry is one of its own in the browser's storage, so that
// tabs do not overwrite one another; it goes away only when the studio has answered for it.
import { Refused } from "./api.js";

/** @typedef {"saved" | "sending" | "away" | "refused"} State */

const PAUSES = [1, 2, 4, 8, 15];

/** Random letters, also where the page is not a secure context. @param {number} length */
export function randomKey(length) {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return Array.from(crypto.getRandomValues(new Uint8Array(length)), (byte) => letters[byte & 63]).join("");
}

/** Whether the studio said no to what was sent, rather than being away or busy. @param {unknown} error */
export const isRefusal = (error) =>
  error instanceof Refused && error.status < 500 && ![401, 408, 421, 429].includes(error.status);

/** @template {{key: string}} T */
export class Outbox {
  /** @type {Map<string, T>} Entries that the browser refuses to store; they live as long as the page. */
  #memory = new Map();
  /** @type {Promise<void> | null} */
  #sending = null;
  #tries = 0;
  #timer = 0;

  /**
   * @param {string} prefix of the names of entries; no secret is in it
   * @param {(waiting: [string, T][], again: boolean) => Promise<[string, string][]>} send sends the first entries and
   *   returns names and keys of those that the studio has answered for; `again` after a failure
   * @param {(state: State, waiting: number, message: string) => void} told
   */
  constructor(prefix, send, told) {
    this.prefix = prefix;
    this.send = send;
    this.told = told;
    addEventListener("online", () => this.flush());
    document.addEventListener("visibilitychange", () => { if (!document.hidden) this.flush(); });
  }

  /** Names and entries that wait, by name. @returns {[string, T][]} */
  waiting() {
    const found = new Map(this.#memory);
    try {
      for (const name of Object.keys(localStorage)) {
        if (!name.startsWith(this.prefix)) continue;
        try { found.set(name.slice(this.prefix.length), JSON.parse(localStorage.getItem(name) ?? "")); } catch { /* not one of ours */ }
      }
    } catch { /* a browser that keeps nothing */ }
    return [...found].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  /** Keep an entry and send it. @param {string} name @param {T} entry */
  put(name, entry) {
    try { localStorage.setItem(this.prefix + name, JSON.stringify(entry)); } catch { this.#memory.set(name, entry); }
    return this.flush();
  }

  /** Whether leaving the page would lose an entry. */
  get fragile() { return this.#memory.size > 0; }

  /** @param {string} name @param {string} key */
  #remove(name, key) {
    if (this.#memory.get(name)?.key === key) this.#memory.delete(name);
    try {
      // Another tab may have put another entry under this name meanwhile: only the one that was answered goes.
      const kept = localStorage.getItem(this.prefix + name);
      if (kept && JSON.parse(kept).key === key) localStorage.removeItem(this.prefix + name);
    } catch { /* a browser that keeps nothing */ }
  }

  /** Send what waits; again later where the studio cannot be reached. */
  flush() {
    this.#sending ??= this.#flush().finally(() => { this.#sending = null; });
    return this.#sending;
  }

  async #flush() {
    clearTimeout(this.#timer);
    try {
      for (let waiting = this.waiting(); waiting.length; waiting = this.waiting()) {
        this.told("sending", waiting.length, "");
        const answered = await this.send(waiting, this.#tries > 0);
        this.#tries = 0;
        for (const [name, key] of answered) this.#remove(name, key);
      }
      this.told("saved", 0, "");
    } catch (error) {
      const refused = isRefusal(error);
      // A studio that answers says itself what keeps it, such as a full disk.
      this.told(refused ? "refused" : "away", this.waiting().length, error instanceof Refused ? error.message : "");
      this.#timer = setTimeout(() => this.flush(), 1000 * PAUSES[Math.min(this.#tries, PAUSES.length - 1)]);
      this.#tries += 1;
    }
  }
}
