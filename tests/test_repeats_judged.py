"""Repeats of a run with judges: units of each repeat, verdicts that belong to it, and nothing asked twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

import editscope as es
from editscope.errors import Stopped
from editscope.runs.check import check_archive
from editscope.runs.compare import compare
from editscope.runs.journal import read_journal
from editscope.runs.judging import Limits
from editscope.runs.pack import pack
from editscope.runs.rescoring import plan_rescore
from editscope.runs.start import execute, resume
from judge_server import KEY, Asked, JudgeServer, Outcome
from judged_data import make_picabench
from judged_data_more import make_inedit

PAINTER = """
import numpy as np
import editscope as es

class Painter(es.Editor):
    '''Each edit in a colour that its seed chooses; with ``same`` in one colour, and ``late`` only in the second.'''
    def __init__(self, same=0, gap=0):
        self.same, self.gap = same, gap

    def edit(self, case):
        if self.gap and case.repeat == 1 and case.case_id.endswith("1"):
            return None
        picture = np.zeros_like(case.arrays[0])
        picture[:] = 99 if self.same else (case.seed % 251, 40, 10)
        return picture
"""


def opinion(asked: Asked) -> Outcome:
    """By the picture alone, so that equal pictures have equal verdicts."""
    seen = sum(asked.pictures[-1]) % 5
    properties = (asked.schema or {}).get("properties", {})
    if "answer" in properties:
        return {"answer": "Yes" if seen % 2 else "No", "reason": "seen"}
    return {**dict.fromkeys(properties, 1 + seen), "reason": "seen"} if "reason" in properties else {"score": 1 + seen}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[JudgeServer]:
    (tmp_path / "painter.py").write_text(PAINTER)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with JudgeServer(opinion, keys=[KEY]) as server:
        yield server


def judged(server: JudgeServer, data: Path, out: Path, suite: str = "picabench", **more: Any) -> es.Run:
    editor = more.pop("editor", "python:painter:Painter")
    settings = {"judge": server.spec(), "cache": out.parent / "cache", "jobs": 1, "progress": False, **more}
    return es.run(es.load_suite(suite, root=data), editor, out=out, **settings)


def test_every_repeat_has_its_units_verdicts_and_thumbnails(server: JudgeServer, tmp_path: Path) -> None:
    data = make_picabench(tmp_path / "data", 4)
    run = judged(server, data, tmp_path / "run", repeats=2)
    assert run.complete
    assert run.coverage == {"ok": 8}
    assert run.summary["edits"] == {"ok": 8}
    lines = Counter((line["step"], line["variant"]) for line in read_journal(run.path))
    assert lines == {("edit", ""): 4, ("edit", "~2"): 4, ("verdict", ""): 8, ("verdict", "~2"): 8} | {
        ("score", ""): 4,
        ("score", "~2"): 4,
    }
    record = run.case("00001@~2")
    assert len(record.verdicts) == 2
    assert record.thumbs["edit"].name == "edit@~2.webp"
    assert all(verdict.thumb is not None and "@~2" in verdict.thumb.name for verdict in record.verdicts)
    assert record.images["~2"] == record.image
    rows = run.rows()
    values: dict[tuple[str, str], list[float]] = {}
    for case_id, key, repeat, value in zip(*(rows[n] for n in ("case_id", "key", "repeat", "value")), strict=True):
        if key:
            values.setdefault((case_id, key), []).append(value)
            assert repeat == len(values[case_id, key])
    cell = run.summary["overall"]["accuracy"]
    assert cell["mean"] == pytest.approx(100 * fmean(map(fmean, values.values())))
    assert cell["n"] == 8
    found = run.summary["repeats"]
    assert found["k"] == 2
    assert found["pass"]["metric"] == run.summary["headline"]
    assert found["pass"]["from"] == 100


def test_a_run_without_repeats_is_the_first_repeat(server: JudgeServer, tmp_path: Path) -> None:
    data = make_picabench(tmp_path / "data", 4)
    one, two = (judged(server, data, tmp_path / f"k{k}", repeats=k) for k in (1, 2))
    rows = two.rows()
    first = [place for place, repeat in enumerate(rows["repeat"]) if repeat == 1]
    assert {name: [values[p] for p in first] for name, values in rows.items() if name != "repeat"} == one.rows()
    # The first repeat was judged in the other run: its verdicts are there, and only the second is asked about.
    assert server.calls == 16
    for thumb in (one.path / "thumbs").rglob("*.*"):
        assert (two.path / thumb.relative_to(one.path)).read_bytes() == thumb.read_bytes()


def test_equal_pictures_are_asked_about_once_and_count_in_every_repeat(server: JudgeServer, tmp_path: Path) -> None:
    data = make_picabench(tmp_path / "data", 3)
    same = "python:painter:Painter?same=1"
    one = judged(server, data, tmp_path / "one", editor=same)
    asked = server.calls
    three = judged(server, data, tmp_path / "three", editor=same, repeats=3)
    assert server.calls == asked
    assert sum(line["step"] == "verdict" for line in read_journal(three.path)) == 18
    assert three.summary["overall"] == one.summary["overall"]
    assert three.summary["repeats"]["spread"]["accuracy"]["repeats"]["sd"] == 0
    for repeat in ("", "@~2", "@~3"):
        record = three.case(f"00002{repeat}")
        assert record.thumbs["edit"].is_file()
        assert len(record.verdicts) == 2


def test_a_pair_of_edits_that_is_judged_together_stays_together_in_every_repeat(
    server: JudgeServer, tmp_path: Path
) -> None:
    data = make_inedit(tmp_path / "data", 1)
    run = judged(server, data, tmp_path / "run", "inedit", repeats=2)
    assert run.complete
    pair = next(record for record in run.records() if record.variant == "A+B~2")
    assert sorted(pair.images) == ["A~2", "B~2"]
    assert {"edit A", "edit B"} <= set(pair.thumbs)
    assert pair.thumbs["edit A"].name == "edit@A~2.webp"
    assert [one.variant for one in run.repeats_of(pair)] == ["A+B", "A+B~2"]


def test_a_stopped_run_asks_nothing_twice_and_ends_as_one_that_was_not(server: JudgeServer, tmp_path: Path) -> None:
    data = make_picabench(tmp_path / "data", 4)
    with pytest.raises(Stopped):
        judged(server, data, tmp_path / "run", repeats=2, max_calls=11)
    run = resume(tmp_path / "run", jobs=1, progress=False, max_calls=100)
    assert run.complete
    assert server.calls == 16
    whole = judged(server, data, tmp_path / "whole", repeats=2)
    assert run.rows() == whole.rows()


def test_rescoring_judges_every_repeat_and_archives_hold_them(server: JudgeServer, tmp_path: Path) -> None:
    data = make_picabench(tmp_path / "data", 3)
    run = judged(server, data, tmp_path / "run", repeats=2)
    limits = Limits(cache=str(tmp_path / "cache"))
    again = execute(plan_rescore(run.path, server.spec(), out=tmp_path / "again", limits=limits), jobs=1)
    assert again.repeats == 2
    assert again.rows() == run.rows()
    pack(run.path, tmp_path / "run.zip")
    assert check_archive(tmp_path / "run.zip").problems == ()
    assert compare(run, again).overall.difference == 0


def test_a_missing_repeat_has_its_status_and_the_mean_goes_on(server: JudgeServer, tmp_path: Path) -> None:
    data = make_picabench(tmp_path / "data", 3)
    run = judged(server, data, tmp_path / "run", editor="python:painter:Painter?gap=1", repeats=2, missing="skip")
    assert run.coverage == {"ok": 5, "no_output": 1}
    assert run.case("00001@~2").status == "no_output"
    assert "edit" not in run.case("00001@~2").thumbs
    assert run.summary["overall"]["accuracy"]["n"] == 6
