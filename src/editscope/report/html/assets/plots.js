// Plots: Plotly is made a script when the first of them comes near the window, and each is drawn when it does.

const PLOT_CONFIG = {
  displayModeBar: false, // it would lie over the plot; a double click shows all again, and a button saves the drawing
  responsive: true,
  scrollZoom: false,
};

class Plots {
  constructor() {
    this.source = document.getElementById("plotly");
    this.drawn = new Map();
    const figures = document.querySelectorAll("figure.plot");
    if (!this.source || !figures.length) return;
    for (const figure of figures) this.choose(figure);
    this.watcher = new IntersectionObserver((entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        this.watcher.unobserve(target);
        // The page answers first; drawing waits for a quiet moment.
        (window.requestIdleCallback ?? setTimeout)(() => this.draw(target), { timeout: 600 });
      }
    }, { rootMargin: "250px" });
    for (const figure of figures) this.watcher.observe(figure);
    new MutationObserver(() => this.repaint()).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  }

  load() {
    if (window.Plotly) return true;
    const script = document.createElement("script");
    script.textContent = this.source.textContent;
    this.source.remove();
    document.head.append(script);
    return Boolean(window.Plotly);
  }

  spec(figure) {
    figure.spec ??= JSON.parse(figure.querySelector("script[type='application/json']").textContent);
    return figure.spec;
  }

  choose(figure) {
    const block = figure.querySelector("script[type='application/json']");
    if (!block || !block.textContent.includes('"choices"')) return;
    const { choices } = this.spec(figure);
    const group = figure.closest("[data-group]"); // plots that show the same cases have one choice for all
    if (!choices || (group && group.querySelector("figure.plot") !== figure)) return;
    const figures = group ? [...group.querySelectorAll("figure.plot")] : [figure];
    const select = make("select", { "aria-label": choices.label }, choices.options.map(([name], i) => make("option", { value: i, text: name })));
    select.addEventListener("change", () => {
      for (const one of figures) { one.choice = Number(select.value); this.draw(one); }
    });
    const label = make("label", { class: "choice" }, choices.label, select);
    if (group) group.before(label);
    else (figure.querySelector("figcaption") ?? figure).append(label);
  }

  draw(figure) {
    if (!this.load()) return;
    const { data, layout, choices } = this.spec(figure);
    const patches = choices?.options[figure.choice ?? 0][1] ?? [];
    const traces = data.map((trace, i) => {
      const { narrow, ...wide } = { ...trace, ...patches[i] }; // fewer names, where a phone has no room for all
      return innerWidth < 700 ? { ...wide, ...narrow } : wide;
    });
    let target = this.drawn.get(figure);
    if (!target) {
      target = make("div", { class: "live" });
      figure.append(target);
      figure.classList.add("drawn"); // at once: two of them would move the page while it scrolls
      this.drawn.set(figure, target);
    }
    const style = getComputedStyle(document.documentElement);
    Plotly.react(target, painted(traces, style), painted(dressed(layout), style), PLOT_CONFIG).then(() => {
      if (target.followed) return;
      target.followed = true;
      this.offer(figure, target);
      target.on("plotly_click", ({ points }) => {
        const query = points[0].customdata ?? points[0].data.meta;
        if (typeof query === "string" && query) location.hash = `cases?${query}`;
      });
    }, () => { target.remove(); figure.classList.remove("drawn"); });
  }

  // A button below the plot that saves it as a drawing.
  offer(figure, target) {
    const name = (figure.querySelector("figcaption")?.firstChild?.textContent ?? "plot").trim().toLowerCase().replace(/[^a-z0-9]+/g, "-");
    figure.append(make("button", {
      class: "save", type: "button", text: "Save as SVG",
      on: { click: () => Plotly.downloadImage(target, { format: "svg", filename: `editscope-${name}` }) },
    }));
  }

  repaint() {
    for (const figure of this.drawn.keys()) this.draw(figure);
  }
}

// Fonts and surfaces of the page; narrow windows get smaller margins and no dragging, so that a finger scrolls.
function dressed(layout) {
  const narrow = innerWidth < 700;
  const base = {
    font: { family: "ui-sans-serif, system-ui, sans-serif", size: narrow ? 11 : 12, color: "@ink" },
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    hoverlabel: { bgcolor: "@card", bordercolor: "@line", font: { color: "@ink", size: 12 }, align: "left" },
    dragmode: narrow || !matchMedia("(pointer: fine)").matches ? false : "zoom",
  };
  return { ...base, ...layout, ...(narrow && layout.polar ? { margin: { l: 76, r: 76, t: 36, b: 24 } } : {}) };
}

// Colors are names of the theme, "@run0" or "@run0/0.2"; they stand only where a color is expected.
function painted(value, style, key = "") {
  if (Array.isArray(value)) return /color/i.test(key) ? value.map((one) => painted(one, style, key)) : value.map((one) => (one && typeof one === "object" ? painted(one, style) : one));
  if (value && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, painted(inner, style, name)]));
  if (typeof value !== "string" || !value.startsWith("@") || !/color/i.test(key)) return value;
  const [name, alpha] = value.slice(1).split("/");
  const color = style.getPropertyValue(`--${name}`).trim();
  return alpha === undefined ? color : faded(color, Number(alpha));
}

function faded(color, alpha) {
  const digits = color.replace("#", "");
  const [red, green, blue] = [0, 2, 4].map((at) => parseInt(digits.slice(at, at + 2), 16));
  return `rgba(${red},${green},${blue},${alpha})`;
}

document.addEventListener("DOMContentLoaded", () => new Plots());
