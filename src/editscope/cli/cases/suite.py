"""`editscope suite new` and `editscope suite check`: a benchmark of one's own, without code."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, cast

import typer

from editscope import printing
from editscope.cli.help import GroupedCommands, GroupedOptions

if TYPE_CHECKING:
    from editscope.suites import Suite

app = typer.Typer(
    cls=GroupedCommands,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Make a benchmark of your own: a folder with suite.toml and cases.jsonl.",
)


@app.command(cls=GroupedOptions)
def new(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new or empty folder.")],
    scoring: Annotated[
        str,
        typer.Option(
            "--scoring", metavar="judged|pixels", help="Score by a judge, or by comparing pixels with an answer."
        ),
    ] = "judged",
) -> None:
    """Write a small benchmark that runs immediately, as a start for your own.

    Scored by a judge:

      editscope suite new my-benchmark

    Scored by pixels, without a judge:

      editscope suite new my-benchmark --scoring pixels
    """
    from editscope.suites.own.data import load
    from editscope.suites.own.start import start

    suite = load(start(folder, cast("Literal['judged', 'pixels']", scoring)))
    judge = " --judge SPEC" if suite.scoring == "judged" else ""
    printing.say(f"{folder} is the suite {suite.name} with {len(suite)} cases · change suite.toml and cases.jsonl")
    printing.say(f"run it with: editscope run {folder} --editor ref:identity{judge}")
    printing.say(f"after a change: editscope suite check {folder}")


@app.command(cls=GroupedOptions)
def check(folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder with a suite.toml.")]) -> None:
    """Check a benchmark and its prompts, and show its contents or everything that is wrong.

    editscope suite check my-benchmark
    """
    from editscope.suites.own.data import load

    suite = load(folder)
    scored_by = "a judge" if suite.scoring == "judged" else "pixels"
    printing.say(f"{suite.name} · {len(suite):,} cases · scored by {scored_by}")
    for group in suite.aggregation.groups:
        values = [suite.tags(case_id).get(group.by[0], "–") for case_id in suite.ids]
        counts = ", ".join(f"{value} {values.count(value):,}" for value in dict.fromkeys(values))
        printing.say(f"  {group.name}: {counts}")
    if suite.scoring == "judged":
        _say_protocol(suite)
    for note in suite.notes():
        printing.say(f"  {note}")
    judged = suite.scoring == "judged"
    see = f" · the prompts, and what a judge gets: editscope prompts show {folder} [NAME --request]" if judged else ""
    printing.say(f"nothing is wrong{see}")


def _say_protocol(suite: Suite) -> None:
    """What is measured; BadInput where a prompt cannot be read or needs what a case does not have."""
    from editscope.suites.rubrics import load_rubric

    rubric = load_rubric(suite.default_protocol, **suite.rubric_options)
    rubric.check_prompts(suite)
    for case in suite:
        rubric.units(case)
    for measure in rubric.measures:
        low, high = measure.shown(measure.worst), measure.shown(measure.best)
        printing.say(f"  {measure.name}: {measure.label} (from {low:g} to {high:g})")
