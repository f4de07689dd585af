"""One edit judged without a run: the right request, the shared cache, and one sentence for whatever is wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import editscope as es
from editscope.cli import main
from editscope.images import write_png
from editscope.judges.prompts.packs import export_pack
from editscope.judges.registry import load_judge
from editscope.suites.own.start import start
from support.servers.judge_server import KEY, Fault, JudgeServer, Reply

pytestmark = pytest.mark.slow

ASKED = "Paint the red disc green."
GOOD = {"score": 4, "answer": "Yes", "reason": "done"}


def good(asked: Any) -> dict[str, Any]:
    assert asked.schema is not None
    return {name: GOOD.get(name, 4) for name in asked.schema["properties"]}


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """A folder with two pictures and a cache of its own."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("EDITSCOPE_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    for name, value in (("a.png", 40), ("b.png", 200), ("c.png", 90)):
        write_png(tmp_path / name, np.full((30, 40, 3), value, np.uint8))
    yield


def call(capsys: pytest.CaptureFixture[str], *arguments: str, edit: str = "b.png") -> tuple[int, str, str]:
    """Exit code, stdout and stderr of `editscope judge one` on the two pictures."""
    code = 0
    try:
        main(["judge", "one", "--source", "a.png", "--edit", edit, "--instruction", ASKED, *arguments])
    except SystemExit as end:
        code = int(end.code or 0)
    said = capsys.readouterr()
    return code, said.out, said.err


def test_one_edit_gets_its_verdicts_and_says_what_they_cost(capsys: pytest.CaptureFixture[str]) -> None:
    with JudgeServer(good) as server:
        code, out, _ = call(capsys, "--judge", server.spec())
        assert (code, server.calls) == (0, 2)
        assert {len(asked.pictures) for asked in server.asked} == {2}
        assert all(ASKED in asked.text for asked in server.asked)
    assert "Average: 87.5 (from 0 to 100)" in out
    assert "following: score 4 · done" in out
    assert "untouched: answer Yes · done" in out
    assert "2 calls, 2,000 tokens in, 100 out, $0.0060" in out
    assert not Path("runs").exists()


def test_the_same_question_is_paid_once_also_by_a_run(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = start(tmp_path / "signs")
    suite = es.load_suite(str(folder))
    case = suite["color-1"]
    with JudgeServer(good) as server:
        one = es.judge_one(case.images[0], case.images[0], case.instruction, judge=server.spec(), rubric=str(folder))
        assert server.calls == 2
        again = es.judge_one(case.images[0], case.images[0], case.instruction, judge=server.spec(), rubric=str(folder))
        assert (server.calls, again.spent["cached"], again.spent["cost_usd"]) == (2, 2, 0)
        run = es.run(
            suite, "ref:identity", judge=server.spec(), where={"category": ["color"]}, limit=1, progress=False, jobs=1
        )
        assert server.calls == 2
    assert one.scores == again.scores == {"average": 87.5, "following": 4.0, "untouched": 100.0}
    assert run.summary["overall"]["average"]["mean"] == one.score


@pytest.mark.parametrize(
    ("arguments", "calls", "headline"),
    [
        (("--rubric", "kris"), 3, "average"),
        (("--rubric", "kris?side=16", "--hint", "grass is green"), 3, "average"),
        (("--rubric", "gedit"), 2, "overall"),
        (("--rubric", "worldedit"), 4, "average"),
        (("--rubric", "wiseedit", "--reference", "c.png"), 4, "average"),
        (("--rubric", "inedit", "--checklist", "1. green"), 5, "overall"),
        (("--rubric", "rise", "--hint", "a green disc"), 3, "accuracy"),
        (("--rubric", "picabench", "--question", "Green?", "--question", "Is it red?=No"), 2, "accuracy"),
        (("--rubric", "audit/fidelity"), 1, "fidelity"),
        (("--source", "c.png", "--samples", "2"), 4, "average"),
    ],
)
def test_any_rubric_judges_one_edit(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], calls: int, headline: str
) -> None:
    with JudgeServer(good) as server:
        code, out, err = call(capsys, "--judge", server.spec(), "--json", *arguments)
        assert (code, err, server.calls) == (0, "", calls)
    judged = json.loads(out)
    assert (judged["status"], judged["headline"]) == ("ok", headline)
    assert judged["scores"][headline] is not None
    assert len(judged["verdicts"]) == judged["spent"]["calls"] == calls


