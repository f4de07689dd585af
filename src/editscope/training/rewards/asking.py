"""Judge of rewards: asked in a thread of its own, with the cache, so that no verdict is paid for twice."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from typing import ClassVar

from editscope.errors import BadInput, EditscopeError, Stopped
from editscope.judges import Call, Judge, Verdict
from editscope.judges.records import ask_judge, check_judge
from editscope.outside import one_line
from editscope.runs.judging.settings import Limits, load_judges
from editscope.transport.account import BudgetSpent
from editscope.transport.background import Background


class RewardJudge:
    """A judge that several rewards share: one pool of connections, one rate, one budget.

    If a judge cannot be asked, a rollout has no verdict, but training continues: such a verdict has a status.
    After a judge has stopped answering, it is first checked, free of charge, when it is needed again.
    """

    _shared: ClassVar[dict[tuple[str, Limits], RewardJudge]] = {}
    _lock: ClassVar = threading.Lock()

    def __init__(self, judge: str | Judge, limits: Limits) -> None:
        (self.judge,) = load_judges([judge], limits)
        self.silent = False
        """Whether the judge has stopped answering."""
        self._background = Background("editscope-rewards")
        self._turns: asyncio.Semaphore | None = None
        self._holders = 1
        self._key: tuple[str, Limits] | None = None

    @classmethod
    def shared(cls, judge: str | Judge, limits: Limits) -> RewardJudge:
        """The judge of a spec, shared by all rewards with the same limits; ``release`` gives it back."""
        if not isinstance(judge, str):
            return cls(judge, limits)
        with cls._lock:
            known = cls._shared.get((judge, limits))
            if known is not None:
                known._holders += 1
                return known
            made = cls(judge, limits)
            made._key = (judge, limits)
            cls._shared[made._key] = made
            return made

    def release(self) -> None:
        """Close the judge once nobody shares it anymore."""
        with self._lock:
            self._holders -= 1
            if self._holders > 0 or self._background.closed:
                return
            if self._key is not None:
                self._shared.pop(self._key, None)
        self._background.run(self.judge.close())
        self._background.close(5.0)

    def check(self) -> None:
        """Raise BadInput if the judge cannot be asked. Costs nothing."""
        self._background.run(check_judge(self.judge))
        self.silent = False

    def ask(self, calls: Sequence[Call], samples: int = 1) -> list[list[Verdict]]:
        """The verdicts on each call, in order, all asked at the same time; BudgetSpent if the budget is spent."""
        if not calls:
            return []
        return self._background.run(self._ask_all(calls, samples))

    async def _ask_all(self, calls: Sequence[Call], samples: int) -> list[list[Verdict]]:
        if self._turns is None:
            self._turns = asyncio.Semaphore(max(1, self.judge.concurrency))
        why = await self._still_silent()
        asked = [(call, sample) for call in calls for sample in range(samples)]
        results = await asyncio.gather(
            *(self._ask(call, sample, why) for call, sample in asked), return_exceptions=True
        )
        verdicts: list[Verdict] = []
        for result in results:
            if isinstance(result, BaseException):
                raise result
            verdicts.append(result)
        return [verdicts[start : start + samples] for start in range(0, len(verdicts), samples)]

    async def _still_silent(self) -> str:
        """Why the judge is not asked; "" if it can be."""
        if not self.silent:
            return ""
        try:
            await check_judge(self.judge)
        except BadInput as error:
            return str(error)
        self.silent = False
        return ""

    async def _ask(self, call: Call, sample: int, silent: str) -> Verdict:
        assert self._turns is not None
        try:
            if silent:
                known = self.judge.known(call, sample)
                return known or self._failed(silent, sample)
            async with self._turns:
                return await ask_judge(self.judge, call, sample)
        except BudgetSpent:
            raise
        except Stopped as stop:
            self.silent = True
            return self._failed(str(stop), sample)
        except EditscopeError as error:
            return self._failed(str(error), sample)
        except Exception as error:  # a custom judge may do anything
            return self._failed(f"the judge {self.judge.spec} failed unexpectedly ({one_line(error)})", sample)

    def _failed(self, why: str, sample: int) -> Verdict:
        return Verdict("error", reason=why, judge=self.judge.spec, sample=sample)
