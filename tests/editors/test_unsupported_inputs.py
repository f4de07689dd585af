"""Cases with more pictures than an editor takes: what they count, and that no task vanishes in silence."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from PIL import ImageOps
from rich.console import Console

import editscope as es
from editscope.cli.output.judged import result as print_result
from editscope.errors import BadInput
from editscope.report import write as write_report
from editscope.runs.rescore import plan_recount, plan_rescore
from editscope.runs.start import execute
from support.judged_data import make_wiseedit
from support.judged_data_more import make_kris
from support.servers.judge_server import KEY, JudgeServer

pytestmark = pytest.mark.slow


class OneImage(es.Editor):
    """Takes one picture and says so."""

    name = "one-image"
    max_images = 1

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __reduce__(self) -> Any:
        raise TypeError("stays at home")

    def edit(self, case: es.Request) -> Any:
        self.asked.append(case.case_id)
        return ImageOps.mirror(case.images[0])


@pytest.fixture(scope="module")
def server() -> Iterator[JudgeServer]:
    with pytest.MonkeyPatch.context() as patch, JudgeServer(keys=[KEY]) as server:
        patch.setenv("OPENAI_API_KEY", KEY)
        yield server


def judged(server: JudgeServer, suite: Any, out: Path, **more: Any) -> tuple[es.Run, str]:
    """The run of an editor of one image, and what the command line prints of it."""
    run = es.run(suite, OneImage(), judge=server.spec(), out=out, cache="off", jobs=1, progress=False, **more)
    return run, printed(run)


def printed(run: es.Run) -> str:
    told = StringIO()
    print_result(run, Console(file=told, width=300))
    return told.getvalue()


TWO = (("Awareness", 1), ("Awareness", 2), ("Imagination", 2))


def test_wiseedit_counts_zero_where_an_editor_cannot_take_the_input(server: JudgeServer, tmp_path: Path) -> None:
    data = make_wiseedit(tmp_path / "data", 1, subsets=TWO, complex_inputs=())
    suite = es.load_suite("wiseedit", root=data, languages="en")
    run, said = judged(server, suite, tmp_path / "run")
    assert run.summary["edits"] == {"ok": 1, "not_applicable": 2}
    tasks = {r["key"]: r["mean"] for r in run.summary["groups"] if (r["by"], r["metric"]) == ("task", "average")}
    assert tasks == {"awareness": 50.0, "imagination": 0.0}
    assert run.summary["overall"]["average"]["mean"] == 25.0
    assert "not applicable 2 (each counts 0 on every metric" in said


def test_wiseedit_can_leave_such_cases_out_and_names_the_task_that_vanishes(
    server: JudgeServer, tmp_path: Path
) -> None:
    data = make_wiseedit(tmp_path / "data", 1, subsets=TWO, complex_inputs=())
    suite = es.load_suite("wiseedit", root=data, languages="en")
    run, said = judged(server, suite, tmp_path / "run", protocol="wiseedit?unsupported=skip")
    assert run.summary["overall"]["average"]["mean"] == 100.0
    assert run.summary["unsupported"]["vanished"] == {"task": ["imagination"]}
    assert "not applicable 2 (out of the averages; nothing is left of task imagination)" in said
    assert run.info["judging"]["protocol"]["options"] == {"unsupported": "skip"}
    with pytest.raises(BadInput, match="choose from zero, skip"):
        judged(server, suite, tmp_path / "never", protocol="wiseedit?unsupported=never")


def test_an_editor_of_one_image_has_no_row_for_wiseedit_complex(server: JudgeServer, tmp_path: Path) -> None:
    data = make_wiseedit(tmp_path / "data", 1, subsets=(), complex_inputs=(1, 2))
    suite = es.load_suite("wiseedit-complex", root=data, languages="en")
    run, said = judged(server, suite, tmp_path / "run")
    assert run.summary["overall"]["average"] == {"mean": None, "lo": None, "hi": None, "n": 0}
    assert "no row, as in the paper" in said
    page = write_report([run], tmp_path / "report.md").read_text(encoding="utf-8")
    assert "Without a row" not in page  # with no other run there is no table to be missing from
    write_report([run], tmp_path / "report.html", published=True)
    run, said = judged(server, suite, tmp_path / "skip", protocol="wiseedit?unsupported=skip")
    assert run.summary["overall"]["average"]["mean"] == 100.0
    assert "not applicable 1 (out of the averages" in said


def test_other_suites_leave_such_cases_out_and_name_the_categories_that_vanish(
    server: JudgeServer, tmp_path: Path
) -> None:
    suite = es.load_suite("kris", root=make_kris(tmp_path / "data", 1))
    run, said = judged(server, suite, tmp_path / "run")
    assert run.summary["edits"] == {"ok": 18, "not_applicable": 2}
    assert run.summary["overall"]["average"]["mean"] == 100.0
    gone = run.summary["unsupported"]["vanished"]
    assert gone["category"] == ["multi-element_composition", "temporal_prediction"]
    assert "nothing is left of" in said
    assert all(name in said for name in gone["category"])


def test_judging_or_counting_again_knows_what_the_editor_could_not_take(server: JudgeServer, tmp_path: Path) -> None:
    suite = es.load_suite("kris", root=make_kris(tmp_path / "data", 1))
    run, _ = judged(server, suite, tmp_path / "run")
    again = execute(plan_rescore(run.path, server.spec(), out=tmp_path / "again"), jobs=1)
    assert again.summary["edits"] == run.summary["edits"]
    assert again.summary["overall"] == run.summary["overall"]
    counted = execute(plan_recount(run.path, "released", out=tmp_path / "counted"), jobs=1)
    assert counted.summary["edits"] == run.summary["edits"]
    assert counted.summary["accounting"]["differs"] is False
