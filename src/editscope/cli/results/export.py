"""`editscope export`: results for other tools, as a data set, a model card or a leaderboard."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from editscope import printing


def export(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run folders, folders of them, or archives.")],
    to: Annotated[
        tuple[str, Path],
        typer.Option(
            "--to",
            metavar="KIND PLACE",
            help="hf-dataset DIR, leaderboard FILE or model-index FILE.",
        ),
    ],
    images: Annotated[
        bool, typer.Option("--images/--no-images", help="Put pictures into a data set in full size, or as thumbnails.")
    ] = True,
) -> None:
    """Export runs for other people's tools. Exports contain no paths of your machine.

    A data set that `datasets.load_dataset("results")` reads, one row per edit, with pictures and a card:

      editscope export runs/a runs/b --to hf-dataset results

    A leaderboard as JSON, with one ranked list per set of cases:

      editscope export runs --to leaderboard leaderboard.json

    The evaluation results of a model card on the Hugging Face Hub:

      editscope export runs/mine --to model-index model-index.yaml
    """
    from editscope.cli.output import runs as output
    from editscope.cli.output.progress import progress_bar
    from editscope.report.exports import export as exported
    from editscope.results import open_runs

    kind, place = to
    opened = open_runs(*runs)
    output.remarks(*opened)
    with progress_bar("exporting", transient=True) as told:
        path = exported(opened, kind, place, images=images, told=told)
    printing.say(path)
