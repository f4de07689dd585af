"""Accounting: failed calls and missing edits counted our way, and as each released tool does."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageOps
from rich.console import Console
from typer.testing import CliRunner

import editscope as es
from editscope.cases import Aggregation, Case
from editscope.cli.app import make_app
from editscope.cli.output.judged import result as print_result
from editscope.errors import BadInput
from editscope.images import decode
from editscope.judges import Verdict
from editscope.report import write as write_report
from editscope.report.figure_data.judge_levels import level_shares
from editscope.report.model import gather
from editscope.results import open_run
from editscope.results.accounting import accounting_in_words
from editscope.runs.rescore import plan_recount
from editscope.runs.start import execute
from editscope.scoring.rubrics.accounting import FAILED, MISSING, OURS
from editscope.suites.inedit.data import InEditSuite
from editscope.suites.kris.data import KrisSuite
from editscope.suites.picabench.data import PicaBenchSuite
from editscope.suites.registry import benchmarks
from editscope.suites.rise.data import RiseSuite
from editscope.suites.rubrics import load_rubric
from editscope.suites.wiseedit.data import WiseEditSuite
from editscope.suites.worldedit.data import WorldEditSuite
from support.judged.cases import KRIS_TAGS, a_case, asked, bilingual
from support.judged.lines import run_info, score_line, tables
from support.judged_data import make_picabench
from support.places import DOCS
from support.servers.judge_server import KEY, Asked, JudgeServer, Outcome, Reply


def line(name: str, case: Case, said: Mapping[str, Any], variant: str = "", **more: Any) -> dict[str, Any]:
    """The score line of a case: a score or answer for each call, none for one that failed."""
    rubric = load_rubric(name)
    unit = next(unit for unit in rubric.units(case) if unit.name == variant)
    field = "answer" if name == "picabench" else "score"
    white = more.pop("white", None)

    def told(values: Mapping[str, Any]) -> dict[str, list[Verdict]]:
        return {k: [Verdict("error") if v is None else Verdict("ok", {field: v})] for k, v in values.items()}

    return score_line(rubric, case, unit, told(said), white=None if white is None else told(white), **more)


def both(name: str, aggregation: Aggregation, *lines: dict[str, Any], **judging: Any) -> tuple[Any, Any]:
    """The overall cells of our accounting and of the released one."""
    found = tables(run_info(load_rubric(name), aggregation, **judging), lines)
    assert found["accounting"]["used"] == "ours"
    return found["overall"], found["accounting"]["other"]["overall"]


# --- what each released tool does ---------------------------------------------------------------------


@pytest.mark.slow
def test_risebench_drops_a_case_with_a_failed_call_and_counts_it_as_not_accurate() -> None:
    full = {"reasoning": 5, "consistency": 5, "plausibility": 5}
    ours, released = both(
        "rise",
        RiseSuite.aggregation,
        line("rise", a_case("a", {"category": "temporal"}), full),
        line("rise", a_case("b", {"category": "temporal"}), {**full, "reasoning": 3, "plausibility": None}),
        line("rise", a_case("c", {"category": "temporal"}), {**full, "consistency": None}),
    )
    assert (ours["accuracy"]["mean"], ours["accuracy"]["n"]) == (50.0, 2)
    assert (released["accuracy"]["mean"], released["accuracy"]["n"]) == (pytest.approx(100 / 3), 3)
    assert (ours["reasoning"]["mean"], released["reasoning"]["mean"]) == (pytest.approx(250 / 3), 100.0)
    assert ours["score"]["n"] == released["score"]["n"] == 1


def test_bounds_of_a_released_count_take_what_judges_said_for_known() -> None:
    full = {"reasoning": 5, "consistency": 5, "plausibility": 5}
    _, released = both(
        "rise",
        RiseSuite.aggregation,
        line("rise", a_case("a", {"category": "temporal"}), full),
        line("rise", a_case("b", {"category": "temporal"}), {**full, "reasoning": 3, "plausibility": None}),
    )
    assert "worst" not in released["reasoning"]  # no call about it failed, so nothing about it is unknown
    assert (released["plausibility"]["worst"], released["plausibility"]["best"]) == (50, 100)


@pytest.mark.slow
def test_wiseedit_drops_a_case_in_both_languages_for_a_failed_call_or_a_missing_edit() -> None:
    best, worst = {"if": 10, "dp": 10, "vq": 10, "kf": 10}, {"if": 1, "dp": 1, "vq": 1, "kf": 1}
    first, second, third = (bilingual(name, "awareness") for name in "abc")
    lines = [line("wiseedit", first, best, "en"), line("wiseedit", first, best, "cn")]
    lines += [line("wiseedit", second, worst, "en"), line("wiseedit", second, {**worst, "kf": None}, "cn")]
    lines += [line("wiseedit", third, best, "en"), line("wiseedit", third, {}, "cn", missing="no_output")]
    ours, released = both("wiseedit", WiseEditSuite.aggregation, *lines)
    assert (released["average"]["mean"], released["if"]["n"]) == (100.0, 2)
    assert ours["if"]["n"] == 6
    assert ours["if"]["mean"] == pytest.approx(50)


@pytest.mark.slow
def test_kris_bench_leaves_out_missing_edits_and_inedit_bench_stops_at_them() -> None:
    tags = {**KRIS_TAGS, "category": "color_change"}
    fair = {"consistency": 3, "instruction": 3, "quality": 3}
    lines = [line("kris", a_case("a", tags), fair), line("kris", a_case("b", tags), {}, missing="refused")]
    ours, released = both("kris", KrisSuite.aggregation, *lines)
    assert (ours["average"]["mean"], released["average"]["mean"]) == (25.0, 50.0)
    tags = {"category": "state_transition"}
    gap = {"ac": 3, "pq": 3, "sc": None, "lc": 3}
    lines = [line("inedit", a_case("a", tags), gap), line("inedit", a_case("b", tags), {}, missing="refused")]
    ours, released = both("inedit", InEditSuite.aggregation, *lines)
    assert ours == released


@pytest.mark.slow
def test_picabench_counts_a_failed_call_as_wrong_and_judges_a_white_picture() -> None:
    first, second = asked("a", "reflection", "Yes", "Yes"), asked("b", "reflection", "No", "Yes")
    lines = [line("picabench", first, {"q1": True, "q2": None}, pixels={"consistency": 30.0})]
    gone = line("picabench", second, {}, missing="no_output", white={"q1": False, "q2": False})
    ours, released = both("picabench", PicaBenchSuite.aggregation, *lines, gone)
    assert (ours["accuracy"]["mean"], ours["accuracy"]["n"]) == (pytest.approx(100 / 3), 3)
    assert (released["accuracy"]["mean"], released["accuracy"]["n"]) == (50.0, 4)
    assert (ours["accuracy_by_case"]["mean"], released["accuracy_by_case"]["mean"]) == (50.0, 50.0)
    assert (ours["consistency"]["mean"], released["consistency"]["mean"]) == (15.0, 30.0)


def test_a_released_count_that_needs_verdicts_nobody_gave_is_not_made_up() -> None:
    case = asked("a", "reflection", "Yes")
    info = run_info(load_rubric("picabench"), PicaBenchSuite.aggregation)
    found = tables(info, [line("picabench", case, {}, missing="no_output")])
    assert (found["accounting"]["differs"], found["accounting"]["unknown"]) == (None, 1)
    assert "other" not in found["accounting"]
    assert "a white picture in place of 1 missing edit" in accounting_in_words(found)


def test_a_protocol_without_a_released_tool_counts_our_way_and_says_so() -> None:
    case = a_case("a", {"mode": "time"})
    info = run_info(load_rubric("worldedit"), WorldEditSuite.aggregation, accounting="released")
    found = tables(info, [line("worldedit", case, {}, missing="no_output")])
    assert found["overall"]["average"]["mean"] == 1.0
    assert accounting_in_words(found) == "there is no released tool for this protocol: counted our way"


def test_the_other_accounting_of_a_released_run_is_ours_and_both_have_their_groups() -> None:
    tags = {**KRIS_TAGS, "category": "color_change"}
    fair = {"consistency": 3, "instruction": 3, "quality": 3}
    lines = [line("kris", a_case("a", tags), fair), line("kris", a_case("b", tags), {}, missing="refused")]
    found = tables(run_info(load_rubric("kris"), KrisSuite.aggregation, accounting="released"), lines)
    counts = found["accounting"]
    assert (found["overall"]["average"]["mean"], counts["other"]["overall"]["average"]["mean"]) == (50.0, 25.0)
    assert (counts["other"]["name"], counts["difference"]["average"]) == ("ours", -25.0)
    keys = {(row["by"], row["key"]) for row in counts["other"]["groups"]}
    assert ("category", "color_change") in keys
    assert "our way: Average 25.0 (−25.0)" in accounting_in_words(found)


def test_the_documented_table_is_the_one_that_runs_use() -> None:
    page = (DOCS / "accounting.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in text.strip("|\n").split("|")] for text in page.splitlines() if text[:2] == "| "]
    table = {row[0]: row[1:] for row in rows if len(row) == 3}
    for release in [record.release for record in benchmarks() if record.release]:
        assert table[release.title] == [FAILED[release.failed], MISSING[release.missing]], release.title
    assert table["**ours**, every suite"] == [OURS["failed"], OURS["missing"]]


# --- runs ---------------------------------------------------------------------------------------------


def opinion(asked: Asked) -> Outcome:
    """No to every question about a white picture, yes to every other, and one that it will not answer."""
    if "thing 1.0 " in asked.text:
        return Reply(refusal="I would rather not")
    white = np.asarray(decode(asked.pictures[-1]).pixels).min() > 250
    return {"answer": "No" if white else "Yes", "reason": "I see it"}


class Site:
    """Four cases with two questions, Yes and No; case 2 has no edit."""

    def __init__(self, folder: Path, server: JudgeServer) -> None:
        self.folder, self.server = folder, server
        self.data = make_picabench(folder / "data", 4)
        self.outputs = folder / "outputs"
        self.outputs.mkdir()
        for source in sorted((self.data / "input_img").iterdir()):
            if source.stem != "00002":
                ImageOps.posterize(Image.open(source).convert("RGB"), 2).point(lambda v: v // 2).save(
                    self.outputs / source.name
                )
        self.suite = es.load_suite("picabench", root=self.data)

    def run(self, out: str, **more: Any) -> es.Run:
        settings: dict[str, Any] = {"judge": self.server.spec(), "cache": "off", "jobs": 1, "progress": False, **more}
        return es.run(self.suite, f"folder:{self.outputs}", out=self.folder / out, **settings)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with pytest.MonkeyPatch.context() as patch, JudgeServer(opinion, keys=[KEY]) as server:
        patch.setenv("OPENAI_API_KEY", KEY)
        yield Site(tmp_path_factory.mktemp("accounting"), server)


@pytest.fixture(scope="module")
def ours(site: Site) -> es.Run:
    return site.run("ours")


@pytest.fixture(scope="module")
def recounted(site: Site, ours: es.Run) -> es.Run:
    """The same run counted as released: only the white pictures are asked about."""
    before = len(site.server.asked)
    found = execute(plan_recount(ours.path, "released", out=site.folder / "recounted"), jobs=1)
    assert len(site.server.asked) - before == 2
    return found


@pytest.mark.slow
def test_a_run_without_white_verdicts_says_what_is_missing_for_the_other_count(ours: es.Run) -> None:
    # Right: the one Yes of two labels; case 1 has no answer for its No, and case 2 no edit.
    assert ours.summary["overall"]["accuracy"]["mean"] == pytest.approx(100 * 3 / 7)
    assert ours.summary["accounting"]["unknown"] == 1
    told = StringIO()
    print_result(ours, Console(file=told, width=300))
    assert "judges a white picture in place of 1 missing edit" in told.getvalue()


@pytest.mark.slow
def test_counting_again_asks_only_about_white_pictures_and_holds_both_numbers(site: Site, recounted: es.Run) -> None:
    assert recounted.info["judging"]["accounting"] == "released"
    overall, counts = recounted.summary["overall"], recounted.summary["accounting"]
    # About the white picture "No" is right once; the refused call is a wrong answer.
    assert (overall["accuracy"]["mean"], overall["accuracy"]["n"]) == (50.0, 8)
    assert counts["other"]["overall"]["accuracy"]["mean"] == pytest.approx(100 * 3 / 7)
    assert counts["difference"]["accuracy"] == pytest.approx(100 * (3 / 7 - 1 / 2))
    sent = [decode(asked.pictures[-1]).pixels for asked in site.server.asked[-2:]]
    assert {picture.shape for picture in sent} == {(512, 512, 3)}
    assert recounted.summary["spent"]["calls"] == 2
    assert (recounted.path / "thumbs" / "00000").is_dir()
    assert recounted.case("00002").status == "no_output"


@pytest.mark.slow
def test_counting_back_asks_nobody_and_needs_no_judge(
    site: Site, recounted: es.Run, ours: es.Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = len(site.server.asked)
    monkeypatch.delenv("OPENAI_API_KEY")
    back = execute(plan_recount(recounted.path, "ours", out=site.folder / "back"), jobs=1)
    assert len(site.server.asked) == before
    assert back.summary["overall"] == ours.summary["overall"]
    assert back.summary["accounting"]["other"]["overall"] == recounted.summary["overall"]
    assert back.complete


@pytest.mark.slow
def test_a_run_that_is_counted_as_released_from_the_start_gives_the_same(site: Site, recounted: es.Run) -> None:
    run = site.run("released", accounting="released")
    assert run.summary["overall"] == recounted.summary["overall"]
    assert run.summary["verdicts"] == {"ok": 7, "refused": 1}


@pytest.mark.slow
def test_a_dry_run_counts_the_calls_about_white_pictures(site: Site, ours: es.Run) -> None:
    def told(*more: str) -> str:
        command = ["run", "picabench", "--data", str(site.data), "--editor", f"folder:{site.outputs}"]
        found = CliRunner().invoke(
            make_app(), [*command, "--judge", site.server.spec(), "--cache", "off", "--dry-run", *more]
        )
        assert found.exit_code == 0, found.output
        return found.output

    assert " 6 calls" in told()
    assert " 8 calls" in told("--accounting", "released")
    again = CliRunner().invoke(make_app(), ["rescore", str(ours.path), "--accounting", "released", "--dry-run"])
    assert " 2 calls" in again.output


@pytest.mark.slow
def test_accounting_and_missing_do_not_contradict_each_other(site: Site) -> None:
    with pytest.raises(BadInput, match=r"--accounting released counts missing edits .* give one of the two"):
        site.run("never", accounting="released", missing="skip")
    with pytest.raises(BadInput, match=r"--accounting.*relased.*released"):
        site.run("never", accounting="relased")
    assert not (site.folder / "never").exists()
    found = CliRunner().invoke(make_app(), ["score", "kris", "--outputs", ".", "--accounting", "released"])
    assert isinstance(found.exception, BadInput)
    with pytest.raises(BadInput, match="holds another run, with accounting ours"):
        site.run("ours", accounting="released")


@pytest.mark.slow
def test_reports_show_both_accountings_and_by_how_much_they_differ(recounted: es.Run, tmp_path: Path) -> None:
    found = write_report([recounted], tmp_path / "report.html", published=True)
    page = found.read_text(encoding="utf-8")
    assert "counted in two ways" in page
    assert "(accounting ours)" in page  # the leaderboard has the run twice
    text = write_report([recounted], tmp_path / "report.md").read_text(encoding="utf-8")
    assert "our way: Accuracy 42.9 (−7.1)" in text
    sheet = write_report([recounted], tmp_path / "report.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(StringIO(sheet)))
    means = {row["kind"]: float(row["mean"]) for row in rows if (row["by"], row["metric"]) == ("overall", "accuracy")}
    assert means == {"run": 50.0, "accounting": pytest.approx(42.857142857)}


@pytest.mark.slow
def test_published_rows_stand_beside_the_run_counted_as_they_are(site: Site, recounted: es.Run, tmp_path: Path) -> None:
    back = execute(plan_recount(recounted.path, "ours", out=tmp_path / "back"), jobs=1)
    text = write_report([back], tmp_path / "report.md", published=True).read_text(encoding="utf-8")
    assert "(accounting released)" in text
    alone = write_report([back], tmp_path / "alone.md").read_text(encoding="utf-8")
    assert "(accounting released)" not in alone


@pytest.mark.slow
def test_a_run_of_an_older_version_is_counted_our_way(ours: es.Run, tmp_path: Path) -> None:
    import shutil

    shutil.copytree(ours.path, tmp_path / "old")
    info = json.loads((tmp_path / "old" / "run.json").read_text(encoding="utf-8"))
    del info["judging"]["accounting"]
    (tmp_path / "old" / "run.json").write_text(json.dumps(info), encoding="utf-8")
    (tmp_path / "old" / "summary.json").unlink()
    assert open_run(tmp_path / "old").summary["overall"] == ours.summary["overall"]


@pytest.mark.slow
def test_an_archive_of_an_older_version_still_follows_from_its_journal(ours: es.Run, tmp_path: Path) -> None:
    import shutil

    import pyarrow.parquet as pq

    from editscope.results.archive.pack import pack
    from editscope.results.archive.verify import check_archive

    shutil.copytree(ours.path, tmp_path / "old")
    summary = json.loads((tmp_path / "old" / "summary.json").read_text(encoding="utf-8"))
    del summary["accounting"]
    (tmp_path / "old" / "summary.json").write_text(json.dumps(summary), encoding="utf-8")
    table = pq.read_table(tmp_path / "old" / "scores.parquet").drop_columns(["low", "high"])
    pq.write_table(table, tmp_path / "old" / "scores.parquet")
    archive = pack(tmp_path / "old", tmp_path / "old.zip").path
    assert check_archive(archive).problems == ()


@pytest.mark.slow
def test_the_figure_of_failures_counts_as_the_run_does(ours: es.Run, recounted: es.Run) -> None:
    shares = [level_shares(gather([run], None).sheets[0].runs[0], "accuracy", 0.0, 1.0) for run in (ours, recounted)]
    # Ours, of eight questions: three right, two wrong in edits that are there, one refused, two about no edit.
    assert shares[0] == {"level 5": 37.5, "level 1": 25.0, "refused": 12.5, "no_output": 25.0}
    assert shares[1] == {"level 5": 50.0, "level 1": 50.0}
