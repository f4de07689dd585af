"""Ratings of models from pairwise votes: Elo as PICABench computes it, and Bradley–Terry beside it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from math import log
from statistics import fmean, pstdev

import numpy as np
from numpy.typing import NDArray

from editscope.errors import BadInput
from editscope.stats.bootstrap import draws, percentile_interval, raw_stream
from editscope.stats.hierarchy import Floats

START, SCALE, STEP, FLOOR, ROUNDS, VOTES = 1000.0, 400.0, 24.0, 700.0, 50, 5.0
"""PICABench's parameters; ``VOTES`` is the number of votes for which the step is ``STEP``."""
BT_RESAMPLES = 1_000
ELO_RESAMPLES = 200
REPLAYS = 5
"""Orders in which the matches of one resample are replayed."""
# Keeps the strength of a model that won everything in a resample finite; far below any digit that is shown.
RIDGE = 1e-6


@dataclass(frozen=True, slots=True)
class Match:
    """Votes on the edits that two models made of one item; a tie is half a vote for each."""

    a: str
    b: str
    votes_a: float
    votes_b: float
    ties: float = 0.0
    item: str = ""

    @property
    def votes(self) -> float:
        """All votes."""
        return self.votes_a + self.votes_b + self.ties

    @property
    def share_a(self) -> float:
        """The share of the votes that went to a."""
        return (self.votes_a + self.ties / 2) / self.votes


@dataclass(frozen=True, slots=True)
class Rating:
    """A model's rating, its spread over rounds (Elo) or its interval (Bradley–Terry), and what it rests on."""

    model: str
    rating: float
    matches: int
    votes: float
    share: float
    sd: float | None = None
    lo: float | None = None
    hi: float | None = None


def expected_share(rating_a: float, rating_b: float, scale: float = SCALE) -> float:
    """The share of votes that a should get against b: 1 / (1 + 10^((R_b - R_a) / S)).

    >>> expected_share(1000, 1000), round(expected_share(1200, 1000), 3)
    (0.5, 0.76)
    """
    share: float = 1.0 / (1.0 + 10.0 ** ((rating_b - rating_a) / scale))
    return share


def elo(
    matches: Iterable[Match],
    *,
    start: float = START,
    scale: float = SCALE,
    step: float = STEP,
    votes_per_match: float = VOTES,
    floor: float = FLOOR,
    rounds: int = ROUNDS,
    seed: int = 0,
    resamples: int = 0,
    level: float = 0.95,
) -> tuple[Rating, ...]:
    """Elo ratings from votes, best first: mean and standard deviation over shuffled replays.

    Each round starts every model at ``start``, goes through the matches in a random order and sets
    R ← max(floor, R + K (s - E)), with s the share of votes, E the expected one and
    K = step · votes / votes_per_match; both models are updated from their ratings before the match. The
    rating is the mean over rounds and ``sd`` = √(1/T Σ(R_t - R̄)²): the effect of the order alone, not of
    which items or voters were asked. ``resamples`` adds ``lo`` and ``hi``, a bootstrap over items: matches of one
    ``item`` are drawn together, and each resample is replayed in five orders.

    >>> found = elo([Match("A", "B", 4, 1), Match("A", "B", 5, 0), Match("B", "C", 3, 2), Match("A", "C", 5, 0)])
    >>> [(r.model, round(r.rating), r.matches) for r in found]
    [('A', 1030, 3), ('C', 986, 2), ('B', 984, 3)]
    """
    played = _checked(matches)
    if rounds < 1:
        raise BadInput(f"Elo needs at least one round, not {rounds}")
    names = sorted({name for match in played for name in (match.a, match.b)})
    number = {name: i for i, name in enumerate(names)}
    events = [(number[m.a], number[m.b], m.share_a, step * m.votes / votes_per_match) for m in played]
    bits = raw_stream(seed, "elo")
    final: list[list[float]] = [[] for _ in names]
    for _ in range(rounds):
        ratings = [start] * len(names)
        # Sorting raw 64-bit numbers is a shuffle that no library version changes.
        for i in np.argsort(bits.random_raw(len(events)), kind="stable").tolist():
            a, b, share, k = events[i]
            gain = k * (share - 1.0 / (1.0 + 10.0 ** ((ratings[b] - ratings[a]) / scale)))
            ratings[a], ratings[b] = max(floor, ratings[a] + gain), max(floor, ratings[b] - gain)
        for i, rating in enumerate(ratings):
            final[i].append(rating)
    counted = _counted(names, played)
    lows: Sequence[float | None] = [None] * len(names)
    highs = lows
    groups = _by_item(played)
    if resamples and len(groups) > 1:
        samples = _elo_samples(events, groups, len(names), start, scale, floor, resamples, seed)
        low, high = percentile_interval(samples.T, level)
        lows, highs = ([round(float(end), 6) for end in side] for side in (low, high))
    rated = [
        Rating(name, round(fmean(values), 6), *counted[name], sd=round(pstdev(values), 6), lo=lo, hi=hi)
        for name, values, lo, hi in zip(names, final, lows, highs, strict=True)
    ]
    return tuple(sorted(rated, key=lambda r: (-r.rating, r.model)))


