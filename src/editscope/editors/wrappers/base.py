"""Base of all wrappers: the editor inside, whose limits and abilities they take over, and the trace of both."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from editscope.cases import NOTHING, Edit
from editscope.editors.base import EditLimits, Editor, Inventory, OutputNames, Request, check_editor
from editscope.editors.make_edits import made
from editscope.editors.wrappers.asking import Asker
from editscope.images import ImageLike
from editscope.outside import LONGEST, shortened
from editscope.transport.account import Account
from editscope.transport.forecast import PaidCalls

WRAPPER = "wrapper"
"""The field by which the trace of a wrapper is told from other texts."""


class Wrapper(Editor):
    """An editor that asks the editor ``inner``; override ``edit_batch``. ``asker`` is its judge, where it has one."""

    reserves = True

    def __init__(self, inner: Editor, title: str, asker: Asker | None = None) -> None:
        self.inner = inner
        self.asker = asker
        self.name = f"{title}+{inner.name or type(inner).__name__}"
        self.take_over()

    def take_over(self) -> None:
        """Be like the editor inside: as many at once, as large batches, as many pictures."""
        inner = self.inner
        self.workers, self.at_once, self.batch, self.gpu = inner.workers, inner.at_once, inner.batch, inner.gpu
        self.max_images, self.own_clock = inner.max_images, inner.own_clock
        self.needs_answer, self.wants_answer = inner.needs_answer, inner.wants_answer
        self.wants_hint, self.trained_on = inner.wants_hint, inner.trained_on
        if self.asker is not None and self.workers is None:
            self.workers = 1  # one judge, one budget

    @property
    def free(self) -> bool:
        """Whether the editor inside is free, and no judge is paid."""
        return self.inner.free and self.asker is None

    def limit(self, limits: EditLimits) -> None:
        """Pass the limits on; the judge of a wrapper may spend as much as they allow, in all processes together."""
        calls = None if limits.max_calls is None else limits.max_calls * self.most_edits
        self.inner.limit(replace(limits, max_calls=calls))
        self.take_over()
        if self.asker is not None:
            share = None if limits.max_cost is None else limits.max_cost / (self.workers or 1)
            self.asker.limit(replace(limits, max_cost=share))

    def use_account(self, account: Account | None) -> None:
        """Pass the budget on to whoever spends: the editor inside, and the judge."""
        super().use_account(account)
        self.inner.use_account(account)
        if self.asker is not None:
            self.asker.account = account

    def check(self) -> None:
        """Check the editor inside, then the judge."""
        check_editor(self.inner)
        if self.asker is not None:
            self.asker.check()
        self.take_over()

    def load(self) -> None:
        """Load the editor inside, and get ready to ask the judge."""
        self.inner.load()
        if self.asker is not None:
            self.asker.open()
        self.take_over()

    def close(self) -> None:
        """Release both."""
        try:
            self.inner.close()
        finally:
            if self.asker is not None:
                self.asker.close()

    def edit(self, case: Request) -> ImageLike | Edit | None:
        """The edit of one request."""
        (made,) = self.edit_batch([case])
        return made

    def estimate(self, edits: int, images: int = 1) -> float | None:
        """What the editor inside and the judge cost; None where one of them is not known."""
        judging = 0.0 if self.asker is None else self.asker.estimate(edits * self.calls, images)
        inside = self.inner.estimate(edits * self.edits, images)
        return None if judging is None or inside is None else judging + inside

    def paid_calls(self, edits: int, images: int = 1) -> tuple[PaidCalls, ...]:
        """What is asked of the editor inside and of the judge."""
        judging = () if self.asker is None else (self.asker.paid_calls(edits * self.calls, images),)
        return (*self.inner.paid_calls(edits * self.edits, images), *judging)

    calls: int = 1
    """How many calls to the judge one edit takes, for the estimate."""

    edits: int = 1
    """How many edits of the editor inside one edit takes, for the estimate."""

    most_edits: int = 1
    """How many it takes at most."""

    def inventory(self, selected: Sequence[str], known: Sequence[str], names: OutputNames = NOTHING) -> Inventory:
        """What the editor inside says of its files."""
        return self.inner.inventory(selected, known, names)

    def source_files(self) -> Sequence[str | Path]:
        """Those of the editor inside too."""
        return (*super().source_files(), *self.inner.source_files())

    def inside(self, requests: Sequence[Request]) -> list[Edit]:
        """What the editor inside makes of requests, in batches of its size. Answer and hint are for who wants them."""
        if not (self.inner.needs_answer or self.inner.wants_answer):
            requests = [replace(one, answer=None, effects=()) for one in requests]
        if not self.inner.wants_hint:
            requests = [replace(one, hint="") if one.hint else one for one in requests]
        size = max(1, self.inner.batch)
        return [
            edit for start in range(0, len(requests), size) for edit in made(self.inner, requests[start : start + size])
        ]


def derived_seed(seed: int, number: int) -> int:
    """The seed of the further edits that come of one request: the first has its own, so that one of one is the same.

    >>> derived_seed(7, 0), derived_seed(7, 1), derived_seed(7, 2)
    (7, 3462326043, 3729453469)
    """
    return seed if number == 0 else int(sha256(f"{seed}|{number}".encode()).hexdigest()[:8], 16)


def traced(wrapper: str, happened: Mapping[str, Any], inside: str | None = None) -> str:
    """What a wrapper did, as JSON; ``inner`` is what the editor inside said, an object where that is a wrapper too.

    Where it would be longer than a run keeps, the texts in it are shortened until it fits, so that it stays JSON.

    >>> traced("join", {"pictures": 2}, traced("resize", {"sent": "8x8"}, "thinking"))
    '{"wrapper": "join", "pictures": 2, "inner": {"wrapper": "resize", "sent": "8x8", "inner": "thinking"}}'
    """
    record: dict[str, Any] = {WRAPPER: wrapper, **happened}
    if inside is not None:
        record["inner"] = nested(inside)
    text, longest = json.dumps(record, ensure_ascii=False), LONGEST
    while len(text) > LONGEST and longest > 16:
        longest //= 2
        text = json.dumps(_with_texts_of(record, longest), ensure_ascii=False)
    return text


def _with_texts_of(value: Any, longest: int) -> Any:
    if isinstance(value, str):
        return shortened(value, longest)
    if isinstance(value, Mapping):
        return {name: _with_texts_of(one, longest) for name, one in value.items()}
    return [_with_texts_of(one, longest) for one in value] if isinstance(value, list | tuple) else value


def nested(trace: str) -> Any:
    """A trace as it stands in the trace of another wrapper: an object where it is one of ours, else the text."""
    if not trace.startswith(f'{{"{WRAPPER}": '):
        return trace
    try:
        return json.loads(trace)
    except ValueError:
        return trace


def total(amounts: Iterable[float | None]) -> float | None:
    """The sum of what is known, to a billionth; None where nothing is.

    >>> total([0.1, None, 0.2]), total([None])
    (0.3, None)
    """
    known = [amount for amount in amounts if amount is not None]
    return round(sum(known), 9) if known else None
