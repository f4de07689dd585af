"""Spending of a run: what it has spent so far, and the account that keeps its budget."""

from __future__ import annotations

from editscope.errors import BadInput
from editscope.runs.budget import spent_in
from editscope.runs.plan import Plan
from editscope.transport.account import FILE, OPTION, Account, BudgetSpent, in_dollars, read_balance


def spent_so_far(plan: Plan) -> float:
    """Dollars that a run has spent: what its journal says, and what was in flight when it was killed."""
    spent = spent_in(plan.journal.read().lines, edits="edits_of" not in plan.info)
    return max(spent, read_balance(plan.out / FILE).committed)


def open_account(plan: Plan, edits_left: bool, scores_left: bool) -> Account | None:
    """The account of a run with a budget, opened and given to its editor and judges; None where it has nothing to do.

    Only who holds the run's lock may. Raises where not even one edit fits: BadInput for a run that has spent nothing,
    else BudgetSpent.
    """
    account = _opened(plan, edits_left) if edits_left or scores_left else None
    plan.editor.use_account(account)
    for judge in plan.judging.judges if plan.judging else ():
        judge.use_account(account)
    return account


def _opened(plan: Plan, edits_left: bool) -> Account | None:
    if plan.budget is None:
        return None
    account = Account((plan.out / FILE).absolute(), plan.budget)
    spent = account.begin(spent_so_far(plan)).committed
    price = (plan.editor.estimate(1) or 0.0) if edits_left and not plan.editor.free else 0.0
    if spent + price > plan.budget:
        why = (
            f"the budget of {in_dollars(plan.budget)} does not allow one edit, which costs about {in_dollars(price)}"
            + (f" ({in_dollars(spent)} spent)" if spent else "")
        )
        if not spent:
            raise BadInput(f"{why}; raise {OPTION}")
        raise BudgetSpent(f"{why}; resume the run with a higher {OPTION}")
    return account
