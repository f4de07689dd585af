"""A small study with made pictures, and raters with known preferences."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from editscope.studio.settings import Settings
from editscope.studio.store.engine import Store
from editscope.studio.studies.creating import create_study
from editscope.studio.studies.design import StudyDesign
from editscope.studio.studies.material import Material, StudyCase
from editscope.studio.studies.raters import add_raters
from editscope.studio.studies.records import Rater, Study, find_study
from editscope.suites.study import RatingScale

NAMES = ("secretive-model", "hidden-model", "unseen-model")
SCALES = (RatingScale("quality", "Quality", 1, 5, "poor", "excellent"), RatingScale("truth", "Truth", 1, 5))


def made_cases(number: int, models: Sequence[str] = NAMES, side: int = 48) -> tuple[StudyCase, ...]:
    """Cases whose edits are squares of other colors."""
    cases = []
    for i in range(number):
        rng = np.random.default_rng(i)
        source = np.full((side, side + 16, 3), rng.integers(0, 256, 3), np.uint8)
        edits = {}
        for place, model in enumerate(models):
            edit = source.copy()
            edit[8:30, 8:40] = (255 - 20 * place, 25 * place, i % 256)
            edits[model] = edit
        law = ("light", "heat")[i % 2]
        cases.append(StudyCase(f"case{i}", "", f"Paint square {i} <b>red</b>", (source,), edits, {"law": law}))
    return tuple(cases)


def made_study(
    store: Store, folder: Path, *, cases: int = 4, raters: int = 2, models: Sequence[str] = NAMES, name: str = "people",
    **design: Any,
) -> tuple[Study, list[Rater]]:  # fmt: skip
    """A study in the database, and its raters."""
    if design.get("kind") == "ratings":
        design = {"scales": SCALES, **design}
    material = Material(made_cases(cases, models), dict.fromkeys(models, ""))
    create_study(store, Settings(folder), name, StudyDesign(**design), material, material.cases)
    with store.writing() as connection:
        study = find_study(connection, name)
        return study, add_raters(connection, study, raters)
