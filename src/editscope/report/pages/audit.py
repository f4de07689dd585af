"""Page of a judge audit: the findings, the figures behind them, and every exhibit with its verdicts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from editscope.audit.audit import Audit
from editscope.audit.findings import Findings, pairs_of
from editscope.audit.judge_findings import JudgeFindings
from editscope.audit.known_edit_set import AuditProblem, StoredKnownEdit
from editscope.audit.question_findings import QuestionFindings
from editscope.report.html.frame import HALF_MOON, LOGO, asset, page_head
from editscope.report.html.markup import Child, Html, el
from editscope.report.pages.audit_figures import figures, matrices, plots
from editscope.report.pages.audit_parts import LEVEL_NAMES, badge, picture_of, short_spec, verdicts_about
from editscope.report.pages.question_audit import QUESTION_NOTES, answers, asked_problem, question_praise
from editscope.runfolder.files import write_whole
from editscope.suites import suite_title

NAME = "audit.html"
STYLES = ("report.css", "plots.css", "audit.css", "print.css")
SECTIONS = ("found", "answers", "figures", "scores", "drift", "exhibits")


def write_audit(audit: Audit, out: str | Path | None = None) -> Path:
    """Write the page of an audit, into its own folder unless another file is named."""
    path = audit.folder / NAME if out is None else Path(out)
    write_whole(path, audit_page(audit).encode())
    return path


def audit_page(audit: Audit) -> str:
    """The page, whole. It holds its pictures and asks nobody for anything."""
    asks = audit.edit_set.asks
    sections = {
        "found": _found(audit),
        "answers": answers(audit) if asks else None,
        "figures": figures(audit),
        "scores": None if asks else _scores(audit),
        "drift": _drift(audit),
        "exhibits": _exhibits(audit),
    }
    theme, own = asset("theme.js"), asset("audit.js")
    judges = ", ".join(short_spec(findings.judge) for findings in audit.findings)
    parts = [
        '<!doctype html>\n<html lang="en" data-theme="light">',
        page_head(f"Audit of {judges}", STYLES, [theme, own]),
        "<body>",
        _top([name for name in SECTIONS if sections[name] is not None]),
        "<main>",
        _title(audit),
        *(html for html in sections.values() if html is not None),
        _notes(QUESTION_NOTES if asks else SCORE_NOTES),
        "</main>",
        f"<script>{own}</script>",
        "</body>\n</html>\n",
    ]
    return "\n".join(parts)


def _top(sections: list[str]) -> Html:
    return el(
        "header",
        el(
            "div",
            el("a", LOGO, "Editscope", cls="logo", href="#top"),
            el("nav", [el("a", name.capitalize(), href=f"#{name}") for name in sections], aria_label="Sections"),
            el("button", HALF_MOON, type="button", cls="theme", aria_label="Switch to dark", title="Light or dark"),
        ),
        cls="top",
        id="top",
    )


def _title(audit: Audit) -> Html:
    info = audit.info
    how, asked = "each shown right, damaged and unedited", "every score asked for"
    if audit.edit_set.asks:
        how = "each shown right, in part and unedited, with a question about every effect"
        asked = "every question asked"
    return el(
        "div",
        el("h1", "How good is this judge?" if len(audit.findings) == 1 else "How good are these judges?"),
        el(
            "p",
            f"{info['problems']} problems of {suite_title(info['suite'])}, {how} · ",
            f"{asked} {_times(info['samples'])} · exhibits ",
            el("code", info["exhibits_digest"]),
            " · prompts ",
            el("code", info["prompts"]["hash"]),
        ),
        cls="title",
    )


def _found(audit: Audit) -> Html:
    judges = []
    for place, findings in enumerate(audit.findings):
        items = [el("li", el("b", name), el("span", reason), cls="bad") for name, reason in findings.flags.items()]
        if not items:
            praise = question_praise(findings) if isinstance(findings, QuestionFindings) else _praise(findings)
            items = [el("li", el("b", "passed"), el("span", praise), cls="good")]
        models = ", ".join(findings.snapshots)
        judges.append(
            el(
                "div",
                el("h3", badge(place), findings.judge, el("small", models) if models else None),
                el("ul", items, cls="found"),
                cls="audit-judge",
            )
        )
    agreed = [
        f"Krippendorff's alpha of the judges on {name}: {alpha['value']:.2f} ({alpha['items']} items)."
        for name, alpha in audit.agreement.items()
    ]
    return el(
        "section",
        el("h2", "What was found"),
        el("p", "Each line below the name of a judge is a reason not to trust it on edits like these.", cls="sub"),
        judges,
        [el("p", line, cls="hint") for line in agreed],
        cls="card",
        id="found",
    )


def _praise(findings: JudgeFindings) -> str:
    assert isinstance(findings, Findings)
    right = findings.rank_accuracy.value
    if right is None:
        return "There are no verdicts to judge it by."
    return f"It ranks {100 * right:.0f} % of pairs rightly, and neither place nor asking again moves it much."


def _scores(audit: Audit) -> Html:
    pairs = zip(plots(audit), matrices(audit, LEVEL_NAMES), strict=True)
    return el(
        "section",
        el("h2", "Scores against the truth"),
        el(
            "p",
            "The more of an edit is right (mIoU), the higher its score should be. Rings are the means of each level; "
            "the table counts how often each score was given, and a cell of it shows its exhibits.",
            cls="sub",
        ),
        [el("div", plot, matrix, cls="beside-each") for plot, matrix in pairs],
        cls="card",
        id="scores",
    )


def _drift(audit: Audit) -> Html | None:
    if not audit.drifts:
        return None
    items = []
    for drift in audit.drifts:
        share = "–" if drift.changed.value is None else f"{100 * drift.changed.value:.0f} %"
        what = "answers" if drift.answers else "scores"
        usual = "" if drift.noise.value is None else f"; asked twice on one day, {100 * drift.noise.value:.0f} % differ"
        models = f"{', '.join(drift.snapshots_then) or 'unknown'} → {', '.join(drift.snapshots_now) or 'unknown'}"
        items.append(
            el(
                "li",
                el("b", "drifted" if drift.drifted else "as before"),
                el("span", drift.sentence),
                el(
                    "small",
                    f"{drift.exhibits} exhibits; {share} of {what} differ{usual}; model {models}",
                ),
                cls="bad" if drift.drifted else "good",
            )
        )
    return el("section", el("h2", "Change since the first time"), el("ul", items, cls="found"), cls="card", id="drift")


def _exhibits(audit: Audit) -> Html:
    return el(
        "section",
        el("h2", "Exhibits"),
        el("p", "What the judge saw of each problem, the truth about it, and what it said.", cls="sub"),
        el("p", el("span"), el("button", "show all", type="button"), cls="chosen-note", hidden=True),
        el(
            "div",
            [
                asked_problem(audit, problem) if problem.questions else _problem(audit, problem, number)
                for number, problem in enumerate(audit.edit_set.problems)
            ],
            cls="exhibits",
        ),
        cls="card",
        id="exhibits",
    )


def _problem(audit: Audit, problem: AuditProblem, number: int) -> Html:
    cells: list[str] = []
    shown: list[Child] = [el("figure", picture_of(audit, problem.source), el("figcaption", el("strong", "before")))]
    for edit in problem.edits:
        given = [_given(audit, problem, edit, place) for place in range(len(audit.findings))]
        cells += [f"{place}-{edit.level}-{score}" for place, (_, scores) in enumerate(given) for score in scores]
        caption = el(
            "figcaption",
            el("strong", LEVEL_NAMES[edit.level]),
            f"mIoU {100 * edit.miou:.0f}",
            [html for html, _ in given],
        )
        shown.append(el("figure", picture_of(audit, edit), caption))
    return el(
        "article",
        el("p", el("small", problem.id), problem.instruction),
        el("div", shown, cls="shown"),
        el(
            "details",
            el("summary", "What was said"),
            el("div", list(_replies(audit, problem, number)), cls="replies"),
        ),
        cls="problem",
        data_cells=" ".join(dict.fromkeys(cells)),
    )


def _given(audit: Audit, problem: AuditProblem, edit: StoredKnownEdit, place: int) -> tuple[Html, list[int]]:
    """The scores that one judge gave to one exhibit, as they are shown and as numbers."""
    verdicts = verdicts_about(audit, problem, f"score:{edit.level}", place)
    scores = [int(verdict.values["score"]) for verdict in verdicts if verdict.status == "ok"]
    words: list[Child] = [
        str(verdict.values["score"]) if verdict.status == "ok" else el("i", verdict.status) for verdict in verdicts
    ]
    listed = [child for word in words for child in (" · ", word)][1:]
    return el("span", badge(place), listed or "–", cls="given"), scores


def _replies(audit: Audit, problem: AuditProblem, number: int) -> Iterator[Html]:
    keys = [(f"score:{edit.level}", LEVEL_NAMES[edit.level]) for edit in problem.edits]
    for better, worse in pairs_of(problem, number):
        for first, second in ((better, worse), (worse, better)):
            keys.append((f"pair:{first}:{second}", f"{LEVEL_NAMES[first]} or {LEVEL_NAMES[second]}"))
    for key, label in keys:
        for place in range(len(audit.findings)):
            for verdict in verdicts_about(audit, problem, key, place):
                answer = ", ".join(f"{name} {value}" for name, value in verdict.values.items()) or verdict.status
                yield el("p", badge(place), " ", el("b", f"{label}: {answer}"), " ", verdict.reason or verdict.reply)


SCORE_NOTES = (
    "Rank accuracy: of two edits of one problem, how often the one with the higher mIoU got the higher score; "
    "a tie counts half, so that a judge who always says the same has 50 %.",
    "Kendall's tau is taken within each problem and averaged, Spearman's rho over all scores. Pairs are shown in "
    "both orders; a judge without a bias takes the first one in half of the cases.",
    "Intervals are 95 % percentile intervals from resampling whole problems. A call without a verdict is in no "
    "average.",
)


def _notes(lines: tuple[str, ...]) -> Html:
    return el("section", el("h2", "How to read this"), [el("p", line) for line in lines], cls="notes")


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")
