"""`editscope measure`: classic measures of a run, beside its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from editscope import printing
from editscope.cli import options as opt
from editscope.wording import half_width, plain

if TYPE_CHECKING:
    from rich.console import Console

    from editscope.results import Run
    from editscope.scoring.classic import MetricLabel
    from editscope.stats.diagnosis import Interval

DEFAULT = "psnr,ssim"


def measure(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a finished run.")],
    measures: Annotated[
        str | None,
        typer.Option(
            "--measures",
            "-m",
            metavar="A,B=MODEL",
            help="psnr, ssim, lpips, clip=DIR, dino=DIR; within, errors (how far off edits are); or your own as "
            "python:module:Class [default: psnr, and ssim if it is available].",
        ),
    ] = None,
    device: Annotated[
        str, typer.Option("--device", metavar="NAME", help="The device for models, such as cuda.")
    ] = "cpu",
    allow_download: Annotated[
        bool, typer.Option("--allow-download", help="Download models and weights that are not on this machine.")
    ] = False,
    jobs: opt.Jobs = None,
    quiet: opt.Quiet = False,
) -> None:
    """Measure the edits of a run with PSNR, SSIM, LPIPS, CLIP and DINO similarity.

    Each measure compares the edit with the answer, and with the input outside the region to be edited.

      editscope measure runs/mine

      editscope measure runs/mine --measures psnr,ssim,clip=models/clip-vit-base-patch32,dino=models/dinov2-base

    For diagnosis: mIoU where pixels that are right within 1, 2 or 4 pixels count, and by how many pixels, degrees,
    percent and ΔE the object or region of a case is off. The headline stays as it is.

      editscope measure runs/mine --measures within,errors

    The result is RUN/measures.parquet. Existing values are not measured again; the same command continues
    where it stopped.
    """
    from editscope.cli.output.progress import progress_bar
    from editscope.images import keep_freed_memory
    from editscope.results.classic_measures import made_with
    from editscope.runs.measure import measure_run
    from editscope.scoring.classic import CLASSIC, OFFSETS, available, parse_measures

    keep_freed_memory()
    lacks = available()
    if measures is None:
        chosen = [name for name in DEFAULT.split(",") if lacks[name] is None]
        wanted = dict.fromkeys(chosen, "")
    else:
        wanted = parse_measures(measures)
    with progress_bar("measuring", quiet=quiet, lines=True) as on_progress:
        measure_run(run, wanted, jobs=jobs, device=device, allow_download=allow_download, on_progress=on_progress)
    console = printing.console(soft_wrap=True)
    _table(run, console)
    if measures is None and not quiet:
        done = made_with(run)
        for name, reason in lacks.items():
            if name not in done and name not in OFFSETS:
                needs_model = name in CLASSIC and CLASSIC[name].needs_model
                fix = reason or (f"{name}=DIR adds it" if needs_model else f"--measures {name} adds it")
                console.print(f" {name} is not measured: {fix}", markup=False)
        if not done.keys() & OFFSETS.keys():
            console.print(" how far off edits are: --measures within,errors adds it", markup=False)


def _table(folder: Path, console: Console) -> None:
    from rich.table import Table

    from editscope.results import open_run
    from editscope.results.classic_measures import FILE, OUTSIDE, averages, made_with, metric_labels
    from editscope.scoring.classic import OFFSETS

    run = open_run(folder)
    means, labels = averages(run).get((), {}), metric_labels(folder)
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    table.add_column("", no_wrap=True)
    for heading in ("edit against answer", "edit against input, outside"):
        table.add_column(heading, justify="right", no_wrap=True)
    for name, shown in labels.items():
        if name not in OFFSETS or shown.higher_is_better:
            cells = [_cell(means.get(column), shown.unit) for column in (name, name + OUTSIDE)]
            table.add_row(f" {_title(shown)}", *cells)
    if table.row_count:
        console.print(table)
    _errors(run, labels, console)
    for name, used in made_with(folder).items():
        if used and name not in OFFSETS:
            console.print(f" {name}: " + ", ".join(f"{what} {which}" for what, which in used.items()), markup=False)
    headline = run.summary["overall"].get("miou", {}).get("mean")
    if headline is not None:
        console.print(f" mIoU of the same edits: {headline:.1f}", markup=False)
    console.print(f" {folder / FILE}", markup=False)


def _errors(run: Run, labels: Mapping[str, MetricLabel], console: Console) -> None:
    """By task, the median of each error, and in how many cases one could be measured."""
    from rich.table import Table

    from editscope.results.classic_measures import measures_of
    from editscope.scoring.classic import OFFSETS
    from editscope.stats.diagnosis import error_rows

    names = [name for name in OFFSETS if name in labels and not labels[name].higher_is_better]
    if not names:
        return
    columns = measures_of(run)
    keys = [record.tags.get("task", "all cases") for record in run.records()]
    rows = error_rows(keys, {name: columns[name] for name in names})
    if not rows:
        console.print(" no error can be measured: no case says what object or region was to change", markup=False)
        return
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(" median error", no_wrap=True)
    for name in names:
        heading = f"{labels[name].label.lower().removesuffix(' error')} {labels[name].unit}"
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("measured", justify="right", no_wrap=True)
    for row in rows:
        errors = [row.errors.get(name) for name in names]
        cells = [f"{error.median.mean:.1f}" if error else "–" for error in errors]
        most = max(error.n for error in errors if error)
        table.add_row(f" {plain(row.key).lower()}", *cells, f"{most} of {row.cases}")
    console.print(table)


def _title(shown: MetricLabel) -> str:
    more = shown.unit or ("lower is better" if shown.higher_is_better is False else "")
    return f"{shown.label} ({more})" if more else shown.label


def _cell(cell: Interval | None, unit: str) -> str:
    """Mean ± half of the interval; fewer than five cases have none."""
    from editscope.scoring.offsets.metrics import UNITS

    if cell is None:
        return "–"
    digits = 4 if unit not in ("dB", *UNITS.values()) else 1
    return f"{cell.mean:.{digits}f}{half_width(asdict(cell), digits)}"
