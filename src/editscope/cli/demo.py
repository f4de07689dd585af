"""`editscope demo`: a first result in a minute, offline, with a report to open."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from editscope import printing
from editscope.cli import options as opt
from editscope.errors import BadInput

if TYPE_CHECKING:
    from rich.console import Console

    from editscope.results import Run

SUITE = "paintbench?conditions=baseline,striped&per_mode=1"
EDITORS = {
    "identity": "ref:identity",
    "drift": "ref:drift",
    "shift": "ref:shift",
    "half": "ref:half",
}
"""The reference editors of the demo by the names of their run folders."""
MODEL = "small"
"""The editor that is a model, and the name of its run folder. It takes part where it can run."""
MODEL_CASES = 20
"""Cases of the model, one of each task: an edit of it takes a second."""
REPORT = "report.html"
TITLE = "Four editors that each fail in one known way"


def demo(
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder for runs and report.")] = Path("demo"),
    show: Annotated[bool, typer.Option("--open", help="Open the report in your browser.")] = False,
    jobs: opt.Jobs = None,
    quiet: opt.Quiet = False,
) -> None:
    """Evaluate four reference editors and a small model, and write a report: no download, no key, no GPU.

    editscope demo

    editscope demo --out my-first-look --open

    Each reference editor fails in one known way. The model needs ONNX Runtime (pip install 'editscope[small]') and
    edits one case of each task. The same command again keeps the runs and writes the report again.
    """
    _check_folder(out)
    console = printing.console(soft_wrap=True)
    missing = _missing_of_model()
    if missing and not quiet:
        console.print(f"Without the small model: {missing}", markup=False)
    runs = [_run(spec, out / name, jobs, quiet, console) for name, spec in EDITORS.items()]
    if not missing:
        runs.append(_run(MODEL, out / MODEL, jobs, quiet, console, limit=MODEL_CASES))
    report = _report(runs, out / REPORT)
    _say_next(out, report, missing, console)
    if show:
        import webbrowser

        webbrowser.open(report.resolve().as_uri())


def _check_folder(out: Path) -> None:
    """Raise BadInput where a folder holds anything that a demo did not write."""
    if out.exists() and not out.is_dir():
        raise BadInput(f"--out {out} is a file; choose a folder")
    foreign = (
        [path.name for path in sorted(out.iterdir()) if path.name not in (*EDITORS, MODEL, REPORT)]
        if out.exists()
        else []
    )
    if foreign:
        raise BadInput(f"{out} holds {foreign[0]}, which is not part of a demo; choose another folder with --out DIR")


def _run(spec: str, folder: Path, jobs: int | None, quiet: bool, console: Console, limit: int | None = None) -> Run:
    """One editor on the cases of the demo; a run that is there already is kept."""
    from editscope.cli.output import runs as output
    from editscope.runs import execute, make_plan
    from editscope.suites import load_suite

    plan = make_plan(load_suite(SUITE), spec, out=folder, limit=limit)
    if not quiet:
        console.print(plan.headline(), markup=False)
    run = execute(plan, jobs=jobs, console=None if quiet else console)
    output.result(run, console)
    return run


def _report(runs: list[Run], path: Path) -> Path:
    from editscope.cli.output.progress import ProgressLine
    from editscope.report import write

    line = ProgressLine()
    written = write(
        runs,
        path,
        title=TITLE if len(runs) == len(EDITORS) else f"{TITLE}, and a small model",
        published=True,
        say=line,
    )
    line.end()
    return written


def _missing_of_model() -> str:
    """Why the model cannot take part, with the fix; "" where it can."""
    from editscope.editors.kinds import editor_kind

    return "; ".join(editor_kind(MODEL).missing())


def _say_next(out: Path, report: Path, missing: str, console: Console) -> None:
    """What to open, and what to try next."""
    from editscope.editors.kinds import importable

    half, shift = (shlex.quote(str(out / name)) for name in ("half", "shift"))
    lines = [
        "",
        f"Open {report}: four editors that each fail in one known way, next to the published results.",
        *([f"Without the small model: {missing}"] if missing else []),
        *([] if importable("plotly") else ["For interactive plots: pip install 'editscope[report]'"]),
        "",
        "Try next:",
        f"  editscope show {half}",
        f"  editscope compare {half} {shift}",
        "  editscope run paintbench --limit 40 --editor ref:drift --out runs/drift",
        "  editscope suites",
        "  editscope editors",
        "",
        "Your own model, as class MyEditor in my_model.py (docs/own-editor.md):",
        "  editscope run paintbench --limit 40 --editor python:my_model:MyEditor",
        "Its outputs as files in a folder DIR (docs/getting-started.md):",
        "  editscope score paintbench --outputs DIR",
    ]
    console.print("\n".join(lines), markup=False)