def _by_item(played: Sequence[Match]) -> list[NDArray[np.intp]]:
    """The places of the matches of each item; a match without an item is its own."""
    places: dict[Hashable, list[int]] = {}
    for place, match in enumerate(played):
        places.setdefault(match.item or (place,), []).append(place)
    return [np.array(group, dtype=np.intp) for group in places.values()]


def _elo_samples(
    events: Sequence[tuple[int, int, float, float]],
    groups: Sequence[NDArray[np.intp]],
    models: int,
    start: float,
    scale: float,
    floor: float,
    resamples: int,
    seed: int,
) -> Floats:
    """Elo ratings of resampled items, all resamples at once: resamples × models."""
    # One event more, which changes nothing, fills up the resamples that drew items with fewer matches.
    first, second = (np.array([*(event[side] for event in events), side], dtype=np.intp) for side in (0, 1))
    share, step = (np.array([*(event[part] for event in events), 0.0]) for part in (2, 3))
    bits = raw_stream(seed, "elo intervals")
    orders = []
    for drawn in draws(seed, "items", len(groups), resamples):
        for row in drawn.astype(np.intp):
            matches = np.concatenate([groups[i] for i in row])
            orders += [matches[np.argsort(bits.random_raw(len(matches)), kind="stable")] for _ in range(REPLAYS)]
    table = np.full((max(map(len, orders)), len(orders)), len(events), dtype=np.intp)
    for column, order in enumerate(orders):
        table[: len(order), column] = order
    ratings = np.full((len(orders), models), start)
    rows = np.arange(len(orders))
    for place in table:
        a, b = first[place], second[place]
        before_a, before_b = ratings[rows, a], ratings[rows, b]
        gain = step[place] * (share[place] - 1.0 / (1.0 + 10.0 ** ((before_b - before_a) / scale)))
        ratings[rows, a], ratings[rows, b] = np.maximum(floor, before_a + gain), np.maximum(floor, before_b - gain)
    means: Floats = ratings.reshape(resamples, REPLAYS, models).mean(axis=1)
    return means


def bradley_terry(
    matches: Iterable[Match],
    *,
    start: float = START,
    scale: float = SCALE,
    prior: float = 0.0,
    resamples: int = BT_RESAMPLES,
    seed: int = 0,
    level: float = 0.95,
) -> tuple[Rating, ...]:
    """Bradley–Terry ratings from votes, best first, with intervals by bootstrap over items.

    P(a beats b) = 1 / (1 + exp(θ_b - θ_a)), θ by maximum likelihood (Newton), a tie as half a win for each;
    shown on Elo's scale as start + scale / ln 10 · (θ - mean θ). Matches of one ``item`` are drawn together
    (a match without an item is its own). Where a group of models never lost to the rest, no likelihood has a
    maximum, and the result says so; ``prior`` virtual votes of each model, half won and half lost against an
    average one, make one.

    >>> found = bradley_terry([Match("A", "B", 3, 1), Match("B", "C", 3, 1), Match("A", "C", 9, 1)])
    >>> [(r.model, round(r.rating)) for r in found]  # 3 : 1 is 191 points, 9 : 1 is 382
    [('A', 1191), ('B', 1000), ('C', 809)]
    """
    played = _checked(matches)
    names = sorted({name for match in played for name in (match.a, match.b)})
    wins = _wins(played, names)
    total = wins.sum(axis=0)
    if prior <= 0:
        _say_if_unbounded(total > 0, names)
    theta = _strengths(total[None], prior)[0]
    low = high = np.full(len(names), np.nan)
    if resamples and len(wins) > 1:
        blocks = map(_times, draws(seed, "items", len(wins), resamples))
        thetas = np.concatenate([_strengths(np.tensordot(times, wins, axes=1), prior) for times in blocks])
        low, high = percentile_interval(thetas.T, level)
    counted, shown = _counted(names, played), [_on_scale(side, start, scale) for side in (theta, low, high)]
    rated = [
        Rating(name, rating if rating is not None else start, *counted[name], lo=lo, hi=hi)
        for name, rating, lo, hi in zip(names, *shown, strict=True)
    ]
    return tuple(sorted(rated, key=lambda r: (-r.rating, r.model)))


