"""Several edits of each case: what lies on disk, what a mean is of, and what is made when more are asked for."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import fmean
from subprocess import CompletedProcess
from typing import Any

import pyarrow.parquet as pq
import pytest

import editscope as es
from editscope.editors.base import request_seed
from editscope.errors import BadInput, Stopped
from editscope.report import write
from editscope.results.archive.pack import pack
from editscope.results.archive.verify import check_archive
from editscope.results.comparison import compare
from editscope.runfolder.journal import read_journal
from editscope.runfolder.repeats import plain
from editscope.runs.measure import measure_run
from editscope.runs.plan import make_plan, plan_again
from editscope.runs.start import resume
from support.run_results import summary_but_speed
from support.small_sets import make_small_set

pytestmark = pytest.mark.slow

Cli = Callable[..., "CompletedProcess[str]"]

SHAKY = """
import os
from pathlib import Path
import numpy as np
import editscope as es
from editscope.errors import Stopped

class Shaky(es.Editor):
    '''Right as far as its seed lets it; nothing for one in eight; keeps a list of what it was asked.'''
    wants_answer = True

    def __init__(self, log="", stop=0):
        self.log, self.stop, self.made = log, stop, 0

    def edit(self, case):
        if self.stop and self.made >= self.stop:
            raise Stopped("enough")
        self.made += 1
        if self.log:
            with Path(self.log).open("a") as file:
                file.write(f"{case.case_id} {case.repeat} {case.seed}\\n")
        if case.seed % 8 == 0:
            return None
        picture = case.arrays[0].copy()
        rows = case.seed % (len(picture) + 1)
        picture[:rows] = case.answer[:rows]
        return picture
