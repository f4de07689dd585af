"""Claims about reports of judged runs: what is missing is counted and shown, and what judges said stays text."""

from __future__ import annotations

import csv
import re
import shutil
import subprocess
from base64 import b64decode
from collections.abc import Callable
from functools import partial
from pathlib import Path
from urllib.parse import unquote

import pytest
from PIL import Image

from editscope.images import load
from editscope.report import write
from editscope.report.figure_data.score_histograms import score_counts
from editscope.report.html.gallery_data import shared_cases
from editscope.report.html.gallery_verdicts import SHARE, evidence_blocks, fitting_evidence
from editscope.report.html.markup import json_for_script
from editscope.report.html.sections.findings.judge_scores import disputes
from editscope.report.model import gather
from editscope.results import Run
from editscope.suites import load_suite
from support.judged_data import make_worldedit
from support.judged_data_more import make_inedit
from support.reports.report_browser import without_plots
from support.reports.report_judged_runs import NASTY, Darker, judged_run, made_run, rows_of, suite_of, uneven
from support.reports.report_page import blocks, places
from support.servers.judge_server import KEY

pytestmark = pytest.mark.slow

SUITES = ("picabench", "worldedit", "wiseedit", "wiseedit-complex", "inedit", "kris", "rise")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Run]:
    """One run of each suite, made when first asked for."""
    return partial(made_run, tmp_path_factory)


# --- files --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SUITES)
def test_every_kind_of_report_is_written_and_no_key_is_in_it(
    runs: Callable[[str], Run], tmp_path: Path, name: str
) -> None:
    for suffix in (".md", ".csv", ".tex", ".html"):
        text = without_plots([runs(name)], tmp_path / f"r{suffix}", published=True).read_text("utf-8")
        assert KEY not in text
        assert "darker" in text
    lines = (tmp_path / "r.md").read_text("utf-8").split("\n\n")
    for block in lines:
        assert len({line.count("|") for line in block.splitlines() if line.startswith("|")}) <= 1


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_latex_with_headings_over_columns_compiles_and_fits(runs: Callable[[str], Run], tmp_path: Path) -> None:
    path = write([runs("picabench")], tmp_path / "r.tex", published=True)
    assert re.search(r"\\multicolumn\{4\}\{c\}\{Reflection\}", path.read_text("utf-8"))
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", path.name]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Overfull" not in done.stdout


def test_csv_rows_carry_who_judged_and_the_bounds_that_missing_verdicts_leave(
    runs: Callable[[str], Run], tmp_path: Path
) -> None:
    run = runs("worldedit")
    path = write([run], tmp_path / "r.csv")
    rows = list(csv.DictReader(path.read_text("utf-8").splitlines()))
    row = next(row for row in rows if (row["by"], row["metric"]) == ("overall", "vc"))
    cell = run.summary["overall"]["vc"]
    assert cell["missing"] > 0
    assert [float(row[name]) for name in ("missing", "worst", "best")] == [
        cell[n] for n in ("missing", "worst", "best")
    ]
    assert row["note"].startswith("judged by openai:gpt-4o")


def test_the_same_run_makes_the_same_bytes(runs: Callable[[str], Run], tmp_path: Path) -> None:
    first, second = (without_plots([runs("inedit")], tmp_path / name / "r.html") for name in ("a", "b"))
    assert first.read_bytes().replace(b"/a/", b"/b/") == second.read_bytes().replace(b"/a/", b"/b/")


# --- the page -----------------------------------------------------------------------------------------


def test_the_page_counts_edits_and_verdicts_and_says_what_the_missing_could_change(
    runs: Callable[[str], Run], tmp_path: Path
) -> None:
    run = runs("worldedit")
    text = without_plots([run], tmp_path / "r.html").read_text("utf-8")
    verdicts, cell = run.summary["verdicts"], run.summary["overall"]["average"]
    total = sum(verdicts.values())
    lacking = total - verdicts["ok"]
    assert lacking > 0
    assert f"{lacking} of {total} verdicts missing" in text
    between = f"the score lies between {cell['worst']:.2f} and {cell['best']:.2f}"
    assert f"whatever the verdicts would have been, {between}" in text
    assert "the worst score" in text
    assert "2 no output" in text
    assert "gpt-4o-2024-11-20" in text
    assert run.info["judging"]["prompts"]["hash"][:8] in text
    assert "most common failure" not in text


