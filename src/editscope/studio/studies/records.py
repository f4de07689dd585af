"""Records of a study as the database has them."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Row, select

from editscope.errors import BadInput
from editscope.studio.failures import Missing
from editscope.studio.studies.design import StudyDesign
from editscope.studio.studies.tables import RATERS, STUDIES


@dataclass(frozen=True, slots=True)
class Study:
    """A study: its number, name, design and models, and whether it still gives out items."""

    id: int
    name: str
    design: StudyDesign
    models: tuple[Mapping[str, str], ...]
    secret: str
    state: str
    created_at: float

    @property
    def open(self) -> bool:
        """Whether raters still get items."""
        return self.state == "open"

    @property
    def model_names(self) -> tuple[str, ...]:
        """The names of the models, in the order in which they were given."""
        return tuple(model["name"] for model in self.models)

    def swapped(self, rater_id: int, item_id: int) -> bool:
        """Whether a rater sees the second model's edit on the left: a coin of the study, not of the order of models."""
        words = f"{rater_id}:{item_id}".encode()
        return bool(hmac.digest(self.secret.encode(), words, hashlib.sha256)[0] & 1)


@dataclass(frozen=True, slots=True)
class Rater:
    """A person with a private link."""

    id: int
    study_id: int
    number: int
    name: str
    secret: str
    agreed_at: float | None
    revoked_at: float | None


@dataclass(frozen=True, slots=True)
class Vote:
    """A vote as the results read it. ``choice`` is first, second or tie: the model's place, not the side it was on."""

    id: int
    item_id: int
    case_id: str
    level: str
    kind: str
    first_model: str
    second_model: str
    rater: int
    choice: str
    swapped: bool
    scores: Mapping[str, int]
    seconds: float
    saved_at: float
    browser: str
    tags: Mapping[str, str] = field(default_factory=dict)
    expected: Mapping[str, Any] = field(default_factory=dict)

    @property
    def right(self) -> bool | None:
        """Whether a check was answered as expected; None where nothing is expected."""
        return answered_right(self.expected, self.choice, self.scores)


def answered_right(expected: Mapping[str, Any], choice: str, scores: Mapping[str, int]) -> bool | None:
    """Whether an answer is the expected one; None where any will do.

    >>> answered_right({"at_most": {"quality": 3}}, "", {"quality": 5}), answered_right({}, "first", {})
    (False, None)
    """
    if "choice" in expected:
        return choice == str(expected["choice"])
    if "at_most" in expected:
        return all(scores.get(name, most + 1) <= most for name, most in expected["at_most"].items())
    return None


def study_from(row: Row[Any]) -> Study:
    """A study from its row."""
    design = StudyDesign.from_json(row.design)
    return Study(row.id, row.name, design, tuple(row.models), row.secret, row.state, row.created_at)


def rater_from(row: Row[Any]) -> Rater:
    """A rater from their row."""
    return Rater(row.id, row.study_id, row.number, row.name, row.secret, row.agreed_at, row.revoked_at)


def find_study(connection: Connection, name: str) -> Study:
    """The study of this name; an error that names those there are."""
    row = connection.execute(select(STUDIES).where(STUDIES.c.name == name)).first()
    if row is None:
        known = list(connection.execute(select(STUDIES.c.name).order_by(STUDIES.c.name)).scalars())
        listed = (
            f"the studies are {', '.join(known)}" if known else "there are none; make one with `editscope study create`"
        )
        raise Missing(f"there is no study {name!r}; {listed}")
    return study_from(row)


def studies(connection: Connection) -> list[Study]:
    """All studies, the newest first."""
    return [study_from(row) for row in connection.execute(select(STUDIES).order_by(STUDIES.c.id.desc()))]


def raters_of(connection: Connection, study_id: int) -> list[Rater]:
    """The raters of a study, in order."""
    rows = connection.execute(select(RATERS).where(RATERS.c.study_id == study_id).order_by(RATERS.c.number))
    return [rater_from(row) for row in rows]


def rater_by_link(connection: Connection, secret: str) -> tuple[Rater, Study]:
    """The rater of a link and the study; an error where the link is forged or was withdrawn."""
    query = select(RATERS, STUDIES.c.id.label("study")).join(STUDIES).where(RATERS.c.secret == secret)
    row = connection.execute(query).first()
    if row is None:
        raise Missing("This link belongs to no study. Open the link exactly as you were sent it.")
    if row.revoked_at is not None:
        raise BadInput("This link was withdrawn. Ask the person who sent it to you.")
    study = connection.execute(select(STUDIES).where(STUDIES.c.id == row.study_id)).one()
    return rater_from(row), study_from(study)


def by_id(rows: Sequence[Any]) -> dict[int, Any]:
    """Rows by their id."""
    return {row.id: row for row in rows}
