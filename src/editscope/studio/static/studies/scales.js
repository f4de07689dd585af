// @ts-check
// Scales of a study with ratings: a row of numbers each, by mouse or by keys.

/** @typedef {{name: string, label: string, low: number, high: number, lowLabel: string, highLabel: string}} Scale */

/** @param {HTMLElement} form @param {Scale[]} scales @param {() => void} changed */
export function makeScales(form, scales, changed) {
  let now = 0;
  const rows = scales.map((scale, place) => {
    const row = document.createElement("fieldset");
    row.className = "scale";
    const legend = document.createElement("legend");
    legend.textContent = scale.label;
    const steps = document.createElement("div");
    steps.className = "steps";
    for (let value = scale.low; value <= scale.high; value += 1) {
      const label = document.createElement("label");
      const input = document.createElement("input");
      input.type = "radio";
      input.name = scale.name;
      input.value = String(value);
      input.addEventListener("change", () => { mark(Math.min(place + 1, scales.length - 1)); changed(); });
      const shown = document.createElement("span");
      shown.textContent = String(value);
      label.append(input, shown);
      steps.append(label);
    }
    const [worst, best] = [scale.lowLabel, scale.highLabel].map((text) => {
      const end = document.createElement("span");
      end.className = "end";
      end.textContent = text;
      return end;
    });
    row.append(legend, worst, steps, best);
    row.addEventListener("click", () => mark(place));
    form.append(row);
    return row;
  });
  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());

  /** @param {number} place */
  function mark(place) {
    now = place;
    rows.forEach((row, i) => row.classList.toggle("now", i === now));
  }
  const chosen = (/** @type {Scale} */ scale) =>
    /** @type {HTMLInputElement | null} */ (form.querySelector(`input[name="${CSS.escape(scale.name)}"]:checked`));

  return {
    clear() {
      for (const input of form.querySelectorAll("input")) input.checked = false;
      for (const known of form.querySelectorAll(".known")) known.classList.remove("known");
      mark(0);
    },
    complete: () => scales.every(chosen),
    values: () => Object.fromEntries(scales.map((scale) => [scale.name, Number(chosen(scale)?.value)])),
    /** @param {number} by */
    move: (by) => mark((now + by + scales.length) % scales.length),
    /** @param {string} key */
    press(key) {
      const value = key === "0" ? 10 : Number(key);
      const input = /** @type {HTMLInputElement | null} */ (
        form.querySelector(`input[name="${CSS.escape(scales[now].name)}"][value="${value}"]`));
      if (!input) return;
      input.checked = true;
      input.dispatchEvent(new Event("change"));
    },
  };
}
