"""Results of a comparison: all figures in one record, as text, Markdown, LaTeX, CSV and JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from editscope.report.text.csv import csv_line
from editscope.report.text.latex import latex_document
from editscope.report.text.markdown import markdown_table, markdown_text
from editscope.runfolder.files import write_whole
from editscope.training.comparison.drift import EditDrift, drift_of, drift_sentence
from editscope.training.comparison.figures import ArmFigure, At, ComparedJudge, compared_judges
from editscope.training.comparison.settings import BASE, folder_name
from editscope.training.comparison.start import TrainingComparison
from editscope.training.comparison.tables import arm_label, comparison_tables, published_of, title_of

NAME = "comparison"
KINDS = ("txt", "md", "tex", "csv", "json")


@dataclass(frozen=True, eq=False)
class ComparisonResults:
    """The figures of every evaluation and judge, and the drift of every arm on every evaluation."""

    comparison: TrainingComparison
    judged: tuple[ComparedJudge, ...]
    drift: dict[str, dict[str, EditDrift]]
    """By the name of the evaluation, then by that of the arm."""

    def sentences(self) -> list[str]:
        """What the figures say of drift, and of arms that are not trained on their data alone."""
        drifted = (
            (compared, drift_sentence(compared, arm, drift[BASE], drift[arm]))
            for compared in self.judged
            for drift in [self.drift[compared.evaluation.label]]
            for arm in compared.runs
            if arm != BASE
        )
        found = [f"{one.evaluation.label}, {one.judge_name}: {text}." for one, text in drifted if text]
        return [*found, *(f"{arm.label}: {note}." for arm in self.comparison.arms for note in arm.notes)]

    def pending(self) -> list[str]:
        """The runs that are not finished."""
        return [run.label for run in self.comparison.runs if not run.complete]


def results_of(comparison: TrainingComparison) -> ComparisonResults:
    """The figures of a comparison as far as its runs are finished; nothing is asked or edited."""
    judged = tuple(compared_judges(comparison.plan, comparison.arms, comparison.runs))
    drift: dict[str, dict[str, EditDrift]] = {}
    arms = {arm.name: arm for arm in comparison.arms}
    for compared in judged:
        found = drift.setdefault(compared.evaluation.label, {})
        for name in compared.runs:
            if name not in found:
                run = comparison.runs.of(compared.evaluation, arms[name], compared.judge)
                kept = (
                    comparison.out / "drift" / folder_name(compared.evaluation.label) / f"{arms[name].folder.name}.json"
                )
                made = run.edits_of or run  # its pictures are those of the run that made the edits
                opened = made.opened()
                assert opened is not None
                found[name] = drift_of(opened, comparison.runs.suite(made), kept)
    return ComparisonResults(comparison, judged, drift)


def write_results(results: ComparisonResults, text: str) -> list[Path]:
    """Write the tables in all formats; ``text`` is what the terminal shows. Gives the files."""
    made = {
        "txt": text,
        "md": "".join(as_markdown(results)),
        "tex": "".join(as_latex(results)),
        "csv": "".join(as_csv(results)),
        "json": json.dumps(as_json(results), indent=1, ensure_ascii=False, allow_nan=False) + "\n",
    }
    files = [results.comparison.out / f"{NAME}.{kind}" for kind in KINDS]
    for file, kind in zip(files, KINDS, strict=True):
        write_whole(file, made[kind].encode())
    return files


def as_markdown(results: ComparisonResults) -> Iterator[str]:
    """Every table, then drift and sentences."""
    yield f"# {markdown_text(results.comparison.plan.name)}\n"
    for compared in results.judged:
        for table in comparison_tables(compared):
            yield from markdown_table(table)
    yield "\n### What the edits did to their pictures\n\n"
    yield "| Evaluation | Arm | Edits | Unchanged | Over-edit ratio |\n| --- | --- | ---: | ---: | ---: |\n"
    for evaluation, arms in results.drift.items():
        for arm, drift in arms.items():
            cells = [evaluation, arm_label(arm), f"{drift.edits:,}", share(drift.identity), ratio(drift.over_edit)]
            yield f"| {' | '.join(map(markdown_text, cells))} |\n"
    for sentence in results.sentences():
        yield f"\n{markdown_text(sentence)}\n"


def as_latex(results: ComparisonResults) -> Iterator[str]:
    """Every table in a document that compiles as it is."""
    parts = []
    for compared in results.judged:
        prefix = f"{folder_name(compared.evaluation.label)}-{folder_name(compared.judge_name)}"
        parts.append((title_of(compared, ""), prefix, list(comparison_tables(compared))))
    yield from latex_document(results.comparison.plan.name, parts)


COLUMNS = (
    *("evaluation", "judge", "level", "arm", "by", "key", "metric", "mean", "lo", "hi", "n", "missing"),
    *("difference", "difference_lo", "difference_hi", "pairs", "wins", "ties", "losses", "p", "p_holm"),
    *("published", "identity_rate", "over_edit_ratio"),
)


def as_csv(results: ComparisonResults) -> Iterator[str]:
    """One tidy row for each arm, level, group and metric."""
    yield csv_line(COLUMNS)
    for row in figure_rows(results):
        yield csv_line(["" if row.get(name) is None else row[name] for name in COLUMNS])


def figure_rows(results: ComparisonResults) -> Iterator[dict[str, Any]]:
    """Every figure as one flat record; what there is not is None."""
    for compared in results.judged:
        known = {"evaluation": compared.evaluation.label, "judge": compared.judge_name}
        for level in compared.levels:
            for arm, figures in level.figures.items():
                drift = results.drift[compared.evaluation.label][arm]
                printed = published_of(compared, level.level, arm)
                for at, figure in figures.items():
                    yield {
                        **known,
                        "level": level.level,
                        "arm": arm,
                        **_flat(at, figure),
                        "published": printed[at].value if at in printed else None,
                        "identity_rate": drift.identity,
                        "over_edit_ratio": drift.over_edit,
                    }


def _flat(at: At, figure: ArmFigure) -> dict[str, Any]:
    by, key, metric = at
    found = {"by": by, "key": key, "metric": metric, "mean": figure.mean, "lo": figure.lo, "hi": figure.hi}
    found |= {"n": figure.n, "missing": figure.missing}
    paired = figure.difference
    if paired is not None:
        found |= {"difference": paired.difference, "difference_lo": paired.lo, "difference_hi": paired.hi}
        found |= {"pairs": paired.n, "wins": paired.wins, "ties": paired.ties, "losses": paired.losses}
        found |= {"p": paired.p, "p_holm": paired.p_holm}
    return found


def as_json(results: ComparisonResults) -> dict[str, Any]:
    """Arms, drift, what is missing, sentences, and every figure."""
    comparison = results.comparison
    return {
        "name": comparison.plan.name,
        "complete": comparison.complete,
        "pending": results.pending(),
        "arms": [
            {
                "name": arm.name,
                "weights": None if arm.weights is None else str(arm.weights),
                "trained_here": arm.trains,
                "steps": arm.experiment.training.steps if arm.trains else None,
                "notes": list(arm.notes),
            }
            for arm in comparison.arms
        ],
        "runs": [
            {
                "evaluation": compared.evaluation.label,
                "judge": compared.judge_name,
                "arm": arm,
                "folder": str(run.path),
                "missing": compared.missing(arm),
            }
            for compared in results.judged
            for arm, run in compared.runs.items()
        ],
        "drift": {name: {arm: asdict(one) for arm, one in arms.items()} for name, arms in results.drift.items()},
        "sentences": results.sentences(),
        "figures": list(figure_rows(results)),
    }


def share(value: float | None) -> str:
    """A share in percent; a dash where there is none.

    >>> share(0.123), share(None)
    ('12.3 %', '–')
    """
    return "–" if value is None else f"{100 * value:.1f} %"


def ratio(value: float | None) -> str:
    """A ratio with two decimals; a dash where there is none."""
    return "–" if value is None else f"{value:.2f}"
