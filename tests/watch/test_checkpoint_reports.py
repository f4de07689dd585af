"""Reports of checkpoints: the page of a watch links to each, and what goes wrong with one stops nothing."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote

import pytest

from support.command_line import Called
from support.small_sets import make_small_set
from support.trackers.training import EDITOR, PARTLY

pytestmark = pytest.mark.slow


def test_the_page_of_a_watch_links_to_the_report_of_each_checkpoint(
    editscope: Callable[..., Called], tmp_path: Path
) -> None:
    data = make_small_set(tmp_path / "set")
    (tmp_path / "here" / "partly_editor.py").write_text(PARTLY)
    checkpoints, out = tmp_path / "checkpoints", tmp_path / "watched"
    checkpoints.mkdir()
    for name, skill in (("step 1#a.txt", 0.3), ("step-2.txt", 0.8)):
        (checkpoints / name).write_text(str(skill))
    command = (
        *("watch", checkpoints, "--suite", "paintbench", "--data", data, "--pattern", "step*.txt", "--settle", "0"),
        *("--editor", EDITOR, "--out", out, "--once", "-q", "-j", "1"),
    )
    done = editscope(*command)
    assert done.returncode == 0, done.stderr
    page = (out / "watch.html").read_text()
    links = set(re.findall(r'href="([^"]*report\.html)"', page))
    reports = sorted(out.glob("*/report.html"))
    assert len(links) == len(reports) == 2
    assert set(map(unquote, links)) == {path.relative_to(out).as_posix() for path in reports}
    assert "step-2.txt" in (out / "step-2.txt" / "report.html").read_text()
    # A report that is missing is written by the next call; one that cannot be written is told, and left out.
    shutil.rmtree(out / "step-2.txt" / "thumbs")
    (out / "step-2.txt" / "report.html").unlink()
    assert editscope(*command).returncode == 0 and (out / "step-2.txt" / "report.html").is_file()
    (out / "step-2.txt" / "report.html").unlink()
    (out / "step-2.txt" / "report.html").mkdir()
    told = editscope(*command)
    assert told.returncode == 0 and told.stdout.count("the report of step-2.txt could not be written") == 1
    assert len(set(re.findall(r'href="([^"]*report\.html)"', (out / "watch.html").read_text()))) == 1
