"""What README and docs print runs as printed: commands one after the other, programs with what was made before them.

Commands run on few cases, hosted models are servers on loopback, and models of diffusers are tiny ones. A block that
cannot run here says so in a comment before it, ``<!-- not run: REASON -->``; its commands are still read by the command
line, in test_commands_in_pages.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.documentation.loopback_vendors import Vendors, loopback_vendors
from support.documentation.markdown_blocks import blocks, pages
from support.documentation.stage import SHELL, Stage
from support.places import ROOT

pytestmark = pytest.mark.slow

SAMPLE = ("docs/faults-found.md", "docs/metric.md", "docs/own-editor.md", "docs/statistics.md")
"""Pages that ``make test`` runs, in ten seconds together; ``make pages`` and ``make drills`` run them all."""


def _pages() -> Iterator[object]:
    for page in pages():
        name = page.relative_to(ROOT).as_posix()
        if any(block.language in (*SHELL, "python", "pycon") for block in blocks(page)):
            yield pytest.param(page, id=name, marks=pytest.mark.drill(only=name not in SAMPLE))


@pytest.fixture(scope="module")
def vendors() -> Iterator[Vendors]:
    with loopback_vendors() as found:
        yield found


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs, models and compiled code that pages share."""
    return tmp_path_factory.mktemp("pool")


@pytest.mark.parametrize("page", [*_pages()])
def test_a_page_runs_as_printed(page: Path, tmp_path: Path, pool: Path, vendors: Vendors) -> None:
    stage = Stage(tmp_path / "stage", pool, vendors)
    stage.play(page)
    assert stage.faults == [], "\n".join(stage.faults)
