// @ts-check
// Widgets of a form, one for each kind of field. A widget shows the values that it is given and reports changes.

/** @typedef {{name: string, label: string, kind: string, section: string, help: string, required: boolean, options: string[], open: boolean,
 *    least: number, most: number | null, roles: string[], unit: string, of: string, language: string, when: Record<string, string[]>}} Field */
/** @typedef {{element: HTMLElement, update: (values: any) => void, rows?: HTMLElement}} Widget */
/** @typedef {{change: (group: string, change: (values: any) => void) => void, picture: (path: string, side: number) => string,
 *    pick: () => Promise<string | null>, show: (path: string) => void, select: (layer: string, id: string) => void}} Studio */

/** @param {string} name @param {Record<string, any>} [properties] @param {(Node | string)[]} children @returns {any} */
export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.startsWith("aria-") || key === "list" || key === "for") made.setAttribute(key, value);
    else /** @type {any} */ (made)[key] = value;
  }
  made.append(...children);
  return made;
}

/** @param {string} text @param {string} label @param {() => void} run @param {string} [kind] */
export function button(text, label, run, kind = "small") {
  const made = element("button", { type: "button", className: `button ${kind}`, textContent: text, title: label, "aria-label": label });
  made.addEventListener("click", run);
  return made;
}

/** @param {any} input @param {string} value */
function put(input, value) { if (input.value !== value) input.value = value; }

/** A text that grows with what is written. @param {string} label @param {boolean} long @param {(text: string) => void} typed @param {string} [language] */
function textBox(label, long, typed, language = "") {
  const input = element(long ? "textarea" : "input", { className: "input", dir: "auto", "aria-label": label, lang: language, spellcheck: true });
  if (long) input.rows = 2;
  input.addEventListener("input", () => typed(input.value));
  return input;
}

/** @param {string} label @param {string[]} options @param {(value: string) => void} chosen @param {string} [none] */
function choiceBox(label, options, chosen, none = "—") {
  const input = element("select", { className: "input", "aria-label": label });
  const fill = (/** @type {string[]} */ names, /** @type {string[]} */ shown = names) => {
    const key = JSON.stringify([names, shown]);
    if (input.dataset.key === key) return;
    input.dataset.key = key;
    input.replaceChildren(element("option", { value: "", textContent: none }), ...names.map((name, at) => element("option", { value: name, textContent: shown[at].replaceAll("_", " ") })));
  };
  fill(options);
  input.addEventListener("change", () => chosen(input.value));
  return { input, fill };
}

/** @param {Field} field @param {Studio} studio @returns {Widget} */
export function widget(field, studio) {
  const set = (/** @type {any} */ value) => studio.change(`type ${field.name}`, (values) => { values[field.name] = value; });
  if (field.kind === "text" || field.kind === "long") {
    const input = textBox(field.label, field.kind === "long", set, field.language);
    return { element: input, update: (value) => put(input, value) };
  }
  if (field.kind === "choice" && field.open) {
    const input = textBox(field.label, false, set);
    const id = `options-${field.name}`;
    input.setAttribute("list", id);
    const list = element("datalist", { id }, ...field.options.map((name) => element("option", { value: name })));
    return { element: element("div", { className: "whole" }, input, list), update: (value) => put(input, value) };
  }
  if (field.kind === "choice") {
    const { input, fill } = choiceBox(field.label, field.options, set, "Choose …");
    return {
      element: input,
      update: (value) => { if (value && !field.options.includes(value)) fill([...field.options, value]); put(input, value); },
    };
  }
  if (field.kind === "regions") return regionList(field, studio);
  return entryList(field, studio);
}

