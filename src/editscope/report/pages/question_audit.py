"""Answers in the page of an audit: rates by effect, size, law and edit, and every question with what was said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from editscope.audit.audit import Audit
from editscope.audit.known_edit_set import AuditProblem
from editscope.audit.means import Mean
from editscope.audit.question_calls import asked_keys
from editscope.audit.question_findings import QuestionFindings, Rates, given_answers
from editscope.report.html.markup import Child, Html, el
from editscope.report.html.plots import Dots, Point
from editscope.report.pages.audit_parts import LEVEL_NAMES, badge, picture_of, short_spec, verdicts_about
from editscope.wording import plain

GROUPS = {"effect": "By effect", "size": "By size of the effect", "law": "By law", "edit": "By edit"}
OUTCOMES = {
    "yes-right": "Yes, rightly",
    "no-wrong": "No, wrongly",
    "no-right": "No, rightly",
    "yes-wrong": "Yes, wrongly",
}
QUESTION_NOTES = (
    "Every effect of an edit is a question with a box. The right picture, the input, and edits that made the object "
    "alone or the consequences alone have a known answer to it; about half of them are Yes, so guessing gives 50 %.",
    "The judge sees the part of the edited picture that the box marks, and nothing else, as in a run that is judged by "
    "questions.",
    "Intervals are 95 % percentile intervals from resampling whole problems. A call without a verdict is in no "
    "average.",
)


def answers(audit: Audit) -> Html:
    """How often judges are right, by what the question is about."""
    judges = _judges(audit)
    return el(
        "section",
        el("h2", "Where judges are right"),
        el("p", "The share of right answers, by what the question is about; the dotted line is chance.", cls="sub"),
        el("p", [el("span", badge(place), short_spec(one.judge), cls="given") for place, one in judges], cls="who"),
        el("div", [_dots(judges, group, title) for group, title in GROUPS.items()], cls="beside-each"),
        el("h3", "Which way they err", cls="table-title"),
        el("p", "How often each answer was given, by effect. A cell shows its exhibits.", cls="sub"),
        el("div", [el("div", _matrix(audit, *one), cls="scroller") for one in judges], cls="beside-each"),
        cls="card",
        id="answers",
    )


def question_praise(findings: QuestionFindings) -> str:
    """A sentence about a judge without weaknesses."""
    right = findings.overall.accuracy.value
    if right is None:
        return "There are no verdicts to judge it by."
    return f"It answers {100 * right:.0f} % of the questions rightly, and leans neither to Yes nor to No."


def asked_problem(audit: Audit, problem: AuditProblem) -> Html:
    """The pictures of a problem, and a table of its questions: what is true of each edit, and what was said."""
    shown: list[Child] = [el("figure", picture_of(audit, problem.source), el("figcaption", el("strong", "before")))]
    for edit in problem.edits:
        caption = el("figcaption", el("strong", LEVEL_NAMES[edit.level]), f"mIoU {100 * edit.miou:.0f}")
        shown.append(el("figure", picture_of(audit, edit), caption))
    heads = [el("th", LEVEL_NAMES[edit.level], scope="col") for edit in problem.edits]
    keys = {(place, level): key for key, place, level in asked_keys(problem)}
    rows = []
    for place, question in enumerate(problem.questions):
        cells = [_cell(audit, problem, keys.get((place, edit.level)), edit.level, place) for edit in problem.edits]
        note = el("small", f"{plain(question.effect)}, {100 * question.area:.1f} % of the picture")
        rows.append(el("tr", el("th", question.text, " ", note, scope="row", cls="label"), cells))
    table = el("table", el("thead", el("tr", el("th", "", cls="label"), heads)), el("tbody", rows), cls="listing asked")
    return el(
        "article",
        el("p", el("small", problem.id), problem.instruction),
        el("div", shown, cls="shown"),
        el("div", table, cls="scroller"),
        el("details", el("summary", "What was said"), el("div", list(_replies(audit, problem)), cls="replies")),
        cls="problem",
        data_cells=" ".join(dict.fromkeys(_problem_cells(audit, problem))),
    )


def _judges(audit: Audit) -> list[tuple[int, QuestionFindings]]:
    return [(place, one) for place, one in enumerate(audit.findings) if isinstance(one, QuestionFindings)]


def _dots(judges: Sequence[tuple[int, QuestionFindings]], group: str, title: str) -> Html:
    keys = list(dict.fromkeys(key for _, findings in judges for key in findings.by[group]))
    labels = [key if group == "size" else LEVEL_NAMES[key] if group == "edit" else plain(key) for key in keys]
    series = [
        (
            place,
            short_spec(findings.judge),
            [_point(findings.by[group].get(key), label) for key, label in zip(keys, labels, strict=True)],
        )
        for place, findings in judges
    ]
    dots = Dots(labels, series, "Right answers (%)", span=(-1.5, 101.5), lines=((50.0, None),))
    drawing = el("div", el("div", dots.svg(title), cls="static"), cls="scroller bare")
    return el("figure", el("figcaption", title), drawing, cls="plot", aria_label=title)


def _point(some: Rates | None, label: str) -> Point | None:
    if some is None or some.accuracy.value is None:
        return None
    right = some.accuracy
    lines = [f"{label}: {_percent(right)} right", f"false yes {_percent(some.false_yes)}"]
    lines += [f"false no {_percent(some.false_no)}", f"{some.questions} questions"]
    low, high = (None if side is None else 100 * side for side in (right.lo, right.hi))
    return Point(100 * (right.value or 0.0), low, high, "\n".join(lines))


def _percent(mean: Mean) -> str:
    if mean.value is None:
        return "–"
    return f"{100 * mean.value:.1f} %" + (
        "" if mean.lo is None else f" ({100 * mean.lo:.0f} … {100 * (mean.hi or 0):.0f})"
    )


def _matrix(audit: Audit, place: int, findings: QuestionFindings) -> Html:
    """How often each effect got each answer."""
    own = {(case, key, n): v for (case, key, spec, n), v in audit.verdicts.items() if spec == findings.judge}
    counts: dict[str, dict[str, int]] = {}
    for one in given_answers(audit.edit_set.problems, own):
        row = counts.setdefault(one.effect, dict.fromkeys(OUTCOMES, 0))
        for answer in one.said:
            row[_outcome(one.truth, answer)] += 1
    rows = []
    for effect in sorted(counts):
        total = sum(counts[effect].values())
        cells = [_counted(place, effect, name, count, total) for name, count in counts[effect].items()]
        right = findings.by["effect"][effect].accuracy
        rows.append(el("tr", el("th", plain(effect), el("small", _percent(right)), scope="row"), cells))
    head = el("tr", el("th", ""), [el("th", label, scope="col") for label in OUTCOMES.values()])
    caption = el("caption", short_spec(findings.judge))
    return el("table", caption, el("thead", head), el("tbody", rows), cls=f"matrix run{place % 8}")


def _counted(place: int, effect: str, name: str, count: int, total: int) -> Html:
    if not count:
        return el("td", style="--heat:0%")
    title = f"{plain(effect)}, {OUTCOMES[name]}: {count} of {total}"
    cell = _cell_name(place, effect, name)
    button = el(
        "button", str(count), type="button", data_cell=cell, title=title, aria_label=title, aria_pressed="false"
    )
    return el("td", button, style=f"--heat:{round(70 * count / total)}%")


def _outcome(truth: bool, answer: bool) -> str:
    return f"{'yes' if answer else 'no'}-{'right' if truth == answer else 'wrong'}"


def _cell_name(place: int, effect: str, outcome: str) -> str:
    return f"{place}-{effect.replace(' ', '_')}-{outcome}"


def _cell(audit: Audit, problem: AuditProblem, key: str | None, level: str, question: int) -> Html:
    """What is true of an edit, and what each judge said."""
    if key is None:
        return el("td", "–")
    truth = problem.questions[question].answers[level]
    said: list[Child] = []
    for place in range(len(audit.findings)):
        words: list[Child] = []
        for verdict in verdicts_about(audit, problem, key, place):
            word = verdict.status if verdict.status != "ok" else "Yes" if verdict.values["answer"] else "No"
            words.append(el("b", word, cls="good" if word == truth else "bad"))
        said.append(el("span", badge(place), words or "–", cls="given"))
    return el("td", el("small", f"true: {truth}"), said)


def _problem_cells(audit: Audit, problem: AuditProblem) -> Iterator[str]:
    for key, question, level in asked_keys(problem):
        known = problem.questions[question]
        for place in range(len(audit.findings)):
            for verdict in verdicts_about(audit, problem, key, place):
                if verdict.status == "ok":
                    outcome = _outcome(known.answers[level] == "Yes", bool(verdict.values["answer"]))
                    yield _cell_name(place, known.effect, outcome)


def _replies(audit: Audit, problem: AuditProblem) -> Iterator[Html]:
    for key, question, level in asked_keys(problem):
        for place in range(len(audit.findings)):
            for verdict in verdicts_about(audit, problem, key, place):
                answer = verdict.status if verdict.status != "ok" else "Yes" if verdict.values["answer"] else "No"
                label = f"{problem.questions[question].text} ({LEVEL_NAMES[level]}): {answer}"
                yield el("p", badge(place), " ", el("b", label), " ", verdict.reason or verdict.reply)
