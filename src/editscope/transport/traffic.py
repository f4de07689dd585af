"""Traffic with one server: how many requests at once, how fast, for how much money, and when to give up."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Generic, TypeVar

from editscope.errors import Stopped
from editscope.transport.budget import NOTHING_DUE, Bill, Budget
from editscope.transport.faults import Fault
from editscope.transport.rate_control import Concurrency, Pace, full_jitter

T = TypeVar("T")

LONGEST_PAUSE_S = 300.0
"""A server that asks to wait longer than this has no answer for this run."""

NOT_SENT = Fault("not sent")
CANCELLED = Fault("canceled", paid=True)


class NotSent(Stopped):
    """A request that was stopped before it was sent: nothing is due for it."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a server is waited for, and how often it is asked again.

    ``retries`` counts failures of transport for one reply (refusals for load may be three times as many, since waiting
    cures them); ``again`` counts replies that are of no use; ``give_up`` calls in a row without any answer
    stop the run.
    """

    timeout_s: float = 120.0
    retries: int = 5
    again: int = 2
    backoff_s: float = 0.5
    give_up: int = 25


@dataclass(frozen=True, slots=True)
class Sent(Generic[T]):
    """One request: its answer or its fault, the seconds it took and what it came, or may have come, to."""

    outcome: T | Fault
    seconds: float
    bill: Bill


@dataclass(slots=True)
class Tally:
    """What the requests for one answer have taken so far.

    ``cost`` counts lost requests, too, since they may have been paid for; ``charged`` is what counts against the
    budget; ``estimated`` counts answers whose tokens are our estimate, ``lost`` requests without an answer.
    """

    attempts: int = 0
    seconds: float = 0.0
    last_seconds: float = 0.0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    charged: float = 0.0
    estimated: int = 0
    lost: int = 0

    def add(self, sent: Sent[Any]) -> None:
        """Count one more request."""
        self.seconds += sent.seconds
        self.last_seconds = sent.seconds
        self.input_tokens += sent.bill.input_tokens
        self.output_tokens += sent.bill.output_tokens
        self.cost += sent.bill.cost
        self.charged += max(sent.bill.cost, sent.bill.charged)
        self.estimated += sent.bill.estimated
        self.lost += isinstance(sent.outcome, Fault) and sent.outcome.paid


@dataclass(slots=True)
class Tries:
    """The failures of one reply so far."""

    patience: Patience
    busy: int = 0
    broken: int = 0

    @property
    def failures(self) -> int:
        """How often it failed."""
        return self.busy + self.broken

    def another(self, fault: Fault) -> bool:
        """Count a failure; whether to send again.

        >>> tries = Tries(Patience(retries=1))
        >>> [tries.another(Fault("the server failed (500)", again=True)) for _ in range(2)]
        [True, False]
        """
        self.busy, self.broken = self.busy + fault.busy, self.broken + (not fault.busy)
        spent = self.busy > 3 * self.patience.retries or self.broken > self.patience.retries
        return fault.again and not spent and (fault.pause or 0.0) <= LONGEST_PAUSE_S


class Traffic:
    """Lets requests to one server pass, within concurrency, budget and pace, and books what they cost.

    ``who`` and ``what`` are for the sentence that ends a run: "the judge openai:gpt-4o has not answered 25 calls …".
    With ``stops_when_closed`` a fault of the account ends the run at once, else only many faults in a row do.
    """

    def __init__(
        self,
        who: str,
        *,
        what: str = "calls",
        stops_when_closed: bool = False,
        patience: Patience = Patience(),
        budget: Budget | None = None,
        concurrency: int = 32,
        rpm: float | None = None,
        tpm: float | None = None,
    ) -> None:
        self.who = who
        self.what = what
        self.stops_when_closed = stops_when_closed
        self.patience = patience
        self.budget = budget or Budget()
        self.control = Concurrency(concurrency)
        self._requests = Pace(rpm) if rpm else None
        self._tokens = Pace(tpm) if tpm else None
        self._dice = Random()
        self._failures = 0
        self._gone = ""

    async def answer(
        self,
        attempt: Callable[[], Awaitable[T | Fault]],
        bill: Callable[[T], Bill],
        tally: Tally,
        *,
        expected: Callable[[], Bill],
        gives_way: Callable[[Fault], bool],
    ) -> T | Fault:
        """Send until there is an answer, or a fault that sending again cannot mend.

        ``expected`` says before each attempt what it may come to. Where the server objects to the form of a request,
        ``gives_way`` says whether the next attempt will have another form. ``tally`` counts every attempt.
        """
        tries = Tries(self.patience)

        async def counted() -> T | Fault:
            tally.attempts += 1
            return await attempt()

        while True:
            sent = await self.send(counted, bill, expected())
            tally.add(sent)
            if not isinstance(sent.outcome, Fault):
                return sent.outcome
            fault = sent.outcome
            if fault.closed and self.stops_when_closed:
                raise self.end(f"{self.who} cannot be asked any more: {fault.text}")
            if fault.objects and gives_way(fault):
                continue
            if not tries.another(fault):
                return self.given_up(fault, tally.attempts)
            await self.pause(fault, tries.failures - 1)

    async def send(
        self, attempt: Callable[[], Awaitable[T | Fault]], bill: Callable[[T], Bill], expected: Bill
    ) -> Sent[T]:
        """One request that may come to ``expected``, made when its turn has come.

        An answer is booked as ``bill`` reports it, a lost request as it was reserved, one that was turned away as
        nothing. Raises BudgetSpent, or Stopped when the server was given up.
        """
        tokens = expected.input_tokens + expected.output_tokens
        ticket = await self.control.enter()
        try:
            self.still_there()
            held = await self.budget.reserve(expected.cost)
            outcome: T | Fault = NOT_SENT
            seconds, due = 0.0, NOTHING_DUE
            try:
                await self._paced(tokens)
                outcome = CANCELLED  # from here on it may be paid for, whatever happens to us
                start = asyncio.get_running_loop().time()
                outcome = await attempt()
                seconds = asyncio.get_running_loop().time() - start
                self._adapt(outcome, ticket)
            except NotSent:
                outcome = NOT_SENT
                raise
            finally:
                due = self._settle(outcome, bill, held, tokens)
        finally:
            self.control.leave()
        return Sent(outcome, seconds, due)

    async def pause(self, fault: Fault, failures: int) -> None:
        """Wait before the next attempt. Where the server said how long, the jitter only spreads the callers."""
        jitter = full_jitter(0 if fault.pause is not None else failures, self._dice, self.patience.backoff_s)
        # A busy server holds back everybody, in ``control``; any other pause is this caller's alone.
        await asyncio.sleep(jitter if fault.busy else jitter + (fault.pause or 0.0))

    def answered(self) -> None:
        """Somebody had an answer: the server is there."""
        self._failures = 0

    def given_up(self, fault: Fault, attempts: int) -> Fault:
        """Note that a reply was given up; Stopped when so many in a row were."""
        if fault.refused:
            self._failures = 0
            return fault
        self._failures += 1
        if self._failures == self.patience.give_up:
            self._gone = (
                f"{self.who} has not answered {self._failures} {self.what} in a row (last: {fault.text}); "
                "resume the run when it does"
            )
        self.still_there()
        return replace(fault, text=fault.text + (f" ({attempts} attempts)" if attempts > 1 else ""))

    def still_there(self) -> None:
        """Raise Stopped when the server was given up."""
        if self._gone:
            raise Stopped(self._gone)

    def end(self, why: str) -> Stopped:
        """The error that ends the run, for this request and all that wait."""
        self._gone = self._gone or why
        return Stopped(self._gone)

    def forgive(self) -> None:
        """Begin again to count failures."""
        self._failures, self._gone = 0, ""

    async def _paced(self, tokens: int) -> None:
        clock = asyncio.get_running_loop().time
        for pace, amount in ((self._requests, 1), (self._tokens, tokens)):
            if pace is not None and (wait := pace.reserve(clock(), amount)) > 0:
                await asyncio.sleep(wait)
        await self.control.hold()

    def _adapt(self, outcome: T | Fault, ticket: int) -> None:
        if not isinstance(outcome, Fault):
            self.control.grow()
        elif outcome.busy or outcome.timed_out:
            pause = outcome.pause or 0.0
            now = asyncio.get_running_loop().time()
            self.control.cut(ticket, now, pause if pause <= LONGEST_PAUSE_S else 0.0)

    def _settle(self, outcome: T | Fault, bill: Callable[[T], Bill], held: float, tokens: int) -> Bill:
        if not isinstance(outcome, Fault):
            came = bill(outcome)
            self.budget.settle(held, 1, came)
            if self._tokens is not None and came.input_tokens:
                self._tokens.correct(came.input_tokens + came.output_tokens - tokens)
            return came
        due = Bill(held, charged=held) if outcome.paid else NOTHING_DUE
        self.budget.settle(held, 1 if outcome.paid else 0, due)
        return due
