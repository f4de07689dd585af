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
from editscope.results.archive.pack import pack
from editscope.results.archive.verify import check_archive
from editscope.results.comparison import compare
from editscope.runfolder.journal import read_journal
from editscope.runs.judging.settings import Limits
from editscope.runs.rescore import plan_rescore
from editscope.runs.start import execute, resume
from support.judged_data import make_picabench
from support.judged_data_more import make_inedit
from support.servers.judge_server import KEY, Asked, JudgeServer, Outcome

pytestmark = pytest.mark.slow

PAINTER = """
import numpy as np
import editscope as es

class Painter(es.Editor):
    '''Each edit in a color that its seed chooses; with ``same`` in one color, and ``late`` only in the second.'''
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


class Site:
    """Data, a judge, and two runs that several tests look at: without repeats, then with two."""

    def __init__(self, folder: Path, server: JudgeServer) -> None:
        self.folder, self.server = folder, server
        self.data = make_picabench(folder / "data", 4)
        self.one = self.run("one")
        self.two = self.run("two", repeats=2)
        self.calls = server.calls

    def run(self, out: str, suite: str = "picabench", **more: Any) -> es.Run:
        editor, data = more.pop("editor", "python:repeat_painter:Painter"), more.pop("data", self.data)
        settings = {"judge": self.server.spec(), "cache": self.folder / "cache", "jobs": 1, "progress": False, **more}
        return es.run(es.load_suite(suite, root=data), editor, out=self.folder / out, **settings)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("judged")
    (folder / "repeat_painter.py").write_text(PAINTER)
    with pytest.MonkeyPatch.context() as patch, JudgeServer(opinion, keys=[KEY]) as server:
        patch.syspath_prepend(str(folder))
        patch.setenv("OPENAI_API_KEY", KEY)
        yield Site(folder, server)


def test_every_repeat_has_its_units_verdicts_and_thumbnails(site: Site) -> None:
    run = site.two
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


def test_a_run_without_repeats_is_the_first_repeat(site: Site) -> None:
    rows = site.two.rows()
    first = [place for place, repeat in enumerate(rows["repeat"]) if repeat == 1]
    assert {name: [values[p] for p in first] for name, values in rows.items() if name != "repeat"} == site.one.rows()
    # The first repeat was judged in the other run: its verdicts are there, and only the second was asked about.
    assert site.calls == 16
    thumbs = [path for path in (site.one.path / "thumbs").rglob("*.*") if path.is_file()]
    assert thumbs
    for path in thumbs:
        assert (site.two.path / path.relative_to(site.one.path)).read_bytes() == path.read_bytes()


def test_equal_pictures_are_asked_about_once_and_count_in_every_repeat(site: Site) -> None:
    same = "python:repeat_painter:Painter?same=1"
    one = site.run("same-one", editor=same)
    asked = site.server.calls
    three = site.run("same-three", editor=same, repeats=3)
    assert site.server.calls == asked
    assert sum(line["step"] == "verdict" for line in read_journal(three.path)) == 24
    assert three.summary["overall"] == one.summary["overall"]
    assert three.summary["repeats"]["spread"]["accuracy"]["repeats"]["sd"] == 0
    for repeat in ("", "@~2", "@~3"):
        record = three.case(f"00002{repeat}")
        assert record.thumbs["edit"].is_file()
        assert len(record.verdicts) == 2


def test_a_pair_of_edits_that_is_judged_together_stays_together_in_every_repeat(site: Site) -> None:
    data = make_inedit(site.folder / "inedit", 1)
    run = site.run("pairs", "inedit", data=data, repeats=2)
    assert run.complete
    pair = next(record for record in run.records() if record.variant == "A+B~2")
    assert sorted(pair.images) == ["A~2", "B~2"]
    assert {"edit A", "edit B"} <= set(pair.thumbs)
    assert pair.thumbs["edit A"].name == "edit@A~2.webp"
    assert [one.variant for one in run.repeats_of(pair)] == ["A+B", "A+B~2"]


def test_a_stopped_run_asks_nothing_twice_and_ends_as_one_that_was_not(site: Site) -> None:
    before = site.server.calls
    with pytest.raises(Stopped):
        site.run("stopped", cache="off", repeats=2, max_calls=11)
    run = resume(site.folder / "stopped", jobs=1, progress=False, max_calls=100)
    assert run.complete
    assert site.server.calls - before == 16
    assert run.rows() == site.two.rows()


def test_rescoring_judges_every_repeat_and_archives_hold_them(site: Site) -> None:
    run, limits = site.two, Limits(cache=str(site.folder / "cache"))
    again = execute(plan_rescore(run.path, site.server.spec(), out=site.folder / "again", limits=limits), jobs=1)
    assert again.repeats == 2
    assert again.rows() == run.rows()
    pack(run.path, site.folder / "run.zip")
    assert check_archive(site.folder / "run.zip").problems == ()
    assert compare(run, again).overall.difference == 0


def test_a_missing_repeat_has_its_status_and_the_mean_goes_on(site: Site) -> None:
    run = site.run("gap", editor="python:repeat_painter:Painter?gap=1", repeats=2, missing="skip")
    assert run.coverage == {"ok": 7, "no_output": 1}
    assert run.case("00001@~2").status == "no_output"
    assert "edit" not in run.case("00001@~2").thumbs
    assert run.summary["overall"]["accuracy"]["n"] == 8
