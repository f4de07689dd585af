"""`editscope train`: supervised training of editing models."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from editscope import printing
from editscope.cli.help import GroupedCommands, GroupedOptions
from editscope.cli.training.compare import compare
from editscope.cli.training.interrupts import ended_at_once
from editscope.cli.training.train_small import small, small_export
from editscope.errors import BadInput

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
Resume: TypeAlias = Annotated[bool, typer.Option("--resume", help="Resume from the last checkpoint.")]
DryRun: TypeAlias = Annotated[
    bool, typer.Option("--dry-run", help="Show what will happen, without loading any weights.")
]


@app.command(cls=GroupedOptions)
def run(
    experiment: ExperimentFile,
    out: RunFolder = None,
    resume: Resume = False,
    dry_run: DryRun = False,
) -> None:
    """Train what an experiment describes: LoRA layers, or the whole network; by rewards if it has [reinforcement].

    Ctrl-C finishes the step, or the group of edits, saves a checkpoint and says how to resume. Several processes are
    started with accelerate:

      editscope train run experiment.toml --dry-run

      editscope train run experiment.toml

      accelerate launch --num_processes 8 -m editscope train run experiment.toml
    """
    _say_reading(experiment)
    from editscope.training.settings import read_experiment

    read = read_experiment(experiment)
    folder = out or Path("trained") / read.name
    if dry_run:
        from editscope.cli.training.outlines import say_outline, say_reinforcement

        (say_reinforcement if "reinforcement" in read.extra else say_outline)(read, experiment.name, folder, resume)
        return
    with ended_at_once(folder):
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
    recipe: Annotated[str, typer.Option("--recipe", metavar="NAME", help="The recipe to start from.")] = "pica-kontext",
) -> None:
    """Write the file of an experiment from a recipe, with a comment on each value that its paper does not state.

    editscope train new experiment.toml --recipe pica-qwen

    Recipes of comparisons write a plan for `train compare`, and its experiment next to it:

      editscope train new plan.toml --recipe pica-comparison
    """
    from editscope.training.recipes.writing import write_recipe

    for sentence in write_recipe(file, recipe):
        printing.say(sentence)


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
    from editscope.training.run_files import EXPERIMENT, LORA, NETWORK

    file = folder / EXPERIMENT
    if not file.is_file():
        raise BadInput(f"{folder} has no {EXPERIMENT}; give the folder of a training run")
    for name in (LORA, NETWORK):
        if (out / name).exists():
            raise BadInput(f"{out} already has weights ({name}); choose another --out, or delete them first")
    _say_reading(file)
    from editscope.editors.spec import EditorSpec
    from editscope.training.settings import read_experiment
    from editscope.training.supervised.export import export_checkpoint

    experiment = read_experiment(file)
    model = experiment.model
    printing.say(f"loading {model.pipeline}")
    weights = export_checkpoint(experiment, folder, out, step)
    options = {"lora" if experiment.lora is not None else "network": str(weights)}
    if model.revision:
        options["revision"] = model.revision
    printing.say(f"{EditorSpec('diffusers', model.pipeline, options)}")


app.command(cls=GroupedOptions)(compare)


@app.command(cls=GroupedOptions)
def planner(
    experiment: ExperimentFile,
    out: RunFolder = None,
    resume: Resume = False,
    dry_run: DryRun = False,
) -> None:
    """Train a planner on texts: a language model that turns an implicit instruction into what will be visible.

    editscope train new planner.toml --recipe worldedit-planner

    editscope train planner planner.toml --dry-run

    editscope train planner planner.toml
    """
    _say_reading(experiment)
    from editscope.training.planner.experiment import planner_name

    folder = out or Path("trained") / planner_name(experiment)
    if dry_run:
        from editscope.cli.training.outlines import say_planner

        say_planner(experiment, folder, resume)
        return
    from editscope.training.planner.start import train_planner

    with ended_at_once(folder):
        weights = train_planner(experiment, folder, resume=resume, say=printing.say)
    printing.say(f"{weights}")


def _say_reading(file: Path) -> None:
    """Say at once which file is read: PyTorch and diffusers take seconds to load. Only the first process does."""
    if os.environ.get("RANK", "0") == "0":
        printing.say(f"reading {file} …")


app.command("small", cls=GroupedOptions)(small)
app.command("small-export", cls=GroupedOptions)(small_export)
