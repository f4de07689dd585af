"""The `editscope` command, its exit codes, and how errors are printed."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from types import FrameType
from typing import Annotated, Any

import typer

from editscope import printing
from editscope.cli.completion import VARIABLE, join_split_words, words_before
from editscope.cli.help import GroupedCommands, GroupedOptions
from editscope.errors import EditscopeError, Stopped
from editscope.outside import required
from editscope.version import __version__

OK, DONE_WITH_GAPS, BAD_INPUT, STOPPED = 0, 1, 2, 3

HELP = """The measuring instrument for image-editing models: cases, edits, scores, intervals, evidence.

The first minute, offline, with a report to open:

  editscope demo

Score edits that you have as files, then view the report:

  editscope run paintbench --editor folder:my-outputs --out runs/mine

  editscope report runs/mine --out mine.html

Exit codes: 0 done, 1 done but some cases have no score, 2 bad input, 3 stopped early and resumable."""

PANELS: Mapping[str, Mapping[str, str]] = {
    "Start": {
        "demo": "demo:demo",
        "suites": "cases.suites:suites",
        "editors": "models.editors:editors",
        "doctor": "doctor:doctor",
    },
    "Evaluate": {
        "run": "evaluate.run:run",
        "score": "evaluate.score:score",
        "resume": "evaluate.resume:resume",
        "rescore": "evaluate.rescore:rescore",
        "watch": "evaluate.watch:watch",
    },
    "Read results": {
        "show": "results.show:show",
        "report": "results.report:report",
        "compare": "results.compare:compare",
        "figures": "results.figures:figures",
        "measure": "results.measure:measure",
        "pack": "results.pack:pack",
        "export": "results.export:export",
        "published": "results.published:published",
    },
    "Work with people": {"studio": "people.studio:studio", "study": "people.study_results:app"},
    "Make cases": {
        "generate": "cases.generate:generate",
        "suite": "cases.suite:app",
        "factory": "factory.build:app",
    },
    "Models and judges": {
        "serve-editor": "models.serve_editor:serve_editor",
        "worker": "models.worker:app",
        "judge": "models.judge:app",
        "prompts": "models.prompts:app",
    },
    "Train": {"train": "training.train:app", "serve-reward": "training.serve_reward:serve_reward"},
}
"""The commands, as `editscope --help` groups them: the module in this folder and the name in it."""

CLASSES: Mapping[str, str] = {
    "run": "SuiteCommand",
    "score": "SuiteCommand",
    "watch": "SuiteCommand",
    "generate": "GenerateCommand",
}
"""Commands that also take the options of a suite, each with its class in ``suite_options``."""


def make_app(only: str | None = None) -> typer.Typer:
    """The command line with all commands, or with one: reading the options of all takes longer than most commands."""
    app = typer.Typer(
        cls=GroupedCommands, help=HELP, no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode=None
    )
    app.callback()(_editscope)
    for panel, commands in PANELS.items():
        for name, place in commands.items():
            if only not in (None, name):
                continue
            command = _found(*place.split(":"))
            if isinstance(command, typer.Typer):
                app.add_typer(command, name=name, rich_help_panel=panel)
            else:
                kind = _found("suite_options", CLASSES[name]) if name in CLASSES else GroupedOptions
                app.command(name, cls=kind, rich_help_panel=panel)(command)
    return app


def _found(module: str, name: str) -> Any:
    return getattr(import_module(f"editscope.cli.{module}"), name)


def _version(wanted: bool) -> None:
    if wanted:
        printing.say(f"editscope {__version__}")
        raise typer.Exit


def _editscope(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


def the_command(words: Sequence[str]) -> str | None:
    """The command that arguments begin with, if it is one.

    >>> the_command(["run", "paintbench"]), the_command(["rnu"]), the_command(["--help"])
    ('run', None, None)
    """
    known = {name for commands in PANELS.values() for name in commands}
    return next((word for word in words[:1] if word in known), None)


class _Interrupted(BaseException):
    """Ctrl-C outside the steps of a run. Not a KeyboardInterrupt, which would end in the exit code of gaps."""


def _interrupted(number: int, frame: FrameType | None) -> None:
    raise _Interrupted


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line. Errors raised on purpose become one line on stderr and an exit code."""
    before = signal.signal(signal.SIGINT, _interrupted)
    try:
        given = sys.argv[1:] if arguments is None else arguments
        for place, argument in enumerate(given, start=1):
            required(f"argument {place}", argument, "rename the file or folder, or set the terminal to UTF-8")
        join_split_words()
        make_app(the_command(given if VARIABLE not in os.environ else words_before()))(arguments, prog_name="editscope")
    except _Interrupted:
        printing.say("editscope: stopped on request; run the same command to continue", error=True)
        sys.exit(STOPPED)
    except EditscopeError as error:
        if os.environ.get("EDITSCOPE_DEBUG"):
            raise
        printing.say(f"editscope: {error}", error=True)
        if getattr(error, "__notes__", None):
            printing.say("  the whole traceback: set EDITSCOPE_DEBUG=1 and run the same command", error=True)
        sys.exit(STOPPED if isinstance(error, Stopped) else BAD_INPUT)
    finally:
        signal.signal(signal.SIGINT, before)
