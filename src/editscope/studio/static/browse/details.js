// @ts-check
// What is known about one run's edit of a case: what was asked, what the judges were shown and said, its provenance.
import { make, outside } from "./dom.js";

/** @param {{story: string[][], provenance: string[][], calls: any[]}} answer */
export function detailsOf(answer) {
  const list = (/** @type {string[][]} */ rows) => make("dl", { class: "facts-list" }, rows.flatMap(([name, text]) => [make("dt", { text: name }), outside(text, "dd")]));
  return [
    answer.calls.length ? make("div", { class: "calls" }, make("h3", { text: "What the judges said" }), answer.calls.map(callOf)) : null,
    answer.story.length ? make("div", {}, make("h3", { text: "This edit" }), list(answer.story)) : null,
    make("div", {}, make("h3", { text: "Provenance" }), list(answer.provenance)),
  ].filter(Boolean);
}

/** One question with what was shown and said. @param {any} call */
function callOf(call) {
  const scores = call.scores.map((/** @type {string[]} */ [name, value, status]) => make("span", { class: "chip" }, `${name} `, make("b", { text: value === "–" ? status : value })));
  return make("article", { class: "call" },
    call.crop ? make("a", { href: call.crop, target: "_blank", rel: "noopener", class: "crop", title: "What the judge was shown" }, make("img", { src: call.crop, alt: "What the judge was shown", width: 132, height: 132, loading: "lazy" })) : null,
    make("div", { class: "call-body" },
      make("h4", { class: "text", dir: "auto", text: call.title }),
      make("p", { class: "tag-line" }, call.label ? make("span", { class: "chip", text: `Right answer: ${call.label}` }) : null, scores),
      call.verdicts.map(verdictOf)));
}

/** @param {any} verdict */
function verdictOf(verdict) {
  const values = verdict.values.map((/** @type {string[]} */ [name, value]) => make("span", {}, `${name} `, make("b", { text: value }), " "));
  const who = [verdict.judge, verdict.snapshot, verdict.sample ? `sample ${verdict.sample + 1}` : "", verdict.prompt ? `prompt ${verdict.prompt}` : ""].filter(Boolean).join(" · ");
  return make("div", { class: "verdict-box" },
    make("p", {}, verdict.status !== "Ok" ? make("span", { class: "chip warn", text: verdict.status }) : null, " ", values),
    verdict.reason ? outside(verdict.reason, "p") : null,
    verdict.reply ? make("details", {}, make("summary", { text: "The whole reply" }), outside(verdict.reply, "pre")) : null,
    make("small", { class: "quiet text", dir: "auto", text: who }));
}
