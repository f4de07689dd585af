"""A made study for `editscope studio --demo`: votes of simulated raters, and a link for whoever looks."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from editscope.studio.settings import Settings
    from editscope.studio.studies.records import Rater, Study

NAME = "demo"
YOU = "you"
RATERS = ("simulated rater 1", "simulated rater 2", "simulated rater 3")
CASES = 8
SHARPNESS = 0.08
"""How strongly a difference of one point of mIoU moves a simulated rater's choice, on the scale of Bradley–Terry."""


def make_study(settings: Settings, runs: Mapping[str, Path]) -> str:
    """Make the study where it is not there yet, and return the path of the link that is left for a person."""
    from editscope.studio.store.engine import Store
    from editscope.studio.studies.creating import create_study
    from editscope.studio.studies.design import StudyDesign
    from editscope.studio.studies.material import from_runs, sampled
    from editscope.studio.studies.raters import PATH, add_raters
    from editscope.studio.studies.records import find_study, raters_of, studies

    store = Store.opened(settings)
    try:
        with store.reading() as connection:
            there = any(study.name == NAME for study in studies(connection))
        if not there:
            content = from_runs({name: path.absolute() for name, path in runs.items()})
            # One vote more than the simulated raters give: what is left is for the person.
            design = StudyDesign(votes=len(RATERS) + 1, ties=True).checked()
            create_study(store, settings, NAME, design, content, sampled(content.cases, CASES, (), "", 0))
        with store.writing() as connection:
            study = find_study(connection, NAME)
            raters = raters_of(connection, study.id) or add_raters(connection, study, 0, (*RATERS, YOU))
            for rater in raters:
                if rater.name in RATERS:
                    _vote(connection, study, rater, _scores(runs))
        return next((PATH + rater.secret for rater in raters if rater.name == YOU and rater.revoked_at is None), "")
    finally:
        store.close()


def _scores(runs: Mapping[str, Path]) -> dict[tuple[str, str], float]:
    """mIoU in points by model and case."""
    from editscope.results import open_run

    return {
        (name, record.case_id): 100 * float(record.metrics.get("miou") or 0.0)
        for name, path in runs.items()
        for record in open_run(path).records()
    }


def _vote(connection: Connection, study: Study, rater: Rater, scores: Mapping[tuple[str, str], float]) -> None:
    """Let a simulated rater vote on every item once: for the better edit, the more surely the better it is."""
    from sqlalchemy import select

    from editscope.studio.studies.assigning import ItemRequest, give_items
    from editscope.studio.studies.ledger import Ballot, Submission, save_ballots
    from editscope.studio.studies.tables import ITEMS

    items = {row.key: row for row in connection.execute(select(ITEMS).where(ITEMS.c.study_id == study.id))}
    given: Any = give_items(connection, [ItemRequest(rater.secret, len(items), agreed=True)])[0]
    rng = Random(rater.number)
    ballots = []
    for one in given["items"]:
        item = items[one["key"]]
        lead = scores[item.first_model, item.case_id] - scores[item.second_model, item.case_id]
        first = rng.random() < 1.0 / (1.0 + math.exp(-SHARPNESS * lead))
        side = "left" if first != study.swapped(rater.id, item.id) else "right"
        ballots.append(Ballot(item.key, f"simulated-{rater.number}-{item.key}", side, seconds=rng.uniform(2, 12)))
    if ballots:
        save_ballots(connection, [Submission(rater.secret, tuple(ballots))])