def test_prompts_of_your_own_are_a_rubric_too(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    export_pack("gedit", tmp_path / "own")
    path = tmp_path / "own" / "perceptual_quality.txt"
    path.write_text(path.read_text(encoding="utf-8").replace("---\n", "---\nOurs.\n", 1), encoding="utf-8")
    Path("middle.txt").write_text(
        "version: 1\npictures: source, edit, answer\nwords: instruction, mood?\nreply: score 1-5\n---\n"
        "{instruction} Before: [[source]] after: [[edit]] right: [[answer]]\n\nMood: {mood}\n",
        encoding="utf-8",
    )
    with JudgeServer(good) as server:
        assert call(capsys, "--judge", server.spec(), "--rubric", "own")[0] == 0
        assert any("Ours." in asked.text for asked in server.asked)
        code, out, _ = call(capsys, "--judge", server.spec(), "--rubric", "middle.txt", "--answer", "c.png")
        assert (code, "Middle: 4.00" in out) == (0, True)
        kinds = [part if isinstance(part, str) else "picture" for part in server.asked[-1].parts]
        assert kinds == [f"{ASKED} Before:", "picture", "after:", "picture", "right:", "picture"]
        call(capsys, "--judge", server.spec(), "--rubric", "middle.txt", "--answer", "c.png", "--field", "mood=calm")
        assert server.asked[-1].text.endswith("Mood: calm")


def test_a_dry_run_shows_the_request_and_its_price_and_asks_nobody(capsys: pytest.CaptureFixture[str]) -> None:
    with JudgeServer(good) as server:
        code, out, _ = call(capsys, "--judge", server.spec(), "--dry-run")
        assert (code, server.calls, server.checks) == (0, 0, 0)
        assert "[source 40×30, 1 kB JPEG]" in out
        assert f"POST {server.url}/chat/completions · model gpt-4o" in out
        assert "2 calls, 4 images" in out
        code, out, _ = call(capsys, "--judge", server.spec(), "--dry-run", "--html", "page.html")
        assert (code, "2 requests about this edit: page.html" in out) == (0, True)
    page = Path("page.html").read_text(encoding="utf-8")
    assert page.count("data:image/webp;base64,") == 4
    assert KEY not in page


def test_an_edit_without_a_verdict_has_no_number_and_ends_with_1(capsys: pytest.CaptureFixture[str]) -> None:
    def half(asked: Any) -> Any:
        return good(asked) if "score" in asked.schema["properties"] else Reply(refusal="I cannot look at this.")

    with JudgeServer(half) as server:
        code, out, _ = call(capsys, "--judge", server.spec(), "--json")
    judged = json.loads(out)
    assert (code, judged["status"]) == (1, "refused")
    assert judged["scores"]["untouched"] is None
    assert judged["scores"]["following"] == 4.0


def test_a_spent_budget_ends_with_3(capsys: pytest.CaptureFixture[str]) -> None:
    with JudgeServer(good) as server:
        code, _, err = call(capsys, "--judge", server.spec(), "--budget", "0.000001")
        assert (code, server.calls) == (3, 0)
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--rubric", "krs"), "there is no rubric 'krs'; did you mean 'kris'?"),
        (("--rubric", "picabench"), "has no questions"),
        (("--rubric", "paintbench"), "there is no rubric 'paintbench'"),
        (("--rubric", "audit/fidelty"), "did you mean 'fidelity'?"),
        (("--rubric", "rewrite/trace"), "never shows the edit"),
        (
            ("--rubric", "rise", "--field", "category=logical"),
            "needs the word 'reference', which is not there (give it with --answer",
        ),
        (("--rubric", "nowhere.txt"), "nowhere.txt cannot be read: No such file"),
        (("--answer", "gone.png"), "gone.png"),
        (("--field", "mood"), "--field 'mood' is not of the form NAME=TEXT"),
        (("--html", "x.html"), "use it with --dry-run"),
        (("--judge", "openai:gpt-4o?base_url=http://127.0.0.1:9/v1"), "cannot be reached"),
    ],
)
def test_what_is_wrong_is_one_sentence_and_nothing_is_asked(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str
) -> None:
    judge = () if "--judge" in arguments else ("--judge", "openai:gpt-4o?base_url=http://127.0.0.1:9/v1")
    code, out, err = call(capsys, *judge, *arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert len(err.splitlines()) == 1


def test_pictures_and_keys_that_are_not_there_are_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    Path("torn.png").write_bytes(Path("b.png").read_bytes()[:50])
    Path("empty.png").write_bytes(b"")
    for edit in ("gone.png", "torn.png", "empty.png"):
        code, _, err = call(capsys, "--judge", "openai:gpt-4o", edit=edit)
        assert (code, edit in err, len(err.splitlines())) == (2, True, 1)
    code, _, err = call(capsys, "--judge", "openai:gpt-4o")
    assert (code, "nothing was spent: set the variable OPENAI_API_KEY" in err) == (2, True)
    code, _, err = call(capsys)
    assert (code, "choose a judge with --judge" in err) == (2, True)
    with pytest.raises(es.BadInput, match="no source"):
        es.judge_one([], "b.png", ASKED, judge="openai:gpt-4o")
    with pytest.raises(es.BadInput, match="instruction is empty"):
        es.judge_one("a.png", "b.png", " ", judge="openai:gpt-4o")


def test_arrays_will_do_and_a_failing_server_is_no_number() -> None:
    pixels = np.zeros((8, 8, 3), np.uint8)
    with JudgeServer([Fault(500, "broken")]) as server:
        judged = es.judge_one(pixels, pixels, ASKED, judge=load_judge(server.spec(), retries=0, give_up=99))
    assert (judged.status, judged.score) == ("error", None)
