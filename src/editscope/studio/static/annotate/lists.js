// @ts-check
// The list of projects and the list of cases: starting a project, adding a case, exporting.
import { ask, pageData, sendForm, toast } from "../base/api.js";
import { sendWaiting } from "./draft.js";

/** @param {string} name @returns {any} */
const $ = (name) => document.querySelector(`[data-${name}]`);
/** @param {unknown} error */
const told = (error) => toast(/** @type {Error} */ (error).message, "bad");

const start = $("start");
if (start) {
  const folders = pageData("folders");
  const suggest = () => {
    const folder = folders.find((/** @type {any} */ one) => one.path === start.folder.value);
    if (folder?.layouts.length) start.layout.value = folder.layouts[0];
    start.name.value = folder ? (folder.path === "." ? "Cases" : folder.path) : "";
  };
  start.folder.addEventListener("change", suggest);
  suggest();
  sendForm(start, async () => {
    const body = { name: start.name.value, layout: start.layout.value, folder: start.folder.value };
    try { location.href = `/annotate/${(await ask("/annotate/api/projects", { method: "POST", body })).project}`; } catch (error) { told(error); }
  });
}

const project = pageData("project-data");
if (project) {
  sendWaiting(project.id);
  $("add-case").addEventListener("click", async () => {
    try { location.href = `/annotate/${project.id}/case/${(await ask(`/annotate/api/${project.id}/cases`, { method: "POST", body: { pictures: [] } })).case}`; } catch (error) { told(error); }
  });
  const dialog = $("export-dialog"), form = $("export-form"), result = $("export-result");
  $("export").addEventListener("click", () => dialog.showModal());
  $("export-close").addEventListener("click", () => dialog.close());
  form.addEventListener("submit", async (/** @type {Event} */ event) => {
    event.preventDefault();
    result.textContent = "Writing …";
    const own = form.where.value === "own";
    const body = { folder: own ? "" : form.folder.value || " ", ready_only: !own && form.ready.checked };
    try {
      const answer = await ask(`/annotate/api/${project.id}/export`, { method: "POST", body });
      const left = answer.left_out ? ` ${answer.left_out} left out.` : "";
      const files = answer.files.length ? `Wrote ${answer.files.join(", ")} in ${answer.folder}` : "The files were up to date";
      result.textContent = `${files}: ${answer.cases} cases.${left} The suite loads ${answer.loaded} of them.\n${answer.notes.join("\n")}`;
    } catch (error) { result.textContent = /** @type {Error} */ (error).message; }
  });
}

document.body.dataset.ready = "yes";
