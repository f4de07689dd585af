// @ts-check
// Elements in one call, and texts from outside that may be long.

/**
 * An element with attributes, and children that are nodes or texts. ``on`` holds listeners, ``text`` its text.
 * @param {string} tag
 * @param {Record<string, any>} [attributes]
 * @param {...any} children
 * @returns {any}
 */
export function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "on") for (const [kind, listener] of Object.entries(value)) node.addEventListener(kind, listener);
    else if (name === "text") node.textContent = String(value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, String(value));
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

const SVG = "http://www.w3.org/2000/svg";

/** An element of SVG. @param {string} tag @param {Record<string, any>} [attributes] @param {...any} children */
export function draw(tag, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  node.append(...children);
  return node;
}

const LONG = 900;

/** A text from outside, cut where it is long, with a button that shows all. @param {string} text @param {string} [kind] */
export function outside(text, kind = "span") {
  const node = make(kind, { class: "text", dir: "auto" });
  fold(node, text);
  return node;
}

/** Put a text into a node, cut where it is long. @param {HTMLElement} node @param {string} text */
function fold(node, text) {
  if (text.length <= LONG) { node.textContent = text; return; }
  const letters = text.length.toLocaleString("en");
  node.replaceChildren(`${text.slice(0, LONG)} … `, make("button", {
    type: "button", class: "show-all", text: `Show all ${letters} characters`, on: { click: () => { node.textContent = text; } },
  }));
}

/** Cut the long texts that the page came with. */
export function foldLong() {
  for (const node of document.querySelectorAll("[data-long]")) fold(/** @type {HTMLElement} */ (node), node.textContent ?? "");
}
