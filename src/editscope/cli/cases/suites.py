"""`editscope suites`: the suites, their size, how they are scored, where their data comes from, and their options."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from editscope import printing

if TYPE_CHECKING:
    from editscope.suites import Benchmark, Option


def suites(
    name: Annotated[str | None, typer.Argument(metavar="[SUITE]", help="One suite, with its options.")] = None,
    data: Annotated[
        Path | None,
        typer.Option("--data", metavar="DIR", help="A folder with the data of suites, or with your own benchmarks."),
    ] = None,
) -> None:
    """List the suites: size, how they are scored, whether their data is here, and how to get it.

    One suite, with its options:

      editscope suites picabench
    """
    if name is not None:
        from editscope.suites import benchmark
        from editscope.suites.registry import known_benchmark, split_spec

        plain, _ = split_spec(name)
        _describe(known_benchmark(plain) or benchmark(plain))
        return
    from rich.table import Table

    from editscope.suites.listing import listed

    table = Table(box=None, pad_edge=False)
    for heading in ("suite", "cases", "scored by", "here", "data"):
        # An address is folded, never cut: it is there to be copied.
        table.add_column(
            heading, justify="right" if heading == "cases" else "left", no_wrap=heading != "data", overflow="fold"
        )
    console = printing.console()
    rows = [
        (suite.name, "–" if suite.cases is None else f"{suite.cases:,}", suite.scoring, "yes" if suite.here else "no")
        for suite in listed(data)
    ]
    headings = ("suite", "cases", "scored by", "here")
    width = printing.room(console.width, *zip(headings, *rows, strict=True))
    for row, suite in zip(rows, listed(data), strict=True):
        table.add_row(*row, printing.wrapped(suite.said, width))
    console.print(table)
    printing.say("\nTo see the options of a suite: editscope suites SUITE")


def _help(option: Option) -> str:
    """What an option does, with its default."""
    text = option.help.rstrip(".")
    if option.type == "names" and option.values:
        text += f": {', '.join(option.values)}"
    return f"{text} [{option.shown_default}]" if option.shown_default else text


def _describe(record: Benchmark) -> None:
    """What a benchmark is, and what may stand in its spec."""
    from rich.table import Table

    from editscope.cli.suite_options import flag_of, metavar
    from editscope.suites.registry import PYTHON

    installed = not record.name.startswith(PYTHON)
    console = printing.console(soft_wrap=True)
    console.print(f"{record.title} ({record.name})", markup=False)
    if record.about:
        console.print(f"  {record.about}.", markup=False)
    facts = {
        "cases": "" if record.cases is None else f"{record.cases:,}",
        "scored by": record.scoring if record.scoring == "pixels" else f"a judge, protocol {record.judged_by or '–'}",
        "prompts": f"editscope prompts show {record.judged_by}" if record.judged_by else "",
        "published": f"editscope published {record.name}" if record.headline and installed else "",
        "cite": record.citation,
    }
    for label, text in facts.items():
        if text:
            console.print(f"  {label:<10} {text}", markup=False)
    for of, title in (("cases", "Options: which cases"), ("protocol", "Options: how they are judged")):
        options = [option for option in record.options if option.of == of]
        if not options:
            continue
        console.print(f"\n{title}", markup=False)
        table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
        for option in options:
            table.add_row(f"  --{flag_of(option.name)}", metavar(option), _help(option))
        printing.console().print(table)
    if record.options:
        first = record.options[0]
        example = first.values[-1] if first.values else metavar(first).partition("|")[0]
        console.print(
            f'\nWrite options into the name, "{record.name}?{first.name}={example}", or use them as flags, '
            f"--{flag_of(first.name)} {example}.",
            markup=False,
        )
