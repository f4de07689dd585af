"""Exact scores and judged accuracy of the same edits: a suite whose effects are known, and a set written from it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from editscope.errors import EditscopeError
from editscope.report.model import Model, RunView, Sheet
from editscope.results.case_record import CaseRecord
from editscope.suites.effect_questions import judged_id
from editscope.wording import RECOVERY

JUDGED = "accuracy_by_case"
EXACT = {"recovery": "Recovery", "consequences": "Consequences"}
"""The exact scores: of all effects of an edit, and of those that are not the object itself."""
LEAST = 3


@dataclass(frozen=True, slots=True)
class SharedEdit:
    """One edit that was scored and judged; scores in percent."""

    run: int
    case_id: str
    law: str
    exact: dict[str, float]
    judged: float


@dataclass(frozen=True, slots=True)
class RankAgreement:
    """Spearman's rho of an exact score with judged accuracy over edits; cases are resampled whole."""

    metric: str
    value: float
    lo: float | None
    hi: float | None
    edits: int


@dataclass(frozen=True, eq=False)
class ExactAndJudged:
    """The edits that two sheets share, by run of the first."""

    exact: Sheet
    judged: Sheet
    edits: tuple[SharedEdit, ...]
    agreement: tuple[RankAgreement, ...]
    note: str = ""

    def means(self, metric: str) -> Iterator[tuple[RunView, str, float, float, int]]:
        """For each run and law: mean exact score, mean judged accuracy, and how many edits."""
        for view in self.exact.runs:
            own = [edit for edit in self.edits if edit.run == view.index and metric in edit.exact]
            for law in dict.fromkeys(edit.law for edit in own):
                some = [edit for edit in own if edit.law == law]
                exact = sum(edit.exact[metric] for edit in some) / len(some)
                yield view, law, exact, sum(edit.judged for edit in some) / len(some), len(some)


def exact_and_judged(model: Model) -> list[ExactAndJudged]:
    """Every pair of sheets that share edits: the same case with the same file."""
    pairs = []
    for exact in model.sheets:
        if exact.judged or "consequences" not in exact.metrics:
            continue
        for judged in model.sheets:
            if judged.judged and (edits := tuple(_shared(exact, judged))):
                agreement, note = _agreement(edits)
                pairs.append(ExactAndJudged(exact, judged, edits, agreement, note))
    return pairs


def _shared(exact: Sheet, judged: Sheet) -> Iterator[SharedEdit]:
    verdicts: dict[tuple[str, str], float] = {}
    for view in judged.runs:
        for record in view.run.records():
            if JUDGED in record.metrics and (file := _hash(record)):
                verdicts.setdefault((record.case_id, file), 100 * record.metrics[JUDGED])
    if not verdicts:
        return
    for view in exact.runs:
        for record in view.run.records():
            found = verdicts.get((judged_id(record.case_id), _hash(record)))
            if found is not None and (scores := _scores(record)):
                yield SharedEdit(view.index, record.case_id, record.tags.get("law", ""), scores, found)


def _hash(record: CaseRecord) -> str:
    """The hash of the file of an edit; "" where it has none."""
    files = [record.image, *record.images.values()]
    return next((record.hashes[file] for file in files if file is not None and file in record.hashes), "")


def _scores(record: CaseRecord) -> dict[str, float]:
    recoveries = [value for name, value in record.metrics.items() if name.startswith(RECOVERY)]
    scores = {"recovery": 100 * sum(recoveries) / len(recoveries)} if recoveries else {}
    if "consequences" in record.metrics:
        scores["consequences"] = 100 * record.metrics["consequences"]
    return scores


def _agreement(edits: tuple[SharedEdit, ...]) -> tuple[tuple[RankAgreement, ...], str]:
    """The rank correlation of each exact score; a note where there is none."""
    from editscope.stats.relation import grouped_correlation

    found, note = [], ""
    for metric in EXACT:
        some = [edit for edit in edits if metric in edit.exact]
        x, y = [edit.exact[metric] for edit in some], [edit.judged for edit in some]
        if len(some) < LEAST or min(x) == max(x) or min(y) == max(y):
            note = "Where all edits have one score, or the judge gave one, there is no rank correlation."
            continue
        try:
            # Levels of a problem share their pictures, so they are drawn together.
            groups = [_problem(edit.case_id) for edit in some]
            found.append(RankAgreement(metric, *grouped_correlation(x, y, groups, "spearman"), len(some)))
        except EditscopeError as error:
            note = f"No rank correlation: {error}."
    return tuple(found), note


def _problem(case_id: str) -> str:
    """What the levels of a problem have in common.

    >>> _problem("remove_object_explicit/003")
    'remove_object/003'
    """
    folder, _, number = case_id.rpartition("/")
    return f"{folder.rpartition('_')[0] or folder}/{number}"
