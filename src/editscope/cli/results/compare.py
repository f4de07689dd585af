"""`editscope compare`: runs side by side, with differences, intervals and the cases behind them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from editscope import printing
from editscope.cli import options as opt
from editscope.errors import BadInput

if TYPE_CHECKING:
    from editscope.results.comparison import Comparison


def compare(
    runs: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN RUN...", help="Run folders, folders of them, or archives; the first is the baseline."
        ),
    ],
    metric: Annotated[
        str | None,
        typer.Option(
            "--metric", metavar="NAME", help="The metric, such as edit_accuracy@5 [default: the suite's headline]."
        ),
    ] = None,
    by: Annotated[
        list[str] | None, typer.Option("--by", metavar="TAG", help="Groups to show, such as category [default: task].")
    ] = None,
    where: opt.Filters = None,
    labels: opt.LabelsFile = None,
    cases: Annotated[int, typer.Option("--cases", metavar="N", min=0, help="The number of cases to show.")] = 10,
    all_groups: Annotated[bool, typer.Option("--all-groups", help="Show every table of the suite.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="Print only the figures of all groups, as CSV.")] = False,
    as_json: opt.AsJson = False,
) -> None:
    """Compare runs case by case with the first of them.

    Differences with 95 % intervals and tests, and the cases that differ most. Only cases that all runs have
    unchanged are compared. Stars mark differences that are unlikely to be chance, corrected for the number of rows in
    their table (Holm).

    editscope compare runs/last-week runs/today

    editscope compare runs/a runs/b runs/c --by category --metric edit_accuracy

    editscope compare runs/a runs/b --where condition=striped --cases 20

    With people's scores of some edits of judged runs, the difference is that which people would see:

      editscope compare runs/a runs/b --labels labels.csv

    All runs in a folder, such as the --out of a run with several editors:

      editscope compare runs/both
    """
    from editscope.cli.output import runs as output
    from editscope.results.comparison import compare as compared
    from editscope.results.comparison_text import as_csv, usual_kind
    from editscope.suites import parse_where

    if csv and as_json:
        raise BadInput("--csv and --json exclude each other; choose one")
    comparison = compared(*runs, metric=metric, where=parse_where(where) if where else None, labels=labels)
    output.remarks(*comparison.runs)
    chosen = opt.names(by) or ()
    if csv:
        printing.say(as_csv(comparison, *chosen), end="")
        return
    if as_json:
        printing.say_json(_as_json(comparison, chosen, cases))
        return
    kinds = comparison.kinds() if all_groups else chosen or usual_kind(comparison)
    list(comparison.lines(*kinds))  # a wrong --by fails before anything is printed

    from editscope.results.comparison_tables import print_cases, print_comparison

    console = printing.console()
    print_comparison(comparison, console, kinds)
    print_cases(comparison, console, cases)


def _by_people(comparison: Comparison) -> dict[str, object]:
    """What people's labels make of the runs and of their differences to the first, where there are labels."""
    found = comparison.calibration
    if found is None:
        return {}
    runs = [{"name": run.name, "calibrated": run.estimate, "refused": run.refused} for run in found.runs]
    differences = []
    for index in range(1, len(found.runs)):
        apart = found.difference(0, index)
        refused = isinstance(apart, str)
        differences.append({"calibrated": None if refused else apart, "refused": apart if refused else ""})
    return {"people": {"runs": runs, "differences": differences}}


def _as_json(comparison: Comparison, by: tuple[str, ...], cases: int) -> dict[str, object]:
    """A comparison for scripts: every row that ``--csv`` has, its statements, and the cases that differ most."""
    return {
        "metric": comparison.metric,
        "runs": [
            {"name": name, "run": run.archive or run.path}
            for name, run in zip(comparison.names, comparison.runs, strict=True)
        ],
        "left_out": comparison.left_out,
        "notes": comparison.notes(),
        "rows": list(comparison.rows(*by)),
        **_by_people(comparison),
        "cases": [
            {
                "case": contrast.case_id,
                "variant": contrast.variant,
                "instruction": contrast.instruction,
                "tags": contrast.tags,
                "difference": contrast.difference,
                "scores": contrast.scores,
                "failures": contrast.failures,
            }
            for contrast in comparison.cases(cases)
        ],
    }
