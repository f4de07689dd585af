"""`editscope factory steps`: what a plan can be made of."""

from __future__ import annotations

import inspect
import json
from typing import Annotated, Any

import typer

from editscope import printing
from editscope.cli.help import first_sentence

Name = Annotated[str, typer.Argument(metavar="[NAME]", help="A step or a source.", show_default=False)]


def steps(name: Name = "") -> None:
    """List the steps and sources that a plan can use, or explain one with its settings.

    editscope factory steps

    editscope factory steps ask
    """
    from editscope.factory.steps.registry import SOURCES, STEPS, source_class, step_class

    if name:
        found = source_class(name) if name in SOURCES else step_class(name)
        _explain(name, found)
        return
    for title, names, find in (("Sources", SOURCES, source_class), ("Steps", STEPS, step_class)):
        printing.say(f"{title}:")
        wide = max(map(len, names))
        for one in names:
            made: Any = find(one)
            kind = f"{made.kind:<6}  " if title == "Steps" else ""
            printing.say(f"  {one:<{wide}}  {kind}{first_sentence(_plain(made))}")


def _explain(name: str, made: Any) -> None:
    """Print the docstring of a step or source, and its settings with their defaults."""
    printing.say(f"{name}{f' ({made.kind})' if hasattr(made, 'kind') else ''}\n")
    printing.say(_plain(made))
    if made.settings_of:
        printing.say("\nSettings and their defaults:")
        for setting, default in made.settings_of.items():
            model = getattr(made, "models", {}).get(setting)
            shown = f"the name of a model of the plan, of the kind {model}" if model else json.dumps(default)
            printing.say(f"  {setting} = {shown}")


def _plain(made: Any) -> str:
    return inspect.cleandoc(made.__doc__ or "").replace("``", "`")
