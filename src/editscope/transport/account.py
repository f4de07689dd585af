"""Account of a run's money: one file that every process of the run reserves from before it sends a paid request."""

from __future__ import annotations

import json
import math
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from editscope.errors import BadInput, Stopped
from editscope.processes import is_running

FILE = "spending.json"
OPTION = "--budget"
SIZE = 4096
"""Bytes of the file: one write of at most a page, which a killed process has either made or not."""
POLL_S = 0.05
CENT_PART = 1e-9
"""Dollars that rounding may add to a sum of many amounts."""


class BudgetSpent(Stopped):
    """The budget does not allow another request. What is done is kept, and the run can be resumed with more."""


@dataclass(frozen=True, slots=True)
class Balance:
    """What an account holds: dollars that are committed, the open reservations among them by process, the budget."""

    committed: float = 0.0
    held: Mapping[str, float] = field(default_factory=dict)
    budget: float | None = None


class Account:
    """One budget for all processes of a run: edits, judges and the judges of wrappers.

    A request adds its price to what is committed before it is sent, and replaces it by what it came to when it is
    answered. A process that is killed leaves its open reservations committed, since they may have been paid for. So
    what was sent never exceeds the budget, whoever is killed when; only a reply that costs more than was reserved for
    it can.

    ``instead`` is what somebody can do where no budget can be kept, for want of a price: "" leaves it to the service.
    """

    def __init__(self, file: str | Path, budget: float, instead: str = "") -> None:
        self.file = Path(file)
        self.budget = budget
        self.instead = instead
        self._lock = threading.Lock()
        self._fd = -1

    def __getstate__(self) -> dict[str, Any]:
        """A copy in another process opens the file itself."""
        return {"file": self.file, "budget": self.budget, "instead": self.instead}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    def begin(self, spent: float) -> Balance:
        """Open the account for a process that holds the run's lock: ``spent`` is what the journal says at least.

        What a killed process had reserved stays committed.
        """
        with self._changing() as (balance, write):
            return write(Balance(max(balance.committed, spent), {}, self.budget))

    def read(self) -> Balance:
        """What the account holds now."""
        with self._changing() as (balance, _):
            return balance

    @property
    def left(self) -> float:
        """Dollars that may still be reserved."""
        return max(0.0, self.budget - self.read().committed)

    async def reserve(self, cost: float, what: str) -> None:
        """Commit dollars for a request; waits for open ones to be settled, and raises BudgetSpent where none is."""
        import asyncio  # every worker imports this module, and hardly any has an event loop

        while not self._take(cost, what):
            await asyncio.sleep(POLL_S)

    def reserve_now(self, cost: float, what: str) -> None:
        """``reserve`` for a thread without an event loop."""
        while not self._take(cost, what):
            time.sleep(POLL_S)

    def refuse_overdrawn(self, what: str) -> None:
        """Raise BudgetSpent where more is committed than the budget; for a request of unknown cost."""
        committed = self.read().committed
        if committed > self.budget + CENT_PART:
            raise BudgetSpent(
                f"another {what} does not fit into the budget of {in_dollars(self.budget)} "
                f"({in_dollars(committed)} spent); resume the run with a higher {OPTION}"
            )

    def settle(self, held: float, charged: float) -> None:
        """Replace a reservation by what the request came to: 0 where it was turned away."""
        if not held and not charged:
            return
        with self._changing() as (balance, write):
            me = str(os.getpid())
            open_here = max(0.0, balance.held.get(me, 0.0) - held)
            others = {name: amount for name, amount in balance.held.items() if name != me}
            held_now = {**others, me: open_here} if open_here > CENT_PART else others
            write(replace(balance, committed=max(0.0, balance.committed - held + charged), held=held_now))

    def _take(self, cost: float, what: str) -> bool:
        """Whether the dollars were committed; False where open requests may still free some, else BudgetSpent."""
        if not cost:
            return True
        with self._changing() as (balance, write):
            if balance.committed + cost <= self.budget + CENT_PART:
                me = str(os.getpid())
                held = {**balance.held, me: balance.held.get(me, 0.0) + cost}
                write(replace(balance, committed=balance.committed + cost, held=held))
                return True
            if any(is_running(int(process)) for process in balance.held):
                return False
            raise BudgetSpent(
                f"another {what} (about {in_dollars(cost)}) does not fit into the budget of {in_dollars(self.budget)} "
                f"({in_dollars(balance.committed)} spent); resume the run with a higher {OPTION}"
            )

    @contextmanager
    def _changing(self) -> Iterator[tuple[Balance, Callable[[Balance], Balance]]]:
        """The balance, and a function that writes another; nobody else reads or writes meanwhile."""
        import fcntl

        with self._lock:
            try:
                if self._fd < 0:
                    self._fd = os.open(self.file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
                fcntl.flock(self._fd, fcntl.LOCK_EX)
            except OSError as error:
                raise BadInput(
                    f"{OPTION} cannot be kept, because {self.file} cannot be opened and locked ({error.strerror}); "
                    "put the run on a local disk"
                ) from error
            try:
                yield _parsed(os.pread(self._fd, SIZE, 0)), self._write
            finally:
                fcntl.flock(self._fd, fcntl.LOCK_UN)

    def _write(self, balance: Balance) -> Balance:
        try:
            os.pwrite(self._fd, _fitting(balance).ljust(SIZE - 1) + b"\n", 0)
        except OSError as error:
            raise Stopped(f"{self.file} cannot be written ({error.strerror})") from error
        return balance


def _fitting(balance: Balance) -> bytes:
    """The balance as the bytes of the file, which must fit. Reservations of dead processes are left out first.

    They stay committed: ``held`` only says who may still give money back.
    """
    held = dict(balance.held)
    content = _as_bytes(balance, held)
    if len(content) >= SIZE:
        held = {process: amount for process, amount in held.items() if is_running(int(process))}
        content = _as_bytes(balance, held)
    while len(content) >= SIZE:
        held.pop(min(held, key=lambda process: held[process]))
        content = _as_bytes(balance, held)
    return content


def _as_bytes(balance: Balance, held: Mapping[str, float]) -> bytes:
    record = {"committed_usd": round(balance.committed, 9), "budget_usd": balance.budget, "held": held}
    return json.dumps(record).encode()


def in_dollars(amount: float) -> str:
    """An amount with as many decimals as it needs, from two to six.

    >>> in_dollars(20), in_dollars(0.003), in_dollars(1234.5)
    ('$20.00', '$0.003', '$1,234.50')
    """
    whole = f"{amount:,.6f}".rstrip("0")
    return f"${whole}" + "0" * max(0, 2 - len(whole.rpartition(".")[2]))


def read_balance(file: str | Path) -> Balance:
    """What an account file holds; nothing where there is none."""
    try:
        return _parsed(Path(file).read_bytes()[:SIZE])
    except OSError:
        return Balance()


def _parsed(data: bytes) -> Balance:
    """The balance in a file; that of an empty one where it is torn, since the journal says what is spent at least."""
    try:
        record = json.loads(data)
        held = {str(int(process)): _amount(amount) for process, amount in record["held"].items()}
        budget = record.get("budget_usd")
        return Balance(_amount(record["committed_usd"]), held, None if budget is None else _amount(budget))
    except (ValueError, TypeError, KeyError, AttributeError):
        return Balance()


def _amount(value: Any) -> float:
    amount = float(value)
    if not math.isfinite(amount) or amount < 0:
        raise ValueError(value)
    return amount
