"""Claims about the pictures of a report: what is inside the page, what beside it, and what a bundle holds."""

from __future__ import annotations

import json
import shutil
from base64 import b64decode
from pathlib import Path
from urllib.parse import unquote

import pytest

from editscope.errors import BadInput
from editscope.images import load
from editscope.report import ReportOptions, write
from editscope.report.html.gallery import prepare
from editscope.report.html.gallery_data import shared_cases
from editscope.report.html.picture_budget import fair_order
from editscope.report.model import gather
from editscope.results import Run, open_run
from editscope.runs import run as execute_run
from editscope.suites import load_suite
from support.reports.report_browser import without_plots
from support.reports.report_page import blocks, places
from support.reports.report_runs import copy_run, make_run


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Run]:
    folder = tmp_path_factory.mktemp("runs")
    suite = load_suite("paintbench", canvas="256x256", conditions="baseline", per_mode=2)
    return [
        execute_run(
            suite, f"ref:{name}", out=folder / name, where={"task": ("border", "removal")}, jobs=1, progress=False
        )
        for name in ("oracle", "noise")
    ]


def page_of(runs: list[Run], out: Path, file_bytes: int) -> Path:
    """Only the data of a page, with little room for it."""
    model = gather(runs, None)
    out.write_text("".join(prepare(model, ReportOptions(file_bytes=file_bytes), out, 120_000).blocks), encoding="utf-8")
    return out


@pytest.mark.slow
def test_pictures_that_runs_share_are_kept_once(tmp_path: Path) -> None:
    run = make_run(tmp_path, "one")
    twin = copy_run(run, tmp_path / "two")
    for record in twin.records():
        shutil.copy(record.thumbs["answer"], record.thumbs["edit"])
    found = blocks(without_plots([run, twin], tmp_path / "r.html"))
    assert len(found["p0"]) == 4  # input, answer, the first run's edit, the error map of both
    assert places(found, "edit", 1)[0] == places(found, "answer")[0]


@pytest.mark.slow
def test_a_perfect_edit_is_the_answer(runs: list[Run], tmp_path: Path) -> None:
    found = blocks(without_plots(runs, tmp_path / "r.html"))
    assert places(found, "edit", 0) == places(found, "answer")
    assert places(found, "edit", 1) != places(found, "answer")
    suite = load_suite("paintbench", canvas="256x256", conditions="baseline", per_mode=2)
    answer = suite[runs[0].records()[0].case_id].answer
    assert answer is not None
    shown = load(b64decode(found["p0"][places(found, "answer")[0]]))
    assert shown.shape == (256, 256, 3), "a page with room holds the picture itself, not a small one"
    assert abs(shown.astype(int) - load(answer)).mean() < 3


def test_a_run_without_thumbnails_still_has_a_report(tmp_path: Path) -> None:
    run = make_run(tmp_path, "early", thumbs=False)
    found = blocks(without_plots([run], tmp_path / "r.html"))
    assert "p0" not in found
    assert set(places(found, "input")) == {-1}


@pytest.mark.slow
def test_curves_come_back_to_a_thousandth(runs: list[Run], tmp_path: Path) -> None:
    found = blocks(without_plots(runs, tmp_path / "r.html"))
    digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    text, rows = found["data"]["results"][1]["c"], runs[1].rows()
    wanted = [
        value
        for case in range(len(rows["case_id"]))
        for name in ("iou_curve", "edit_accuracy_curve", "preservation_accuracy_curve")
        for value in rows[name][case]
    ]
    shown = [(64 * digits.index(text[i]) + digits.index(text[i + 1])) / 1000 for i in range(0, len(text), 2)]
    assert shown == pytest.approx(wanted, abs=0.00051)


def test_what_finds_no_room_in_the_page_is_linked_where_it_is(runs: list[Run], tmp_path: Path) -> None:
    beside = runs[0].path.parent
    out = page_of(runs, beside / "small.html", 138_000)
    assert out.stat().st_size <= 138_000 - 120_000 + 1_000  # the addresses of what stayed outside
    found = blocks(out)
    everything = [*places(found, "input"), *places(found, "answer")]
    everything += [place for run in (0, 1) for role in ("edit", "levels") for place in places(found, role, run)]
    linked = [place for place in everything if isinstance(place, str)]
    assert linked
    assert len(linked) < len(everything)
    assert all((beside / unquote(place)).is_file() for place in linked)
    assert -1 not in everything
    shutil.move(out, tmp_path / out.name)