/** A list whose entries can be added, moved and removed. @param {Field} field @param {Studio} studio @returns {Widget} */
function entryList(field, studio) {
  const rows = element("ol", { className: "entries" });
  const edit = (/** @type {string} */ group, /** @type {(list: any[]) => void} */ change) => studio.change(group && `${group} ${field.name}`, (values) => change(values[field.name]));
  const build = { texts: textRow, checklist: pairRow, named: pairRow, pictures: pictureRow, questions: questionRow }[field.kind] ?? textRow;
  const add = button(field.kind === "pictures" ? "Add a picture" : `Add: ${field.label.toLowerCase()}`, `Add: ${field.label.toLowerCase()}`, async () => {
    const empty = await emptyEntry(field, studio);
    if (empty === null) return;
    edit("", (list) => list.push(empty));
    /** @type {any} */ (rows.lastElementChild)?.querySelector("textarea, input")?.focus();
  });
  /** @type {{element: HTMLElement, update: (entry: any, values: any, at: number) => void}[]} */
  let made = [];
  return {
    element: element("div", { className: "whole" }, rows, add), rows,
    update: (list, /** @type {any} */ values = {}) => {
      while (made.length > list.length) made.pop()?.element.remove();
      while (made.length < list.length) {
        const at = made.length;
        const row = build(field, studio, (group, change) => edit(group && `${group} ${at}`, (entries) => change(entries, at)));
        const tools = element("span", { className: "row-tools" },
          button("↑", "Move up", () => edit("", (entries) => { if (at) entries.splice(at - 1, 0, ...entries.splice(at, 1)); }), "tiny"),
          button("↓", "Move down", () => edit("", (entries) => { if (at + 1 < entries.length) entries.splice(at + 1, 0, ...entries.splice(at, 1)); }), "tiny"),
          button("✕", "Remove", () => edit("", (entries) => entries.splice(at, 1)), "tiny danger"));
        const item = element("li", {}, element("div", { className: "entry-head" }, element("b", { textContent: `${field.label} ${at + 1}` }), tools), row.element, element("ul", { className: "remarks" }));
        made.push({ element: item, update: row.update });
        rows.append(item);
      }
      made.forEach((row, at) => row.update(list[at], values, at));
      add.disabled = field.most !== null && list.length >= field.most;
    },
  };
}

/** @typedef {(group: string, change: (list: any[], at: number) => void) => void} Edit */

/** @param {Field} field @param {Studio} studio @returns {Promise<any>} */
async function emptyEntry(field, studio) {
  if (field.kind === "texts") return "";
  if (field.kind === "checklist") return { title: "", description: "" };
  if (field.kind === "named") return { name: "", text: "" };
  if (field.kind === "questions") return { question: "", answer: "", category: "", region: "" };
  const path = await studio.pick();
  return path === null ? null : { path, role: "" };
}

/** @param {Field} field @param {Studio} studio @param {Edit} edit */
function textRow(field, studio, edit) {
  const input = textBox(field.label, false, (text) => edit("type", (list, at) => { list[at] = text; }));
  return { element: input, update: (/** @type {string} */ entry) => put(input, entry) };
}

/** @param {Field} field @param {Studio} studio @param {Edit} edit */
function pairRow(field, studio, edit) {
  const [first, second] = field.kind === "named" ? ["name", "text"] : ["title", "description"];
  const one = textBox(first, false, (text) => edit(`type ${first}`, (list, at) => { list[at][first] = text; }));
  const two = textBox(second, true, (text) => edit(`type ${second}`, (list, at) => { list[at][second] = text; }));
  one.placeholder = first; two.placeholder = second;
  return { element: element("div", { className: "whole" }, one, two), update: (/** @type {any} */ entry) => { put(one, entry[first]); put(two, entry[second]); } };
}

