// @ts-check
// Pictures of an item side by side, with one zoom for all of them, and feedback on items whose answer is known.

const CAPTIONS = { left: "A", right: "B", edit: "Edit" };

/**
 * Fill the panes with the pictures of an item; all of them appear at once.
 * @param {HTMLElement} box @param {{pictures: Record<string, [number, number]>}} item
 * @param {Record<string, string>} urls @param {(side: string) => void} choose
 */
export async function makePanes(box, item, urls, choose) {
  const names = Object.keys(item.pictures);
  const sources = names.filter((name) => name.startsWith("source"));
  const made = names.map((name) => {
    const figure = document.createElement("figure");
    figure.className = `pane ${name.startsWith("source") ? "source" : "choice"}`;
    const caption = document.createElement("figcaption");
    const place = sources.indexOf(name);
    caption.textContent = place < 0 ? CAPTIONS[/** @type {keyof CAPTIONS} */ (name)] : sources.length > 1 ? `Original ${place + 1}` : "Original";
    const frame = document.createElement("div");
    frame.className = "frame";
    const image = new Image();
    [image.width, image.height] = item.pictures[name];
    image.alt = place < 0 ? `Edit ${caption.textContent}` : caption.textContent;
    image.src = urls[name];
    frame.append(image);
    figure.append(caption, frame);
    return { figure, image };
  });
  await Promise.all(made.map(({ image }) => image.decode().catch(() => {})));
  box.className = `panes ${names.length >= 3 ? "three" : ""}`;
  box.replaceChildren(...made.map(({ figure }) => figure));
}

/** Zoom of all panes together: a click zooms in where it is, moving looks around. @param {HTMLElement} box */
export function watchZoom(box) {
  const images = () => /** @type {HTMLImageElement[]} */ ([...box.querySelectorAll("img")]);
  const set = (/** @type {boolean} */ on, x = 0.5, y = 0.5) => {
    box.classList.toggle("zoomed", on);
    for (const image of images()) {
      image.style.transformOrigin = `${100 * x}% ${100 * y}%`;
      image.style.transform = on ? "scale(3)" : "";
    }
  };
  /** @param {MouseEvent} event */
  const place = (event) => {
    const frame = event.target instanceof Element ? event.target.closest(".frame") : null;
    if (!frame) return null;
    const area = frame.getBoundingClientRect();
    return [(event.clientX - area.left) / area.width, (event.clientY - area.top) / area.height];
  };
  box.addEventListener("click", (event) => {
    const at = place(event);
    if (at) set(!box.classList.contains("zoomed"), at[0], at[1]);
  });
  box.addEventListener("pointermove", (event) => {
    const at = box.classList.contains("zoomed") ? place(event) : null;
    if (at) set(true, at[0], at[1]);
  });
  return () => set(!box.classList.contains("zoomed"));
}

/** Tell what the right answer was. @param {any} feedback @param {{name: string, label: string}[]} scales */
export function showFeedback(feedback, scales) {
  const box = /** @type {HTMLElement} */ (document.getElementById("feedback"));
  const text = /** @type {HTMLElement} */ (document.getElementById("feedback-text"));
  if ("right" in feedback) {
    box.className = `card feedback ${feedback.right ? "good" : "bad"}`;
    text.textContent = feedback.right ? "Right." : "Not what was expected: one of the edits is clearly broken. Look closely.";
  } else {
    box.className = "card feedback";
    const scores = scales.map((scale) => `${scale.label} ${feedback.scores[scale.name]}`).join(" · ");
    text.textContent = `The agreed scores: ${scores}.${feedback.note ? ` ${feedback.note}` : ""}`;
    for (const scale of scales) {
      const known = document.querySelector(`input[name="${CSS.escape(scale.name)}"][value="${Number(feedback.scores[scale.name])}"]`);
      known?.nextElementSibling?.classList.add("known");
    }
  }
  box.hidden = false;
}
