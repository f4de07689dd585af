"""`editscope demo`: a report from nothing, twice in a row, and nothing of the user's is touched."""

from __future__ import annotations

from pathlib import Path

import pytest

from editscope.cli import demo, main
from editscope.editors import kinds
from editscope.editors.small import weights


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
    monkeypatch.setattr(demo, "MODEL_CASES", 1)
    monkeypatch.setattr(demo, "SUITE", "paintbench?tasks=border,recolor&conditions=baseline&per_mode=1&canvas=128x128")
    out = tmp_path / "look"
    assert exit_code("demo", "--out", out, "--quiet") == 0
    said = capsys.readouterr().out
    assert f"Open {out / 'report.html'}" in said.replace("\n", " ")
    assert "Try next:" in said and "folder:my-outputs" not in said
    assert "  editscope run paintbench --limit 40 --editor python:my_model:MyEditor\n" in said
    journals = {name: (out / name / "journal.jsonl").read_bytes() for name in (*demo.EDITORS, demo.MODEL)}
    report = (out / "report.html").read_text(encoding="utf-8")
    assert "ref:half" in report and "Nano Banana" in report and "and a small model" in report
    assert len(journals[demo.MODEL].splitlines()) < len(journals["half"].splitlines()), "the model edits fewer cases"
    assert exit_code("demo", "--out", out, "--quiet") == 0
    assert {name: (out / name / "journal.jsonl").read_bytes() for name in (*demo.EDITORS, demo.MODEL)} == journals


def test_without_onnx_runtime_the_demo_runs_the_reference_editors_and_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(demo, "SUITE", "paintbench?tasks=border&conditions=baseline&per_mode=1&canvas=128x128")
    monkeypatch.setattr(kinds, "importable", lambda name: name != "onnxruntime")
    assert exit_code("demo", "--out", tmp_path / "look", "--quiet") == 0
    assert "pip install 'editscope[small]'" in capsys.readouterr().out
    assert not (tmp_path / "look" / demo.MODEL).exists()
    assert "and a small model" not in (tmp_path / "look" / "report.html").read_text(encoding="utf-8")


def test_with_damaged_weights_the_demo_goes_on_without_the_model_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "cut.weights").write_bytes(weights.shipped_weights().read_bytes()[:-1])
    monkeypatch.setattr(weights, "shipped_weights", lambda: tmp_path / "cut.weights")
    monkeypatch.setattr(demo, "SUITE", "paintbench?tasks=border&conditions=baseline&per_mode=1&canvas=128x128")
    assert exit_code("demo", "--out", tmp_path / "look", "--quiet") == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "Without the small model: the weights of the small editor" in said and "install Editscope again" in said
    assert (tmp_path / "look" / "report.html").is_file() and not (tmp_path / "look" / demo.MODEL).exists()
    assert exit_code("editors", "small") == 0
    assert "runs here no: the weights of the small editor" in " ".join(capsys.readouterr().out.split())


def test_a_folder_with_other_things_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "thesis.tex").write_text("mine")
    assert exit_code("demo", "--out", tmp_path) == 2
    assert "thesis.tex" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]
    assert exit_code("demo", "--out", tmp_path / "thesis.tex") == 2
    assert "is a file" in capsys.readouterr().err
