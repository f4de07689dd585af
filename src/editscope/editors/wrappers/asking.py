"""Judge of a wrapper: asked from threads, answering in an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from editscope.cachefolder import cache_folder
from editscope.editors.base import EditLimits
from editscope.errors import BadInput
from editscope.images import Pixels
from editscope.judges.prompts.promptfile import Prompt, differences, read_prompt
from editscope.judges.records import Call, Judge, Picture, Verdict, ask_judge, check_judge
from editscope.transport.account import Account
from editscope.transport.background import Background, run_once
from editscope.transport.budget import Budget
from editscope.transport.forecast import PaidCalls

SIDE = 1024
"""The longer side of the pictures that a wrapper shows to its judge, at most."""

TYPICAL = "Move the small red circle in the upper left corner to the middle of the largest square."
OFF = "off"

JUDGE_OPTION = "a judge's spec, such as openai:gpt-4o or openai:NAME?base_url=http://127.0.0.1:8000/v1"
SEE_OPTION = "images (default) or text: whether the judge sees the pictures"
CACHE_OPTION = "a folder for the judge's replies, or off; the shared cache unless you say otherwise"


class Asker:
    """A judge by spec, with the cache of verdicts, so that an equal question is paid once."""

    def __init__(self, spec: str, cache: str = "") -> None:
        self.spec = spec
        self.cache = None if cache == OFF else Path(cache) if cache else cache_folder()
        self.account: Account | None = None
        self._limits = EditLimits()
        self._judge: Judge | None = None
        self._background: Background | None = None
        known_kind(spec)

    def limit(self, limits: EditLimits) -> None:
        """Take retries, budget and prices from the limits of the editor."""
        self._limits = limits

    def check(self) -> None:
        """Raise BadInput where the judge cannot be asked. Costs nothing."""
        judge = self._made(None)

        async def check() -> None:
            try:
                await check_judge(judge)
            finally:
                await judge.close()

        run_once(check())

    def open(self) -> None:
        """Start the thread in which the judge is asked."""
        if self._judge is not None:
            return
        self._judge = self._made(self.cache)
        self._background = Background("judge of a wrapper")

    def ask(self, calls: Sequence[Call]) -> list[Verdict]:
        """The verdicts on calls that are asked at the same time; a spent budget raises Stopped."""
        self.open()
        assert self._judge is not None and self._background is not None
        judge = self._judge

        async def all_of_them() -> list[Verdict]:
            return list(await asyncio.gather(*(ask_judge(judge, call) for call in calls)))

        return self._background.run(all_of_them())

    def close(self) -> None:
        """Release the judge and end the thread."""
        if self._judge is None or self._background is None:
            return
        self._background.run(self._judge.close())
        self._background.close()
        self._judge = self._background = None

    def estimate(self, calls: int, images: int = 1) -> float | None:
        """Dollars for so many calls with so many pictures each, none of them in the cache; None where nobody knows."""
        return self.paid_calls(calls, images).cost_usd

    def paid_calls(self, calls: int, images: int = 1) -> PaidCalls:
        """What so many calls come to, each with so many pictures and a text of the usual length."""
        picture = Picture(_gray())
        call = Call("guess", (TYPICAL * 12, *[picture] * images), _text())
        judge = self._made(None)
        return judge.paid_calls(judge.estimate([call])).scaled(calls)

    def _made(self, cache: Path | None) -> Judge:
        from editscope.judges.registry import load_judge

        limits = self._limits
        given: dict[str, Any] = {"retries": limits.retries, "prices": limits.prices, "max_cost": limits.max_cost}
        judge = load_judge(
            self.spec, cache=cache, **{name: value for name, value in given.items() if value is not None}
        )
        judge.use_budget(Budget(limits.max_cost, options=("--max-edit-cost", "--max-edits")))
        judge.use_account(self.account)
        return judge


def known_kind(spec: str) -> None:
    """Raise BadInput for a judge spec that cannot be read, or a kind of judge that does not exist."""
    from editscope.errors import unknown
    from editscope.judges.registry import judge_kinds, parse_spec

    kind = parse_spec(str(spec)).kind
    if kind not in judge_kinds():
        raise unknown("kind of judge", kind, judge_kinds())


def shown(arrays: Sequence[Pixels]) -> tuple[Picture, ...]:
    """Pictures as a judge sees them: JPEG, the longer side at most 1024 pixels."""
    from editscope.scoring.rubrics.pictures import PictureFormat, pixels_picture

    return tuple(pixels_picture(pixels, PictureFormat(SIDE)) for pixels in arrays)


def own_prompt(path: str, ours: Prompt) -> Prompt:
    """The prompt in a user's file, which has to ask for the same as the one that ships."""
    prompt = read_prompt(path, ours)
    for why in differences(prompt, ours):
        raise BadInput(f"{path} cannot stand in for our prompt {ours.name!r}: {why}")
    return prompt


def cost(verdict: Verdict) -> float | None:
    """What a verdict cost this time: nothing where it was in the cache."""
    return 0.0 if verdict.cached else verdict.usage.cost_usd


def _text() -> Any:
    from editscope.judges.records import Schema

    return Schema((), reason="text")


def _gray() -> bytes:
    import numpy as np

    return shown([np.full((SIDE, SIDE, 3), 128, np.uint8)])[0].data
