"""Choice of the best of several edits: by a score against the answer, or by a judge that sees them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from editscope.editors.base import Request
from editscope.editors.wrappers.asking import Asker, cost, shown
from editscope.editors.wrappers.base import total
from editscope.errors import BadInput
from editscope.images import Pixels, cover
from editscope.judges.prompts.packs import load_pack
from editscope.judges.records import Call, Verdict

PIXEL_SCORES = ("miou", *(f"iou@{level}" for level in range(11)), "edit_accuracy", "preservation_accuracy", "psnr")
"""What candidates can be chosen by where a case has an answer."""

TOP_DB = 100.0
"""What counts as the PSNR of a picture that is the answer exactly, whose PSNR is infinite."""


@dataclass(frozen=True)
class Choice:
    """Which candidate is kept, what each of them scored (None: nothing), and what the choice took."""

    kept: int
    scores: tuple[float | None, ...]
    cost_usd: float | None = None
    latency_s: float = 0.0
    said: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


class Chooser(ABC):
    """Somebody who keeps the best of some edits of one request."""

    sees_answer = False
    asker: Asker | None = None

    @abstractmethod
    def choose(self, case: Request, candidates: Sequence[Pixels]) -> Choice:
        """The best candidate; the first of those that are equally good."""

    def calls(self, count: int) -> int:
        """How many calls to a judge a choice among so many takes."""
        return 0


class ByScore(Chooser):
    """The candidate that comes nearest to the answer, which the editor never sees."""

    sees_answer = True

    def __init__(self, score: str) -> None:
        self.score = score

    def choose(self, case: Request, candidates: Sequence[Pixels]) -> Choice:
        """The best candidate by the pixel score."""
        if case.answer is None:
            raise BadInput(f"case {case.case_id} has no answer to choose by {self.score}; choose by a judge: by=SPEC")
        scores = [pixel_score(self.score, case.arrays[0], case.answer, one) for one in candidates]
        note = f"best of {len(candidates)}, chosen with the answer ({self.score}): an upper bound"
        return Choice(scores.index(max(scores)), tuple(scores), notes=(note,) if len(candidates) > 1 else ())


def pixel_score(name: str, source: Pixels, answer: Pixels, made: Pixels) -> float:
    """One of ``PIXEL_SCORES`` of an edit; another size is scaled and cropped to the answer's, as the metric does.

    >>> import numpy as np
    >>> before, after = np.zeros((4, 4, 3), np.uint8), np.full((4, 4, 3), 255, np.uint8)
    >>> [pixel_score(name, before, after, after) for name in ("miou", "iou@0", "edit_accuracy", "psnr")]
    [1.0, 1.0, 1.0, 100.0]
    """
    if name == "psnr":
        from editscope.scoring.psnr import psnr

        return min(TOP_DB, psnr(answer, cover(made, answer.shape[1], answer.shape[0])))
    from editscope.scoring import score_pixels

    scores = score_pixels(source, answer, made)
    if name.startswith("iou@"):
        return scores.iou[int(name.removeprefix("iou@"))]
    return scores.metrics()[name]


class ByScale(Chooser):
    """The candidate to which a judge gives the highest score from 1 to 10."""

    def __init__(self, asker: Asker) -> None:
        self.asker: Asker = asker

    def calls(self, count: int) -> int:
        """One for each candidate."""
        return count

    def choose(self, case: Request, candidates: Sequence[Pixels]) -> Choice:
        """The best candidate by the judge's scores; the first where the judge has none."""
        if len(candidates) == 1:
            return Choice(0, (None,))
        pack, source = load_pack("best_of"), shown(case.arrays)
        words = {"instruction": case.instruction}
        calls = [
            pack.call("score", f"score-{i}", {"source": source, "edit": shown([one])}, words)
            for i, one in enumerate(candidates)
        ]
        verdicts = self.asker.ask(calls)
        scores = tuple(float(one.values["score"]) if one.status == "ok" else None for one in verdicts)
        known = [one for one in scores if one is not None]
        best = scores.index(max(known)) if known else 0
        return Choice(best, scores, *_taken([verdicts]), _said(verdicts), _missing(verdicts))


class ByPairs(Chooser):
    """The candidate that a judge prefers to those before it, asked in both orders; a draw keeps the earlier one."""

    def __init__(self, asker: Asker) -> None:
        self.asker: Asker = asker

    def calls(self, count: int) -> int:
        """Two for each candidate after the first."""
        return 2 * (count - 1)

    def choose(self, case: Request, candidates: Sequence[Pixels]) -> Choice:
        """The winner, and for each candidate how many of its two votes it won when it was compared last."""
        source, pictures = shown(case.arrays), [shown([one]) for one in candidates]
        best = 0
        rounds: list[Sequence[Verdict]] = []
        votes: list[float | None] = [None] * len(candidates)
        for other in range(1, len(candidates)):
            pair = self.asker.ask(
                [self._call(case, source, pictures, best, other), self._call(case, source, pictures, other, best)]
            )
            rounds.append(pair)
            for_other = (pair[0].status == "ok" and pair[0].values["better"] == 2) + (
                pair[1].status == "ok" and pair[1].values["better"] == 1
            )
            voted = sum(one.status == "ok" for one in pair)
            votes[best], votes[other] = float(voted - for_other), float(for_other)
            best = other if for_other > voted - for_other else best
        verdicts = [one for pair in rounds for one in pair]
        return Choice(best, tuple(votes), *_taken(rounds), _said(verdicts), _missing(verdicts))

    def _call(self, case: Request, source: Any, pictures: Sequence[Any], first: int, second: int) -> Call:
        shown_pair = {"source": source, "first": pictures[first], "second": pictures[second]}
        return load_pack("best_of").call(
            "pair", f"pair-{first}-{second}", shown_pair, {"instruction": case.instruction}
        )


def _taken(rounds: Sequence[Sequence[Verdict]]) -> tuple[float | None, float]:
    """Cost and time of verdicts: money for all, time once for those of a round, which are asked at the same time."""
    seconds = [max((one.usage.latency_s for one in asked), default=0.0) for asked in rounds]
    return total(cost(one) for asked in rounds for one in asked), sum(seconds)


def _said(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    if not verdicts:
        return {}
    first = verdicts[0]
    entries = [{"status": one.status, **one.values, "reason": one.reason, "cached": one.cached} for one in verdicts]
    return {"judge": first.judge, "snapshot": first.snapshot, "prompt_hash": first.prompt_hash, "verdicts": entries}


def _missing(verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    lost = [one for one in verdicts if one.status != "ok"]
    if not lost:
        return ()
    return (f"the judge of best_of gave no verdict {len(lost)} of {len(verdicts)} times ({lost[0].reason})",)
