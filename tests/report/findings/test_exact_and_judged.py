"""The same edits, scored exactly and judged: a set written as a folder of questions, and the page that compares."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import editscope as es
from editscope.errors import BadInput
from editscope.report import write
from editscope.report.figure_data.exact_and_judged import exact_and_judged
from editscope.report.model import gather
from editscope.report.paper_figures.draw import figures_for
from editscope.results.run import Run
from editscope.suites import load_suite
from editscope.suites.registry import judged_writer
from support.servers.judge_server import KEY, Asked, JudgeServer

pytestmark = pytest.mark.slow

TASKS = ("remove_object", "recolor_mirrored", "lamp_off", "fog")
OPTIONS = {"tasks": TASKS, "per_task": 2, "levels": "superficial,explicit", "size": 96}
SPEC = f"optics?tasks={','.join(TASKS)}&per_task=2&levels=superficial,explicit&size=96"


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cases as a folder of a judged suite."""
    folder = tmp_path_factory.mktemp("written") / "questions"
    assert judged_writer("picabench")(folder, load_suite("optics", **OPTIONS)) == 16
    return folder


@pytest.fixture(scope="module")
def runs(written: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """Three editors scored, and their edits judged by a judge that sees what is there."""
    folder = tmp_path_factory.mktemp("runs")
    made: dict[str, Run] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", KEY)
        for name in ("oracle", "cutout", "identity"):
            made[name] = es.run(SPEC, f"ref:{name}", out=folder / name, jobs=1, progress=False)
            with JudgeServer(lambda asked, name=name: seen(written, asked, name)) as server:  # type: ignore[misc]
                made[f"judged {name}"] = es.run(
                    load_suite("picabench", root=written),
                    f"folder:{folder / name / 'images'}",
                    judge=server.spec(),
                    cache="off",
                    out=folder / f"judged-{name}",
                    jobs=1,
                    progress=False,
                )
    return made


def seen(written: Path, asked: Asked, editor: str) -> dict[str, str]:
    """The true answer about an edit of a reference editor."""
    text = next(line for line in asked.text.splitlines() if line.startswith("Question: ")).removeprefix("Question: ")
    for case in json.loads((written / "meta_info.json").read_text()):
        for effect, pairs in case["annotated_qa_pairs"].items():
            for pair in pairs:
                if pair["question"] == text:
                    done = editor == "oracle" or (editor == "cutout" and effect in ("object", "uncovered"))
                    other = {"Yes": "No", "No": "Yes"}
                    return {"reason": "as it is", "answer": pair["answer"] if done else other[pair["answer"]]}
    raise AssertionError(text)


def test_a_written_set_loads_as_the_judged_suite_without_a_remark(written: Path) -> None:
    suite = load_suite("picabench", root=written)
    suite.check()
    assert len(suite) == 16 and suite.notes() == ()
    case = suite["remove_object_explicit-000"]
    assert case.tags["law"] == "light_propagation" and case.instructions[0].level == "explicit"
    assert {question.category for question in case.questions} == {"object", "shadow"}
    assert {question.answer for question in case.questions} == {"Yes", "No"}


def test_levels_of_a_problem_have_the_same_questions_and_one_picture(written: Path) -> None:
    cases = {case["index"]: case for case in json.loads((written / "meta_info.json").read_text())}
    plain, explicit = cases["fog_superficial-001"], cases["fog_explicit-001"]
    assert plain["annotated_qa_pairs"] == explicit["annotated_qa_pairs"]
    assert plain["input_path"] == explicit["input_path"]


def test_exact_score_and_judged_accuracy_stand_side_by_side(runs: dict[str, Run]) -> None:
    for name, exact, judged in (("oracle", 100, 100), ("identity", 0, 0)):
        assert runs[name].summary["overall"]["consequences"]["mean"] == exact
        assert runs[f"judged {name}"].summary["overall"]["accuracy"]["mean"] == judged
    (pair,) = exact_and_judged(gather(list(runs.values()), None))
    assert len(pair.edits) == 3 * 16
    for edit in pair.edits:
        if edit.case_id.startswith("fog"):
            assert edit.exact["recovery"] == pytest.approx(edit.judged)
    by_metric = {one.metric: one for one in pair.agreement}
    assert by_metric["recovery"].value > 0.95 and by_metric["recovery"].lo is not None
    assert by_metric["consequences"].value < by_metric["recovery"].value


def test_edits_of_other_files_are_not_compared(runs: dict[str, Run]) -> None:
    assert exact_and_judged(gather([runs["oracle"], runs["judged identity"]], None)) == []


def test_the_page_and_the_figures_have_it(runs: dict[str, Run], tmp_path: Path) -> None:
    write(list(runs.values()), tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert 'id="exact-judged"' in page and "Spearman" in page and 'href="#exact-judged"' in page
    assert "Consequences by level of instruction" in page
    drawn = figures_for(list(runs.values()), tmp_path, only=["effects", "ladder", "exact-judged"], formats=["png"])
    assert {one.name for one in drawn if one.files} == {"effects", "ladder", "exact-judged"}


def test_a_format_that_is_none_and_a_full_folder_are_said(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="picabench"):
        judged_writer("picabnch")
    (tmp_path / "letter.txt").write_text("dear me")
    with pytest.raises(BadInput, match="not empty"):
        judged_writer("picabench")(tmp_path, load_suite("optics", **OPTIONS))
