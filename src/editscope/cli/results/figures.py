"""`editscope figures`: figures of runs, or of a suite alone, for a paper."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from editscope import printing
from editscope.cli import completion
from editscope.cli.options import names
from editscope.errors import BadInput

if TYPE_CHECKING:
    from editscope.report.paper_figures import DrawnFigure


def figures(
    runs: Annotated[
        list[Path] | None,
        typer.Argument(metavar="RUN...", help="Run folders or folders of them; several share each figure."),
    ] = None,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder for the figures.")] = Path("figures"),
    formats: Annotated[
        list[str] | None, typer.Option("--format", metavar="pdf,svg,png", help="File formats [default: pdf].")
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            metavar="A,B",
            help="Only these: curves, over-editing, conditions, palette, distributions, radar, metrics, histograms, "
            "heat-metrics, heat-models, split, before-after, tasks, failures, effects, ladder, exemplars, classes, "
            "composition, statistics, correlation, exact-judged, cost, grid.",
        ),
    ] = None,
    cases: Annotated[
        list[str] | None,
        typer.Option(
            "--cases",
            metavar="ID,ID",
            help="Cases to show in grid and classes [default: those on which the runs differ most].",
        ),
    ] = None,
    pairs: Annotated[
        bool,
        typer.Option("--pairs", help="Take the runs two by two, before and after [default: each against the first]."),
    ] = False,
    width: Annotated[
        str,
        typer.Option("--width", metavar="single|double", help="The width of one column of a paper, or of the page."),
    ] = "double",
    published: Annotated[
        bool, typer.Option("--with-published", help="Add published results to figures that can show them.")
    ] = False,
    suite: Annotated[
        str | None,
        typer.Option(
            "--suite",
            metavar="SUITE",
            autocompletion=completion.suites,
            help="Without a run: composition and statistics of this suite.",
        ),
    ] = None,
    data: Annotated[
        Path | None, typer.Option("--data", metavar="DIR", help="With --suite: the folder with its data.")
    ] = None,
) -> None:
    """Draw figures of runs for a paper: vector graphics with embedded fonts, the same bytes every time.

    editscope figures runs/a runs/b --out figures

    editscope figures runs/a runs/b --only grid --cases border/012,legend/003 --format png

    Before and after, for two models:

      editscope figures runs/a runs/a-tuned runs/b runs/b-tuned --pairs --only before-after

    A suite without a run:

      editscope figures --suite my-benchmark --out figures
    """
    if suite is not None:
        if runs or pairs or cases or published:
            raise BadInput(
                "--suite draws a suite without a run; leave out the runs, --pairs, --cases and --with-published"
            )
        _say(_of_suite(suite, data, out, names(formats), names(only), width))
        return
    if not runs or data is not None:
        raise BadInput(
            "--data goes with --suite; add --suite NAME"
            if data is not None
            else "there is nothing to draw; give run folders, or --suite NAME for the figures of a suite"
        )
    from editscope.cli.output import runs as output
    from editscope.report.paper_figures import figures_for
    from editscope.results import open_runs

    opened = open_runs(*runs)
    output.remarks(*opened)
    drawn = figures_for(
        opened,
        out,
        formats=names(formats) or ("pdf",),
        only=names(only),
        published=published,
        width=width,
        cases=names(cases) or (),
        pairs=pairs,
    )
    _say(drawn)


def _of_suite(
    suite: str,
    data: Path | None,
    out: Path,
    formats: Sequence[str] | None,
    only: Sequence[str] | None,
    width: str,
) -> Sequence[DrawnFigure]:
    """The figures of a suite, with a bar while its cases are read."""
    from editscope.cli.output.progress import progress_bar
    from editscope.report.paper_figures import figures_of_suite
    from editscope.suites import load_suite

    loaded = load_suite(suite, **({} if data is None else {"root": data}))
    with progress_bar("reading cases", transient=True) as bar:
        return figures_of_suite(loaded, out, formats=formats or ("pdf",), only=only, width=width, say=bar)


def _say(drawn: Sequence[DrawnFigure]) -> None:
    """Every file, then what was left out and why."""
    for one in drawn:
        for file in one.files:
            printing.say(file)
    for one in drawn:
        if one.reason:
            printing.say(f"left out: {one.suite} {one.name}, {one.reason}", error=True)
