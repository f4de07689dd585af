// @ts-check
// Requests to the studio, and short messages to the person.

export class Refused extends Error {
  /** @param {string} message @param {number} status */
  constructor(message, status) { super(message); this.status = status; }
}

/**
 * Ask the studio and read its JSON. Throws Refused with the studio's sentence where it says no, and a TypeError where
 * it cannot be reached.
 * @param {string} address
 * @param {{method?: string, body?: unknown, signal?: AbortSignal}} [options]
 * @returns {Promise<any>}
 */
export async function ask(address, { method = "GET", body, signal } = {}) {
  const response = await fetch(address, {
    method, signal,
    headers: { accept: "application/json", ...(body === undefined ? {} : { "content-type": "application/json" }) },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refused(answer.error ?? `The studio answered ${response.status}.`, response.status);
  return answer;
}

/** The data that a page brings for its script. @param {string} id @returns {any} */
export function pageData(id) {
  return JSON.parse(document.getElementById(id)?.textContent ?? "null");
}

/**
 * Let a script send a form. Its button comes disabled: a browser that submits the form before the script is there would
 * load the page again, and what the person wrote would be gone.
 * @param {Element | null} form
 * @param {(form: HTMLFormElement) => unknown} send
 */
export function sendForm(form, send) {
  if (!(form instanceof HTMLFormElement)) return;
  form.addEventListener("submit", (event) => { event.preventDefault(); send(form); });
  for (const button of form.querySelectorAll("button")) button.disabled = false;
}

/** Show a short message. @param {string} text @param {"" | "bad"} [kind] */
export function toast(text, kind = "") {
  const box = document.querySelector(".toasts");
  if (!box) return;
  const line = document.createElement("div");
  line.className = `toast ${kind}`;
  line.textContent = text;
  box.append(line);
  setTimeout(() => line.remove(), kind === "bad" ? 9000 : 4000);
}
