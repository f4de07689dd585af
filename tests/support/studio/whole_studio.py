"""A studio's folder with something in every part: runs, a study, an annotation project, a review queue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from editscope.review_queue import QueueRecord, write_queue
from editscope.studio.annotate.projects import Projects
from editscope.studio.review import decisions as ledger
from editscope.studio.review.queues import key_of
from editscope.studio.settings import Settings
from editscope.studio.store.engine import Store
from editscope.studio.studies.assigning import ItemRequest, give_items
from editscope.studio.studies.creating import create_study
from editscope.studio.studies.design import StudyDesign
from editscope.studio.studies.ledger import Ballot, Submission, save_ballots
from editscope.studio.studies.material import Material
from editscope.studio.studies.raters import add_raters
from editscope.studio.studies.reading import exclude
from editscope.studio.studies.records import find_study
from support.judged_data import draw, make_picabench
from support.reports.report_runs import make_run
from support.studio.made_study import NAMES, made_cases
from support.studio.studio_runs import ask, the_set

STUDY, QUEUE, FOLDER = "people", "q", "physics"
RUNS = ("good", "bad", "deep/middle")


@dataclass(frozen=True)
class WholeStudio:
    """What is in the folder, by the names that addresses and bodies have for it."""

    folder: Path
    database: str
    rater: str
    other_rater: str
    reviewer: str
    voted: Sequence[str]
    waiting: Sequence[str]
    record: QueueRecord
    project: int
    cases: Sequence[int]
    values: Mapping[str, Any]

    @property
    def queue(self) -> str:
        """The key of the review queue."""
        return key_of(QUEUE)

    def of_runs(self, address: str) -> tuple[str, str]:
        """The id of the set of all runs and that of a case in it, from a studio that runs."""
        found = the_set(address)
        card: dict[str, Any] = {"runs": []}
        while len(card["runs"]) < len(RUNS):  # until all of them are read
            (card,) = ask(f"{address}/api/sets/{found}/cases?limit=1")["cards"]
        return found, parse_qs(urlsplit(str(card["href"])).query)["id"][0]


def whole_studio(folder: Path, database: str = "") -> WholeStudio:
    """Fill a folder and its database."""
    runs = [make_run(folder / "deep", "middle", skill=0.5)]
    runs += [make_run(folder, name, skill=skill) for name, skill in (("good", 0.9), ("bad", 0.2))]
    make_picabench(folder / FOLDER, 3)
    for name in ("a.png", "b.png"):
        draw(folder / QUEUE / name, 1)
    record = QueueRecord("rec-0", {"source": "a.png", "edit": "b.png"}, {"instruction": "Paint it"}, {"law": "optics"})
    write_queue(folder / QUEUE, [record, QueueRecord("rec-1", {}, {"instruction": "Draw it"})])
    settings = Settings(folder, database=database)
    store = Store.opened(settings)
    try:
        models = {name: str(run.path) for name, run in zip(NAMES, runs, strict=True)}
        material = Material(made_cases(6), models)
        create_study(store, settings, STUDY, StudyDesign(votes=5), material, material.cases)
        with store.writing() as connection:
            study = find_study(connection, STUDY)
            first, second, third = add_raters(connection, study, 3)
            exclude(connection, study, third.number, "knew the models")
            (given,) = give_items(connection, [ItemRequest(first.secret, 10, agreed=True)])
            assert not isinstance(given, Exception)
            keys = [item["key"] for item in given["items"]]
            save_ballots(connection, [Submission(first.secret, (Ballot(keys[0], "an-earlier-vote", "left"),))])
            reviewer = ledger.add_reviewer(connection, QUEUE, "ann", ledger.REVIEWER)
        projects = Projects(settings, store)
        project = projects.create("mine", "picabench", FOLDER)
        cases = [row.id for row in projects.cases(project)]
        _, values, _ = projects.newest(projects.project(project), cases[0])
    finally:
        store.close()
    return WholeStudio(
        folder, database, first.secret, second.secret, reviewer.secret, keys[:1], keys[1:], record, project, cases,
        values,
    )  # fmt: skip
