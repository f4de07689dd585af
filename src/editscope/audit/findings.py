"""Findings of an audit about one judge: numbers with intervals over problems, and what they mean in sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from editscope.audit.judge_findings import STEADY, JudgeFindings, call_facts, gap_flag
from editscope.audit.known_edit_set import AuditProblem
from editscope.audit.known_edits import LEVELS
from editscope.audit.means import NOTHING_FOUND, RESAMPLES, Mean, interval_of, mean_over_problems
from editscope.judges import Verdict
from editscope.stats.bootstrap import draws
from editscope.stats.rank_correlation import kendall_tau, spearman_rho

MOSTLY_ONE = 0.9
"""A judge that gives one score so often says nothing."""
BIAS = 0.1
"""So far from even the two places of a pair may be, whatever the interval says: in an audit of 40 problems this flags
fewer than one fair judge in a hundred, and nearly every one that takes one place seven times out of ten."""
PRAISE = 0.1
"""So often a picture that was not edited may get one of the two highest scores."""


@dataclass(frozen=True, slots=True)
class ScoredEdit:
    """What a judge gave to one edit: a score for each time that it was asked, None where there was no verdict."""

    problem: int
    level: str
    miou: float
    scores: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class PairChoice:
    """Two edits of one problem shown in both orders: whether the better one was chosen when it stood first, second."""

    problem: int
    better: str
    worse: str
    as_first: bool | None
    as_second: bool | None


@dataclass(frozen=True)
class Findings(JudgeFindings):
    """All that scores and pairs say about one judge. Shares are fractions, scores on their scale of 1 to 5."""

    levels: Mapping[str, Mean]
    distribution: Mapping[str, Mapping[str, int]]
    rank_accuracy: Mean
    ties: Mean
    rank_by: Mapping[str, Mean]
    kendall: Mean
    spearman: Mean
    pair_accuracy: Mean
    chose_first: Mean
    same_in_both_orders: Mean
    same_again: Mean
    apart_again: Mean


def findings(
    judge: str, problems: Sequence[AuditProblem], verdicts: Mapping[tuple[str, str, int], Verdict]
) -> Findings:
    """What the verdicts of one judge come to; ``verdicts`` by problem, key of the call, and sample."""
    scored, duels = sorted_verdicts(problems, verdicts)
    unflagged = Findings(
        **call_facts(judge, list(verdicts.values())),
        levels={level: _level_mean(scored, level, len(problems)) for level in LEVELS},
        distribution={level: _counts(scored, level) for level in LEVELS},
        rank_accuracy=rank_accuracy(scored, len(problems)),
        ties=_ranked(scored, len(problems), lambda a, b: float(a == b)),
        rank_by={name: rank_accuracy(scored, len(problems), pairs=pairs) for name, pairs in _kinds_of_pairs().items()},
        kendall=kendall(scored, len(problems)),
        spearman=spearman(scored, len(problems)),
        pair_accuracy=mean_over_problems(
            [(d.problem, float(right)) for d in duels for right in _both(d)], len(problems)
        ),
        chose_first=mean_over_problems([(d.problem, share) for d in duels for share in _firsts(d)], len(problems)),
        same_in_both_orders=mean_over_problems([(d.problem, _same(d)) for d in duels if _both(d)], len(problems)),
        same_again=_again(scored, len(problems), lambda a, b: float(a == b)),
        apart_again=_again(scored, len(problems), lambda a, b: float(abs(a - b)), share=False),
    )
    return Findings(**{**unflagged.__dict__, "flags": flags(unflagged)})


def sorted_verdicts(
    problems: Sequence[AuditProblem], verdicts: Mapping[tuple[str, str, int], Verdict]
) -> tuple[list[ScoredEdit], list[PairChoice]]:
    """The verdicts of one judge, sorted into scores of edits and choices between two."""
    samples = 1 + max((sample for _, _, sample in verdicts), default=0)
    scored, duels = [], []
    for number, problem in enumerate(problems):
        for edit in problem.edits:
            given = [verdicts.get((problem.id, f"score:{edit.level}", sample)) for sample in range(samples)]
            scored.append(ScoredEdit(number, edit.level, edit.miou, tuple(_value(one, "score") for one in given)))
        for better, worse in pairs_of(problem, number):
            chosen = [
                _value(verdicts.get((problem.id, f"pair:{first}:{second}", 0)), "better")
                for first, second in ((better, worse), (worse, better))
            ]
            right = [None if one is None else one == place for place, one in enumerate(chosen, start=1)]
            duels.append(PairChoice(number, better, worse, right[0], right[1]))
    return scored, duels


def pairs_of(problem: AuditProblem, number: int) -> list[tuple[str, str]]:
    """The pairs of a problem that are shown side by side: the best and the worst edit, and two neighbors in turn."""
    levels = [edit.level for edit in problem.edits]
    near = number % max(1, len(levels) - 1)
    pairs = [(levels[0], levels[-1]), (levels[near], levels[min(near + 1, len(levels) - 1)])]
    return [pair for pair in dict.fromkeys(pairs) if pair[0] != pair[1]]


def rank_accuracy(
    scored: Sequence[ScoredEdit], problems: int, pairs: Callable[[str, str], bool] = lambda better, worse: True
) -> Mean:
    """How often, of two edits of one problem, the one with the higher mIoU got the higher score; a tie counts half.

    >>> levels = (("oracle", 1.0, 5), ("medium", 0.5, 5), ("none", 0.0, 1))
    >>> said = [ScoredEdit(0, level, miou, (score,)) for level, miou, score in levels]
    >>> rank_accuracy(said, 1).value  # (½ + 1 + 1) / 3
    0.833333
    """
    return _ranked(scored, problems, lambda a, b: float(a > b) + 0.5 * (a == b), pairs)


def kendall(scored: Sequence[ScoredEdit], problems: int) -> Mean:
    """The mean over problems of Kendall's tau-b between scores and mIoU; 0 where all edits of one got the same score.

    >>> levels = (("oracle", 1.0, 5), ("medium", 0.5, 2), ("none", 0.0, 1))
    >>> kendall([ScoredEdit(0, level, miou, (score,)) for level, miou, score in levels], 1).value
    1.0
    """
    taus = []
    for problem, points in _by_problem(scored).items():
        truth, scores = zip(*points, strict=True)
        if len(set(truth)) > 1:  # a judge that gives every edit one score orders nothing: 0
            taus.append((problem, kendall_tau(truth, scores) or 0.0))
    return mean_over_problems(taus, problems, share=False)


def spearman(scored: Sequence[ScoredEdit], problems: int) -> Mean:
    """Spearman's rho of all scores with mIoU; problems are resampled whole. None where the scores never differ."""
    grouped = _by_problem(scored)
    if not grouped:
        return NOTHING_FOUND
    points = [np.array(points, dtype=np.float64) for points in grouped.values()]
    value = spearman_rho(*np.concatenate(points).T)
    if value is None:
        return Mean(None, None, None, len(points))
    sampled = [
        spearman_rho(*np.concatenate([points[int(k)] for k in row]).T)
        for block in draws(0, "problems", len(points), RESAMPLES // 2)
        for row in block
    ]
    lo, hi = interval_of(np.array([one for one in sampled if one is not None]), len(points))
    return Mean(round(value, 6), lo, hi, len(points))


def flags(found: Findings) -> dict[str, str]:
    """What is wrong with a judge, by name, each in a sentence; nothing for a good one."""
    flaws: dict[str, str] = {}
    scores: Counter[str] = Counter()
    for counts in found.distribution.values():
        scores.update(counts)
    total = sum(scores.values())
    if total and (top := scores.most_common(1)[0])[1] >= MOSTLY_ONE * total:
        share = 100 * top[1] / total
        flaws["indifferent"] = f"It gives the score {top[0]} in {share:.0f} % of all verdicts, whatever it is shown."
    if found.rank_accuracy.value is not None and not found.rank_accuracy.above(0.5):
        flaws["cannot rank"] = "Its scores do not tell a better edit from a worse one more often than chance."
    first = found.chose_first
    if first.value is not None and leans(first):
        place = "first" if first.value > 0.5 else "second"
        share = 100 * max(first.value, 1 - first.value)
        flaws["position bias"] = f"Of two edits it takes the {place} one in {share:.0f} % of cases, in either order."
    if found.same_again.value is not None and found.same_again.value < STEADY:
        share = 100 * found.same_again.value
        flaws["inconsistent"] = f"Asked again, it gives the same score in only {share:.0f} % of cases."
    praise = _praise(found.distribution["none"])
    if praise is not None and praise > PRAISE:
        flaws["praises no edit"] = f"It gives a 4 or 5 to {100 * praise:.0f} % of pictures that were not edited at all."
    return flaws | gap_flag(found)


def leans(first: Mean) -> bool:
    """Whether a judge that takes the first of two edits so often has a bias: far from even, and surely so.

    >>> leans(Mean(0.7, 0.62, 0.78, 40)), leans(Mean(0.58, 0.52, 0.64, 40)), leans(Mean(0.65, 0.48, 0.8, 6))
    (True, False, False)
    """
    return first.value is not None and abs(first.value - 0.5) >= BIAS and (first.above(0.5) or first.below(0.5))


# --- parts ----------------------------------------------------------------------------------------


def _kinds_of_pairs() -> dict[str, Callable[[str, str], bool]]:
    ends = ("oracle", "none")
    return {
        "right over none": lambda better, worse: (better, worse) == ends,
        "right over damaged": lambda better, worse: better == "oracle" and worse != "none",
        "damaged over none": lambda better, worse: better != "oracle" and worse == "none",
        "less damaged over more": lambda better, worse: better not in ends and worse not in ends,
    }


def _ranked(
    scored: Sequence[ScoredEdit],
    problems: int,
    of: Callable[[int, int], float],
    pairs: Callable[[str, str], bool] = lambda better, worse: True,
) -> Mean:
    """The mean of a function of two scores, better edit first, over all pairs of one problem and one asking."""
    values = []
    by_problem: dict[int, list[ScoredEdit]] = {}
    for one in scored:
        by_problem.setdefault(one.problem, []).append(one)
    for problem, shown in by_problem.items():
        for a, b in combinations(sorted(shown, key=lambda one: -one.miou), 2):
            if a.miou > b.miou and pairs(a.level, b.level):
                both = zip(a.scores, b.scores, strict=True)
                values += [(problem, of(x, y)) for x, y in both if x is not None and y is not None]
    return mean_over_problems(values, problems)


def _again(scored: Sequence[ScoredEdit], problems: int, of: Callable[[int, int], float], *, share: bool = True) -> Mean:
    values = []
    for one in scored:
        given = [score for score in one.scores if score is not None]
        values += [(one.problem, of(a, b)) for a, b in combinations(given, 2)]
    return mean_over_problems(values, problems, share=share)


def _level_mean(scored: Sequence[ScoredEdit], level: str, problems: int) -> Mean:
    scores = [(edit.problem, float(s)) for edit in scored if edit.level == level for s in edit.scores if s is not None]
    return mean_over_problems(scores, problems, share=False)


def _counts(scored: Iterable[ScoredEdit], level: str) -> dict[str, int]:
    given = Counter(score for one in scored if one.level == level for score in one.scores if score is not None)
    return {str(score): given[score] for score in range(1, 6)}


def _praise(counts: Mapping[str, int]) -> float | None:
    total = sum(counts.values())
    return (counts.get("4", 0) + counts.get("5", 0)) / total if total else None


def _by_problem(scored: Sequence[ScoredEdit]) -> dict[int, list[tuple[float, float]]]:
    """Points (mIoU, mean score) of each problem that has at least two."""
    points: dict[int, list[tuple[float, float]]] = {}
    for one in scored:
        given = [score for score in one.scores if score is not None]
        if given:
            points.setdefault(one.problem, []).append((one.miou, sum(given) / len(given)))
    return {problem: found for problem, found in points.items() if len(found) > 1}


def _both(duel: PairChoice) -> list[bool]:
    """The two answers of a duel, nothing where one is missing: a place is judged in both orders or not at all."""
    if duel.as_first is None or duel.as_second is None:
        return []
    return [duel.as_first, duel.as_second]


def _firsts(duel: PairChoice) -> list[float]:
    """Whether the edit that stood first was chosen, in each order."""
    return [float(duel.as_first), float(not duel.as_second)] if _both(duel) else []  # type: ignore[arg-type]


def _same(duel: PairChoice) -> float:
    return float(duel.as_first == duel.as_second)


def _value(verdict: Verdict | None, name: str) -> int | None:
    return int(verdict.values[name]) if verdict is not None and verdict.status == "ok" else None
