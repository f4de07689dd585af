"""`editscope train`: supervised training of editing models."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from editscope import printing
from editscope.cli.help import GroupedCommands, GroupedOptions
from editscope.cli.training.train_small import small, small_export
from editscope.errors import BadInput, unknown

app = typer.Typer(
    cls=GroupedCommands,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Train editing models: one TOML file per experiment, checkpoints that resume bit for bit.",
)

ExperimentFile: TypeAlias = Annotated[
    Path, typer.Argument(metavar="EXPERIMENT.toml", help="The file of the experiment; `train new` writes one.")
]
RunFolder: TypeAlias = Annotated[
    Path | None, typer.Option("--out", metavar="DIR", help="The folder of the run [default: trained/NAME].")
]


@app.command(cls=GroupedOptions)
def run(
    experiment: ExperimentFile,
    out: RunFolder = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the last checkpoint.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what will happen, without loading any weights.")
    ] = False,
) -> None:
    """Train what an experiment describes: LoRA layers, or the whole network; by rewards if it has [reinforcement].

    Ctrl-C finishes the step, saves a checkpoint and says how to go on. Several processes are started with accelerate:

      editscope train run experiment.toml --dry-run

      editscope train run experiment.toml

      accelerate launch --num_processes 8 -m editscope train run experiment.toml
    """
    from editscope.training.settings import read_experiment

    read = read_experiment(experiment)
    folder = out or Path("trained") / read.name
    if dry_run:
        say_outline(experiment, folder, resume)
        return
    if "reinforcement" in read.extra:
        from editscope.training.reinforcement.start import reinforce_experiment

        weights = reinforce_experiment(read, folder, source=experiment, resume=resume, say=printing.say)
    else:
        from editscope.training.supervised.start import train

        weights = train(read, folder, source=experiment, resume=resume, say=printing.say)
    printing.say(f"{weights}")


@app.command(cls=GroupedOptions)
def new(
    file: Annotated[Path, typer.Argument(metavar="EXPERIMENT.toml", help="The file to write.")],
    recipe: Annotated[str, typer.Option("--recipe", metavar="NAME", help="The recipe to begin with.")] = "pica-kontext",
) -> None:
    """Write the file of an experiment from a recipe, with a comment at each value that a paper does not state.

    editscope train new experiment.toml --recipe pica-qwen
    """
    from importlib.resources import files

    recipes = {one.name.removesuffix(".toml"): one for one in files("editscope.training.recipes").iterdir()}
    known = sorted(name for name, one in recipes.items() if one.name.endswith(".toml"))
    if recipe not in known:
        raise unknown("recipe", recipe, known)
    if file.exists():
        raise BadInput(f"{file} is there already; choose another name")
    from editscope.runfolder.files import write_whole

    write_whole(file, recipes[recipe].read_bytes())
    if recipe == "small":
        printing.say(f"{file}: look at it; then `editscope train small {file} --dry-run`")
        return
    printing.say(f"{file}: set [[data.parts]] and look at the rest; then `editscope train run {file} --dry-run`")


@app.command(cls=GroupedOptions)
def export(
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a training run.")],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Where the weights go.")],
    step: Annotated[
        int | None, typer.Option("--step", metavar="N", min=1, help="The checkpoint [default: the last one].")
    ] = None,
) -> None:
    """Write the weights of a checkpoint as the diffusers editor loads them: a LoRA file, or a network.

    editscope train export trained/mine --out mine

    editscope run paintbench --editor 'diffusers:MODEL?lora=mine/pytorch_lora_weights.safetensors'
    """
    from editscope.training.settings import read_experiment
    from editscope.training.supervised.export import export_checkpoint
    from editscope.training.supervised.start import EXPERIMENT

    if not (folder / EXPERIMENT).is_file():
        raise BadInput(f"{folder} has no {EXPERIMENT}; give the folder of a training run")
    experiment = read_experiment(folder / EXPERIMENT)
    weights = export_checkpoint(experiment, folder, out, step)
    option = "lora" if experiment.lora is not None else "network"
    printing.say(f"diffusers:{experiment.model.pipeline}?{option}={weights}")


@app.command(cls=GroupedOptions)
def planner(
    experiment: ExperimentFile,
    out: RunFolder = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the last checkpoint.")] = False,
) -> None:
    """Train a planner on texts: a language model that turns an implicit instruction into what will be visible.

    editscope train new planner.toml --recipe worldedit-planner

    editscope train planner planner.toml
    """
    from editscope.training.planner.start import train_planner

    folder = out or Path("trained") / experiment.stem
    printing.say(f"{train_planner(experiment, folder, resume=resume, say=printing.say)}")


app.command("small", cls=GroupedOptions)(small)
app.command("small-export", cls=GroupedOptions)(small_export)


def say_outline(file: Path, folder: Path, resume: bool) -> None:
    """Print what a run will do."""
    from rich.table import Table

    from editscope.training.checkpoints import checkpoints_in
    from editscope.training.settings import read_experiment
    from editscope.training.supervised.outline import GIB, outline

    experiment = read_experiment(file)
    plan = outline(experiment)
    there = checkpoints_in(folder)
    table = Table(show_header=False, box=None, pad_edge=False)
    share = plan.trained / plan.parameters
    how = f"LoRA in {plan.targets} modules" if plan.targets else "the whole network"
    rows = [
        ("model", f"{experiment.model.pipeline} ({plan.family})"),
        ("parameters", f"{plan.parameters:,}"),
        ("trained", f"{plan.trained:,} ({share:.2%}): {how}"),
        ("steps", f"{plan.steps:,}" + (f", from {there[-1][0]:,}" if there and resume else "")),
        ("examples of a step", f"{plan.examples} in batches of {experiment.training.batch}, over all processes"),
        ("pictures seen", f"{plan.pictures:,}"),
        ("records", "without end" if plan.records is None else f"{plan.records:,}"),
        *([] if plan.epochs is None else [("epochs", f"{plan.epochs:.2f}")]),
        ("rate", f"{experiment.optimizer.rate:g}, {experiment.schedule.kind}, warm-up {experiment.schedule.warmup}"),
        *((f"memory: {name}", f"{size / GIB:.2f} GiB") for name, size in plan.memory.items() if size),
        ("memory in all, about", f"{sum(plan.memory.values()) / GIB:.2f} GiB for each process"),
        ("checkpoints", f"each {experiment.checkpoints.every} steps, the last {experiment.checkpoints.keep} stay"),
        ("folder", str(folder)),
    ]
    for name, value in rows:
        table.add_row(name, value)
    printing.console().print(table)
