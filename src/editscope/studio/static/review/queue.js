// @ts-check
// The page of a queue: adding people.
import { ask, sendForm, toast } from "../base/api.js";

sendForm(document.querySelector("form[data-add]"), async (form) => {
  const given = new FormData(form);
  const body = { name: String(given.get("name")), role: String(given.get("role")) };
  try {
    await ask(form.dataset.add ?? "", { method: "POST", body });
    location.reload();
  } catch (error) {
    toast(error instanceof Error ? error.message : "That did not work.", "bad");
  }
});
