// @ts-check
// What every page does: light or dark, and the list of keys.
import { openKeys } from "./keys.js";

const button = document.querySelector("[data-theme-button]");
button?.addEventListener("click", () => {
  const theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  document.documentElement.dataset.theme = theme;
  try { localStorage.setItem("editscope-theme", theme); } catch { /* a browser that keeps nothing */ }
});
document.querySelector("[data-keys]")?.addEventListener("click", openKeys);
