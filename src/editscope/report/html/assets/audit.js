// The page of a judge audit: light or dark, and cells of the matrix that show their exhibits.
"use strict";

function startTheme() {
  const button = document.querySelector(".theme");
  const root = document.documentElement;
  const set = (theme) => {
    root.dataset.theme = theme;
    button.setAttribute("aria-label", theme === "dark" ? "Switch to light" : "Switch to dark");
    button.setAttribute("aria-pressed", String(theme === "dark"));
  };
  set(root.dataset.theme);
  button.addEventListener("click", () => {
    set(root.dataset.theme === "dark" ? "light" : "dark");
    try { localStorage.setItem("editscope-theme", root.dataset.theme); } catch { /* a browser that keeps nothing for files */ }
  });
}

function startMatrix() {
  const cells = document.querySelectorAll(".matrix button");
  const problems = document.querySelectorAll(".problem");
  const note = document.querySelector(".chosen-note");
  const show = (cell) => {
    const wanted = cell === null ? null : cell.dataset.cell;
    let count = 0;
    for (const problem of problems) {
      const fits = wanted === null || problem.dataset.cells.split(" ").includes(wanted);
      problem.hidden = !fits;
      count += fits;
    }
    for (const other of cells) other.setAttribute("aria-pressed", String(other === cell));
    note.hidden = cell === null;
    note.querySelector("span").textContent = cell === null ? "" : `${count} of ${problems.length} problems: ${cell.title}`;
    if (cell !== null) document.getElementById("exhibits").scrollIntoView();
  };
  for (const cell of cells) cell.addEventListener("click", () => show(cell.getAttribute("aria-pressed") === "true" ? null : cell));
  note.querySelector("button").addEventListener("click", () => show(null));
}

startTheme();
startMatrix();
