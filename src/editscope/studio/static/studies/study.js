// @ts-check
// The page of a study for its admin: links, exclusions, and plots.
import { ask, pageData, sendForm, toast } from "../base/api.js";

const { study, plots } = pageData("study-data");
const here = `/studies/${encodeURIComponent(study)}`;
const token = (/** @type {string} */ name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Change something and show the page as it is then. @param {string} path @param {string} method @param {unknown} [body] */
async function change(path, method, body) {
  try { await ask(`${here}/api/${path}`, { method, body }); location.reload(); } catch (error) { toast(String(/** @type {Error} */ (error).message), "bad"); }
}

sendForm(document.getElementById("add-form"), (form) => change("raters", "POST", { number: Number(new FormData(form).get("number")) }));
document.addEventListener("click", async (event) => {
  const button = event.target instanceof Element ? /** @type {HTMLElement | null} */ (event.target.closest("button")) : null;
  const data = button?.dataset ?? {};
  if (data.copy) {
    const input = /** @type {HTMLInputElement | null} */ (button?.closest("tr")?.querySelector("input.link"));
    input?.select();
    try { await navigator.clipboard.writeText(input?.value ?? ""); toast("Copied."); } catch { toast("Copy the marked link with Ctrl+C."); }
  } else if (data.link) change(`raters/${data.link}`, "POST", { open: data.open === "true" });
  else if (data.lift) change(`exclusions/${data.lift}`, "DELETE");
  else if (data.exclude) exclude(Number(data.exclude));
  else if (data.open) change("state", "POST", { open: data.open === "true" });
});

/** @param {number} rater */
function exclude(rater) {
  const dialog = /** @type {HTMLDialogElement} */ (document.getElementById("why"));
  const reason = /** @type {HTMLTextAreaElement} */ (dialog.querySelector("textarea"));
  reason.value = "";
  dialog.addEventListener("close", () => {
    if (dialog.returnValue === "yes" && reason.value.trim()) change("exclusions", "POST", { rater, reason: reason.value });
  }, { once: true });
  dialog.showModal();
}

const layout = (/** @type {any} */ more) => ({
  paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", font: { color: token("--ink"), family: token("--sans"), size: 12 },
  margin: { l: 56, r: 12, t: 10, b: 48 }, height: 360, ...more,
});
const options = { displayModeBar: false, responsive: true };
const fixed = (/** @type {number} */ value) => value.toFixed(2).replace("-", "−");
const escape = (/** @type {string} */ text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");

function drawMeans() {
  const box = document.getElementById("means");
  const plotly = /** @type {any} */ (globalThis).Plotly;
  if (!box || !plotly || !plots.means.length) return;
  const scales = [...new Set(plots.means.map((/** @type {any} */ mean) => mean.scale))];
  const traces = scales.map((scale, place) => {
    const rows = plots.means.filter((/** @type {any} */ mean) => mean.scale === scale);
    return {
      type: "bar", name: escape(String(scale)), x: rows.map((/** @type {any} */ r) => escape(r.model)), y: rows.map((/** @type {any} */ r) => r.mean),
      marker: { color: token(`--run${place % 8}`) },
      error_y: { type: "data", symmetric: false, array: rows.map((/** @type {any} */ r) => (r.hi ?? r.mean) - r.mean), arrayminus: rows.map((/** @type {any} */ r) => r.mean - (r.lo ?? r.mean)), color: token("--soft") },
    };
  });
  plotly.newPlot(box, traces, layout({ barmode: "group", yaxis: { title: { text: "mean score" }, gridcolor: token("--line") } }), options);
}

/** @param {string} metric */
async function drawPeople(metric) {
  const words = /** @type {HTMLElement} */ (document.getElementById("people-words"));
  const box = /** @type {HTMLElement} */ (document.getElementById("people-plots"));
  const plotly = /** @type {any} */ (globalThis).Plotly;
  try {
    const answer = await ask(`${here}/api/people?metric=${encodeURIComponent(metric)}`);
    words.textContent = `${answer.metric}${answer.judge ? `, judge ${answer.judge}` : ""}; intervals are 95 %.`;
    box.replaceChildren();
    /** @type {(() => void)[]} Drawn when every figure has its place: a plot takes the width that it finds. */
    const draws = [];
    for (const pair of answer.compared) {
      const figure = document.createElement("figure");
      const caption = document.createElement("figcaption");
      const said = pair.correlations.map((/** @type {any} */ c) => `${c.method} ${fixed(c.value)}${c.lo === null ? "" : ` (${fixed(c.lo)} … ${fixed(c.hi)})`}`);
      caption.textContent = `Over ${pair.over}, ${pair.people}: ${said.join(" · ") || pair.note}`;
      const plot = document.createElement("div");
      plot.className = "plot";
      figure.append(caption, plot);
      box.append(figure);
      if (!plotly) continue;
      const models = pair.over === "models";
      const trace = { type: "scatter", mode: models ? "markers+text" : "markers", x: pair.x, y: pair.y, text: pair.labels.map(escape), textposition: "top center", cliponaxis: false, hovertemplate: "%{text}<br>%{x:.3f}, %{y:.3f}<extra></extra>", marker: { color: token("--run0"), size: models ? 9 : 5, opacity: models ? 1 : 0.55 } };
      draws.push(() => plotly.newPlot(plot, [trace], layout({ margin: { l: 62, r: 44, t: 28, b: 48 }, xaxis: { title: { text: escape(answer.metric) }, gridcolor: token("--line") }, yaxis: { title: { text: escape(pair.people) }, gridcolor: token("--line") } }), options));
    }
    for (const draw of draws) draw();
    box.dataset.drawn = "yes";
  } catch (error) { words.textContent = String(/** @type {Error} */ (error).message); }
}

document.body.dataset.ready = "yes";
drawMeans();
const form = document.getElementById("metric-form");
sendForm(form, (sent) => drawPeople(String(new FormData(sent).get("metric") ?? "")));
if (form) drawPeople("");
