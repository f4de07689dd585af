"""`editscope pack`: one archive of a run, and the verification of one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from editscope import printing
from editscope.errors import BadInput


def pack(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run folder; with --check, an archive.")],
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="The archive [default: RUN.zip next to the run].")
    ] = None,
    images: Annotated[
        bool, typer.Option("--images/--no-images", help="Include the full-size edits, or only thumbnails.")
    ] = True,
    check: Annotated[bool, typer.Option("--check", help="Verify an archive instead of creating one.")] = False,
) -> None:
    """Pack a run into one verifiable archive.

    The archive holds the journal, edits, tables, hashes and versions. `editscope show`, `compare` and `report`
    accept it in place of the folder.

    editscope pack runs/mine

    editscope pack --check mine.zip
    """
    if check:
        _check(run)
        return
    from editscope.cli.output.progress import progress_bar
    from editscope.results.archive.pack import pack as packed

    with progress_bar("packing", transient=True) as told:
        archive = packed(run, out, images=images, told=told)
    for warning in archive.warnings():
        printing.say(f"editscope: {warning}", error=True)
    printing.say(f"{archive.path} · {archive.files:,} files · {_size(archive.size)} · seal {archive.seal[:16]}")


def _check(path: Path) -> None:
    from editscope.cli.output.progress import progress_bar
    from editscope.results.archive.verify import check_archive

    with progress_bar("checking", transient=True) as told:
        verdict = check_archive(path, told)
    if verdict.problems:
        for problem in verdict.problems[1:]:
            printing.say(f"also wrong: {problem}", error=True)
        raise BadInput(verdict.problems[0])
    cases = (
        f"{verdict.scored:,} case{'' if verdict.scored == 1 else 's'}"
        if verdict.scored >= verdict.cases
        else f"{verdict.scored:,} of {verdict.cases:,} cases"
    )
    images = "" if verdict.images else " · packed without full-size edits"
    printing.say(
        f"{verdict.path} holds: {verdict.files:,} files as they were packed, "
        f"tables that follow from the journal · {cases}{images} · seal {verdict.seal[:16]}"
    )


def _size(size: int) -> str:
    """A number of bytes as people say it.

    >>> _size(512), _size(1_993_151_393)
    ('512 bytes', '2.0 GB')
    """
    if size < 1000:
        return f"{size} bytes"
    power = min(3, (len(str(size)) - 1) // 3)
    return f"{size / 1000**power:.1f} {('kB', 'MB', 'GB')[power - 1]}"
