"""Consent to spending: a command says what it will cost, and asks before it spends."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from editscope import printing
from editscope.errors import BadInput, NotAgreed
from editscope.transport.account import OPTION, in_dollars
from editscope.wording import listed

if TYPE_CHECKING:
    from rich.console import Console

    from editscope.runs import Plan
    from editscope.transport.forecast import Forecast


def agree(plan: Plan, console: Console, *, yes: bool = False, quiet: bool = False) -> None:
    """Print what a run will cost, if it may cost anything, and ask whether to continue; NotAgreed if not.

    The forecast looks at a few cases only, so that the run starts soon.
    """
    from editscope.runs.forecast import GLANCE, forecast, is_limited, may_spend

    if may_spend(plan):
        confirm(forecast(plan, GLANCE), console, yes=yes, quiet=quiet, limited=is_limited(plan))


def confirm(
    forecast: Forecast, console: Console, *, yes: bool = False, quiet: bool = False, limited: bool = False
) -> None:
    """Print a forecast and ask on a terminal whether to spend; NotAgreed where nobody says yes.

    Without a terminal ``yes`` has to be said beforehand; a limit in dollars (``limited``) says it, too. Where a key is
    missing, nobody is asked.
    """
    if not forecast.may_cost:
        return
    if not quiet:
        for line in forecast.lines():
            console.print(f" {line}", markup=False)
    if yes or (limited and not sys.stdin.isatty()):
        return
    if forecast.missing_keys:
        raise BadInput(f"nothing was spent: set the variable {listed(forecast.missing_keys)}")
    total = forecast.total_in_words()
    if forecast.budget_usd is not None and forecast.known_usd + forecast.spent_usd > forecast.budget_usd:
        total += f", and stop at the budget of {in_dollars(forecast.budget_usd)}"
    if not sys.stdin.isatty():
        raise NotAgreed(
            f"this would spend {total}, and there is no terminal to ask; add --yes, or set a limit with {OPTION} "
            "DOLLARS"
        )
    printing.say(f"Spend {total}? [y/N]", error=True, end=" ")
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise NotAgreed("nothing was spent; answer y, or add --yes, to continue")
