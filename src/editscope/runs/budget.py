"""Budget of a run: dollars for edits and judges together, over all calls of ``run`` and ``resume``."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from editscope.errors import BadInput
from editscope.runfolder.journal import Line, read_journal
from editscope.runfolder.run_json import read_info
from editscope.transport.account import FILE, OPTION, read_balance

SETTING = "budget"


def read_budget(value: float | str) -> float:
    """A budget in dollars, as people write it; BadInput for what is none.

    >>> read_budget("20"), read_budget("$12.50"), read_budget("20$"), read_budget(3)
    (20.0, 12.5, 20.0, 3.0)
    """
    text = str(value).strip()
    plain = text.removeprefix("$").removesuffix("$").strip()
    try:
        budget = float(plain)
    except ValueError:
        budget = math.nan
    if isinstance(value, bool) or not 0 <= budget < math.inf:
        raise BadInput(f"{OPTION} is {text!r}; write dollars, 0 or more, such as {OPTION} 20")
    return budget


def spent_in(lines: Iterable[Line], *, edits: bool = True) -> float:
    """Dollars that the lines of a journal say were spent; verdicts from the cache cost nothing.

    ``edits`` is false for a run whose edits another one made and paid for.
    """
    spent = 0.0
    for line in lines:
        if line["step"] == "edit" and edits:
            spent += charged(line)
        elif line["step"] == "verdict" and not line["verdict"]["cached"]:
            spent += charged(line["verdict"]["usage"])
    return spent


def charged(amounts: Mapping[str, Any]) -> float:
    """What counts against a budget: the cost, or what we know ourselves where that is more.

    >>> charged({"cost_usd": 0.2, "charged_usd": 0.3}), charged({"cost_usd": None})
    (0.3, 0.0)
    """
    return max(amounts.get("cost_usd") or 0.0, amounts.get("charged_usd") or 0.0)


def spent_in_folder(folder: Path) -> float:
    """Dollars that the run in a folder has spent: what its journal says, and what was in flight when it was killed."""
    info = read_info(folder)
    spent = spent_in(read_journal(folder), edits="edits_of" not in info)
    return max(spent, read_balance(folder / FILE).committed)


def budget_of(info: Mapping[str, Any], folder: Path) -> float | None:
    """The budget that a run had last: a resumed one may have got another than it was started with."""
    stored = read_balance(folder / FILE).budget
    return info["settings"].get(SETTING) if stored is None else stored
