"""Budget of requests: an estimate is reserved before each is sent, and settled when it is answered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from editscope.errors import BadInput
from editscope.transport.account import Account, BudgetSpent, in_dollars

if TYPE_CHECKING:
    import asyncio

__all__ = ["NOTHING_DUE", "Bill", "Budget", "BudgetSpent", "Spent"]


@dataclass(frozen=True, slots=True)
class Bill:
    """What an answer came to.

    Tokens and ``cost`` are as the server reports them, or estimated where it reports none or nonsense (``estimated``).
    ``charged`` is what counts against the budget; where it is less than ``cost``, that does.
    """

    cost: float = 0.0
    input_tokens: int = 0
    output_tokens: int = 0
    charged: float = 0.0
    estimated: bool = False


NOTHING_DUE = Bill()


@dataclass(slots=True)
class Spent:
    """What has been spent so far: requests that were (or may have been) paid for, tokens, dollars where known.

    ``charged_usd`` is what counts against the budget: never less than what we know of a request ourselves.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    charged_usd: float = 0.0


class Budget:
    """Lets requests through while money and calls last.

    A request reserves one call and its estimated cost. When it is answered, the estimate is replaced by what the
    answer came to, for which the server's word is taken only where it is not less than what we know ourselves; a
    request that a server turned away (429, 5xx) or never got gives its reservation back, one that timed out or broke
    off keeps it, since it may have been paid for. A request that does not fit waits for those in
    flight to be settled, and only when none is left is the budget spent: so the last cent is used, and the limit is
    passed at most by what a reply costs above its estimate.

    ``account`` is the budget of the whole run, which other processes spend too; a request has to fit into both.
    """

    def __init__(
        self,
        max_cost: float | None = None,
        max_calls: int | None = None,
        *,
        what: str = "judge call",
        options: tuple[str, str] = ("--max-cost", "--max-calls"),
        account: Account | None = None,
    ) -> None:
        if max_cost is not None and not 0 <= max_cost < float("inf"):
            raise BadInput(f"{options[0]} is {max_cost}; write dollars, 0 or more")
        if max_calls is not None and max_calls < 0:
            raise BadInput(f"{options[1]} is {max_calls}; write 0 or more")
        self.what = what
        self.options = options
        self.max_cost = max_cost
        self.max_calls = max_calls
        self.account = account
        self.spent = Spent()
        self._held_calls = 0
        self._held_cost = 0.0
        self._waiting: list[asyncio.Future[None]] = []
        self._turns: tuple[asyncio.AbstractEventLoop, asyncio.Lock] | None = None

    async def reserve(self, cost: float) -> float:
        """Wait until a request of this estimated cost may be sent; BudgetSpent when it never may."""
        import asyncio  # see ``Account.reserve``

        while not self._fits(cost):
            if not self._held_calls:
                self._wake()
                raise BudgetSpent(self._why())
            settled = asyncio.get_running_loop().create_future()
            self._waiting.append(settled)
            await settled
        self._held_calls += 1
        self._held_cost += cost
        if self.account is not None:
            try:
                async with self._turn():  # one at a time: thousands may wait, and each look locks a file
                    if not cost:  # its price is unknown, perhaps because its client has just started
                        self.account.refuse_overdrawn(self.what)
                    await self.account.reserve(cost, self.what)
            except BaseException:
                self._release(cost)
                raise
        return cost

    def settle(self, held: float, calls: int, bill: Bill = NOTHING_DUE) -> None:
        """Replace a reservation by what the request came to; ``calls`` is 0 where it was turned away."""
        if self.account is not None:
            self.account.settle(held, max(bill.cost, bill.charged))
        self.spent.calls += calls
        self.spent.input_tokens += bill.input_tokens
        self.spent.output_tokens += bill.output_tokens
        self.spent.cost_usd += bill.cost
        self.spent.charged_usd += max(bill.cost, bill.charged)
        self._release(held)

    def _turn(self) -> asyncio.Lock:
        """The lock of this event loop."""
        import asyncio

        loop = asyncio.get_running_loop()
        if self._turns is None or self._turns[0] is not loop:
            self._turns = loop, asyncio.Lock()
        return self._turns[1]

    def _release(self, held: float) -> None:
        self._held_calls -= 1
        self._held_cost = max(0.0, self._held_cost - held) if self._held_calls else 0.0
        self._wake()

    def _fits(self, cost: float) -> bool:
        calls, dollars = self.spent.calls + self._held_calls, self.spent.charged_usd + self._held_cost
        if self.max_calls is not None and calls + 1 > self.max_calls:
            return False
        return self.max_cost is None or dollars + cost <= self.max_cost

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, []
        for settled in waiting:
            if not settled.done():
                settled.set_result(None)

    def _why(self) -> str:
        if self.max_calls is not None and self.spent.calls + 1 > self.max_calls:
            return (
                f"the budget of {self.max_calls:,} {self.what}s is spent; resume the run with a higher "
                f"{self.options[1]}"
            )
        return (
            f"another {self.what} does not fit into the budget of {in_dollars(self.max_cost or 0.0)} "
            f"(${self.spent.charged_usd:,.4f} spent); resume the run with a higher {self.options[0]}"
        )
