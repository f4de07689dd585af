// Before the first paint: the theme that was chosen, or the system's.
(() => {
  let theme = null;
  try { theme = localStorage.getItem("editscope-theme"); } catch { /* a browser that keeps nothing for files */ }
  if (theme !== "dark" && theme !== "light") theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  document.documentElement.dataset.theme = theme;
})();
