"""The speed and the cost of an editor belong to the result."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import editscope as es
from editscope import report
from editscope.cases import Edit
from editscope.report.html.plots import Mark, Scatter
from editscope.results.speed import speed, speed_in_words, union_s

START = datetime(2026, 1, 1, tzinfo=UTC)


def line(end_s: float, latency_s: float | None, **more: Any) -> dict[str, Any]:
    at = (START + timedelta(seconds=end_s)).isoformat(timespec="milliseconds")
    return {"status": "ok", "image": "images/a.png", "latency_s": latency_s, "cost_usd": None, "at": at, **more}


def test_percentiles_are_those_of_numpy() -> None:
    dice = random.Random(3)
    seconds = [round(dice.uniform(0.1, 9.0), 4) for _ in range(57)]
    found = speed([line(100.0 * i, s) for i, s in enumerate(seconds)])
    assert found is not None
    for q in (50, 90, 95, 99):
        assert found["latency_s"][f"p{q}"] == pytest.approx(np.percentile(seconds, q), abs=1e-4)
    assert found["throughput"] == pytest.approx(57 / sum(seconds), rel=1e-3)
    assert found["at_once"] == 1.0


def test_a_pause_between_two_parts_of_a_run_does_not_count_against_its_throughput() -> None:
    together = speed([line(1.0, 1.0), line(1.0, 1.0), line(1.0, 1.0), line(1.0, 1.0)])
    days_apart = speed([line(1.0, 1.0), line(1.0, 1.0), line(86_400.0, 1.0), line(86_400.0, 1.0)])
    assert together is not None and days_apart is not None
    assert together["throughput"] == 4.0 and together["at_once"] == 4.0
    assert days_apart["throughput"] == 2.0


def test_the_union_of_spans_is_what_a_slow_count_gives() -> None:
    dice = random.Random(5)
    for _ in range(50):
        spans = [(start, start + dice.randint(0, 9)) for start in (dice.randint(0, 40) for _ in range(8))]
        slow = sum(any(a <= tick < b for a, b in spans) for tick in range(60))
        assert union_s([(float(a), float(b)) for a, b in spans]) == slow


def test_failed_edits_cost_but_have_no_latency() -> None:
    found = speed(
        [line(1.0, 1.0, cost_usd=0.04), line(9.0, 5.0, status="refused", image=None, cost_usd=0.02, attempts=3)]
    )
    assert found is not None
    assert found["latency_s"]["max"] == 1.0 and found["failed"] == 1 and found["attempts"] == 3
    assert found["cost_usd"] == {"total": 0.06, "mean": 0.06, "known": 2}


def test_files_that_were_there_have_no_speed() -> None:
    assert speed([line(1.0, 0.001, image={"source": "/edits/a.png"})]) is None
    assert speed([line(1.0, None, image=None, status="error")]) is None


def test_what_an_editor_was_not_asked_is_no_failure_of_it() -> None:
    found = speed([line(1.0, 1.0), line(1.0, None, status="no_output", image=None, applicable=False)])
    assert found is not None
    assert (found["edits"], found["failed"]) == (1, 0)


def test_money_that_brought_no_picture_is_said_too() -> None:
    found = speed([line(1.0, 1.0, status="refused", image=None, cost_usd=0.02, attempts=2)] * 3)
    assert found == {"edits": 0, "failed": 3, "cost_usd": {"total": 0.06, "mean": 0.02, "known": 3}, "attempts": 6}
    assert speed_in_words(found) == "$0.060 for edits that gave no picture"


class Refusing(es.Editor):
    """Takes the money and gives nothing."""

    def edit(self, case: es.Request) -> Edit:
        return Edit(case.case_id, status="refused", reason="no", cost_usd=0.02)


class Priced(es.Editor):
    """Gives the input back, for a price."""

    def __init__(self, price: float) -> None:
        self.price = price
        self.name = f"priced-{price}"

    def edit(self, case: es.Request) -> Edit:
        return Edit(case.case_id, image=case.arrays[0], cost_usd=self.price, latency_s=self.price, memory_mb=2048.0)


SMALL = {"tasks": ["border", "rotation"], "conditions": ["baseline"], "per_cell": 2, "canvas": (384, 384)}


@pytest.mark.slow
def test_summary_and_report_say_what_an_edit_takes(tmp_path: Path) -> None:
    suite = es.load_suite("paintbench", **SMALL)
    runs = [es.run(suite, Priced(price), out=tmp_path / str(price), progress=False) for price in (0.01, 0.5)]
    found = runs[1].summary["speed"]
    assert found["edits"] == len(suite)
    assert found["latency_s"]["p50"] == 0.5
    assert found["cost_usd"] == {"total": 0.5 * len(suite), "mean": 0.5, "known": len(suite)}
    assert found["memory_mb"] == 2048.0
    assert "0.50 s an edit" in speed_in_words(found) and "2.0 GiB" in speed_in_words(found)
    refused = es.run(suite, Refusing(), out=tmp_path / "refused", progress=False)
    assert refused.summary["speed"]["cost_usd"]["total"] == pytest.approx(0.02 * len(suite))
    report.write([*runs, refused], tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Speed and cost" in page and "Quality and cost" in page and "$0.500" in page and "2.0 GiB" in page
    assert "$0.080" in page  # four refusals


def test_the_frontier_leaves_out_who_is_beaten_in_both() -> None:
    dice = random.Random(7)
    for _ in range(30):
        marks = [Mark(dice.randint(1, 9), dice.randint(1, 9), str(i), "") for i in range(6)]
        kept = {(m.x, m.y) for m in Scatter(marks, "", "", frontier=True).best()}
        slow = {
            (m.x, m.y) for m in marks if not any(o.x <= m.x and o.y >= m.y and (o.x, o.y) != (m.x, m.y) for o in marks)
        }
        assert kept == (slow if len(slow) > 1 else set())


@pytest.mark.slow
def test_a_paper_gets_quality_against_cost(tmp_path: Path) -> None:
    suite = es.load_suite("paintbench", **SMALL)
    runs = [es.run(suite, Priced(price), out=tmp_path / str(price), progress=False) for price in (0.001, 0.5)]
    (made,) = report.figures_for(runs, tmp_path / "figures", formats=["svg"], only=["cost"])
    drawing = made.files[0].read_text(encoding="utf-8")
    assert "US dollars per edit" in drawing and "Milliseconds per edit" in drawing and "mathdefault" not in drawing
    (alone,) = report.figures_for(runs[:1], tmp_path / "figures", formats=["svg"], only=["cost"])
    assert "two runs" in alone.reason


@pytest.mark.slow
@pytest.mark.parametrize(("longest", "title"), [(2.0, "Seconds per edit"), (0.0009, "")])
def test_time_is_drawn_in_a_fitting_unit_and_not_where_only_the_clock_is_measured(
    tmp_path: Path, longest: float, title: str
) -> None:
    suite = es.load_suite("paintbench", **SMALL)
    runs = [es.run(suite, Priced(price), out=tmp_path / str(price), progress=False) for price in (longest / 2, longest)]
    (made,) = report.figures_for(runs, tmp_path / "figures", formats=["svg"], only=["cost"])
    drawing = made.files[0].read_text(encoding="utf-8")
    assert "US dollars per edit" in drawing
    assert title in drawing if title else "econds per edit" not in drawing
