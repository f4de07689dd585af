"""The page ``docs/extending.md`` as files and commands: what it prints is what the tests write and run."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "extending.md"
PACKAGE = "As a package"
"""The section whose commands need the package to be installed."""
PROJECT = "pyproject.toml"

_FILE = re.compile(r"^`([\w./-]+)`:\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMANDS = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def files() -> dict[str, str]:
    """The files that the page prints, by the name that stands before each."""
    return dict(_FILE.findall(PAGE.read_text(encoding="utf-8")))


def commands(section: str) -> list[list[str]]:
    """The arguments of every ``$ editscope …`` in a section, as a shell would pass them."""
    _, _, after = PAGE.read_text(encoding="utf-8").partition(f"## {section}\n")
    lines = [line for block in _COMMANDS.findall(after.partition("\n## ")[0]) for line in block.splitlines()]
    return [shlex.split(line.removeprefix("$ editscope ")) for line in lines]


def write_files(folder: Path) -> Path:
    """Write the files into a folder, as somebody does who names them ``python:module:Name``."""
    for name, text in files().items():
        if name != PROJECT:
            _write(folder / name, text)
    return folder


def write_package(folder: Path) -> Path:
    """Write the package that the page lays out, with its pyproject.toml."""
    home = folder / "src" / "acme_colors"
    write_files(home)
    _write(home / "__init__.py", "")
    _write(folder / PROJECT, files()[PROJECT])
    return folder


def install_package(folder: Path) -> Path:
    """Write the package as an installer leaves it; ``folder`` then belongs on ``sys.path``."""
    import tomllib

    write_files(folder / "acme_colors")
    _write(folder / "acme_colors" / "__init__.py", "")
    project = tomllib.loads(files()[PROJECT])["project"]
    info = folder / "acme_colors-1.0.dist-info"
    _write(info / "METADATA", f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    points = (
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in named.items())
        for group, named in project["entry-points"].items()
    )
    _write(info / "entry_points.txt", "\n".join(points))
    return folder


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
