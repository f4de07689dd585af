// What judges said about an edit: every question with its label, what was shown, the scores, and the replies.

function verdictPanel(book, one, run) {
  const calls = book.verdicts(one, run);
  if (!calls.length) return make("p", { class: "no-verdicts", text: "Nobody was asked about this edit." });
  return make("section", { class: "verdicts", "aria-label": "What the judges said" }, make("h3", { text: "What the judges said" }),
    calls.map((call) => verdictCall(book, one, run, call)));
}

function verdictCall(book, one, run, call) {
  const crop = call.c ? book.picture(one, call.c, run) : null;
  const scores = call.r.map(([name, value, status]) => make("span", { class: "call-score" }, call.r.length > 1 ? `${name} ` : "", scoreMark(call, value, status)));
  return make("article", { class: `call${crop ? " with-crop" : ""}` },
    crop ? make("span", { class: "crop" }, image(book, one, crop, `What the judge saw of the edit: ${call.t}`)) : null,
    make("div", { class: "call-says" }, make("header", {}, make("b", { text: call.t }), scores),
      call.l ? make("p", { class: "expected" }, "Right answer: ", make("b", { text: call.l })) : null,
      call.v.map((verdict) => verdictLine(verdict, book.runs[run].judges, call.v.length > 1))));
}

// A question with a right answer is right or wrong; anything else is a number, or the reason why there is none.
function scoreMark(call, value, status) {
  if (value === null) return make("b", { class: "mark none", text: status });
  if (!call.l) return make("b", { class: "mark", text: String(Math.round(100 * value) / 100) });
  return make("b", { class: `mark ${value === 1 ? "right" : value === 0 ? "wrong" : "even"}`, text: value === 1 ? "right" : value === 0 ? "wrong" : "even" });
}

function verdictLine(verdict, judges, several) {
  const judge = typeof verdict.j === "string" ? verdict.j : judges[verdict.j ?? 0];
  const said = Object.entries(verdict.a ?? {}).map(([name, value], i) => [i ? ", " : "", Object.keys(verdict.a).length > 1 ? `${name} ` : "", make("b", { text: String(value) })]).flat();
  const status = verdict.s && verdict.s !== "ok" ? make("b", { class: "mark none", text: verdict.s }) : null;
  const who = `${verdict.m || judge}${several ? `, sample ${(verdict.n ?? 0) + 1}` : ""}`;
  const reply = verdict.x && verdict.x !== verdict.w
    ? make("details", { class: "reply" }, make("summary", { text: "Reply as it came" }), make("pre", { text: verdict.x })) : null;
  return make("div", { class: "verdict-line" }, make("p", {}, status, said, said.length || status ? " " : "", make("small", { text: who, title: `${judge}, prompt ${verdict.p}` })),
    verdict.w ? make("p", { class: "why", text: verdict.w }) : null, reply,
    verdict.cut && !reply ? make("small", { text: "The reply is in the journal of the run; it found no room here." }) : null);
}
