// Error maps at any tolerance: small pictures of codes, colored by SVG filters, which need no pixel read by a script
// and so also work for pictures beside the page.

const TOLERANCE = { value: 5, listeners: new Set() };

function setTolerance(value) {
  TOLERANCE.value = Math.min(10, Math.max(0, Math.round(value)));
  document.documentElement.style.setProperty("--levels", `url(#levels-${TOLERANCE.value})`);
  for (const listener of TOLERANCE.listeners) listener(TOLERANCE.value);
}

// Worst and mean level of a block, from the number of their pair.
function levelsOfPair(pair) {
  let worst = 0;
  while (((worst + 1) * (worst + 2)) / 2 <= pair) worst += 1;
  return [worst, pair - (worst * (worst + 1)) / 2];
}

// Opacity of one class for every code: strong where most of the block is of that class, weaker where little of it is.
function opacities(kind, tolerance) {
  return Array.from({ length: 256 }, (_, code) => {
    if (code === 0 || code > (kind === "spilled" ? 78 : 156)) return 0;
    const pair = (kind === "spilled" ? code : Math.ceil(code / 2)) - 1;
    const most = kind === "spilled" || code % 2 === 0;
    const [worst, mean] = levelsOfPair(pair);
    if (kind === "edited") return tolerance >= worst ? (most ? 1 : 0.62) : 0;
    return tolerance >= worst ? 0 : (tolerance < mean ? 1 : 0.42) * (most ? 1 : 0.85);
  });
}

function levelFilter(tolerance, colors) {
  const filter = draw("filter", { id: `levels-${tolerance}`, x: 0, y: 0, width: "100%", height: "100%", "color-interpolation-filters": "sRGB" });
  const layers = draw("feMerge", {});
  for (const [kind, channel] of [["edited", "1 0 0"], ["spilled", "0 1 0"], ["missed", "1 0 0"]]) {
    const table = opacities(kind, tolerance).join(" ");
    filter.append(
      draw("feColorMatrix", { in: "SourceGraphic", type: "matrix", values: `0 0 0 0 0  0 0 0 0 0  0 0 0 0 0  ${channel} 0 0` }),
      draw("feComponentTransfer", { result: `${kind}-share` }, draw("feFuncA", { type: "discrete", tableValues: table })),
      draw("feFlood", { "flood-color": colors[kind] }),
      draw("feComposite", { in2: `${kind}-share`, operator: "in", result: kind }));
    layers.append(draw("feMergeNode", { in: kind }));
  }
  filter.append(layers);
  return filter;
}

function startErrorMaps() {
  if (document.getElementById("levels-0")) return;
  const colors = Object.fromEntries(["edited", "missed", "spilled"].map((kind) => [kind, getComputedStyle(document.querySelector(`.map-keys .${kind}`)).backgroundColor]));
  const svg = draw("svg", { class: "filters-only", width: 0, height: 0, "aria-hidden": "true" });
  for (let tolerance = 0; tolerance <= 10; tolerance += 1) svg.append(levelFilter(tolerance, colors));
  document.body.append(svg);
  setTolerance(TOLERANCE.value);
}

// A slider that all error maps of the page follow.
function toleranceSlider(changed = () => {}) {
  const input = make("input", { type: "range", min: 0, max: 10, step: 1, value: TOLERANCE.value, "aria-label": "Color tolerance ΔE of the error maps" });
  const says = make("output", { text: String(TOLERANCE.value) });
  input.addEventListener("input", () => { setTolerance(Number(input.value)); changed(TOLERANCE.value); });
  const follow = (value) => {
    if (!input.isConnected && input.dataset.was) { TOLERANCE.listeners.delete(follow); return; }
    input.dataset.was = "1";
    input.value = String(value);
    says.textContent = String(value);
    input.setAttribute("aria-valuetext", `ΔE ${value}`);
  };
  TOLERANCE.listeners.add(follow);
  follow(TOLERANCE.value);
  return make("label", { class: "tolerance-slider" }, make("span", { text: "Error map at ΔE" }), input, says);
}

const SVG = "http://www.w3.org/2000/svg";

function draw(tag, attributes, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}
