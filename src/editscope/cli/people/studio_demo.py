"""Made runs and a made study for `editscope studio --demo`: reference editors, each failing in one known way."""

from __future__ import annotations

from pathlib import Path

from editscope import printing
from editscope.cli.demo import SUITE
from editscope.errors import BadInput

FOLDER = Path("studio-demo")
LIMIT = 40
EDITORS = ("ref:identity", "ref:drift", "ref:shift", "ref:half")
COMPARED = ("drift", "shift", "half")
"""The runs that the study is about."""


def make_demo(folder: Path) -> Path:
    """Make the runs of the demo in a folder; those that are there are kept, and one that was stopped goes on."""
    from editscope.runs import execute, make_plan
    from editscope.suites import load_suite

    if folder.exists() and not folder.is_dir():
        raise BadInput(f"{folder} is a file; name a folder for the demo")
    console = printing.console(soft_wrap=True)
    for spec in EDITORS:
        plan = make_plan(load_suite(SUITE), spec, out=folder / spec.partition(":")[2], limit=LIMIT)
        console.print(plan.headline(), markup=False)
        execute(plan, console=console)
    return folder
