"""Drill of plugins: the package of docs/extending.md, installed into a fresh environment and run as printed there.

``PYTHONPATH=tests python -m drills.plugins FOLDER`` puts the environment, the package, the runs and the reports into
FOLDER, which must be new.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from support import extending_page as page

ROOT = Path(__file__).parents[2]
SHOWN = ("Color by size", "color-judge:median", "Painter, dark", "Brush One", "Vividness")
"""What the report of the package must show: the suite's table, its judge, its editor, its paper, and the metric."""


def main(folder: Path) -> None:
    """Install, run and look."""
    folder.mkdir(parents=True)
    package = page.write_package(folder / "acme-colors")
    here = folder / "here"
    here.mkdir()
    _call([sys.executable, "-m", "venv", folder / "venv"], here)
    programs = folder / "venv" / "bin"
    _call([programs / "pip", "install", "-q", "-c", ROOT / "constraints.txt", f"{ROOT}[judge,report]", package], here)
    for arguments in page.commands(page.PACKAGE):
        _call([programs / "editscope", *arguments], here)
    html = (here / "package.html").read_text(encoding="utf-8")
    if missing := [text for text in SHOWN if text not in html]:
        sys.exit(f"{here / 'package.html'} does not show {', '.join(missing)}")
    print(f"shown in {here / 'package.html'}: {', '.join(SHOWN)}")


def _call(command: Sequence[str | Path], folder: Path) -> None:
    print(f"$ {shlex.join([Path(command[0]).name, *map(str, command[1:])])}", flush=True)
    away = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment = {**away, "EDITSCOPE_CACHE": str(folder / "cache")}
    subprocess.run([str(part) for part in command], cwd=folder, env=environment, check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
