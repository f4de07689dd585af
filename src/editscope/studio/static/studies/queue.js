// @ts-check
// Votes that wait for the studio. Each is an entry of its own in the browser's storage, so that tabs do not overwrite
// one another; it goes away only when the studio has answered that it is saved.
import { Refused, ask } from "../base/api.js";

/** @typedef {{item: string, key: string, side?: string, scores?: Record<string, number>, seconds: number, answered_at: number, browser: string}} Ballot */
/** @typedef {{item: string, key: string, status: string, message: string, feedback: any}} Receipt */

const MOST = 200;
const PAUSES = [1, 2, 4, 8, 15];

/** Random letters, also where the page is not a secure context. @param {number} length */
export function randomKey(length) {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return Array.from(crypto.getRandomValues(new Uint8Array(length)), (byte) => letters[byte & 63]).join("");
}

export class VoteQueue {
  /** @type {Map<string, Ballot>} Votes that the browser refuses to store; they live as long as the page. */
  #memory = new Map();
  #sending = false;
  #tries = 0;
  #timer = 0;

  /**
   * @param {string} address where votes are sent
   * @param {string} id of the rater, for the names of entries; it is not the secret of the link
   * @param {(receipts: Receipt[]) => void} onReceipts
   * @param {(state: "saved" | "sending" | "away" | "refused", waiting: number, message: string) => void} onState
   */
  constructor(address, id, onReceipts, onState) {
    this.address = address;
    this.prefix = `editscope-vote:${id}:`;
    this.onReceipts = onReceipts;
    this.onState = onState;
    addEventListener("online", () => this.flush());
    document.addEventListener("visibilitychange", () => { if (!document.hidden) this.flush(); });
  }

  /** The votes that wait. @returns {Ballot[]} */
  waiting() {
    const found = new Map(this.#memory);
    try {
      for (let i = 0; i < localStorage.length; i += 1) {
        const name = localStorage.key(i) ?? "";
        if (!name.startsWith(this.prefix)) continue;
        try { found.set(name, JSON.parse(localStorage.getItem(name) ?? "")); } catch { /* not one of ours */ }
      }
    } catch { /* a browser that keeps nothing */ }
    return [...found.values()];
  }

  /** Keep a vote and send it. @param {Ballot} ballot */
  put(ballot) {
    const name = this.prefix + ballot.item;
    try { localStorage.setItem(name, JSON.stringify(ballot)); } catch { this.#memory.set(name, ballot); }
    this.flush();
  }

  /** Whether leaving the page would lose a vote. */
  get fragile() { return this.#memory.size > 0; }

  /** @param {Receipt} receipt */
  #remove(receipt) {
    const name = this.prefix + receipt.item;
    this.#memory.delete(name);
    try {
      // Another tab may have put a vote on the same item meanwhile: only the one that was answered goes.
      const kept = localStorage.getItem(name);
      if (kept && JSON.parse(kept).key === receipt.key) localStorage.removeItem(name);
    } catch { /* a browser that keeps nothing */ }
  }

  /** Send what waits, now; later again where the studio cannot be reached. */
  async flush() {
    if (this.#sending) return;
    clearTimeout(this.#timer);
    this.#sending = true;
    try {
      for (let votes = this.waiting(); votes.length; votes = this.waiting()) {
        this.onState("sending", votes.length, "");
        const size = this.#tries ? 1 : MOST;
        const body = { votes: votes.slice(0, size) };
        const { receipts } = await ask(this.address, { method: "POST", body, signal: AbortSignal.timeout(15000) });
        this.#tries = 0;
        for (const receipt of receipts) this.#remove(receipt);
        this.onReceipts(receipts);
      }
      this.onState("saved", 0, "");
    } catch (error) {
      const waiting = this.waiting().length;
      if (error instanceof Refused && error.status < 500 && error.status !== 408 && error.status !== 429) {
        this.onState("refused", waiting, error.message);
      } else {
        this.onState("away", waiting, "");
      }
      const pause = PAUSES[Math.min(this.#tries, PAUSES.length - 1)];
      this.#tries += 1;
      this.#timer = setTimeout(() => this.flush(), 1000 * pause);
    } finally {
      this.#sending = false;
    }
  }
}
