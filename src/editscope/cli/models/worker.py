"""`editscope worker new`: a program in an environment of its own that edits."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from editscope import printing
from editscope.cli.help import GroupedOptions
from editscope.errors import BadInput

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Write a worker: a program in an environment of its own that edits.",
)


@app.command(cls=GroupedOptions)
def new(
    file: Annotated[Path, typer.Argument(metavar="FILE.py", help="A new file.")],
) -> None:
    """Write a worker that runs immediately and returns its input; then fill in your model.

    editscope worker new my_worker.py

    editscope run paintbench --limit 8 --editor "worker:python my_worker.py"

    It does not import Editscope. Run it with the Python of the model's environment.
    """
    from importlib.resources import files

    text = files("editscope.editors.worker").joinpath("skeleton.py").read_text(encoding="utf-8")
    if file.suffix != ".py":
        raise BadInput(f"{file} does not end with .py; a worker is a Python file")
    try:
        with file.open("x", encoding="utf-8") as opened:
            opened.write(text.replace("THIS_FILE", file.name))
    except FileExistsError:
        raise BadInput(f"{file} already exists; choose another name") from None
    except OSError as error:
        raise BadInput(f"{file} cannot be written ({error.strerror}); check the folder") from error
    shown = os.fspath(file)
    printing.say(f"{shown} is a worker that returns its input · fill in load and edit")
    printing.say(f' python {shown} try input.png "Make it red." output.png')
    printing.say(f' editscope run paintbench --limit 8 --editor "worker:python {shown}"')