def test_a_scale_of_one_to_five_is_written_with_two_decimals_on_its_own_ruler(
    runs: Callable[[str], Run], tmp_path: Path
) -> None:
    text = without_plots([runs("worldedit")], tmp_path / "r.html").read_text("utf-8")
    assert f"<strong>{runs('worldedit').summary['overall']['average']['mean']:.2f}</strong>" in text
    ruler = re.search(r'<span class="ruler-scale".*?</span>', text)
    assert ruler is not None
    assert re.findall(r">(\d+)</i>", ruler[0]) == ["1", "2", "3", "4", "5"]


def test_markup_in_a_reply_stays_text(runs: Callable[[str], Run], tmp_path: Path) -> None:
    page = without_plots([runs("picabench")], tmp_path / "r.html")
    text = page.read_text("utf-8")
    assert "<script>document" not in text
    assert "<b>bold</b>" not in text
    said = [block for name, block in blocks(page).items() if re.fullmatch(r"v\d+", name)]
    reasons = [verdict.get("w", "") for block in said for calls in block.values() for c in calls for verdict in c["v"]]
    assert any(reason.startswith(NASTY) for reason in reasons)


def test_replies_give_way_to_pictures_where_a_page_would_grow_too_large(runs: Callable[[str], Run]) -> None:
    model = gather([runs("worldedit")], None)
    cases = shared_cases(model)

    def texts(page_bytes: int, name: str) -> list[str]:
        found = fitting_evidence(model.runs, cases, page_bytes).values()
        return [v.get(name, "") for block in found for calls in block.values() for call in calls for v in call["v"]]

    assert any(texts(10_000_000, "x"))
    whole = sum(len(json_for_script(block)) for block in evidence_blocks(model.runs, cases).values())
    a_little_less = int(0.9 * whole / SHARE)
    assert not any(texts(a_little_less, "x"))
    assert any(reason.startswith(NASTY) for reason in texts(a_little_less, "w"))
    assert not any(texts(1000, "w"))


def test_every_edit_of_a_case_is_an_entry_with_its_own_pictures_and_crops(
    runs: Callable[[str], Run], tmp_path: Path
) -> None:
    found = blocks(without_plots([runs("picabench")], tmp_path / "r.html"))
    ids = found["data"]["cases"]["id"]
    assert ids[:2] == ["00000", "00000@explicit"]
    assert len(ids) == 16
    for role in ("edit", "q1", "q2"):
        assert all(place != -1 for place in places(found, role, 0)), role
    levels = next(tag for tag in found["data"]["tags"] if tag["key"] == "level")
    assert [value for value, _ in levels["values"]] == ["superficial", "explicit"]
    calls = found["v0"]["0"]
    assert [call["c"] for call in calls] == ["q1", "q2"]
    assert {call["l"] for call in calls} == {"Yes", "No"}


def test_several_inputs_and_references_and_both_paths_of_a_pair_are_shown(
    runs: Callable[[str], Run], tmp_path: Path
) -> None:
    wise = blocks(without_plots([runs("wiseedit")], tmp_path / "w.html"))
    assert {"input", "input2", "input3", "reference"} <= set(wise["places"]["shared"])
    pairs = blocks(without_plots([runs("inedit")], tmp_path / "i.html"))
    pair = pairs["data"]["cases"]["id"].index("process_plausibility_1@A+B")
    for role in ("edit A", "edit B"):
        assert places(pairs, role, 0)[pair] != -1
    assert places(pairs, "edit", 0)[pair] == -1


