"""The `editscope` command, its exit codes, and how errors are printed."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Annotated

import typer

from editscope import printing
from editscope.cli import demo, doctor
from editscope.cli.cases import generate, suite, suites
from editscope.cli.completion import join_split_words
from editscope.cli.evaluate import rescore, resume, run, score, watch
from editscope.cli.help import GroupedCommands, GroupedOptions
from editscope.cli.models import editors, judge, prompts, serve_editor, worker
from editscope.cli.results import compare, figures, measure, pack, published, report, show
from editscope.cli.suite_options import GenerateCommand, SuiteCommand
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

app = typer.Typer(
    cls=GroupedCommands,
    help=HELP,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _version(wanted: bool) -> None:
    if wanted:
        printing.say(f"editscope {__version__}")
        raise typer.Exit


@app.callback()
def _editscope(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


PANELS: dict[str, dict[str, Callable[..., None] | typer.Typer]] = {
    "Start": {"demo": demo.demo, "suites": suites.suites, "editors": editors.editors, "doctor": doctor.doctor},
    "Evaluate": {
        "run": run.run,
        "score": score.score,
        "resume": resume.resume,
        "rescore": rescore.rescore,
        "watch": watch.watch,
    },
    "Read results": {
        "show": show.show,
        "report": report.report,
        "compare": compare.compare,
        "figures": figures.figures,
        "measure": measure.measure,
        "pack": pack.pack,
        "published": published.published,
    },
    "Make cases": {"generate": generate.generate, "suite": suite.app},
    "Models and judges": {
        "serve-editor": serve_editor.serve_editor,
        "worker": worker.app,
        "judge": judge.app,
        "prompts": prompts.app,
    },
}
"""The commands, as `editscope --help` groups them."""

CLASSES: dict[str, type[GroupedOptions]] = {
    "run": SuiteCommand,
    "score": SuiteCommand,
    "watch": SuiteCommand,
    "generate": GenerateCommand,
}
"""Commands that also take the options of a suite."""

for panel, commands in PANELS.items():
    for name, command in commands.items():
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name, rich_help_panel=panel)
        else:
            app.command(name, cls=CLASSES.get(name, GroupedOptions), rich_help_panel=panel)(command)


class _Interrupted(BaseException):
    """Ctrl-C outside the steps of a run. Not a KeyboardInterrupt, which would end in the exit code of gaps."""


def _interrupted(number: int, frame: FrameType | None) -> None:
    raise _Interrupted


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line. Errors raised on purpose become one line on stderr and an exit code."""
    before = signal.signal(signal.SIGINT, _interrupted)
    try:
        for place, argument in enumerate(sys.argv[1:] if arguments is None else arguments, start=1):
            required(f"argument {place}", argument, "rename the file or folder, or set the terminal to UTF-8")
        join_split_words()
        app(arguments, prog_name="editscope")
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
