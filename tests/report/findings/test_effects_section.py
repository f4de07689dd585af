"""The report says what followed from an edit, for runs on cases with effects and for no others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import editscope as es
from editscope.report import write
from editscope.report.html.sections.findings.effects import effects
from editscope.report.model import Sheet, gather
from editscope.report.options import ReportOptions
from editscope.results.run import Run
from support.effects.effect_cases import SPEC


def made(folder: Path, suite: str, *names: str, **more: int) -> Sheet:
    runs: list[Run] = [
        es.run(suite, f"ref:{name}", out=folder / name, jobs=1, progress=False, **more)  # type: ignore[arg-type]
        for name in names
    ]
    return gather(runs, None).sheets[0]


def section(sheet: Sheet) -> str:
    html = effects(sheet, ReportOptions())
    assert html is not None
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", str(html)))


@pytest.fixture(scope="module")
def sheet(tmp_path_factory: pytest.TempPathFactory) -> Sheet:
    return made(tmp_path_factory.mktemp("runs"), SPEC, "cutout", "faint")


def test_direct_consequences_and_gap_stand_side_by_side(sheet: Sheet) -> None:
    text = section(sheet)
    assert "What followed from the edit" in text
    assert "A cutout 100.0 no spread n = 12 · after gain 100.0 0.0 no spread n = 18 · after gain 0.0 +100.0" in text
    assert "2.1 % of the pixels are not scored" in text


def test_every_effect_has_a_row(sheet: Sheet) -> None:
    text = section(sheet)
    assert all(name in text for name in ("Mirror image", "Object", "Shadow", "Fog"))


def test_the_metrics_of_effects_come_first(sheet: Sheet) -> None:
    assert sheet.metrics[:3] == ("consequences", "direct", "gap")


def test_runs_without_effects_have_no_such_section(tmp_path: Path) -> None:
    assert effects(made(tmp_path, "paintbench", "oracle", limit=2), ReportOptions()) is None


def test_the_page_has_the_section_and_its_modes(sheet: Sheet, tmp_path: Path) -> None:
    write([view.run for view in sheet.runs], tmp_path / "report.html")
    html = (tmp_path / "report.html").read_text()
    assert 'id="effects-0"' in html
    assert "Consequences missing" in html
    assert "mode-consequences_missing" in html
