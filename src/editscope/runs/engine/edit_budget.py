"""Budget of a run's edits: what one call of ``run`` or ``resume`` may spend, counted by the lines of the journal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from editscope.editors.base import EditLimits
from editscope.transport.account import OPTION, Account, in_dollars


@dataclass
class EditBudget:
    """The limits of a run's edits, and what this call has spent of them.

    ``transport.budget.Budget`` lets single requests of one client through, retries and lost ones included. This one
    stands above it, in the process that hands out work: it counts the finished edits of all workers, and says what a
    new worker may still spend.

    ``account`` is the budget of the whole run, where workers cannot reach its file, as on other machines; ``price`` is
    what an edit is taken to cost.
    """

    limits: EditLimits
    account: Account | None = None
    price: float = 0.0
    edits: int = 0
    cost_usd: float = 0.0

    def spend(self, line: Mapping[str, Any]) -> None:
        """Count a finished edit."""
        self.edits += 1
        charged = max(line.get("charged_usd") or 0.0, line.get("cost_usd") or 0.0)
        self.cost_usd += charged
        if self.account is not None:
            self.account.settle(0.0, charged)

    def allows(self, more: int) -> bool:
        """Whether so many edits besides those that are finished may be in hand."""
        most, dollars = self.limits.max_calls, self.limits.max_cost
        if self.account is not None and self.account.left < max(more * self.price, 1e-9):
            return False
        return (most is None or self.edits + more <= most) and (dollars is None or self.cost_usd < dollars)

    def left(self, workers: int = 1) -> EditLimits:
        """The limits of a worker that starts now; what is left of the money is shared by all that may be there.

        >>> budget = EditBudget(EditLimits(max_cost=2.0, max_calls=10))
        >>> budget.spend({"cost_usd": 0.5})
        >>> budget.left(3).max_cost, budget.left().max_calls
        (0.5, 9)
        """
        most, dollars = self.limits.max_calls, self.limits.max_cost
        money = [] if dollars is None else [max(0.0, dollars - self.cost_usd)]
        money += [] if self.account is None else [self.account.left]
        return replace(
            self.limits,
            max_calls=None if most is None else max(0, most - self.edits),
            max_cost=min(money) / max(1, workers) if money else None,
        )

    def exhausted(self) -> str:
        """Why there are no more edits, in a sentence."""
        if self.account is not None and self.account.left < max(self.price, 1e-9):
            budget = in_dollars(self.account.budget)
            return f"another edit does not fit into the budget of {budget}; resume the run with a higher {OPTION}"
        if self.limits.max_cost is not None and self.cost_usd >= self.limits.max_cost:
            spent = f"${self.cost_usd:,.2f} of ${self.limits.max_cost:,.2f}"
            return f"the edits have cost {spent}; resume the run with a higher --max-edit-cost"
        return f"the {self.limits.max_calls:,} edits of --max-edits are made; resume the run with a higher --max-edits"
