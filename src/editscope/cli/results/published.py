"""`editscope published`: what the papers printed, to stand beside a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from editscope import printing
from editscope.cli import completion
from editscope.cli import options as opt
from editscope.errors import BadInput, unknown

if TYPE_CHECKING:
    from editscope.published import ModelCard, Result


def published(
    suite: Annotated[
        str | None,
        typer.Argument(metavar="SUITE", help="A suite, such as paintbench.", autocompletion=completion.suites),
    ] = None,
    table: Annotated[str | None, typer.Option("--table", metavar="N", help="Show one table of the paper.")] = None,
    metric: Annotated[str | None, typer.Option("--metric", metavar="M", help="A metric, such as miou.")] = None,
    by: Annotated[str | None, typer.Option("--by", metavar="TAG", help="Group rows by task, category, law …")] = None,
    model: Annotated[
        str | None, typer.Option("--model", metavar="NAME", help="One model, by any of its names.")
    ] = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV instead of a table.")] = False,
    as_json: opt.AsJson = False,
    models: Annotated[bool, typer.Option("--models", help="List models: developer, size, year …")] = False,
    slips: Annotated[bool, typer.Option("--slips", help="List corrections, and contradictions in the papers.")] = False,
) -> None:
    """Show the results that the papers of the benchmarks print.

    All suites, then the ranking of one suite:

      editscope published

      editscope published paintbench

    One table in the paper's layout, or every task of one model:

      editscope published paintbench --table 2

      editscope published paintbench --by task --model "Nano Banana 2"

    All numbers of a suite for a notebook or a spreadsheet:

      editscope published tinygrafix --csv > tinygrafix.csv

      editscope published tinygrafix --by task --json > tinygrafix.json

    Published numbers come from the authors' problems, prompts and judge. They appear next to your run
    with a label, and never in a paired test.
    """
    from editscope.cli.output import published as output

    if as_csv and as_json:
        raise BadInput("--csv and --json exclude each other; choose one")
    console = printing.console()
    rows = _asked(suite, table, metric, by, model)
    if slips:
        sources = tuple(dict.fromkeys(row.source for row in rows))
        if as_json:
            _slips_as_json(sources)
        else:
            output.slips(sources, console)
    elif models:
        cards = _cards(rows)
        if as_json:
            printing.say_json(cards)
        elif as_csv:
            output.models_as_csv(cards)
        else:
            output.models(cards, console)
    elif as_json:
        printing.say_json(rows)
    elif as_csv:
        _csv(rows)
    elif suite is None and model is not None:
        output.standing(model, console)
    elif suite is None:
        _only_with_suite(table=table, metric=metric, by=by)
        output.overview(console)
    elif table or by or model or metric:
        output.matrix(suite, rows, main=table is None, metric=metric, console=console)
    else:
        output.leaderboard(suite, console)


def _asked(
    suite: str | None, table: str | None, metric: str | None, by: str | None, model: str | None
) -> tuple[Result, ...]:
    """The numbers that were asked for; a name that does not exist is refused with the nearest that does."""
    from editscope import published

    if suite is not None and suite not in published.suites():
        raise unknown("suite with published results", suite, published.suites())
    rows = published.results(suite)
    where = f" of {suite}" if suite else ""
    for field, name in (("table", table), ("model", model), ("by", by), ("metric", metric)):
        if name is None:
            continue
        wanted = published.known_model(name) if field == "model" else name
        what = "grouping" if field == "by" else field
        known = dict.fromkeys(getattr(row, field) for row in rows)
        if wanted not in known:
            raise unknown(f"published {what}{where}", name, known)
        rows = tuple(row for row in rows if getattr(row, field) == wanted)
    return rows


def _only_with_suite(**options: str | None) -> None:
    for name, value in options.items():
        if value is not None:
            raise BadInput(f"--{name} {value} needs a suite, such as: editscope published paintbench --{name} {value}")


def _csv(rows: Sequence[Result]) -> None:
    from dataclasses import astuple

    from editscope.published import FIELDS

    printing.say_csv(FIELDS, (astuple(row) for row in rows))


def _cards(rows: Sequence[Result]) -> list[ModelCard]:
    """What is known about the models of some numbers."""
    from editscope import published

    here = {row.model for row in rows}
    return [card for card in published.models().values() if card.name in here]


def _slips_as_json(sources: Sequence[str]) -> None:
    from editscope import published

    printing.say_json(
        {
            "corrections": [slip for source in sources for slip in published.corrections(source)],
            "contradictions": [cell for source in sources for cell in published.contradictions(source)],
        }
    )