"""


class Site:
    """A small set, an editor that depends on its seed, and runs of it that several tests look at."""

    def __init__(self, folder: Path, data: Path) -> None:
        self.folder, self.data = folder, data
        self.shaky = "python:shaky_editor:Shaky"
        self.log = folder / "log"
        self.one = self.run(self.shaky, "one")
        self.logged = f"{self.shaky}?log={self.log}"
        self.two = self.run(self.logged, "two", repeats=2)
        """What a run with two repeats was; its folder gets a third in a test."""
        self.three = self.run(self.shaky, "three", repeats=3)

    def run(self, editor: str, out: str, **more: Any) -> es.Run:
        suite = es.load_suite("paintbench", root=self.data)
        return es.run(suite, editor, out=self.folder / out, progress=False, jobs=1, **more)

    def asked(self) -> list[list[str]]:
        return [line.split() for line in self.log.read_text().splitlines()]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("repeats")
    (folder / "shaky_editor.py").write_text(SHAKY)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        yield Site(folder, make_small_set(folder / "set"))


def timeless(run: es.Run) -> dict[str, list[Any]]:
    return {name: values for name, values in run.rows().items() if name != "latency_s"}


def test_the_first_repeat_is_a_run_without_repeats_byte_for_byte(site: Site) -> None:
    one, three = site.one, site.three
    for folder in ("images", "thumbs"):
        files = [path for path in (one.path / folder).rglob("*") if path.is_file()]
        assert files
        for path in files:
            assert (three.path / path.relative_to(one.path)).read_bytes() == path.read_bytes()
    rows = timeless(three)
    first = [place for place, repeat in enumerate(rows["repeat"]) if repeat == 1]
    alone = {name: [values[place] for place in first] for name, values in rows.items() if name != "repeat"}
    assert alone == timeless(one)
    assert "repeat" not in one.rows()
    assert "repeats" not in one.summary


def test_every_repeat_has_its_own_picture_line_and_thumbnails(site: Site) -> None:
    run = site.three
    assert {variant for _, variant in run.edits()} == {"", "~2", "~3"}
    assert (run.path / "images/recolor/001@~2_output.png").is_file()
    record = run.case("recolor/001@~2")
    assert record.variant == "~2"
    assert {kind: path.name for kind, path in record.thumbs.items()} == {
        "input": "input.webp",
        "answer": "answer.webp",
        "edit": "edit@~2.webp",
        "levels": "levels@~2.webp",
    }
    assert [one.variant for one in run.repeats_of(run.case("recolor/001"))] == ["", "~2", "~3"]
    saved = pq.read_table(run.path / "scores.parquet")
    assert saved.column("repeat").to_pylist() == [1, 2, 3] * 12
    assert saved.equals(run.table())
    assert run.frame("pandas").groupby("repeat")["miou"].count().to_dict() == {1: 12, 2: 12, 3: 12}


def test_a_repeat_that_a_run_does_not_have_is_answered_with_those_it_has(site: Site) -> None:
    with pytest.raises(
        BadInput, match="no scored case 'recolor/001@~9'; of this case there are recolor/001, recolor/001@~2"
    ):
        site.three.case("recolor/001@~9")
    with pytest.raises(BadInput, match="near it are recolor/001, recolor/00"):
        site.three.case("recolorr/001")


def test_a_repeat_without_an_edit_shows_none_and_not_that_of_the_first(site: Site) -> None:
    lost = [record for record in site.three.records() if record.status == "no_output"]
    assert any(plain(record.variant)[1] for record in lost)
    for record in lost:
        assert set(record.thumbs) == {"input", "answer"}
        assert record.image is None


def test_a_mean_is_over_cases_of_the_mean_over_their_repeats(site: Site) -> None:
    run = site.three
    rows = run.rows()
    cases: dict[tuple[str, str], list[float]] = {}
    for case_id, task, value in zip(rows["case_id"], rows["task"], rows["miou"], strict=True):
        cases.setdefault((task, case_id), []).append(value)
    tasks: dict[str, list[float]] = {}
    for (task, _), values in cases.items():
        assert len(values) == 3
        tasks.setdefault(task, []).append(fmean(values))
    table = {row["key"]: row for row in run.summary["groups"] if (row["by"], row["metric"]) == ("task", "miou")}
    assert {task: row["mean"] for task, row in table.items()} == pytest.approx(
        {task: 100 * fmean(values) for task, values in tasks.items()}
    )
    assert [row["n"] for row in table.values()] == [3] * 4
    cell = run.summary["overall"]["miou"]
    assert cell["n"] == 12
    assert cell["lo"] < cell["mean"] < cell["hi"]
    assert run.summary["n_cases"] == 12
    assert sum(run.coverage.values()) == 36
    assert sum(run.summary["failures"].values()) == 36


def test_repeats_of_an_editor_without_chance_change_no_figure(site: Site) -> None:
    one, three = (site.run("ref:blur", f"blur{k}", repeats=k) for k in (1, 3))
    first, second = summary_but_speed(one.path), summary_but_speed(three.path)
    assert second["overall"] == first["overall"]
    assert second["groups"] == first["groups"]
    assert second["floor"] == first["floor"]
    for found in second["repeats"]["spread"].values():
        assert found["repeats"] == {"sd": 0, "lo": 0, "hi": 0}
        assert found["within"] == {"share": 0, "lo": 0, "hi": 0}
    mean = first["overall"]["miou"]["mean"]
    assert [cell["mean"] for cell in second["repeats"]["best_of"]] == pytest.approx([mean] * 3)
    assert [cell["mean"] for cell in second["repeats"]["worst_of"]] == pytest.approx([mean] * 3)
    assert second["repeats"]["means"] == pytest.approx([mean] * 3)


def test_more_repeats_into_the_same_folder_make_only_the_missing_ones(site: Site) -> None:
    assert site.two.complete
    with pytest.raises(BadInput, match=r"two has 2 repeats of each case and --repeats is 1; give at least 2"):
        site.run(site.logged, "two")
    with pytest.raises(BadInput, match="has 2 repeats"):
        plan_again(site.two.path, repeats=1)
    with pytest.raises(BadInput, match="--repeats must be at least 1, not 0"):
        site.run(site.logged, "other", repeats=0)
    assert len(site.asked()) == 24
    more = site.run(site.logged, "two", repeats=3)
    seeds = {(case, int(repeat)): int(seed) for case, repeat, seed in site.asked()}
    assert len(site.asked()) == len(seeds) == 36
    assert seeds == {(case, k): request_seed(0, case, f"~{k + 1}" if k else "") for case, k in seeds}
    assert more.info["settings"]["repeats"] == 3
    assert timeless(more) == timeless(site.three)
    assert json.loads((more.path / "summary.json").read_text())["repeats"]["k"] == 3


def test_an_early_stop_leaves_whole_repeats_and_resuming_makes_the_rest(site: Site, tmp_path: Path) -> None:
    with pytest.raises(Stopped, match="enough"):
        site.run(f"{site.shaky}?stop=15&log={tmp_path / 'log'}", "stopped", repeats=2)
    made = [line for line in read_journal(site.folder / "stopped") if line["step"] == "edit"]
    assert [plain(line["variant"])[1] for line in made[:12]] == [0] * 12
    assert len({line["case"] for line in made[:12]}) == 12
    half = es.open_run(site.folder / "stopped")
    assert not half.complete
    assert half.coverage["pending"] >= 12 - len(made[12:])
    assert half.summary["overall"]["miou"]["n"] == 12
    whole = resume(site.folder / "stopped", jobs=1, progress=False)
    assert whole.complete
    asked = (tmp_path / "log").read_text().splitlines()
    assert len(asked) == len(set(asked)) == 24


def test_runs_with_different_numbers_of_repeats_are_compared_by_case(site: Site) -> None:
    three = site.three
    found = compare(site.one, three)
    assert found.overall.cases == 12
    assert not str(found.left_out)
    assert found.overall.mean_b == pytest.approx(three.summary["overall"]["miou"]["mean"])
    assert any("Repeats of each case" in note and "three 3" in note for note in found.notes())
    for case in found.cases(12):
        ended = [record.failure for record in three.repeats_of(three.case(case.case_id))]
        often = max(ended.count(mode) for mode in ended)
        assert case.failures[0] == site.one.case(case.case_id).failure
        assert case.failures[1].endswith("" if often == 3 else f" {often} of 3")
    assert any(" of 3" in case.failures[1] for case in found.cases(12))
    case = found.cases(1)[0]
    values = [record.metrics["miou"] for record in three.repeats_of(three.case(case.case_id))]
    assert case.scores[1] == pytest.approx(100 * fmean(values))
    same = compare(three, three)
    assert (same.overall.difference, same.overall.ties) == (0, 12)
    assert any("mean of its 3 repeats" in note for note in same.notes())


def test_a_folder_has_further_edits_of_a_case_under_names_with_the_repeat(
    site: Site, tmp_path: Path, put_outputs: Callable[..., Path]
) -> None:
    outputs = put_outputs(site.data, tmp_path / "outputs")
    folder = f"folder:{outputs}"
    with pytest.raises(BadInput, match=r"has no file for repeat 2, such as \d{4}_output~2.png"):
        site.run(folder, "from-folder", repeats=2)
    assert not (site.folder / "from-folder").exists()
    for dark in put_outputs(site.data, tmp_path / "dark", lambda answer: answer // 2).rglob("*_output.png"):
        dark.rename(outputs / dark.parent.name / f"{dark.stem}~2.png")
    (outputs / "border/0001_output~2.png").unlink()
    run = site.run(folder, "from-folder", repeats=2)
    assert run.case("border/000").metrics["miou"] == 1
    assert run.case("border/000@~2").metrics["miou"] < 1
    assert run.case("border/001@~2").status == "no_output"
    assert run.info["files"]["missing"] == ["border/001 [~2]"]
    assert run.info["files"]["unmatched"] == []
    alone = make_plan(es.load_suite("paintbench", root=site.data), folder, out=tmp_path / "alone")
    assert len(alone.inventory.unmatched) == 11
    assert alone.inventory.outputs == 12


def test_archives_and_measures_know_repeats(site: Site, tmp_path: Path) -> None:
    measured = measure_run(site.three.path, {"psnr": ""}, jobs=1)
    assert Counter(measured["variant"]) == {"": 12, "~2": 12, "~3": 12}
    pack(site.three.path, tmp_path / "run.zip")
    assert check_archive(tmp_path / "run.zip").problems == ()
    opened = es.open_run(tmp_path / "run.zip")
    assert opened.complete
    assert opened.repeats == 3


def test_the_command_line_says_the_two_spreads_and_shows_every_repeat(
    site: Site, tmp_path: Path, editscope: Cli
) -> None:
    told = editscope("show", site.three.path)
    assert "12 cases × 3" in told.stdout
    assert "3 repeats: one case varies by ±" in told.stdout
    assert "best of 3" in told.stdout
    assert re.search(r"\d × the editor returned nothing", told.stdout)
    shown = editscope("show", site.three.path, "border/000")
    assert [line for line in shown.stdout.splitlines() if line.startswith("border/000")] == [
        "border/000",
        "border/000 · repeat 2",
        "border/000 · repeat 3",
    ]
    assert shown.stdout.count("  took          ") == 3
    assert editscope("show", site.three.path, "border/000@~2").stdout.startswith("border/000 · repeat 2\n")
    planned = editscope(
        *("run", "paintbench", "--data", site.data, "--editor", "ref:noise", "--repeats", "4", "--dry-run")
    )
    assert "12 cases × 4" in planned.stdout


def test_the_report_has_the_two_spreads_and_an_entry_for_every_repeat(site: Site, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    write([site.three, site.one], page)
    text = page.read_text()
    assert "<h2>Repeats</h2>" in text
    assert "border/000 · repeat 2" in text
    assert "Cases with a right edit among k (pass@k)" in text