def _on_scale(theta: Floats, start: float, scale: float) -> list[float | None]:
    # Six decimals hide what the solver of another machine does to the last bits.
    return [None if np.isnan(t) else round(start + scale / log(10) * float(t), 6) for t in theta]


def _checked(matches: Iterable[Match]) -> list[Match]:
    played = list(matches)
    for match in played:
        if match.a == match.b:
            raise BadInput(f"{match.a!r} cannot play against itself (item {match.item!r})")
        if min(match.votes_a, match.votes_b, match.ties) < 0:
            raise BadInput(f"the votes of {match.a!r} against {match.b!r} are negative (item {match.item!r})")
    voted = [match for match in played if match.votes > 0]
    if not voted:
        raise BadInput("ratings need at least one match that has votes")
    return voted


def _counted(names: Sequence[str], played: Sequence[Match]) -> dict[str, tuple[int, float, float]]:
    """How many matches and votes each model has, and its share of the votes."""
    matches, votes, won = dict.fromkeys(names, 0), dict.fromkeys(names, 0.0), dict.fromkeys(names, 0.0)
    for m in played:
        for name, share in ((m.a, m.share_a), (m.b, 1.0 - m.share_a)):
            matches[name] += 1
            votes[name] += m.votes
            won[name] += share * m.votes
    return {name: (matches[name], votes[name], won[name] / votes[name]) for name in names}


def _wins(played: Sequence[Match], names: Sequence[str]) -> Floats:
    """Votes of each model over each other, for every item: items × models × models."""
    number = {name: i for i, name in enumerate(names)}
    items = {m.item or (place,): 0 for place, m in enumerate(played)}
    place_of = {item: i for i, item in enumerate(items)}
    wins = np.zeros((len(items), len(names), len(names)))
    for place, m in enumerate(played):
        here, a, b = place_of[m.item or (place,)], number[m.a], number[m.b]
        wins[here, a, b] += m.votes_a + m.ties / 2
        wins[here, b, a] += m.votes_b + m.ties / 2
    return wins


def _times(drawn: NDArray[np.uint64]) -> Floats:
    """How often each item was drawn: resamples × items."""
    rows, size = drawn.shape
    flat = (drawn.astype(np.intp) + np.arange(rows)[:, None] * size).ravel()
    return np.bincount(flat, minlength=rows * size).reshape(rows, size).astype(np.float64)


def _strengths(wins: Floats, prior: float) -> Floats:
    """Newton's method for the log strengths of many tables of wins at once, each centered on 0."""
    tables, models, _ = wins.shape
    met = wins + wins.transpose(0, 2, 1)
    theta = np.zeros((tables, models))
    eye = np.arange(models)
    for _ in range(100):
        p = 1.0 / (1.0 + np.exp(theta[:, None, :] - theta[:, :, None]))
        own = 1.0 / (1.0 + np.exp(-theta))
        slope = (wins - met * p).sum(axis=2) + prior * (0.5 - own) - RIDGE * theta
        bend = -met * p * (1.0 - p)
        bend[:, eye, eye] = -bend.sum(axis=2) + prior * own * (1.0 - own) + RIDGE
        step = np.clip(np.linalg.solve(bend, slope[:, :, None])[:, :, 0], -2.0, 2.0)
        theta = theta + step
        if np.abs(step).max(initial=0.0) < 1e-10:
            break
    centered: Floats = theta - theta.mean(axis=1, keepdims=True)
    return centered


def _say_if_unbounded(beats: NDArray[np.bool_], names: Sequence[str]) -> None:
    """Raise where the votes leave the distance between two groups of models open."""
    apart = _ancestors(beats | beats.T)
    if not apart.all():
        here, there = _split(apart[:, 0], names)
        raise BadInput(f"no match connects {here} with {there}, so that they have no common ratings; rate them apart")
    above = _ancestors(beats)
    top = above[:, int(above.sum(axis=0).argmin())]
    if not top.all():
        here, there = _split(top, names)
        raise BadInput(
            f"{here} got every vote against {there}, so that the lead has no finite size; add matches, or give prior=1"
        )


def _ancestors(beats: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Entry i, j: a chain of wins leads from i to j."""
    chain = beats | np.eye(len(beats), dtype=np.bool_)
    for middle in range(len(beats)):
        chain |= chain[:, middle, None] & chain[None, middle]
    return chain


def _split(members: NDArray[np.bool_], names: Sequence[str]) -> tuple[str, str]:
    inside = [name for name, member in zip(names, members, strict=True) if member]
    outside = [name for name, member in zip(names, members, strict=True) if not member]
    return ", ".join(inside), ", ".join(outside)
