"""Results of a study: pure functions of its votes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from editscope.errors import BadInput
from editscope.stats.agreement import Agreement, krippendorff_alpha
from editscope.stats.bootstrap import draws, percentile_interval
from editscope.stats.ratings import ELO_RESAMPLES, Match, Rating, bradley_terry, elo
from editscope.studio.studies.design import StudyDesign
from editscope.studio.studies.reading import Exclusion, counted
from editscope.studio.studies.records import Study, Vote

MEAN_RESAMPLES = 2_000
NOMINAL_ORDER = ("first", "tie", "second")


@dataclass(frozen=True, slots=True)
class Battle:
    """One vote on two models' edits of a case: the atom that every rating is made of."""

    case_id: str
    level: str
    a: str
    b: str
    winner: str
    """The name of the winner, or "" for a tie."""
    rater: int

    @property
    def item(self) -> str:
        """The case at its level."""
        return f"{self.case_id}@{self.level}" if self.level else self.case_id


@dataclass(frozen=True, slots=True)
class Preferences:
    """Ratings from pairwise votes: Elo as the papers compute it, and Bradley–Terry, both with intervals over cases."""

    elo: tuple[Rating, ...]
    bradley_terry: tuple[Rating, ...]
    votes: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class MeanScore:
    """The mean score of a model on a scale with its interval over cases: the mean over cases of the mean of raters."""

    model: str
    scale: str
    mean: float
    lo: float | None
    hi: float | None
    cases: int
    ratings: int


@dataclass(frozen=True, slots=True)
class StudyResult:
    """What follows from some votes: preferences or mean scores, and the agreement of raters by scale."""

    votes: int
    raters: int
    preferences: Preferences | None
    levels: Mapping[str, Preferences]
    means: tuple[MeanScore, ...]
    agreement: Mapping[str, Agreement]


@dataclass(frozen=True, slots=True)
class BothResults:
    """The result with the exclusions and without them, and the exclusions."""

    kept: StudyResult
    everything: StudyResult
    exclusions: tuple[Exclusion, ...]


def both_results(study: Study, votes: Sequence[Vote], exclusions: Sequence[Exclusion]) -> BothResults:
    """The result of the votes that count, and of all votes."""
    everything = result(study.design, counted(votes, ()))
    kept = counted(votes, exclusions)
    same = len(kept) == everything.votes
    return BothResults(everything if same else result(study.design, kept), everything, tuple(exclusions))


def result(design: StudyDesign, votes: Sequence[Vote]) -> StudyResult:
    """What follows from votes by the design of a study."""
    raters = len({vote.rater for vote in votes})
    if not votes:
        return StudyResult(0, 0, None, {}, (), {})
    if design.kind == "ratings":
        scales = [scale.name for scale in design.scales]
        means = tuple(mean for scale in scales for mean in mean_scores(votes, scale))
        agreed = {scale: value for scale in scales if (value := score_agreement(votes, scale)) is not None}
        return StudyResult(len(votes), raters, None, {}, means, agreed)
    battles = battles_of(votes)
    levels = list(dict.fromkeys(battle.level for battle in battles))
    by_level = {
        level: preferences(design, [battle for battle in battles if battle.level == level])
        for level in (levels if len(levels) > 1 else ())
    }
    agreement = choice_agreement(votes)
    agreed = {} if agreement is None else {"choice": agreement}
    return StudyResult(len(votes), raters, preferences(design, battles), by_level, (), agreed)


def battles_of(votes: Iterable[Vote]) -> list[Battle]:
    """The battles of a pairwise study, one for each vote."""
    return [
        Battle(
            vote.case_id,
            vote.level,
            vote.first_model,
            vote.second_model,
            {"first": vote.first_model, "second": vote.second_model}.get(vote.choice, ""),
            vote.rater,
        )
        for vote in votes
    ]


def matches_of(battles: Iterable[Battle]) -> list[Match]:
    """Matches for ratings: the votes on one pair of edits together, in an order that depends on nothing else."""
    tallies: dict[tuple[str, str, str], list[int]] = defaultdict(lambda: [0, 0, 0])
    for battle in battles:
        a, b = sorted((battle.a, battle.b))
        tallies[battle.item, a, b][0 if battle.winner == a else 1 if battle.winner == b else 2] += 1
    return [Match(a, b, w, l, t, item) for (item, a, b), (w, l, t) in sorted(tallies.items())]


def preferences(design: StudyDesign, battles: Sequence[Battle], *, resamples: int = ELO_RESAMPLES) -> Preferences:
    """Ratings of the models. Where one model won every vote, Bradley–Terry gets one virtual vote, and a note."""
    matches, settings = matches_of(battles), design.elo
    rated = elo(
        matches,
        start=settings.start,
        scale=settings.scale,
        step=settings.step,
        votes_per_match=settings.votes_per_match,
        floor=settings.floor,
        rounds=settings.rounds,
        seed=design.seed,
        resamples=resamples,
    )
    note = ""
    try:
        strengths = bradley_terry(matches, start=settings.start, scale=settings.scale, seed=design.seed)
    except BadInput as error:
        note = f"Bradley–Terry with one virtual vote for each model: {error}"
        strengths = bradley_terry(matches, start=settings.start, scale=settings.scale, seed=design.seed, prior=1.0)
    return Preferences(rated, strengths, len(battles), note)


def choice_agreement(votes: Sequence[Vote]) -> Agreement | None:
    """Krippendorff's alpha of the choices, nominal; None where no item has two votes."""
    return _alpha([(vote.item_id, vote.rater, NOMINAL_ORDER.index(vote.choice)) for vote in votes], "nominal")


def score_agreement(votes: Sequence[Vote], scale: str) -> Agreement | None:
    """Krippendorff's alpha of the scores on a scale, ordinal; None where no edit has two ratings."""
    return _alpha([(vote.item_id, vote.rater, vote.scores[scale]) for vote in votes if scale in vote.scores], "ordinal")


def _alpha(given: Sequence[tuple[int, int, int]], level: str) -> Agreement | None:
    items = {item: place for place, item in enumerate(sorted({item for item, _, _ in given}))}
    raters = {rater: place for place, rater in enumerate(sorted({rater for _, rater, _ in given}))}
    table: list[list[int | None]] = [[None] * len(items) for _ in raters]
    for item, rater, value in given:
        table[raters[rater]][items[item]] = value
    try:
        return krippendorff_alpha(table, "ordinal" if level == "ordinal" else "nominal")
    except BadInput:
        return None


def mean_scores(votes: Sequence[Vote], scale: str, *, resamples: int = MEAN_RESAMPLES) -> list[MeanScore]:
    """Mean scores of the models on a scale, best first, with bootstrap intervals over cases."""
    scores: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for vote in votes:
        if scale in vote.scores:
            scores[vote.first_model][f"{vote.case_id}@{vote.level}"].append(vote.scores[scale])
    found = []
    for model, by_case in scores.items():
        values = np.array([np.mean(given) for _, given in sorted(by_case.items())])
        ratings = sum(map(len, by_case.values()))
        low = high = np.array([np.nan])
        if len(values) > 1:
            blocks = draws(0, "cases", len(values), resamples)
            samples = np.concatenate([values[block.astype(np.intp)].mean(axis=1) for block in blocks])
            low, high = percentile_interval(samples[None, :])
        lo, hi = (None if np.isnan(side[0]) else round(float(side[0]), 6) for side in (low, high))
        found.append(MeanScore(model, scale, round(float(values.mean()), 6), lo, hi, len(values), ratings))
    return sorted(found, key=lambda mean: (-mean.mean, mean.model))
