"""`editscope train small` and `small-export`: the small editor, from the stream of problems to its file of weights."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from editscope import printing


def small_export(
    checkpoint: Annotated[
        Path, typer.Argument(metavar="CHECKPOINT", help="The folder of a training, or a file of its averaged weights.")
    ],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The file to write.")],
) -> None:
    """Write the weights of the small editor in 8 bits, as the editor `small` reads them.

    editscope train small-export trained/small --out mine.weights

    editscope run paintbench --editor small:mine.weights --limit 4
    """
    from editscope.runfolder.files import write_whole
    from editscope.training.small.export import exported, read_average

    data = exported(read_average(checkpoint))
    write_whole(out, data)
    printing.say(f"{out}: {len(data) / 1e6:.1f} MB; use it as small:{out}")
