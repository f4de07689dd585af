"""Drift of an arm: how many of its edits leave the picture as it is, and how much more than asked they change."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

import numpy as np

from editscope.cases import Case
from editscope.images import Pixels, load, resize
from editscope.results import Run
from editscope.runfolder.files import write_whole
from editscope.runfolder.journal import FILE as JOURNAL
from editscope.scoring.pixels import score_pixels
from editscope.stats.paired import Paired
from editscope.suites import Suite
from editscope.suites.tables import OVERALL
from editscope.training.comparison.figures import ComparedJudge
from editscope.training.monitors import LEVELS, is_identity
from editscope.wording import metric_in_text

MORE_UNCHANGED = 0.02
"""By so much the share of unchanged edits must be higher than the base's to be spoken of."""


@dataclass(frozen=True, slots=True)
class EditDrift:
    """What the edits of a run did to their pictures.

    ``identity`` is the share of edits equal, or nearly equal, to their input; ``over_edit`` the median of pixels
    changed for each pixel that was to be changed, over the ``measured`` edits whose case has an answer or an edited
    area. Both are None without such edits.
    """

    edits: int
    identity: float | None
    over_edit: float | None
    measured: int


def drift_of(run: Run, suite: Suite, kept: Path) -> EditDrift:
    """The drift of a finished run. The pictures are looked at once: ``kept`` is a file that remembers the figures."""
    size = (run.path / JOURNAL).stat().st_size
    if kept.is_file():
        stored = json.loads(kept.read_text(encoding="utf-8"))
        if stored.pop("journal") == size:
            return EditDrift(**stored)
    same, ratios = [], []
    for case, source, edit in _pictures(run, suite):
        same.append(is_identity([source if source.shape == edit.shape else _fitted(source, edit)], edit))
        ratio = over_edit_of(case, source, edit)
        ratios += [] if ratio is None else [ratio]
    identity = sum(same) / len(same) if same else None
    drift = EditDrift(len(same), identity, median(ratios) if ratios else None, len(ratios))
    write_whole(kept, json.dumps({**asdict(drift), "journal": size}).encode())
    return drift


def _pictures(run: Run, suite: Suite) -> Iterator[tuple[Case, Pixels, Pixels]]:
    for (case_id, _), line in run.edits().items():
        place = run.image_of(line)
        if line["status"] == "ok" and place is not None:
            case = suite.case(case_id)
            yield case, load(suite.inputs(case)[0]), load(place)


def _fitted(source: Pixels, edit: Pixels) -> Pixels:
    """The input in the size of its edit: models scale it to a size of theirs."""
    return resize(source, edit.shape[1], edit.shape[0])


def over_edit_of(case: Case, source: Pixels, edit: Pixels) -> float | None:
    """Pixels changed for each that was to be changed: by the answer of a case, or its edited area; None without both.

    An edited area is a box around what changes, so that an edit inside of it has a ratio below 1.
    """
    if case.answer is not None:
        return float(score_pixels(source, case.answer, edit).over_edit_ratio)
    height, width = source.shape[:2]
    area = np.zeros((height, width), bool)
    for region in case.regions:
        left, top, right, bottom = (round(side) for side in region.box)
        area[max(0, top) : bottom, max(0, left) : right] = True
    if not area.any():
        return None
    shown = edit if edit.shape == source.shape else resize(edit, width, height)
    changed = np.abs(source.astype(np.int16) - shown).max(axis=2) > LEVELS
    return float(changed.sum() / area.sum())


def drift_sentence(compared: ComparedJudge, arm: str, base: EditDrift, now: EditDrift) -> str:
    """A sentence where an arm is right less often and edits less than the base; "" otherwise.

    It needs a lower headline, and either more unchanged edits (by MORE_UNCHANGED) or a ``preserved`` metric that is
    higher by its interval.
    """
    falls = _differences(compared, arm, compared.headline)
    keeps = _differences(compared, arm, compared.preserved) if compared.preserved else {}
    unchanged = now.identity is not None and base.identity is not None and now.identity - base.identity > MORE_UNCHANGED
    parts = []
    for level, fall in falls.items():
        kept = keeps.get(level)
        rises = kept is not None and kept.lo is not None and kept.lo > 0
        if fall.difference >= 0 or not (unchanged or rises):
            continue
        sure = "" if fall.hi is not None and fall.hi < 0 else " (which may be chance)"
        text = f"{metric_in_text(compared.headline)} falls by {-fall.difference:.2f}{sure}"
        if kept is not None and kept.difference > 0:
            text += f" while {metric_in_text(compared.preserved)} rises by {kept.difference:.2f}"
        parts.append(f"{text} ({level})" if level else text)
    if not parts:
        return ""
    if now.identity is not None and base.identity is not None:
        parts[-1] += (
            f"; {now.identity:.0%} of its edits leave the picture as it is, and {base.identity:.0%} of the base's"
        )
    return f"+ {arm} looks like a drift toward not editing: {', '.join(parts)}"


def _differences(compared: ComparedJudge, arm: str, metric: str) -> dict[str, Paired]:
    """The overall difference of an arm from the base, by level."""
    found = {}
    for level in compared.levels:
        figure = level.figures.get(arm, {}).get((*OVERALL, metric))
        if figure is not None and figure.difference is not None:
            found[level.level] = figure.difference
    return found
