"""`editscope factory records`: the records of a build, where each is and why."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Annotated

import typer

from editscope import printing
from editscope.cli import options as opt
from editscope.cli.factory import building as of
from editscope.outside import redacted
from editscope.wording import count

if TYPE_CHECKING:
    from editscope.factory.engine.listing import ListedRecord

ROWS = 50
TEXTS, LONGEST_TEXT, LONGEST_REASON = 3, 60, 120
"""How many texts of a record are shown, and how many characters of each."""


def records(
    plan: of.PlanFile,
    step: Annotated[str, typer.Argument(metavar="[STEP]", help="Only what ended at this step.")] = "",
    out: of.BuildFolder = None,
    dropped: Annotated[bool, typer.Option("--dropped", help="Records that a step dropped, with the reason.")] = False,
    pending: Annotated[
        bool, typer.Option("--pending", help="Records that failed or wait for people, with the last reason.")
    ] = False,
    limit: Annotated[
        int | None,
        typer.Option("--limit", metavar="N", min=1, help=f"At most N records [default: {ROWS}, with --json all]."),
    ] = None,
    as_json: opt.AsJson = False,
) -> None:
    """List the records of a build: where each is, why, and its newest texts. Nothing is made or changed.

    editscope factory records my-set

    editscope factory records my-set --dropped

    editscope factory records my-set --dropped large-enough --limit 200

    editscope factory records my-set --pending --json
    """
    from editscope.factory.engine.listing import STATES, list_records
    from editscope.factory.engine.opened import open_build

    wanted = [state for state, asked in (("pending", pending), ("dropped", dropped)) if asked]
    states = [state for state in STATES if not wanted or state in wanted]
    most = limit if limit is not None or as_json else ROWS
    read, folder = of.build_folder(plan, out)
    with open_build(read, folder) as build:
        listed = list(islice(list_records(build, states, step), most and most + 1))
    shown = listed[:most]
    if as_json:
        printing.say_json(shown)
        return
    if not shown:
        printing.say("no such records")
        return
    _say_records(shown)
    if len(listed) > len(shown):
        printing.say(f"\n{count(len(shown), 'record')}, and more that --limit N shows")


def _say_records(shown: list[ListedRecord]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for name in ("record", "state", "step", "reason", "texts"):
        table.add_column(name)
    for one in shown:
        table.add_row(one.id, one.state, one.step, _short(one.reason, LONGEST_REASON), _texts(one))
    console = printing.console()
    console.width = printing.line_width(console)
    console.print(table)


def _texts(record: ListedRecord) -> str:
    """The texts that were written last, the newest first."""
    texts = [(name, value) for name, value in record.fields.items() if isinstance(value, str) and value.strip()]
    return " · ".join(f"{name}: {_short(text, LONGEST_TEXT)}" for name, text in texts[: -TEXTS - 1 : -1])


def _short(text: str, longest: int) -> str:
    text = redacted(" ".join(text.split()))
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
