// @ts-check
// Lists with keys: j and k go from link to link, Enter opens; forms that answer as soon as something is chosen.
import { addKeys } from "../base/keys.js";

const rows = () => /** @type {HTMLElement[]} */ ([...document.querySelectorAll("[data-row]")]);

/** @param {number} step */
function go(step) {
  const all = rows();
  if (!all.length) return;
  const at = all.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  const next = all[at < 0 ? (step > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, at + step))];
  next.focus();
  next.scrollIntoView({ block: "nearest" });
}

addKeys([
  { keys: ["j", "ArrowDown"], what: "Next row", run: () => go(1) },
  { keys: ["k", "ArrowUp"], what: "Previous row", run: () => go(-1) },
  { keys: ["g"], what: "Gallery of cases", run: () => follow("a[href$='/cases']") },
  { keys: ["l"], what: "Leaderboard", run: () => follow(".set-tabs a, .set-card h2 a") },
  { keys: ["c"], what: "Compare runs", run: () => follow("a[href$='/compare']") },
  { keys: ["u"], what: "Up: all runs", run: () => { location.href = "/"; } },
]);

/** @param {string} selector */
function follow(selector) {
  const link = document.querySelector(selector);
  if (link instanceof HTMLAnchorElement) location.href = link.href;
}

for (const form of document.querySelectorAll("form[data-auto-submit]")) {
  if (!(form instanceof HTMLFormElement)) continue;
  form.addEventListener("change", () => form.requestSubmit());
  for (const button of form.querySelectorAll("[data-first]")) {
    button.addEventListener("click", () => {
      const address = new URL(location.href);
      const first = /** @type {HTMLElement} */ (button).dataset.first ?? "";
      const runs = [...form.querySelectorAll("input[name=run]:checked")].map((box) => /** @type {HTMLInputElement} */ (box).value);
      address.searchParams.delete("run");
      for (const run of [first, ...runs.filter((one) => one !== first)]) address.searchParams.append("run", run);
      location.href = address.href;
    });
  }
}
