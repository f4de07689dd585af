// @ts-check
// Keys of a page: each with what it does, listed by "?".

/** @typedef {{keys: string[], what: string, run: (event: KeyboardEvent) => void, typing?: boolean}} Key */

/** @type {Key[]} */
const known = [];

/**
 * Add keys of a page. A key is the name that the browser gives it ("ArrowLeft", "j", " "), with "Ctrl+" before it for
 * one that is pressed with Ctrl or Cmd. Keys do nothing while somebody types, unless they say so with ``typing``.
 * @param {Key[]} keys
 */
export function addKeys(keys) {
  known.push(...keys);
}

/** @param {EventTarget | null} target */
const isTyping = (target) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) &&
  !(target instanceof HTMLInputElement && /^(checkbox|radio|range|button)$/.test(target.type));

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.altKey || document.querySelector("dialog[open]")) return;
  const name = (event.ctrlKey || event.metaKey ? "Ctrl+" : "") + event.key;
  if (name === "?" && !isTyping(event.target)) { openKeys(); event.preventDefault(); return; }
  for (const key of known) {
    if (!key.keys.includes(name) || (isTyping(event.target) && !key.typing)) continue;
    if (name === " " && event.target instanceof HTMLButtonElement) return; // it presses the button
    event.preventDefault();
    key.run(event);
    return;
  }
});

/** Names of keys as keyboards show them: "Ctrl+ArrowLeft" is Ctrl and ←, "Ctrl+Z" is Ctrl, Shift and z. */
const SHOWN = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", " ": "Space", Escape: "Esc" };

/** @param {string} name */
function shownKey(name) {
  const key = name.replace(/^Ctrl\+/, "");
  const known = SHOWN[/** @type {keyof SHOWN} */ (key)] ?? key;
  if (key === name) return known;
  return /^[A-Z]$/.test(key) ? `Ctrl Shift ${key.toLowerCase()}` : `Ctrl ${known}`;
}

/** Show the keys of the page. */
export function openKeys() {
  const dialog = document.createElement("dialog");
  dialog.className = "keys-dialog";
  const title = document.createElement("h2");
  title.textContent = "Keys";
  const list = document.createElement("div");
  list.className = "keys-list";
  for (const key of [...known, { keys: ["?"], what: "Show these keys" }]) {
    const names = document.createElement("span");
    key.keys.forEach((name, place) => {
      if (place) names.append(" ");
      const shown = document.createElement("kbd");
      shown.textContent = shownKey(name);
      names.append(shown);
    });
    const what = document.createElement("span");
    what.textContent = key.what;
    list.append(names, what);
  }
  const close = document.createElement("button");
  close.className = "button";
  close.textContent = "Close";
  close.addEventListener("click", () => dialog.close());
  const head = document.createElement("div");
  head.className = "keys-head";
  head.append(title, close);
  dialog.append(head, list);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
