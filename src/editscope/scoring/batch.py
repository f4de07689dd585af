"""Scores of many outputs at once, on all cores of the machine or on its GPU."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

from editscope.errors import BadInput, EditscopeError, unknown
from editscope.images import ImageLike, Layout, split_batch
from editscope.processes import cores
from editscope.scoring.pixels import ROLES, PixelScore, grade_loaded, load_role

if TYPE_CHECKING:
    from editscope.images._records import SupportsArray

Batch: TypeAlias = "Sequence[ImageLike] | SupportsArray"
"""Pictures: a list of what ``score_pixels`` takes, or one array of N × height × width × 3 or N × 3 × height × width."""


@overload
def score_batch(
    inputs: Batch,
    answers: Batch,
    outputs: Batch,
    *,
    jobs: int | None = None,
    layout: Layout | None = None,
    errors: Literal["raise"] = "raise",
) -> list[PixelScore]: ...


@overload
def score_batch(
    inputs: Batch,
    answers: Batch,
    outputs: Batch,
    *,
    jobs: int | None = None,
    layout: Layout | None = None,
    errors: Literal["keep"],
) -> list[PixelScore | EditscopeError]: ...


def score_batch(
    inputs: Batch,
    answers: Batch,
    outputs: Batch,
    *,
    jobs: int | None = None,
    layout: Layout | None = None,
    errors: Literal["raise", "keep"] = "raise",
) -> list[PixelScore] | list[PixelScore | EditscopeError]:
    """Score many outputs: what ``score_pixels`` gives for each input, answer and output, in their order.

    Each argument is a list of pictures, whose sizes may differ, or one array or tensor of four axes. ``jobs`` is the
    number of threads, one per core if None; threads work in any process, also in one that may start no others. Where
    you have a process for each core already, as in the workers of a data loader, pass ``jobs=1``.

    Where one of the three is a tensor on a CUDA device, batches of RGB pictures are scored there, with the same counts
    and no threads; what is still in the memory of the computer is copied to the device.

    A picture that cannot be used raises BadInput with the number of its triple, counted from 0; ``errors="keep"``
    puts that error into the list in place of the score, and goes on.

    >>> import numpy as np
    >>> before = np.zeros((2, 4, 4, 3), np.uint8)
    >>> after = before.copy(); after[:, 0] = 255
    >>> [score.miou for score in score_batch(before, after, outputs=[before[0], after[1]])]
    [0.0, 1.0]
    """
    if errors not in ("raise", "keep"):
        raise unknown("way to treat errors", str(errors), ("raise", "keep"))
    if jobs is not None and not (isinstance(jobs, int) and jobs >= 1):
        raise BadInput(f"jobs must be a whole number from 1, not {jobs!r}")
    given = {"inputs": inputs, "answers": answers, "outputs": outputs}
    if any(_is_on_gpu(pictures) for pictures in given.values()):
        from editscope.scoring.tensors import on_one_gpu, score_tensors

        tensors = on_one_gpu(given, layout)
        if tensors is not None:
            return score_tensors(*tensors)
    batches = {name: split_batch(pictures, name, layout) for name, pictures in given.items()}
    counts = {name: len(pictures) for name, (pictures, _) in batches.items()}
    if len(set(counts.values())) > 1:
        listed = ", ".join(f"{count} {name}" for name, count in counts.items())
        raise BadInput(f"score_batch got {listed}; give one of each for every triple")
    layouts = [known for _, known in batches.values()]
    triples = list(zip(*(pictures for pictures, _ in batches.values()), strict=True))
    return _Work(triples, layouts, keep=errors == "keep").done(min(jobs or cores(), len(triples)))


def _is_on_gpu(pictures: object) -> bool:
    return bool(getattr(pictures, "is_cuda", False)) and hasattr(pictures, "detach")


class _Work:
    """Triples that threads take one after another, and the scores that they have so far."""

    def __init__(self, triples: list[Any], layouts: Sequence[Layout | None], *, keep: bool) -> None:
        self.triples, self.layouts, self.keep = triples, layouts, keep
        self.scores: list[Any] = [None] * len(triples)
        self._numbers = iter(range(len(triples)))
        self._taking = threading.Lock()
        self._failed: dict[int, Exception] = {}

    def done(self, jobs: int) -> list[Any]:
        """All scores in order; raises the error of the first triple that has one, unless errors are kept."""
        if jobs <= 1:
            self._work()
        else:
            with ThreadPoolExecutor(jobs, thread_name_prefix="editscope-score") as pool:
                try:
                    for thread in [pool.submit(self._work) for _ in range(jobs)]:
                        thread.result()
                finally:
                    self._stop()
        if self._failed:
            number = min(self._failed)
            raise self._failed[number]
        return self.scores

    def _work(self) -> None:
        while (number := self._take()) is not None:
            try:
                self.scores[number] = self._score(number)
            except EditscopeError as error:
                named = type(error)(f"triple {number}: {error}")
                if self.keep:
                    self.scores[number] = named
                    continue
                named.__cause__ = error
                self._failed[number] = named
                self._stop()
            except Exception as error:
                error.add_note(f"in triple {number} of score_batch")
                self._failed[number] = error
                self._stop()

    def _score(self, number: int) -> PixelScore:
        before, answer, output = map(load_role, self.triples[number], ROLES, self.layouts)
        return grade_loaded(before, answer, output)[0]

    def _take(self) -> int | None:
        with self._taking:
            return next(self._numbers, None)

    def _stop(self) -> None:
        """Take no more triples; those below the first that failed have been taken already."""
        with self._taking:
            self._numbers = iter(range(0))
