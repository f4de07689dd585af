// The page around the gallery: theme, choice of metric, folding rows, and clicks that filter.
"use strict";

const THEME = "editscope-theme";

function make(tag, options = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(options)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") for (const [event, handler] of Object.entries(value)) node.addEventListener(event, handler);
    else if (name === "text") node.textContent = value;
    else if (name === "value") node.value = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  const button = document.querySelector(".theme");
  button.setAttribute("aria-label", theme === "dark" ? "Switch to light" : "Switch to dark");
  button.setAttribute("aria-pressed", String(theme === "dark"));
}

function startTheme() {
  setTheme(document.documentElement.dataset.theme);
  document.querySelector(".theme").addEventListener("click", () => {
    const theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    setTheme(theme);
    try { localStorage.setItem(THEME, theme); } catch { /* a browser that keeps nothing for files */ }
  });
}

function startTables() {
  for (const section of document.querySelectorAll(".tables")) {
    const buttons = section.querySelectorAll("[data-metric]");
    for (const button of buttons) {
      button.addEventListener("click", () => {
        for (const table of section.querySelectorAll(".scroller")) showMetric(table, Number(button.dataset.metric));
        for (const other of buttons) other.setAttribute("aria-pressed", String(other === button));
      });
    }
    for (const fold of section.querySelectorAll(".fold")) {
      fold.addEventListener("click", () => setFold(section, fold, fold.getAttribute("aria-expanded") !== "true"));
    }
  }
}

// A table is written with one metric; the figures of the others lie beside it.
function showMetric(table, metric) {
  table.figures ??= JSON.parse(table.querySelector("script").textContent);
  const { low: from, full, decimals, rows } = table.figures;
  const share = (value) => 100 * Math.min(Math.max((value - from[metric]) / (full[metric] - from[metric]), 0), 1);
  const text = (value) => value.toFixed(decimals[metric]);
  table.querySelectorAll("tbody tr").forEach((row, i) => row.querySelectorAll(".cell").forEach((cell, run) => {
    const [mean, low, high, n, reason] = rows[i][run][metric];
    cell.querySelector(".number").textContent = mean === null ? "–" : text(mean);
    const bar = cell.querySelector(".bar");
    const few = mean !== null && low === null;
    cell.classList.toggle("few", few);
    bar.classList.toggle("few", few);
    cell.querySelector(".few-n").textContent = few ? `n = ${n.toLocaleString("en")}` : "";
    bar.replaceChildren();
    bar.title = "";
    if (mean === null) return;
    const around = few ? "" : ` (${low === high ? "no spread" : `${text(low)} – ${text(high)}`})`;
    bar.title = `${text(mean)}${around}, n = ${n.toLocaleString("en")}${few && reason ? `: ${reason}` : ""}`;
    if (!few) {
      bar.append(make("i", { class: "band" }));
      Object.assign(bar.firstChild.style, { left: `${share(low)}%`, width: `${share(high) - share(low)}%` });
    }
    bar.append(make("i", { class: "mark" }));
    bar.lastChild.style.left = `${share(mean)}%`;
  }));
}

function setFold(section, fold, open) {
  fold.setAttribute("aria-expanded", String(open));
  for (const row of section.querySelectorAll("tr[data-parent]")) {
    if (row.dataset.parent !== fold.dataset.key) continue;
    row.hidden = !open;
    const inner = row.querySelector(".fold");
    if (inner && !open) setFold(section, inner, false);
  }
}

// From any figure one click reaches the cases behind it.
function startLinks(gallery) {
  document.querySelector("main").addEventListener("click", (event) => {
    const button = event.target.closest("button:not(.fold)");
    const filtered = button?.closest("[data-filter]"); // a row of a table says it once for all its figures
    if (!filtered) return;
    gallery.show({
      tags: JSON.parse(filtered.dataset.filter),
      run: button.dataset.run === undefined ? null : Number(button.dataset.run),
      mode: button.dataset.mode ?? "",
    });
    document.getElementById("cases").scrollIntoView();
  });
}

// Of several sets, each has its own list of sections in the bar; a choice closes it.
function startMenus() {
  const menus = document.querySelectorAll(".set-links");
  const close = (except) => menus.forEach((menu) => { if (menu !== except && !menu.closest(".opened")) menu.open = false; });
  document.addEventListener("click", (event) => close(event.target.closest("a") ? null : event.target.closest(".set-links")));
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") close(null); });
}

// Where the window is narrow, the bar of links is a menu: it opens below the bar and a choice closes it.
function startMenu() {
  const button = document.querySelector(".menu");
  const top = document.querySelector(".top");
  const more = document.querySelector(".more-links");
  const set = (open) => {
    top.classList.toggle("opened", open);
    button.setAttribute("aria-expanded", String(open));
    if (more && getComputedStyle(button).display !== "none") more.open = open; // all links at once
  };
  button.addEventListener("click", (event) => { event.stopPropagation(); set(!top.classList.contains("opened")); });
  document.addEventListener("click", (event) => { if (event.target.closest("a") || !event.target.closest(".top")) set(false); });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") set(false); });
}

// A jump to a section ends there, also when plots were drawn on the way; whoever scrolls meanwhile is left alone.
function startJumps() {
  let wanted = null;
  document.querySelector(".top").addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    if (link) wanted = document.getElementById(link.hash.slice(1));
  });
  for (const event of ["wheel", "touchmove", "keydown"]) addEventListener(event, () => { wanted = null; }, { passive: true });
  document.addEventListener("scrollend", () => {
    wanted?.scrollIntoView({ behavior: "instant" });
    wanted = null;
  });
}

document.addEventListener("DOMContentLoaded", () => {
  startTheme();
  startJumps();
  startTables();
  startMenus();
  startMenu();
  const block = document.getElementById("data");
  if (!block) return; // a page without cases
  const data = JSON.parse(block.textContent);
  const viewer = new Viewer(data, document.querySelector(".viewer"));
  startLinks(new Gallery(data, document.getElementById("cases"), viewer));
});
