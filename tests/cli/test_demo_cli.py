"""`editscope demo`: a report from nothing, twice in a row, and nothing of the user's is touched."""

from __future__ import annotations

from pathlib import Path

import pytest

from editscope.cli import demo, main


def exit_code(*arguments: str | Path) -> int:
    try:
        main([str(argument) for argument in arguments])
    except SystemExit as end:
        return int(end.code or 0)
    return 0


@pytest.mark.slow
def test_the_demo_ends_with_a_report_and_can_be_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(demo, "SUITE", "paintbench?tasks=border,recolor&conditions=baseline&per_mode=1&canvas=128x128")
    out = tmp_path / "look"
    assert exit_code("demo", "--out", out, "--quiet") == 0
    said = capsys.readouterr().out
    assert f"Open {out / 'report.html'}" in said.replace("\n", " ")
    assert "Try next:" in said and "folder:my-outputs" not in said
    assert "  editscope run paintbench --limit 40 --editor python:my_model:MyEditor\n" in said
    journals = {name: (out / name / "journal.jsonl").read_bytes() for name in demo.EDITORS}
    report = (out / "report.html").read_text(encoding="utf-8")
    assert "ref:half" in report and "Nano Banana" in report
    assert exit_code("demo", "--out", out, "--quiet") == 0
    assert {name: (out / name / "journal.jsonl").read_bytes() for name in demo.EDITORS} == journals


def test_a_folder_with_other_things_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "thesis.tex").write_text("mine")
    assert exit_code("demo", "--out", tmp_path) == 2
    assert "thesis.tex" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]
    assert exit_code("demo", "--out", tmp_path / "thesis.tex") == 2
    assert "is a file" in capsys.readouterr().err
