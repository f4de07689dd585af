"""A clean environment: a virtual environment with Editscope alone, a home folder of its own, no keys."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXTRAS = "report,judge"


def install(folder: Path) -> Path:
    """The Python of a new virtual environment in which the checkout is installed as a user would."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    python = folder / "bin" / "python"
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "-q", "install"]
    subprocess.run([*pip, "-c", str(ROOT / "constraints.txt"), f"{ROOT}[{EXTRAS}]"], check=True, cwd=folder)
    return python


def environment(python: Path, home: Path) -> dict[str, str]:
    """What a person's shell has who has set nothing: no keys, no caches, no options of ours."""
    home.mkdir(parents=True, exist_ok=True)
    path = f"{python.absolute().parent}:/usr/local/bin:/usr/bin:/bin"
    return {"PATH": path, "HOME": str(home), "LANG": "C.UTF-8", "USER": "walker", "SHELL": "/bin/bash"}
