// @ts-check
// The page of a queue: adding people.
import { ask, toast } from "../base/api.js";

const form = document.querySelector("form[data-add]");
form?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const given = new FormData(/** @type {HTMLFormElement} */ (form));
  const body = { name: String(given.get("name")), role: String(given.get("role")) };
  try {
    await ask(/** @type {HTMLElement} */ (form).dataset.add ?? "", { method: "POST", body });
    location.reload();
  } catch (error) {
    toast(error instanceof Error ? error.message : "That did not work.", "bad");
  }
});
