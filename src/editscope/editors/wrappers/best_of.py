"""Best of several edits of one request, each with a seed of its own: ``best_of(4, by=miou):EDITOR``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from editscope.cases import Edit
from editscope.editors.base import Editor, Request
from editscope.editors.make_edits import decoded, failed
from editscope.editors.wrappers.asking import CACHE_OPTION, Asker
from editscope.editors.wrappers.base import Wrapper, derived_seed, nested, total, traced
from editscope.editors.wrappers.choosing import PIXEL_SCORES, ByPairs, ByScale, ByScore, Choice, Chooser
from editscope.errors import BadInput, Stopped, unknown
from editscope.images import Pixels

MOST = 256
OPTIONS: Mapping[str, str] = {
    "n": "how many, from 1 to 256 (default 4)",
    "by": "miou, iou@0 … iou@10, edit_accuracy, preservation_accuracy, psnr, or a judge's spec",
    "how": "score (default) or pairs, for a judge",
    "cache": CACHE_OPTION,
}
WAYS: dict[str, Callable[[Asker], Chooser]] = {"score": ByScale, "pairs": ByPairs}


def load(inner: Editor, n: int = 4, by: str = "", *, how: str = "score", cache: str = "") -> Editor:
    """The wrapper of a spec."""
    if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= MOST:
        raise BadInput(f"best_of({n}) is not a number of edits from 1 to {MOST}, as in best_of(4, by=miou):EDITOR")
    if not by:
        raise BadInput(f"best_of needs a criterion: by=miou, another of {', '.join(PIXEL_SCORES)}, or a judge's spec")
    if how not in WAYS:
        raise unknown("value of how= in best_of(…)", str(how), WAYS)
    if ":" not in str(by) and by not in PIXEL_SCORES:
        raise unknown("score to choose by (or write a judge, such as by=openai:gpt-4o)", str(by), PIXEL_SCORES)
    chooser: Chooser = WAYS[how](Asker(by, cache)) if ":" in by else ByScore(by)
    return BestOf(inner, n, by, chooser)


class BestOf(Wrapper):
    """Makes ``n`` candidates, the first with the request's own seed, and keeps the one that ``chooser`` prefers."""

    def __init__(self, inner: Editor, n: int, by: str, chooser: Chooser) -> None:
        self.n, self.by, self.chooser = n, by, chooser
        super().__init__(inner, f"best-of-{n}", chooser.asker)
        self.edits = self.most_edits = n
        self.calls = chooser.calls(n)

    def take_over(self) -> None:
        """Be like the editor inside, so that the candidates of all requests together are no more than it bears."""
        super().take_over()
        self.batch = max(1, self.inner.batch // self.n)
        self.at_once = max(1, self.inner.at_once // self.n)
        self.wants_answer = self.wants_answer or self.chooser.sees_answer

    def edit_batch(self, cases: Sequence[Request]) -> list[Edit]:
        """The best edit of each request."""
        requests = [replace(case, seed=derived_seed(case.seed, k)) for case in cases for k in range(self.n)]
        rounds = self._rounds(requests)
        candidates = [edit for edits in rounds for edit in edits]
        number = [which for which, edits in enumerate(rounds) for _ in edits]
        return [
            self._best(
                case,
                [
                    (one.seed, edit)
                    for one, edit in zip(requests[i : i + self.n], candidates[i : i + self.n], strict=True)
                ],
                number[i : i + self.n],
            )
            for i, case in zip(range(0, len(requests), self.n), cases, strict=True)
        ]

    def _rounds(self, asked: Sequence[Request]) -> list[list[Edit]]:
        """All candidates, in groups that are made at the same time: a batch, or as many threads as the editor bears."""
        size = self.inner.batch if self.inner.batch > 1 else min(self.n, self.inner.at_once)
        groups = [asked[start : start + size] for start in range(0, len(asked), max(1, size))]
        if self.inner.batch > 1 or size < 2:
            return [self._tried(group) for group in groups]
        with ThreadPoolExecutor(size) as threads:
            return [[edit for (edit,) in threads.map(self._tried, [[one] for one in group])] for group in groups]

    def _tried(self, group: Sequence[Request]) -> list[Edit]:
        """The candidates of a group; what the editor raises is the status of a candidate, not of the whole."""
        try:
            return [decoded(edit) for edit in self.inside(group)]
        except Stopped:
            raise
        except Exception as error:
            return failed(error, group)

    def _best(self, case: Request, made: Sequence[tuple[int, Edit]], rounds: Sequence[int]) -> Edit:
        edits = [edit for _, edit in made]
        there = [place for place, edit in enumerate(edits) if edit.status == "ok"]
        pictures: list[Pixels] = [edits[place].image for place in there]  # type: ignore[misc]
        choice = self.chooser.choose(case, pictures) if there else Choice(0, ())
        best = there[choice.kept] if there else 0
        scores = dict(zip(there, choice.scores, strict=True))
        listed = [_told(seed, edit, scores.get(place)) for place, (seed, edit) in enumerate(made)]
        record = {"n": self.n, "by": self.by, "kept": best, "candidates": listed, **choice.said}
        slowest = dict.fromkeys(rounds, 0.0)
        for which, edit in zip(rounds, edits, strict=True):
            slowest[which] = max(slowest[which], edit.latency_s or 0.0)
        return replace(
            edits[best],
            trace=traced("best_of", record, edits[best].trace),
            cost_usd=total([*(edit.cost_usd for edit in edits), choice.cost_usd]),
            latency_s=sum(slowest.values()) + choice.latency_s,
            memory_mb=max((edit.memory_mb for edit in edits if edit.memory_mb is not None), default=None),
            attempts=sum(known) if (known := [e.attempts for e in edits if e.attempts is not None]) else None,
            notes=(*edits[best].notes, *choice.notes),
        )


def _told(seed: int, edit: Edit, score: float | None) -> dict[str, Any]:
    fields: dict[str, Any] = {"seed": seed, "status": edit.status, "score": None if score is None else round(score, 6)}
    fields |= {"reason": edit.reason, "asked": edit.asked, "cost_usd": edit.cost_usd}
    fields["trace"] = None if edit.trace is None else nested(edit.trace)
    return {name: value for name, value in fields.items() if value is not None}
