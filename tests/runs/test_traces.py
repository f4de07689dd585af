"""Claims about traces: a judge reads them without the picture, and reasoned right stands against drawn right."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import editscope as es
from editscope.cases import Edit
from editscope.editors import Editor, Request
from editscope.errors import BadInput
from editscope.images import load
from editscope.report import write
from editscope.results import Run, open_run
from editscope.results.diagnosis.reasoning import judges_traces, traces_and_pictures
from editscope.runs.forecast import forecast
from editscope.runs.judging.settings import Limits
from editscope.runs.rescore import plan_rescore
from editscope.runs.start import execute, resume
from editscope.stats.diagnosis.reasoning import ReasonedAndDrawn
from editscope.suites.registry import benchmarks
from editscope.suites.rubrics import load_rubric
from support.judged_data import make_picabench
from support.servers.judge_server import KEY, Asked, JudgeServer

pytestmark = pytest.mark.slow

TASKS = ("border", "recolor", "removal")
N = 12


class Thinker(Editor):
    """Draws every second case right, thinks right about the first eight, and says nothing about the last."""

    name = "thinker"
    needs_answer = True

    def edit(self, case: Request) -> Edit:
        """The answer or the input, and a thought."""
        task, _, place = case.case_id.partition("/")
        number = 4 * TASKS.index(task) + int(place)
        image = case.answer if number % 2 == 0 and case.answer is not None else load(case.images[0])
        trace = None if number == N - 1 else f"I think that {'RIGHT' if number < 8 else 'WRONG'} is to be done."
        return Edit(case.case_id, image=image, trace=trace)


def reads(asked: Asked) -> dict[str, Any]:
    return {"reason": "so it says", "answer": "Yes" if "RIGHT" in asked.text else "No"}


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run that pixels score, of an editor that gives traces."""
    suite = es.load_suite("paintbench", tasks=TASKS, conditions="baseline", per_cell=4, canvas="128x128")
    assert len(suite) == N
    return es.run(suite, Thinker(), out=tmp_path_factory.mktemp("traces") / "drawn", jobs=1, progress=False)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[JudgeServer]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with JudgeServer(reads) as here:
        yield here


def judged(run: Run, server: JudgeServer, out: Path) -> Run:
    plan = plan_rescore(run.path, server.spec(), protocol="trace", out=out, limits=Limits(cache="off"))
    return execute(plan, jobs=1)


def test_reasoned_right_stands_against_drawn_right(drawn: Run, server: JudgeServer, tmp_path: Path) -> None:
    run = judged(drawn, server, tmp_path / "trace")
    assert judges_traces(run) and not judges_traces(drawn)
    assert run.summary["overall"]["reasoned"]["n"] == N - 1
    known = traces_and_pictures(run)
    assert known is not None
    # Thought right about 0 … 7, wrong about 8, 9, 10; drawn right are 0, 2, 4, 6, 8, 10.
    assert ReasonedAndDrawn.of((e.reasoned, e.drawn) for e in known.edits) == ReasonedAndDrawn(4, 4, 2, 1)
    page = write([drawn, run], tmp_path / "r.html").read_text("utf-8")
    assert "Reasoned and drawn" in page and "Of 11 edits, 73 % (43 – 90) were reasoned right" in page
    assert "Of these, 50 % (22 – 78) were drawn right, of the others 67 % (21 – 94)" in page
    assert page.count("Reasoned right, drawn wrong") == 1


def test_the_judge_sees_input_answer_and_trace_and_not_the_edit(
    drawn: Run, server: JudgeServer, tmp_path: Path
) -> None:
    judged(drawn, server, tmp_path / "trace")
    assert len(server.asked) == N - 1
    for asked in server.asked:
        assert len(asked.pictures) == 2 and "I think that" in asked.text


def test_a_forecast_counts_the_traces_and_asks_nobody(drawn: Run, server: JudgeServer, tmp_path: Path) -> None:
    plan = plan_rescore(drawn.path, server.spec(), protocol="trace", out=tmp_path / "t", limits=Limits(cache="off"))
    (part,) = forecast(plan).parts
    assert part.calls == N - 1 and not server.asked


def test_a_limit_of_calls_holds_and_the_rest_follows_when_resumed(
    drawn: Run, server: JudgeServer, tmp_path: Path
) -> None:
    limits = Limits(cache="off", max_calls=5)
    plan = plan_rescore(drawn.path, server.spec(), protocol="trace", out=tmp_path / "t", limits=limits)
    with pytest.raises(es.EditscopeError, match="5"):
        execute(plan, jobs=1)
    asked = len(server.asked)
    assert 0 < asked <= 5
    run = resume(tmp_path / "t", jobs=1, progress=False, max_calls=100)
    assert run.complete and len(server.asked) == N - 1


def test_a_run_without_traces_is_refused_before_anybody_is_asked(server: JudgeServer, tmp_path: Path) -> None:
    suite = es.load_suite("paintbench", tasks="border", conditions="baseline", per_cell=1, canvas="128x128")
    run = es.run(suite, "ref:identity", out=tmp_path / "mute", jobs=1, progress=False)
    with pytest.raises(BadInput, match=r"no edit of .* has a trace"):
        plan_rescore(run.path, server.spec(), protocol="trace", out=tmp_path / "t")
    assert not server.asked


def test_a_trace_run_whose_pictures_are_gone_says_so(drawn: Run, server: JudgeServer, tmp_path: Path) -> None:
    from shutil import copytree, move

    copy = open_run(copytree(drawn.path, tmp_path / "copy"))
    run = judged(copy, server, tmp_path / "trace")
    move(copy.path, tmp_path / "elsewhere")
    assert traces_and_pictures(run) is None
    assert "no longer where it was" in write([run], tmp_path / "r.html").read_text("utf-8")


def test_traces_of_a_judged_suite_are_held_against_its_questions(server: JudgeServer, tmp_path: Path) -> None:
    class Talker(Editor):
        name = "talker"

        def edit(self, case: Request) -> Edit:
            return Edit(case.case_id, image=load(case.images[0]), trace="The shadow moves: RIGHT.")

    make_picabench(tmp_path / "data", 3)
    suite = es.load_suite("picabench", root=tmp_path / "data")
    first = es.run(suite, Talker(), server.spec(), tmp_path / "first", jobs=1, progress=False, cache="off")
    before = len(server.asked)
    run = judged(first, server, tmp_path / "trace")
    asked = server.asked[before:]
    assert len(asked) == 3 and all("known of the right result" in call.text for call in asked)
    assert traces_and_pictures(run) is not None


def test_it_is_a_protocol_and_no_suite() -> None:
    with pytest.raises(BadInput, match="is a protocol and no suite"):
        es.load_suite("trace")
    assert load_rubric("trace?side=512").options == {"side": 512}
    assert "trace" not in [record.name for record in benchmarks() if record.listed]
