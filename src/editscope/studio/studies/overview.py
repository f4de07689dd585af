"""Overview of a study: how far it is, who voted how, and its result, for pages and for the command line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from sqlalchemy import Connection, func, select

from editscope.studio.studies.creating import CHECK, VOTE
from editscope.studio.studies.reading import (
    Exclusion,
    exclusions_by_rule,
    kept_exclusions,
    several_browsers,
    votes_of,
)
from editscope.studio.studies.records import Rater, Study, Vote, raters_of
from editscope.studio.studies.results import BothResults, both_results
from editscope.studio.studies.tables import ITEMS, VOTES


@dataclass(frozen=True, slots=True)
class RaterRow:
    """A rater in the overview: votes, checks that were right, the usual time of a vote, and remarks."""

    rater: Rater
    votes: int
    checks: int
    checks_right: int
    seconds: float | None
    browsers: int
    exclusions: tuple[Exclusion, ...]

    @property
    def state(self) -> str:
        """Where the rater is, in a word."""
        if self.rater.revoked_at is not None:
            return "withdrawn"
        return "not started" if self.rater.agreed_at is None else "started" if not self.votes else "voting"


@dataclass(frozen=True, slots=True)
class StudyProgress:
    """How far a study is: votes that items still want and have, and items by kind."""

    votes: int
    wanted: int
    items: int
    complete_items: int
    raters: int
    started: int

    @property
    def share(self) -> float:
        """The part of the wanted votes that is there, at most 1."""
        return min(1.0, self.votes / self.wanted) if self.wanted else 0.0


@dataclass(frozen=True, slots=True)
class StudyOverview:
    """Everything about a study that its admin sees, apart from the result itself."""

    study: Study
    progress: StudyProgress
    raters: tuple[RaterRow, ...]
    votes: tuple[Vote, ...]
    exclusions: tuple[Exclusion, ...]

    def results(self) -> BothResults:
        """The result with and without the exclusions."""
        return both_results(self.study, self.votes, self.exclusions)


def study_progress(connection: Connection, study: Study) -> StudyProgress:
    """How far a study is, without reading its votes."""
    wanted = select(func.count(), func.coalesce(func.sum(ITEMS.c.wanted), 0)).where(
        ITEMS.c.study_id == study.id, ITEMS.c.kind == VOTE
    )
    items, total = connection.execute(wanted).one()
    per_item = (
        select(VOTES.c.item_id, func.count().label("votes"), func.min(ITEMS.c.wanted).label("wanted"))
        .join(ITEMS, ITEMS.c.id == VOTES.c.item_id)
        .where(VOTES.c.study_id == study.id, ITEMS.c.kind == VOTE)
        .group_by(VOTES.c.item_id)
        .subquery()
    )
    votes = connection.execute(select(func.coalesce(func.sum(per_item.c.votes), 0))).scalar_one()
    full = select(func.count()).select_from(per_item).where(per_item.c.votes >= per_item.c.wanted)
    raters = raters_of(connection, study.id)
    started = sum(rater.agreed_at is not None for rater in raters)
    complete = int(connection.execute(full).scalar_one())
    return StudyProgress(int(votes), int(total), int(items), complete, len(raters), started)


def study_overview(connection: Connection, study: Study) -> StudyOverview:
    """Everything about a study; reads all its votes."""
    votes = votes_of(connection, study)
    exclusions = [*kept_exclusions(connection, study), *exclusions_by_rule(study, votes)]
    rows = _rater_rows(raters_of(connection, study.id), votes, exclusions)
    return StudyOverview(study, study_progress(connection, study), tuple(rows), tuple(votes), tuple(exclusions))


def _rater_rows(raters: Sequence[Rater], votes: Sequence[Vote], exclusions: Sequence[Exclusion]) -> list[RaterRow]:
    own: dict[int, list[Vote]] = {}
    for vote in votes:
        own.setdefault(vote.rater, []).append(vote)
    browsers: Mapping[int, int] = several_browsers(votes)
    rows = []
    for rater in raters:
        mine = own.get(rater.number, [])
        kinds = Counter(vote.kind for vote in mine)
        right = sum(bool(vote.right) for vote in mine if vote.kind == CHECK)
        usual = median(vote.seconds for vote in mine) if mine else None
        out = tuple(e for e in exclusions if e.rater == rater.number and e.vote_id is None)
        used = browsers.get(rater.number, 1 if mine else 0)
        rows.append(RaterRow(rater, kinds[VOTE], kinds[CHECK], right, usual, used, out))
    return rows