/** @param {Field} field @param {Studio} studio @param {Edit} edit */
function pictureRow(field, studio, edit) {
  let path = "";
  const image = element("img", { alt: "", width: 72, height: 72, loading: "lazy" });
  const name = element("code", { dir: "auto" });
  const look = element("button", { type: "button", className: "look", title: "Show it" }, image);
  look.addEventListener("click", () => studio.show(path));
  const roles = choiceBox("Role", field.roles.filter(Boolean), (role) => edit("", (list, at) => { list[at].role = role; }), "Role …");
  roles.input.hidden = !field.roles.length;
  return {
    element: element("div", { className: "picture-row" }, look, element("div", { className: "whole" }, name, roles.input)),
    update: (/** @type {any} */ entry) => {
      if (entry.path !== path) { path = entry.path; image.src = studio.picture(path, 160); name.textContent = path; }
      put(roles.input, entry.role);
    },
  };
}

/** @param {Field} field @param {Studio} studio @param {Edit} edit */
function questionRow(field, studio, edit) {
  const text = textBox("Question", true, (value) => edit("type", (list, at) => { list[at].question = value; }));
  const answers = element("span", { className: "segmented", role: "group", "aria-label": "Answer" });
  const buttons = ["Yes", "No"].map((answer) => {
    const made = element("button", { type: "button", textContent: answer, "aria-pressed": "false" });
    made.addEventListener("click", () => edit("", (list, at) => { list[at].answer = answer; }));
    answers.append(made);
    return made;
  });
  const category = choiceBox("Category", field.options, (value) => edit("", (list, at) => { list[at].category = value; }), "Category …");
  category.input.hidden = !field.options.length;
  const region = choiceBox("Region", [], (value) => {
    edit("", (list, at) => { list[at].region = value; });
    if (value) studio.select(field.of, value);
  }, "Region …");
  // All regions are listed when somebody is about to choose: 200 lists of 200 would be slow.
  let chosen = "";
  /** @type {string[]} */ let known = [];
  const fillRegions = (/** @type {boolean} */ all) => {
    const ids = all ? known : known.filter((id) => id === chosen);
    region.fill(ids, ids.map((id) => `Region ${known.indexOf(id) + 1}`));
    put(region.input, chosen);
  };
  region.input.addEventListener("focus", () => fillRegions(true));
  region.input.addEventListener("pointerdown", () => fillRegions(true));
  text.addEventListener("focus", () => { if (region.input.value) studio.select(field.of, region.input.value); });
  return {
    element: element("div", { className: "whole" }, text, element("div", { className: "question-row" }, answers, region.input, category.input)),
    update: (/** @type {any} */ entry, /** @type {any} */ values) => {
      put(text, entry.question);
      for (const made of buttons) made.setAttribute("aria-pressed", String(made.textContent === entry.answer));
      category.fill(entry.category && !field.options.includes(entry.category) ? [...field.options, entry.category] : field.options);
      put(category.input, entry.category);
      const ids = (values[field.of] ?? []).map((/** @type {any} */ one) => one.id);
      chosen = ids.includes(entry.region) ? entry.region : "";
      known = ids;
      fillRegions(document.activeElement === region.input);
    },
  };
}

/** Regions as a list of buttons, for people who do not see or point. @param {Field} field @param {Studio} studio @returns {Widget} */
function regionList(field, studio) {
  const rows = element("ol", { className: "region-list" });
  return {
    element: element("div", { className: "whole" }, rows, element("ul", { className: "remarks" })), rows,
    update: (list) => {
      while (rows.children.length > list.length) rows.lastElementChild.remove();
      while (rows.children.length < list.length) {
        const made = element("button", { type: "button" });
        made.addEventListener("click", () => studio.select(field.name, made.dataset.id));
        rows.append(element("li", {}, made));
      }
      list.forEach((/** @type {any} */ region, /** @type {number} */ at) => {
        const made = rows.children[at].firstElementChild;
        const [x, y, w, h] = region.box.map((/** @type {number} */ n) => Math.round(n));
        const text = `${at + 1} · ${region.points ? "polygon" : "box"} · ${x}, ${y} · ${w} × ${h}`;
        if (made.textContent !== text) made.textContent = text;
        made.dataset.id = region.id;
      });
    },
  };
}