def test_every_stratum_has_pictures_inside_before_any_has_all(runs: list[Run]) -> None:
    cases = shared_cases(gather(runs, None))
    strata = cases[0].sheet.aggregation.strata
    order = [tuple(cases[n].first.tags[tag] for tag in strata) for n in fair_order(cases)]
    kinds = len(set(order))
    assert len(set(order[:kinds])) == kinds
    assert sorted(fair_order(cases)) == list(range(len(cases)))


def test_links_to_another_place_than_the_page_are_not_made(runs: list[Run], tmp_path: Path) -> None:
    model = gather(runs, None)
    far = Path("/report.html")  # has nothing in common with the runs but the root
    out = tmp_path / "r.html"
    out.write_text("".join(prepare(model, ReportOptions(file_bytes=100_000), far, 0).blocks), encoding="utf-8")
    assert not any(isinstance(place, str) for place in places(blocks(out), "full", 0))
    assert str(runs[0].path) not in out.read_text()


def test_one_full_run_of_1920_cases_would_fit(runs: list[Run]) -> None:
    """A noisy run, whose edits and maps are the costly ones; the measured figure is benchmarks/report.py's."""
    sizes = [path.stat().st_size for record in runs[1].records() for path in record.thumbs.values()]
    assert 4 / 3 * 1920 * 4 * (sum(sizes) / len(sizes)) < 17e6


def test_a_bundle_holds_every_picture_and_the_page_says_where(runs: list[Run], tmp_path: Path) -> None:
    out = without_plots(runs, tmp_path / "r.html", bundle=True)
    found = blocks(out)
    assert all((tmp_path / unquote(str(place))).is_file() for place in places(found, "full", 0))
    suite = load_suite("paintbench", canvas="256x256", conditions="baseline", per_mode=2)
    from editscope.images import load

    for case, place in zip(found["data"]["cases"]["id"], places(found, "full_answer"), strict=True):
        assert (load(tmp_path / unquote(str(place))) == load(suite[case].answer)).all()  # type: ignore[arg-type]
    edit = runs[1].records()[0].image
    assert edit is not None
    copy = tmp_path / unquote(str(places(found, "full", 1)[0]))
    assert copy.read_bytes() == edit.read_bytes()


@pytest.mark.slow
def test_a_bundle_replaces_its_own_folder_and_no_other(runs: list[Run], tmp_path: Path) -> None:
    first = without_plots(runs[:1], tmp_path / "r.html", bundle=True)
    before = sorted(path for path in tmp_path.rglob("*.png"))
    without_plots(runs[:1], first, bundle=True)
    assert sorted(path for path in tmp_path.rglob("*.png")) == before
    (tmp_path / "mine_files").mkdir()
    (tmp_path / "mine_files" / "thesis.txt").write_text("precious")
    with pytest.raises(BadInput, match="was not created by a report"):
        without_plots(runs[:1], tmp_path / "mine.html", bundle=True)
    assert (tmp_path / "mine_files" / "thesis.txt").read_text() == "precious"
    assert not (tmp_path / "mine.html").exists()
    with pytest.raises(BadInput, match="is none"):
        write(runs[:1], tmp_path / "r.md", bundle=True)


def test_a_bundle_of_a_set_that_is_gone_says_so_and_goes_on(runs: list[Run], tmp_path: Path) -> None:
    moved = tmp_path / "moved"
    shutil.copytree(runs[0].path, moved)
    info = json.loads((moved / "run.json").read_text())
    info["suite"]["fingerprint"] = "another"
    (moved / "run.json").write_text(json.dumps(info))
    said: list[str] = []
    out = without_plots(
        [open_run(moved)],
        tmp_path / "r.html",
        bundle=True,
        say=lambda doing, done, total: said.append(doing) if total == 0 else None,
    )
    assert any("stay small" in sentence for sentence in said)
    found = blocks(out)
    assert set(places(found, "full_input")) == {-1}
    assert all(isinstance(place, str) for place in places(found, "full", 0))


def test_the_same_runs_make_the_same_bytes(runs: list[Run], tmp_path: Path) -> None:
    first, second = (without_plots(runs, tmp_path / name / "r.html").read_bytes() for name in ("a", "b"))
    assert first == second
