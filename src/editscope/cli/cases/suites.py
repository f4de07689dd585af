"""`editscope suites`: what each benchmark tests, its size, its data, the cost of a full run, and its options."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from editscope import printing
from editscope.cli import completion
from editscope.cli import options as opt

if TYPE_CHECKING:
    from editscope.suites import Benchmark, Option
    from editscope.suites.full_run import FullRun
    from editscope.suites.listing import Listed


def suites(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[SUITE]", help="One suite, with its options.", autocompletion=completion.suites),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option("--data", metavar="DIR", help="A folder with the data of suites, or with your own benchmarks."),
    ] = None,
    as_json: opt.AsJson = False,
) -> None:
    """List the benchmarks: what each tests, its size, where its data comes from, and what a full run costs.

    editscope suites

    One suite, with its options:

      editscope suites picabench
    """
    from editscope.suites.listing import listed, listed_suite
    from editscope.suites.registry import benchmark, known_benchmark, split_spec

    if name is None:
        found = list(listed(data))
        if as_json:
            printing.say_json([_as_json(suite) for suite in found])
        else:
            _list(found)
        return
    plain, _ = split_spec(name)
    record = known_benchmark(plain) or benchmark(plain)
    suite = listed_suite(plain, data)
    if as_json:
        printing.say_json(_as_json(suite, record))
    else:
        _describe(record, suite)


def _list(found: list[Listed]) -> None:
    from rich.table import Table

    console = printing.console()
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("suite", "cases", "data", "full run", "what it tests"):
        table.add_column(
            heading,
            justify="right" if heading in ("cases", "full run") else "left",
            no_wrap=heading != "what it tests",
        )
    for suite in found:
        cases = "–" if suite.cases is None else f"{suite.cases:,}"
        cost = "–" if suite.full_run is None else suite.full_run.in_words().removeprefix("about ")
        table.add_row(suite.name, cases, _place(suite), cost, suite.about or suite.title)
    console.print(table)
    wide = max(len(suite.name) for suite in found)
    for title, missing in (
        ("To download yourself, then --data DIR (or --data hf:NAME):", [s for s in found if not s.here and s.data]),
        ("Not usable now:", [s for s in found if not s.here and not s.data]),
    ):
        if missing:
            console.print(f"\n{title}")
        for suite in missing:
            printing.say(f"  {suite.name:<{wide}}  {suite.data or suite.detail}")
    judged = next((suite.full_run for suite in found if suite.full_run and suite.full_run.judge), None)
    if judged is not None:
        console.print(f"\nFull run: {_terms(judged)} Suites that pixels score need no judge.")
    console.print("\nOne suite with its options: editscope suites SUITE")


def _place(suite: Listed) -> str:
    """Where the data of a suite is, in a word or two."""
    if not suite.here:
        return "download" if suite.data else "missing"
    return "made here" if suite.scoring == "pixels" and not suite.data else "here"


def _terms(cost: FullRun) -> str:
    """For which judge and at which prices a cost is told."""
    priced = f", prices of {cost.priced_on}" if cost.priced_on else ""
    return f"what the judge {cost.judge} would cost{priced}, about, each question once; your model's edits come on top."


def _as_json(suite: Listed, record: Benchmark | None = None) -> dict[str, object]:
    """A suite for scripts; with its record, also how it is judged and its options."""
    entry: dict[str, object] = {
        "name": suite.name,
        "title": suite.title,
        "about": suite.about,
        "cases": suite.cases,
        "scoring": suite.scoring,
        "here": suite.here,
        "data": suite.data or None,
        "detail": suite.detail,
        "full_run": _full_run(suite.full_run),
    }
    if record is not None:
        options = [
            {
                "name": option.name,
                "help": option.help,
                "type": option.type,
                "values": option.values,
                "default": option.shown_default or None,
                "of": option.of,
            }
            for option in record.options
        ]
        entry |= {"protocol": record.judged_by or None, "citation": record.citation or None, "options": options}
    return entry


def _full_run(cost: FullRun | None) -> dict[str, object] | None:
    if cost is None:
        return None
    return {
        "judge": cost.judge or None,
        "calls": cost.calls,
        "images": cost.images,
        "input_tokens": cost.input_tokens,
        "output_tokens": cost.output_tokens,
        "cost_usd": cost.cost_usd,
        "priced_on": None if cost.priced_on is None else str(cost.priced_on),
    }


def _help(option: Option) -> str:
    """What an option does, with its default."""
    text = option.help.rstrip(".")
    if option.type == "names" and option.values:
        text += f": {', '.join(option.values)}"
    return f"{text} [{option.shown_default}]" if option.shown_default else text


def _cost_in_words(cost: FullRun | None) -> str:
    if cost is None or not cost.judge:
        return "" if cost is None else "free: no judge, no key, no network"
    tokens = f"{cost.input_tokens / 1e6:.1f} million tokens in, {cost.output_tokens / 1e6:.1f} out"
    return f"{cost.in_words()}: {cost.calls:,} calls, {cost.images:,} images, {tokens} with {cost.judge}" + (
        f", prices of {cost.priced_on}" if cost.priced_on else ""
    )


def _describe(record: Benchmark, suite: Listed) -> None:
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
        "data": record.data or ("made here" if suite.here else ""),
        "": "" if suite.here else suite.detail,
        "scored by": record.scoring if record.scoring == "pixels" else f"a judge, protocol {record.judged_by or '–'}",
        "full run": _cost_in_words(suite.full_run),
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
        for what in ("option", "values", "help"):
            table.add_column(no_wrap=what != "help")
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
