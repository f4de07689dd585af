"""A set on disk says which of its problems count, and a run over it gives its main result first."""

from __future__ import annotations

from pathlib import Path

import pytest

from editscope.cli import main

TINY = ("--per-mode", "1", "--conditions", "baseline", "--tasks", "removal", "--canvas", "128x128", "--quiet")


def said_by(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    assert ended.value.code == 0
    return capsys.readouterr().out


@pytest.mark.slow
def test_problems_outside_the_averages_are_counted_apart_and_shown_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    written = said_by(capsys, "generate", "paintbench", "--out", "set", *TINY)
    assert written.startswith("4 cases in set, 2 of them preservation (not in the averages) · run them with:")
    test_split = said_by(capsys, "generate", "paintbench", "--out", "test", *TINY, "--split", "test")
    assert test_split.startswith("2 cases in test · run them with:")
    run = said_by(capsys, "run", "paintbench", "--data", "set", "--editor", "ref:half", "--jobs", 1, "--quiet")
    lines = run.splitlines()
    assert lines[0].startswith(" mIoU ")
    assert any(line.startswith(" preservation (not in the averages): mIoU 100.0") for line in lines[1:])
