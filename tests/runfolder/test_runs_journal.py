"""The journal is append-only, survives a torn end, and has one writer."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from editscope.cases import Edit
from editscope.errors import BadInput
from editscope.runfolder.files import DiskError, safe_path, write_whole
from editscope.runfolder.journal import FILE, Journal, progress, read_journal
from editscope.runs.engine.case_steps import edit_line


def edit(case: str) -> dict[str, object]:
    return edit_line(Edit(case), 0)


def score(case: str) -> dict[str, object]:
    counts = {"edit_pixels": 1, "preservation_pixels": 1, "resized": False, "output_size": None}
    lists = {name: [0] * 11 for name in ("hits", "spilled", "changed_pixels")}
    said = {"status": "ok", "index": 0, "tags": {}, "instruction": "", "fingerprint": "", "failure": ""}
    found = {"metrics": {"miou": 1.0}, "evidence": {**counts, **lists}}
    return {"step": "score", "case": case, "variant": "", **said, **found}


@pytest.mark.parametrize("torn", [b"", b'{"step":"ed', b"\x00\x00\x00", '{"case":"ü'.encode()[:-1]])
def test_a_torn_last_line_is_ignored_and_cut_before_the_next(tmp_path: Path, torn: bytes) -> None:
    with Journal(tmp_path) as journal:
        journal.append(edit("a/0"))
    with (tmp_path / FILE).open("ab") as file:
        file.write(torn)
    assert [line["case"] for line in read_journal(tmp_path)] == ["a/0"]
    with Journal(tmp_path) as journal:
        journal.append(score("a/0"))
    assert [line["step"] for line in read_journal(tmp_path)] == ["edit", "score"]


def test_a_damaged_line_in_the_middle_is_named(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(json.dumps(edit("a/0")) + "\nrubbish\n" + json.dumps(edit("a/1")) + "\n")
    with pytest.raises(BadInput, match="line 2 is damaged"):
        read_journal(tmp_path)


def test_an_edit_that_was_made_again_voids_the_score_of_the_first(tmp_path: Path) -> None:
    done = progress([edit("a/0"), score("a/0"), edit("a/1"), edit("a/0")])
    assert set(done.edits) == {("a/0", ""), ("a/1", "")}
    assert not done.scores


@pytest.mark.slow
def test_two_processes_cannot_write_one_journal(tmp_path: Path) -> None:
    with Journal(tmp_path):
        imports = "from pathlib import Path; from editscope.runfolder.journal import Journal"
        code = f"{imports}; Journal(Path({str(tmp_path)!r}))"
        other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert other.returncode != 0
    assert "is being written by another process" in other.stderr
    Journal(tmp_path).close()  # and it is free again


@pytest.mark.slow
def test_a_line_that_the_disk_refuses_leaves_the_earlier_ones_whole(tmp_path: Path) -> None:
    code = f"""
import resource
from pathlib import Path
from editscope.runfolder.files import DiskError
from editscope.runfolder.journal import Journal
from editscope.runs.engine.case_steps import edit_line
from editscope.cases import Edit
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
journal = Journal(Path({str(tmp_path)!r}))
try:
    for number in range(100):
        journal.append(edit_line(Edit(f"a/{{number}}"), 0))
except DiskError as error:
    print(error)
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "cannot write" in said
    assert "File too large" in said
    raw = (tmp_path / FILE).read_bytes()
    assert 0 < len(raw) <= 1000
    assert raw.endswith(b"\n")
    assert [line["case"] for line in read_journal(tmp_path)] == [f"a/{n}" for n in range(raw.count(b"\n"))]


def test_case_ids_become_paths_that_stay_inside_and_differ() -> None:
    ids = ["a/0", "a/../0", "../0", "/etc/x", "a//0", "%2E%2E/0", "a b", "a%20b", ".", "..", "x" * 300, "x" * 301, "ü"]
    paths = [safe_path(case_id) for case_id in ids]
    assert len(set(paths)) == len(ids)
    for path in paths:
        assert not path.is_absolute()
        assert ".." not in path.parts
        assert all(len(part.encode()) < 200 for part in path.parts)
    assert str(paths[0]) == "a/0"


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "summary.json"
    write_whole(target, b"one")
    write_whole(target, b"two")
    assert target.read_bytes() == b"two"
    assert list(tmp_path.iterdir()) == [target]
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(DiskError, match="cannot write"):
        write_whole(blocked / "inside.json", b"x")
