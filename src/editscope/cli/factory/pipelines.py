"""`editscope factory NAME`: a command for each pipeline that ships, and `new` for one of your own."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from editscope import printing
from editscope.cli.factory import building as of
from editscope.cli.help import GroupedOptions
from editscope.errors import BadInput

if TYPE_CHECKING:
    from editscope.factory.pipelines.catalog import PlanInput, ShippedPipeline

PANEL, INPUTS = "Pipelines", "What it takes"
OF_PLANS = ("plan", "out")
"""What only a command that takes a plan has."""
FORGOTTEN = "a dry run writes nothing: give the inputs and models again to build, which remembers them in inputs.toml"


def add_pipelines(app: typer.Typer, build: Callable[..., None]) -> None:
    """Add `new`, and a command for each pipeline of the catalog, with the options of ``build``."""
    from editscope.factory.pipelines.catalog import pipelines

    app.command(cls=GroupedOptions)(new)
    for pipeline in pipelines().values():
        app.command(pipeline.name, cls=GroupedOptions, rich_help_panel=PANEL)(_command(pipeline, build))


def new(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new or empty folder.")],
    like: Annotated[
        str, typer.Option("--like", metavar="NAME", help="Start from the plan and prompts of this pipeline.")
    ] = "",
) -> None:
    """Write a small pipeline that builds immediately, as a start for your own.

    It needs no model: a function draws pictures for a dictionary of 20 words.

      editscope factory new my-set

    Start from a pipeline that ships, and change its plan and prompts before you build:

      editscope factory new my-set --like picabench
    """
    from editscope.factory.pipelines.catalog import find_pipeline
    from editscope.factory.pipelines.starting import start_own, start_pipeline

    if like:
        pipeline = find_pipeline(like)
        start_pipeline(pipeline, folder, {}, {}, whole=False)
        printing.say(f"{folder} has the plan and the prompts of {like} · change plan.toml and prompts/")
        needed = " ".join(f"--{one.name} {one.kind.upper()}" for one in pipeline.inputs if one.required)
        printing.say(f"build it with: editscope factory {like} {folder} {needed}".rstrip())
        return
    start_own(folder)
    printing.say(f"{folder} is a pipeline with a dictionary of 20 words · change plan.toml, words.csv and my_steps.py")
    printing.say(f"build it with: editscope factory build {folder}")


def _command(pipeline: ShippedPipeline, build: Callable[..., None]) -> Any:
    """The function behind the command of a pipeline, with an option for each of its inputs."""
    names = {_name(one.name): one for one in pipeline.inputs}

    def command(**values: Any) -> None:
        from editscope.factory.pipelines.starting import outlined_plan, start_pipeline

        folder, specs = values.pop("folder"), values.pop("model")
        given = {names[name].name: values.pop(name) for name in names if values[name] is not None}
        values = {name: value for name, value in values.items() if name not in names}
        options, models = of.BuildOptions(**values), dict(_model(spec) for spec in specs)
        if options.dry_run:
            of.outline(outlined_plan(pipeline, folder, given, models), folder / "build", options.limit)
            if given or models:
                printing.say(FORGOTTEN)
            return
        of.build_plan(*of.build_folder(start_pipeline(pipeline, folder, given, models), None), options)

    parameters = [
        _parameter("folder", Path, typer.Argument(metavar="DIR", help="The folder of plan and build, made if needed.")),
        *(_input_parameter(name, one) for name, one in names.items()),
        _parameter("model", list[str], _model_option(pipeline), default=[]),
    ]
    shared = [one for one in inspect.signature(build, eval_str=True).parameters.values() if one.name not in OF_PLANS]
    command.__signature__ = inspect.Signature([*parameters, *shared])  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in (*parameters, *shared)}
    command.__doc__ = _help(pipeline)
    return command


def _help(pipeline: ShippedPipeline) -> str:
    required = "".join(f" --{one.name} {one.kind.upper()}" for one in pipeline.inputs if one.required)
    models = "".join(f" --model {one.name}=SPEC" for one in pipeline.models)
    lines = [f"Model {one.name} ({one.kind}): {one.about}" for one in pipeline.models]
    return "\n\n".join(
        [
            pipeline.about,
            f"As in {pipeline.paper}. The plan and its prompts are copied to DIR, where you can change them."
            if pipeline.paper
            else "The plan and its prompts are copied to DIR, where you can change them.",
            *lines,
            "A pilot of 50 records, then all of them:",
            f"editscope factory {pipeline.name} my-set{required}{models} --limit 50",
            f"editscope factory {pipeline.name} my-set",
        ]
    )


def _parameter(name: str, kind: Any, option: Any, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    annotation: Any = Annotated[kind, option]
    return inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=annotation)


def _input_parameter(name: str, one: PlanInput) -> inspect.Parameter:
    metavar = {"folder": "DIR", "file": "FILE", "number": "N"}.get(one.kind, "TEXT")
    default = "" if one.default in (None, "") else f" [default: {one.default}]"
    shown = None if one.kind == "flag" else metavar
    about = f"{one.about.rstrip('.')}{default}."
    option = typer.Option(f"--{one.name}", metavar=shown, help=about, rich_help_panel=INPUTS)
    return _parameter(name, (bool if one.kind == "flag" else str) | None, option, default=None)


def _model_option(pipeline: ShippedPipeline) -> Any:
    names = ", ".join(one.name for one in pipeline.models) or "none"
    about = f"The spec of a model, such as writer=openai:gpt-5; this pipeline has {names}. Repeat it for each."
    return typer.Option("--model", metavar="NAME=SPEC", help=about, rich_help_panel=of.COST)


def _model(text: str) -> tuple[str, str]:
    name, equals, spec = text.partition("=")
    if not equals or not name or not spec:
        raise BadInput(f"--model {text!r} is not of the form NAME=SPEC; write, for example: writer=openai:gpt-5")
    return name, spec


def _name(name: str) -> str:
    return name.replace("-", "_")
