// @ts-check
// Pages that follow runs: the studio says when something has changed, and the changed part of the page is taken anew.
import { ask } from "../base/api.js";

const EVERY_MS = 1500;
const LONGEST_MS = 15000;

const region = document.querySelector("[data-live]");
let pause = EVERY_MS;

async function look() {
  if (!(region instanceof HTMLElement)) return;
  if (document.hidden) { setTimeout(look, EVERY_MS); return; }
  try {
    const { revision } = await ask("/api/live");
    if (revision !== region.dataset.revision) { await renew(region); pause = EVERY_MS; }
    else pause = Math.min(LONGEST_MS, pause * 1.15);
  } catch { pause = LONGEST_MS; /* the studio is away; it may come back */ }
  setTimeout(look, pause);
}

/** @param {HTMLElement} old */
async function renew(old) {
  const response = await fetch(location.href, { headers: { accept: "text/html" } });
  if (!response.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const fresh = page.querySelector("[data-live]");
  if (!(fresh instanceof HTMLElement)) return;
  const focused = document.activeElement instanceof HTMLAnchorElement ? document.activeElement.getAttribute("href") : null;
  old.replaceChildren(...fresh.childNodes);
  old.dataset.revision = fresh.dataset.revision ?? "";
  if (focused) for (const link of old.querySelectorAll("a")) if (link.getAttribute("href") === focused) { link.focus(); break; }
}

setTimeout(look, pause);