def test_edits_without_a_verdict_and_pairs_are_as_sharp_as_their_inputs(tmp_path: Path) -> None:
    for name, role, make in (("worldedit", "edit", make_worldedit), ("inedit", "edit A", make_inedit)):
        root = make(tmp_path / name)
        for path in root.rglob("*.png"):
            Image.open(path).resize((640, 320)).save(path)
        run = judged_run(load_suite(name, root=root), tmp_path / f"run-{name}")
        found = blocks(without_plots([run], tmp_path / f"{name}.html"))
        rows = zip(run.records(), places(found, "input"), places(found, role, 0), strict=True)
        edits = [(number, record, given, at) for number, (record, given, at) in enumerate(rows) if at != -1]
        assert any(record.status != "ok" or len(record.images) > 1 for _, record, _, _ in edits)
        for number, _, given, at in edits:
            sizes = {load(b64decode(found[f"p{number}"][place])).shape for place in (given, at)}
            assert sizes == {(256, 512, 3)}


def test_the_hardest_cases_are_not_among_the_easiest_and_pairs_have_a_picture(
    runs: Callable[[str], Run], tmp_path: Path
) -> None:
    text = without_plots([runs("inedit")], tmp_path / "r.html").read_text("utf-8")
    strips = re.search(r'<div class="strips">.*?</section>', text, re.DOTALL)
    assert strips is not None
    cards = re.findall(r'class="mini".*?<code>(.*?)</code>', strips[0], re.DOTALL)
    assert len(cards) > 5
    assert len(set(cards)) == len(cards)
    pair = re.search(r'(?:(?!class="mini").)*<code>process_plausibility_[124]@A\+B</code>', strips[0], re.DOTALL)
    assert pair is not None
    assert "no picture" not in pair[0]


def test_a_bundle_has_the_pictures_of_every_edit(runs: Callable[[str], Run], tmp_path: Path) -> None:
    page = without_plots([runs("inedit")], tmp_path / "r.html", bundle=True)
    found = blocks(page)
    pair = found["data"]["cases"]["id"].index("process_plausibility_1@A+B")
    addresses = [places(found, role, 0)[pair] for role in ("full A", "full B")]
    assert len(set(addresses)) == 2
    for address in (*addresses, places(found, "full_input")[pair]):
        assert (page.parent / unquote(str(address))).is_file()


# --- what judges say -----------------------------------------------------------------------------------


def test_the_spread_of_scores_counts_every_number_that_was_asked_for(runs: Callable[[str], Run]) -> None:
    run = runs("worldedit")
    (view,) = gather([run], None).runs
    for metric in ("vc", "vq", "if", "kp"):
        asked = [row for row in rows_of(run) if row["metric"] == metric and row.get("asked")]
        counts = score_counts(view, metric)
        assert counts.total() == len(asked)
        assert counts[""] == sum(row["value"] is None for row in asked)


def test_verdicts_that_differ_are_listed_those_furthest_apart_first(tmp_path: Path) -> None:
    suite = suite_of("rise", tmp_path / "data")
    run = judged_run(suite, tmp_path / "run", Darker(), uneven, samples=2, limit=4)
    (view,) = gather([run], None).runs
    found = disputes(view)
    assert found
    assert [one.apart for one in found] == sorted((one.apart for one in found), reverse=True)
    assert all(len(one.values) == 2 for one in found)
    text = without_plots([run], tmp_path / "r.html").read_text("utf-8")
    assert "Where verdicts differ most" in text
    assert f"{run.summary['agreement']['mean']:.1f} % of pairs say the same" in text


def test_runs_that_were_judged_differently_are_not_compared_silently(
    runs: Callable[[str], Run], tmp_path: Path
) -> None:
    suite = suite_of("rise", tmp_path / "data")
    one = judged_run(suite, tmp_path / "one", limit=4)
    two = judged_run(suite, tmp_path / "two", Darker(), samples=2, limit=4)
    text = without_plots([one, two], tmp_path / "r.html").read_text("utf-8")
    said = text.index("These runs had different judges and numbers of samples")
    assert said < text.index("Run against run"), "before the first comparison"
