"""A run with a judge: what it says, what lies on disk, and what it does not ask or spend twice."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from PIL import Image, ImageOps

import editscope as es
from editscope.errors import BadInput
from editscope.results import open_run
from editscope.results.archive.pack import pack
from editscope.results.archive.verify import check_archive
from editscope.results.comparison import compare
from editscope.runs.rescore import plan_rescore
from editscope.runs.start import execute, resume
from support.judged_data import make_picabench
from support.servers.judge_server import KEY, Asked, JudgeServer, Outcome, Reply

pytestmark = pytest.mark.slow


def opinion(asked: Asked) -> Outcome:
    """Yes to everything, except for four questions: see the numbers in the test below."""
    if "thing 0.1 " in asked.text:
        return {"answer": "No", "reason": "it is not"}
    if "thing 2.1 " in asked.text:
        return Reply(refusal="I would rather not")
    if "thing 3.0 " in asked.text:
        return "score: 7"
    return {"answer": "Yes", "reason": "it is"}


class Site:
    """Eight cases of one law each with two questions, seven edits of them, and a judge."""

    def __init__(self, folder: Path, server: JudgeServer) -> None:
        self.folder, self.server = folder, server
        self.data = make_picabench(folder / "data", 8)
        self.outputs = folder / "outputs"
        self.outputs.mkdir()
        for source in sorted((self.data / "input_img").iterdir()):
            if source.stem != "00005":
                ImageOps.invert(Image.open(source)).save(self.outputs / source.name)
        self.suite = es.load_suite("picabench", root=self.data)

    def run(self, out: str, **more: Any) -> es.Run:
        settings: dict[str, Any] = {"judge": self.server.spec(), "cache": self.folder / "cache", "jobs": 1, **more}
        return es.run(self.suite, f"folder:{self.outputs}", out=self.folder / out, progress=False, **settings)

    def rescore(self, run: es.Run, out: str, **more: Any) -> es.Run:
        from editscope.runs.judging.settings import Limits

        judge = more.pop("judge", self.server.spec())
        limits = Limits(cache=str(self.folder / "cache"))
        return execute(plan_rescore(run.path, judge, out=self.folder / out, limits=limits, **more), jobs=1)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with pytest.MonkeyPatch.context() as patch, JudgeServer(opinion, keys=[KEY]) as server:
        patch.setenv("OPENAI_API_KEY", KEY)
        yield Site(tmp_path_factory.mktemp("judged"), server)


@pytest.fixture(scope="module")
def done(site: Site) -> es.Run:
    return site.run("run")


def test_every_number_is_what_one_works_out_by_hand(done: es.Run) -> None:
    # Labels by turns Yes, No. Right: case 0 both, 2 and 3 the one that has a verdict, 1, 4, 6, 7 one of two, 5 none.
    overall = done.summary["overall"]
    assert overall["accuracy"]["mean"] == pytest.approx(100 * 8 / 14)
    assert overall["accuracy"]["n"] == 14
    assert overall["accuracy_by_case"]["mean"] == pytest.approx(100 * (1 + 0.5 + 1 + 1 + 0.5 + 0 + 0.5 + 0.5) / 8)
    rows = {(row["by"], row["key"]): row for row in done.summary["groups"] if row["metric"] == "accuracy"}
    assert rows["dimension", "optics"]["mean"] == pytest.approx(100 * 5 / 6)
    assert rows["dimension", "mechanics"]["mean"] == pytest.approx(100 * 1 / 4)
    assert rows["dimension", "state_transition"]["mean"] == pytest.approx(50)


def test_a_missing_verdict_is_no_number_and_the_mean_has_its_bounds(done: es.Run) -> None:
    cell = done.summary["overall"]["accuracy"]
    assert (cell["missing"], cell["worst"], cell["best"]) == (2, 50.0, 62.5)
    assert done.summary["verdicts"] == {"ok": 12, "refused": 1, "unparsed": 1}
    assert repr(done.summary["accuracy"]).endswith("n 14, 2 without a verdict")
    table = done.rows()
    found = dict(zip(zip(table["case_id"], table["key"], strict=True), table["value"], strict=True))
    assert found["00002", "q2"] is None
    assert found["00003", "q1"] is None
    statuses = dict(zip(zip(table["case_id"], table["key"], strict=True), table["status"], strict=True))
    assert (statuses["00002", "q2"], statuses["00003", "q1"]) == ("refused", "unparsed")


def test_a_missing_edit_counts_as_the_worst_and_is_counted(done: es.Run) -> None:
    assert done.coverage == {"ok": 5, "no_output": 1, "refused": 1, "unparsed": 1}
    assert done.summary["edits"] == {"ok": 7, "no_output": 1}
    record = done.case("00005")
    assert record.metrics["accuracy"] == 0
    assert record.verdicts == ()
    assert record.reason == "no file for this case"


def test_the_run_holds_what_was_asked_and_with_what(site: Site, done: es.Run) -> None:
    said = done.info["judging"]
    assert done.info["judge"] == said["judges"][0] == site.server.spec()
    assert said["snapshots"] == {said["judges"][0]: {"gpt-4o-2030-01-01": 14}}
    assert said["protocol"] == {"name": "picabench", "options": {}}
    assert len(said["prompts"]["hash"]) == 16
    assert set(said["prompts"]["files"]) == {"question", "question_with_instruction"}
    lines = [json.loads(line) for line in (done.path / "journal.jsonl").read_text().splitlines()]
    steps = [line["step"] for line in lines]
    assert (steps.count("edit"), steps.count("verdict"), steps.count("score")) == (8, 14, 8)
    saved = pq.read_table(done.path / "scores.parquet")
    assert saved.equals(done.table())
    assert saved.num_rows == 16 + 8 + 8
    said = json.loads((done.path / "summary.json").read_text())
    assert said.pop("made_from")
    assert said == done.summary


def test_behind_every_number_are_the_question_the_reply_and_what_was_seen(done: es.Run) -> None:
    first, second = done.case("00000").verdicts
    assert first.question == "Is thing 0.0 where it belongs?"
    assert (first.label, first.answer, first.right, first.reason) == ("Yes", "Yes", True, "it is")
    assert (second.answer, second.right) == ("No", True)
    assert first.snapshot == "gpt-4o-2030-01-01"
    assert json.loads(first.reply) == {"answer": "Yes", "reason": "it is"}
    assert first.thumb is not None
    with Image.open(first.thumb) as crop, Image.open(done.path / "thumbs/00000/edit.webp") as edit:
        assert 0 < crop.width < 96
        assert edit.size == (96, 64)
    assert set(done.case("00000").thumbs) >= {"input", "edit", "q1", "q2"}
    broken = done.case("00003").verdicts[0]
    assert (broken.status, broken.reply, broken.right) == ("unparsed", "score: 7", None)


def test_the_worst_cases_say_what_the_judge_said(done: es.Run, capsys: pytest.CaptureFixture[str]) -> None:
    done.cases(law="light_source_effects").worst(1).show()
    shown = capsys.readouterr().out
    assert "00001  accuracy 50.0" in shown
    assert "q1 Is thing 1.0 where it belongs?: Yes (label No) · it is" in shown


def test_a_second_run_over_the_same_edits_asks_nothing_that_is_known(site: Site, done: es.Run) -> None:
    before = site.server.calls
    again = site.run("again")
    # Only what had no verdict is asked once more: the refusal, and the unparsed reply three times.
    assert site.server.calls - before == 4
    assert again.rows() == done.rows()
    assert again.summary["spent"]["cached"] == 12
    assert {p.name for p in (again.path / "thumbs/00001").iterdir()} == {
        p.name for p in (done.path / "thumbs/00001").iterdir()
    }
    before = site.server.calls
    site.run("again")
    assert site.server.calls == before


def test_thumbnails_that_are_gone_are_made_again_without_a_call(site: Site, done: es.Run, tmp_path: Path) -> None:
    first = site.run("first", limit=1)
    for thumb in (first.path / "thumbs/00000").iterdir():
        thumb.unlink()
    (first.path / "thumbs/00000").rmdir()
    before = site.server.calls
    second = site.run("second", limit=1)
    assert site.server.calls == before
    assert set(second.case("00000").thumbs) >= {"input", "edit", "q1", "q2"}


def test_missing_edits_can_be_left_out_or_end_the_run(site: Site, done: es.Run) -> None:
    skipped = site.run("skipped", missing="skip")
    assert skipped.summary["overall"]["accuracy"]["mean"] == pytest.approx(100 * 8 / 12)
    assert skipped.summary["overall"]["accuracy"]["n"] == 12
    assert skipped.summary["overall"]["accuracy"]["missing"] == 2
    assert skipped.summary["edits"]["no_output"] == 1
    with pytest.raises(
        BadInput, match=r"1 edit is missing or unreadable, and --missing is fail; the first is that of 00005"
    ):
        site.run("failed", missing="fail")
    assert not (site.folder / "failed").exists()


def test_several_samples_and_several_judges_are_all_kept(site: Site) -> None:
    panel = [site.server.spec(), site.server.spec("gpt-4.1")]
    before = site.server.calls
    run = site.run("panel", judge=panel, samples=2, limit=1, cache="off")
    questions = [asked for asked in site.server.asked[before:] if "thing" in asked.text]
    assert len(questions) == 2 * 2 * 2
    verdicts = run.case("00000").verdicts
    assert [(v.key, v.judge, v.sample) for v in verdicts] == [
        (key, judge, sample) for key in ("q1", "q2") for judge in run.info["judging"]["judges"] for sample in (0, 1)
    ]
    assert run.summary["overall"]["accuracy"]["mean"] == 100
    assert run.summary["agreement"] == {"mean": 100.0, "n": 2}
    assert run.summary["panel"] == [
        {"prompt": "question", "field": "answer", "alpha": 1.0, "lo": 1.0, "hi": 1.0, "items": 2}
    ]
    with pytest.raises(BadInput, match="is named twice"):
        site.run("twice", judge=[site.server.spec(), site.server.spec()])


def test_rescoring_judges_the_same_edits_and_leaves_the_run_as_it_was(site: Site, done: es.Run) -> None:
    before = {path: path.read_bytes() for path in done.path.rglob("*") if path.is_file()}
    site.server.script = lambda asked: {"score": 4, "reason": "good"}
    try:
        kris = site.rescore(done, "kris", protocol="kris")
    finally:
        site.server.script = opinion
    assert kris.summary["overall"]["average"]["mean"] == pytest.approx(100 * 7 / 8 * 0.75)
    assert kris.summary["edits"] == {"ok": 7, "no_output": 1}
    assert kris.info["editor"] == done.info["editor"]
    assert {path: path.read_bytes() for path in done.path.rglob("*") if path.is_file()} == before
    assert resume(kris.path, progress=False).summary == kris.summary
    with pytest.raises(BadInput, match=r"was scored by the protocol picabench and .* by the protocol kris"):
        compare(done, kris)


def test_two_runs_are_compared_question_by_question(site: Site, done: es.Run) -> None:
    site.server.script = lambda asked: {"answer": "No", "reason": "never"}
    try:
        never = site.rescore(done, "never", judge=site.server.spec("gpt-4.1"))
    finally:
        site.server.script = opinion
    found = compare(done, never)
    assert found.overall.n == 14
    # Of the fourteen questions that both answered, six have No for a label, one of these without an edit.
    assert found.overall.mean_b == pytest.approx(100 * 5 / 14)
    assert "Not only the edits differ: the runs have other judges." in found.notes()
    assert found.cases(1)[0].case_id in {record.case_id for record in done.records()}


def test_what_had_no_verdict_can_be_asked_again(site: Site, done: es.Run) -> None:
    from editscope.runs.plan import plan_again

    run = site.run("mended")
    before = site.server.calls
    site.server.script = lambda asked: {"answer": "No", "reason": "on second thoughts"}
    try:
        mended = execute(plan_again(run.path, again=True), jobs=1)
    finally:
        site.server.script = opinion
    assert site.server.calls - before == 2
    assert mended.summary["verdicts"] == {"ok": 14}
    assert "missing" not in mended.summary["overall"]["accuracy"]


def test_an_archive_of_a_judged_run_is_whole_and_opens(site: Site, done: es.Run, tmp_path: Path) -> None:
    packed = pack(done.path, tmp_path / "run.zip")
    assert packed.complete
    assert check_archive(packed.path).problems == ()
    inside = open_run(packed.path)
    assert inside.summary == done.summary
    thumb = inside.case("00000").verdicts[0].thumb
    assert thumb is not None
    assert thumb.is_file()


class Counting(es.Editor):
    """Lives in this process and counts."""

    name = "counting"

    def __init__(self) -> None:
        self.asked: list[tuple[str, str, str]] = []

    def __reduce__(self) -> Any:
        raise TypeError("stays at home")

    def edit(self, case: es.Request) -> Any:
        self.asked.append((case.case_id, case.variant, case.instruction))
        return ImageOps.mirror(case.images[0])


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("openai:gpt-4o?base_url=http://127.0.0.1:9/v1", "cannot be reached"),
        ("openai:no-such-model?base_url={url}", "knows no model 'no-such-model'"),
        ("openai:gpt-4o?base_url={url}&key_env=WRONG_KEY", "does not accept the key in WRONG_KEY"),
    ],
)
def test_a_judge_that_cannot_be_asked_is_said_before_any_edit_is_made(
    site: Site, spec: str, said: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("WRONG_KEY", "not-the-right-one")
    editor = Counting()
    with (
        JudgeServer(opinion, keys=[KEY], models=["gpt-4o"]) as server,
        pytest.raises(BadInput, match=said) as raised,
    ):
        es.run(site.suite, editor, judge=spec.format(url=server.url), out=tmp_path / "run", progress=False)
    assert editor.asked == []
    assert not (tmp_path / "run").exists()
    assert "not-the-right-one" not in str(raised.value)


def test_every_level_is_an_edit_of_its_own(site: Site, tmp_path: Path) -> None:
    data = make_picabench(tmp_path / "data", 2, hub=True)
    suite = es.load_suite("picabench", root=data, levels="superficial,explicit")
    editor = Counting()
    run = es.run(suite, editor, judge=site.server.spec(), out=tmp_path / "run", cache="off", jobs=1, progress=False)
    assert sorted(editor.asked) == [
        (case_id, variant, f"{level} wish {int(case_id)}")
        for case_id in ("00000", "00001")
        for variant, level in (("", "superficial"), ("explicit", "explicit"))
    ]
    assert [(r.case_id, r.variant) for r in run.records()] == [
        ("00000", ""), ("00000", "explicit"), ("00001", ""), ("00001", "explicit")
    ]  # fmt: skip
    assert {r.image.name for r in run.records() if r.image} == {
        "00000_output.png", "00000@explicit_output.png", "00001_output.png", "00001@explicit_output.png"
    }  # fmt: skip
    assert [r.variant for r in run.cases(level="explicit")] == ["explicit", "explicit"]
    assert run.case("00001@explicit").instruction == "explicit wish 1"
    levels = {
        row["key"]: row["n"] for row in run.summary["groups"] if (row["by"], row["metric"]) == ("level", "accuracy")
    }
    assert levels == {"superficial": 4, "explicit": 4}


def test_a_pixel_suite_can_be_judged_by_a_protocol(site: Site, small_set: Path, tmp_path: Path) -> None:
    suite = es.load_suite("paintbench", root=small_set)
    settings: dict[str, Any] = {"out": tmp_path / "run", "cache": "off", "jobs": 1, "progress": False, "limit": 2}
    with pytest.raises(BadInput, match="has no protocol of its own; choose one with --protocol"):
        es.run(suite, "ref:oracle", judge=site.server.spec(), **settings)
    site.server.script = lambda asked: {"score": 3, "reason": "fair"}
    try:
        run = es.run(suite, "ref:oracle", judge=site.server.spec(), protocol="kris", **settings)
    finally:
        site.server.script = opinion
    assert run.summary["overall"]["average"]["mean"] == 50
    assert {row["by"] for row in run.summary["groups"]} >= {"task", "category"}
