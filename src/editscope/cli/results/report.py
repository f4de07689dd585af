"""`editscope report`: HTML, LaTeX, Markdown or CSV of one or several runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from editscope import printing
from editscope.cli import options as opt
from editscope.errors import BadInput


def report(
    runs: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN...",
            help="Run folders, folders of them, or archives; several are compared. Or the folder of one training.",
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="FILE.html, .tex, .md or .csv [default: RUN/report.html]."),
    ] = None,
    title: Annotated[str | None, typer.Option("--title", metavar="TEXT", help="The heading of the report.")] = None,
    with_published: Annotated[
        bool, typer.Option("--with-published", help="Add the published results of the suite.")
    ] = False,
    bundle: Annotated[
        bool,
        typer.Option(
            "--bundle", help="Also write FILE_files: every picture in full size, to send together with FILE.html."
        ),
    ] = False,
    labels: opt.LabelsFile = None,
) -> None:
    """Write a report of one or several runs. The suffix of --out selects the format.

    The HTML file has at most 25 MB and embeds small pictures; it loads full-size edits from the run folders as
    long as you do not move them. To send everything, write a bundle, and send the file and its folder.

    editscope report runs/mine --out mine.html

    editscope report runs/a runs/b --out a-and-b.html --with-published

    editscope report runs/a runs/b --out to-send.html --bundle

    editscope report runs/a runs/b --out tables.tex

    With people's scores of some edits of judged runs, the headline is what people would score, and the report does not
    rank what the labels cannot:

      editscope report runs/a runs/b --labels labels.csv

    Of the folder of a training, the page shows its curves, events, fixed cases and settings, and its best checkpoint:

      editscope report experiments/mine
    """
    if any(_is_training(path) for path in runs):
        from editscope.training.page import write_training_page

        _check_training(runs, with_published=with_published, bundle=bundle, labels=labels)
        printing.say(write_training_page(runs[0], out, title))
        return
    from editscope.cli.output import runs as output
    from editscope.cli.output.progress import ProgressLine
    from editscope.report import write
    from editscope.results import open_runs

    target = out or (runs[0].with_suffix(".html") if runs[0].is_file() else runs[0] / "report.html")
    line = ProgressLine(lines=True)
    line("reading runs", 0, len(runs))
    opened = open_runs(*runs)
    output.remarks(*opened)
    path = write(opened, target, title=title, published=with_published, bundle=bundle, labels=labels, say=line)
    line.end()
    printing.say(path)


def _is_training(path: Path) -> bool:
    from editscope.training.page.page import is_training

    return is_training(path)


def _check_training(runs: list[Path], *, with_published: bool, bundle: bool, labels: Path | None) -> None:
    given = {"--with-published": with_published, "--bundle": bundle, "--labels": labels is not None}
    if wrong := next((option for option, used in given.items() if used), None):
        raise BadInput(f"{wrong} is for reports of runs, and {runs[0]} is a training; leave it out")
    if len(runs) > 1:
        training = next(path for path in runs if _is_training(path))
        raise BadInput(f"{training} is a training, which has a page of its own; give its folder alone")
