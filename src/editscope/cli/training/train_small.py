"""`editscope train small` and `small-export`: the small editor, from the stream of problems to its file of weights."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from editscope import printing
from editscope.cli.training.interrupts import ended_at_once
from editscope.errors import BadInput

if TYPE_CHECKING:
    from editscope.runfolder.journal import Journal
    from editscope.training.small.settings import SmallRecipe

RECIPE = "small.toml"


def small(
    recipe: Annotated[
        Path | None,
        typer.Argument(
            metavar="[RECIPE.toml]",
            help="Sizes and settings; `train new mine.toml --recipe small` writes one [default: the one that ships].",
        ),
    ] = None,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder of the training.")] = Path(
        "trained/small"
    ),
    seconds: Annotated[
        float | None, typer.Option("--seconds", metavar="S", min=0.0, help="How long to train this stage.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Finish the stage that was stopped, or start the next one.")
    ] = False,
    start: Annotated[
        Path | None,
        typer.Option(
            "--start",
            metavar="PATH",
            help="Start with the averaged weights of another training: its folder, a checkpoint, or a PyTorch file.",
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what will happen, without training.")] = False,
) -> None:
    """Train the small editor on problems that are made while it trains; none of them is in the default set.

    The recipe has three stages: two teach how answers are made, one rewards mIoU. Each lasts as long as the recipe or
    --seconds says. --resume starts the next stage; after the last one, it repeats the last stage. Ctrl-C finishes the
    step, saves a checkpoint and tells you how to continue.

      editscope train small --dry-run

      editscope train small

      editscope train small --resume

      editscope train small-export trained/small --out mine.weights
    """
    from dataclasses import replace

    from editscope.training.log.training_log import locked_folder
    from editscope.training.small.learner import start_network
    from editscope.training.small.stage import check_place, next_stage

    check_place(out, resume, start)
    file = recipe or (out / RECIPE if resume else _shipped())
    read = _read(file).lasting(seconds)
    if dry_run:
        if start is not None:
            start_network(start, read.network)
        _say_outline(replace(read, number=next_stage(out) if resume else 1), out, out if resume else start)
        return
    lasts = "" if seconds is None else f" --seconds {seconds:g}"
    command = f"editscope train small --out {shlex.quote(str(out))}{lasts} --resume"
    with ended_at_once(out, f"run `{command}`"), locked_folder(out) as journal:
        read = replace(read, number=next_stage(out) if resume else 1)
        _train(read, file, out, journal, resume, start, command)


def _train(
    recipe: SmallRecipe, file: Path, out: Path, journal: Journal | None, resume: bool, start: Path | None, command: str
) -> None:
    """Train a stage in a folder that is locked; ``command`` resumes it."""
    from editscope.runfolder.files import write_whole
    from editscope.training.small.held_out import seen_note
    from editscope.training.small.stage import SmallStage

    stage = SmallStage(recipe, out, say=printing.say, go_on=f"run `{command}`", journal=journal)
    if resume:
        stage.resume()
        if recipe.number > len(recipe.stages):
            printing.say(f"{_all_done(recipe)}; this repeats the last stage")
        printing.say(f"stage {_numbered(recipe)}, continuing from step {stage.learner.step}")
    else:
        if start is not None:
            stage.start_from(start)
        printing.say(f"stage {_numbered(recipe)} on {recipe.stage.on}")
    if note := seen_note(recipe.stage.without, stage.held_out):
        printing.say(note)
    printing.say("making the first problems; the first step of a stage takes longer, on a GPU minutes")
    if file != out / RECIPE:
        write_whole(out / RECIPE, file.read_bytes())
    stage.run()
    printing.say(
        f"{out}: stage {_numbered(recipe)} finished at step {stage.learner.step}; "
        f"`editscope train small-export {shlex.quote(str(out))} --out FILE` writes its weights"
    )
    if recipe.number < len(recipe.stages):
        printing.say(f"the next stage: `{command}`")


def _numbered(recipe: SmallRecipe) -> str:
    """The stage and how many its recipe has."""
    count = len(recipe.stages)
    return f"{min(recipe.number, count)} of {count}{', repeated' if recipe.number > count else ''}"


def _all_done(recipe: SmallRecipe) -> str:
    count = len(recipe.stages)
    return f"all {count} stages are done" if count > 1 else "the only stage is done"


def _shipped() -> Path:
    from importlib.resources import files

    return Path(str(files("editscope.training.recipes").joinpath(RECIPE)))


def _read(file: Path) -> SmallRecipe:
    from editscope.training.small.settings import read_recipe

    if file.is_dir():
        raise BadInput(
            f"{file} is a folder; give the file of a recipe, or continue a training with `editscope train small "
            f"--out {shlex.quote(str(file))} --resume`"
        )
    if not file.is_file():
        raise BadInput(f"{file} is not there; `editscope train new {file.name} --recipe small` writes one")
    return read_recipe(file)


def _say_outline(recipe: SmallRecipe, folder: Path, before: Path | None) -> None:
    """Print what the stage will do; ``before`` is where its first weights come from, None if they are new."""
    import torch

    from editscope.cli.training.outlines import say_rows
    from editscope.training.checkpoints import checkpoints_in
    from editscope.training.small.held_out import held_out_in, never_seen, seen_note
    from editscope.training.small.network import SmallNetwork, parameters_of
    from editscope.training.small.stream import cells_of
    from editscope.wording import count

    stage = recipe.stage
    with torch.device("meta"):  # counts without memory
        parameters = parameters_of(SmallNetwork(recipe.network))
    again = f": {_all_done(recipe)}" if recipe.number > len(recipe.stages) else ""
    lasts = f"{stage.seconds:g} seconds or {count(stage.steps, 'step')}, whichever comes first"
    falls = f", falls to 0 over the last {stage.fall:.0%}" if stage.fall else ""
    saved = checkpoints_in(folder)
    never = never_seen(stage.without, None if before is None else held_out_in(before))
    note = seen_note(stage.without, never)
    rows = [
        ("parameters", f"{parameters:,}"),
        ("device", stage.on),
        ("stage", _numbered(recipe) + again),
        ("learns from", "mIoU as a reward, and lessons" if stage.reward else "lessons"),
        ("lasts", lasts + (f", from step {saved[-1][0]:,}" if saved and before == folder else "")),
        ("problems per step", f"{stage.batch}, made by {stage.workers} processes"),
        ("kinds of problems", f"{len(cells_of(stage.shares, stage.without))}: tasks, modes and conditions"),
        ("held out", ", ".join(never) or "nothing"),
        *([("note", note)] if note else []),
        ("rate", f"{stage.rate:g}, {count(stage.warmup, 'step')} of warm-up{falls}"),
        ("checkpoints", f"every {stage.save_every} steps and at the end"),
        ("folder", str(folder)),
    ]
    say_rows(rows)


def small_export(
    checkpoint: Annotated[
        Path, typer.Argument(metavar="CHECKPOINT", help="The folder of a training, a checkpoint, or a PyTorch file.")
    ],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The file to write.")],
) -> None:
    """Write the weights of the small editor in 8 bits, as the editor `small` reads them.

    editscope train small-export trained/small --out mine.weights

    editscope run paintbench --editor small:mine.weights --limit 4
    """
    from editscope.runfolder.files import write_whole
    from editscope.training.small.export import exported, read_average
    from editscope.training.small.held_out import held_out_in

    if out.is_dir():
        raise BadInput(f"--out {str(out)!r} is a folder; give the file to write, such as mine.weights")
    network = read_average(checkpoint)
    data = exported(network, held_out_in(checkpoint))
    write_whole(out, data)
    printing.say(f"{out}: {len(data) / 1e6:.1f} MB; use it as small:{out}")
