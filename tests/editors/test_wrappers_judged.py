"""Wrappers that ask a language model: what they ask, what they do with the reply, and what a missing one means."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import editscope as es
from editscope.editors import EditLimits, Editor, Request, load_editor
from editscope.editors.wrappers import best_of, derived_seed, rewrite, turns
from editscope.errors import BadInput, Stopped
from editscope.images import Pixels, decode
from editscope.transport.budget import BudgetSpent
from support.painter import ANSWER, BEFORE, Painter, made, request, trace
from support.servers.editor_server import OpenAIServer
from support.servers.judge_server import KEY, Asked, Fault, JudgeServer, Reply

PLAN = "The square is in the middle. It becomes green."


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EDITSCOPE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    return tmp_path / "cache"


@pytest.fixture
def closing() -> Iterator[list[Editor]]:
    """Editors that are closed when the test is over."""
    opened: list[Editor] = []
    yield opened
    for editor in opened:
        editor.close()


def loaded(editor: Editor, closing: list[Editor]) -> Editor:
    editor.load()
    closing.append(editor)
    return editor


# rewrite


def test_a_trace_goes_before_the_instruction_and_both_texts_are_kept(closing: list[Editor]) -> None:
    with JudgeServer([{"trace": PLAN}]) as server:
        inner = Painter()
        edit = made(loaded(rewrite.load(inner, server.spec()), closing), request())
    (asked,) = server.asked
    assert "Paint the square." in asked.text
    assert decode_size(asked) == [(32, 32)]
    assert inner.seen[0].instruction == f"Plan:\n{PLAN}\n\nInstruction:\nPaint the square." == edit.asked
    said = trace(edit)
    assert (said["instruction"], said["written"], said["mode"]) == ("Paint the square.", PLAN, "trace")
    assert said["snapshot"] and said["prompt_hash"]
    assert KEY not in str(edit)


@pytest.mark.parametrize("mode", ["instruction", "paraphrase"])
def test_a_rewritten_instruction_replaces_the_first(mode: str, closing: list[Editor]) -> None:
    with JudgeServer([{"instruction": "Recolor the middle square green."}]) as server:
        inner = Painter()
        editor = loaded(rewrite.load(inner, server.spec(), mode), closing)
        edit = made(editor, request())
    assert inner.seen[0].instruction == edit.asked == "Recolor the middle square green."
    assert editor.name == f"rewrite-{mode}+painter"


def test_the_rewriter_may_be_kept_from_seeing_the_pictures(closing: list[Editor]) -> None:
    with JudgeServer([{"trace": PLAN}]) as server:
        made(loaded(rewrite.load(Painter(), server.spec(), see="text"), closing), request())
        assert server.asked[0].pictures == ()
        assert "Picture 1" not in server.asked[0].text


def test_the_suites_hint_reaches_the_rewriter_only_if_it_is_asked_for_and_the_editor_never(
    closing: list[Editor],
) -> None:
    with JudgeServer([{"trace": PLAN}]) as server:
        inner = Painter()
        told = loaded(rewrite.load(inner, server.spec(), hint=True), closing)
        assert told.wants_hint and not rewrite.load(inner, server.spec()).wants_hint
        edit = made(told, request(hint="grass is green"))
        assert "grass is green" in server.asked[0].text
    assert inner.seen[0].hint == ""
    assert edit.notes == ("rewritten with the suite's hint: an upper bound",)


def test_time_and_money_of_the_rewriter_count_and_a_cached_reply_costs_nothing(closing: list[Editor]) -> None:
    reply = Reply({"trace": PLAN}, input_tokens=1000, output_tokens=100, latency=0.05)
    with JudgeServer([reply]) as server:
        editor = rewrite.load(Painter(), server.spec("gpt-4o"))
        first = made(loaded(editor, closing), request())
        again = made(loaded(rewrite.load(Painter(), server.spec("gpt-4o")), closing), request(seed=8))
        assert server.calls == 1  # another repeat, another run: the same question
    assert first.cost_usd == pytest.approx(1000 * 2.5e-6 + 100 * 10e-6)
    assert again.cost_usd == 0.0
    assert first.latency_s is not None and first.latency_s >= 0.05
    assert trace(again)["cached"] is True


@pytest.mark.parametrize(
    ("reply", "status", "said"),
    [
        (Reply("", refusal="I will not."), "refused", "I will not."),
        (Reply({"trace": "I'm sorry, but I can't assist with that."}), "refused", "can't assist"),
        (Reply("Sure! Here is my plan."), "unparsed", "no JSON object with 'trace'"),
        (Reply({"trace": "  "}), "unparsed", "the text under 'trace' is empty"),
        (Fault(400, "bad request"), "error", "bad request"),
    ],
)
def test_a_rewriter_that_gives_nothing_is_a_status_and_no_edit_is_paid(
    reply: Any, status: str, said: str, closing: list[Editor]
) -> None:
    with JudgeServer([reply]) as server:
        inner = Painter()
        edit = made(loaded(rewrite.load(inner, server.spec()), closing), request())
    assert edit.status == status
    assert said in str(edit.reason) and "was not rewritten by openai:gpt-4o" in str(edit.reason)
    assert inner.seen == []
    assert trace(edit)["instruction"] == "Paint the square."


def test_with_a_fallback_the_original_instruction_is_used_and_a_note_says_so(closing: list[Editor]) -> None:
    with JudgeServer([Reply("", refusal="I will not.")]) as server:
        inner = Painter()
        edit = made(loaded(rewrite.load(inner, server.spec(), fallback="original"), closing), request())
    assert edit.status == "ok" and inner.seen[0].instruction == "Paint the square."
    assert edit.notes == ("not rewritten (I will not.); the original instruction was used",)


def test_a_batch_is_rewritten_one_by_one_and_edited_in_one(closing: list[Editor]) -> None:
    def script(asked: Asked) -> Any:
        number = asked.text.rpartition("number ")[2][0]
        return Reply("", refusal="no") if number == "1" else {"trace": f"plan {number}"}

    with JudgeServer(script) as server:
        inner = Painter(batch=4)
        cases = [request(f"Paint number {number}.") for number in range(4)]
        edits = loaded(rewrite.load(inner, server.spec()), closing).edit_batch(cases)
        assert server.calls == 4
    assert inner.batches == [3]
    assert [edit.status for edit in edits] == ["ok", "refused", "ok", "ok"]  # type: ignore[union-attr]
    assert [edit.asked.splitlines()[1] for edit in edits if edit.asked] == ["plan 0", "plan 2", "plan 3"]  # type: ignore[union-attr]


def test_a_prompt_of_ones_own_is_used_and_one_that_asks_for_something_else_is_refused(
    tmp_path: Path, closing: list[Editor]
) -> None:
    own = tmp_path / "own.txt"
    own.write_text('Think about: {instruction}\n\n[[source]]\n\nReply as {{"trace": …}}.')
    with JudgeServer([{"trace": PLAN}]) as server:
        made(loaded(rewrite.load(Painter(), server.spec(), prompt=str(own)), closing), request())
        assert server.asked[0].text.startswith("Think about: Paint the square.")
        own.write_text("version: 1\nwords: instruction\nreply: score 1-5\n---\nRate {instruction}.")
        with pytest.raises(BadInput, match="cannot stand in for our prompt 'trace'"):
            rewrite.load(Painter(), server.spec(), prompt=str(own))


def test_the_budget_of_the_edits_ends_the_run_where_the_rewriter_would_pass_it(closing: list[Editor]) -> None:
    with JudgeServer([{"trace": PLAN}]) as server:
        editor = rewrite.load(Painter(), server.spec("gpt-4o"))
        editor.limit(EditLimits(max_cost=0.0001))
        closing.append(editor)
        with pytest.raises(BudgetSpent, match="--max-edit-cost") as spent:
            editor.edit(request())
        assert isinstance(spent.value, Stopped) and server.calls == 0


def test_a_rewriter_that_cannot_be_asked_is_said_before_anything_is_spent() -> None:
    with JudgeServer(keys=["another"]) as server:
        with pytest.raises(BadInput, match="does not accept the key in OPENAI_API_KEY"):
            rewrite.load(Painter(), server.spec()).check()
        assert server.calls == 0
    with pytest.raises(BadInput, match="did you mean 'openai'"):
        rewrite.load(Painter(), "opanai:gpt-4o")
    with pytest.raises(BadInput, match="rewrite needs a language model"):
        load_editor("rewrite:ref:noise")
    with pytest.raises(BadInput, match="did you mean 'paraphrase'"):
        load_editor("rewrite(judge=openai:gpt-4o, mode=paraphrased):ref:noise")


def test_an_estimate_counts_the_rewriter() -> None:
    inner = Painter()
    editor = rewrite.load(inner, "openai:gpt-4o")
    whole, plain = editor.estimate(100), inner.estimate(100)
    assert whole is not None and plain is not None and plain < whole < plain + 5
    assert rewrite.load(inner, "openai:nobody-knows-its-price").estimate(100) is None


# best_of by a judge


def three(case: Request) -> Pixels:
    """The second of three candidates is right, the others are gray."""
    place = [derived_seed(7, k) for k in range(3)].index(case.seed)
    return ANSWER if place == 1 else np.full_like(BEFORE, 60 * place)


def greenness(picture: bytes) -> float:
    pixels = decode(picture).pixels.astype(int)
    return float(np.mean(pixels[..., 1] - pixels[..., 0]))


def test_a_judge_scores_the_candidates_and_never_sees_the_answer(closing: list[Editor]) -> None:
    def script(asked: Asked) -> Any:
        return {"score": 9 if greenness(asked.pictures[-1]) > 5 else 3, "reason": "looked"}

    with JudgeServer(script) as server:
        editor = loaded(best_of.load(Painter(three), 3, server.spec()), closing)
        assert not editor.wants_answer
        edit = made(editor, request())
        assert all(len(asked.pictures) == 2 for asked in server.asked)
    said = trace(edit)
    assert said["kept"] == 1 and [one["score"] for one in said["candidates"]] == [3, 9, 3]
    assert [one["reason"] for one in said["verdicts"]] == ["looked"] * 3
    assert np.array_equal(edit.image, ANSWER)  # type: ignore[arg-type]
    assert edit.cost_usd is not None and edit.cost_usd > 0 and edit.notes == ()


def test_a_judge_compares_in_both_orders_and_a_draw_keeps_the_first(closing: list[Editor]) -> None:
    def fair(asked: Asked) -> Any:
        first, second = (greenness(picture) for picture in asked.pictures[1:])
        return {"better": 1 if first >= second else 2, "reason": ""}

    with JudgeServer(fair) as server:
        edit = made(loaded(best_of.load(Painter(three), 3, server.spec(), how="pairs"), closing), request())
        assert server.calls == 4
    assert trace(edit)["kept"] == 1
    with JudgeServer(lambda asked: {"better": 1, "reason": "always the first"}) as biased:
        edit = made(loaded(best_of.load(Painter(three), 3, biased.spec(), how="pairs"), closing), request())
    assert trace(edit)["kept"] == 0


def test_a_candidate_without_a_verdict_ranks_last_and_without_any_the_first_is_kept(closing: list[Editor]) -> None:
    def script(asked: Asked) -> Any:
        return Reply("", refusal="no") if greenness(asked.pictures[-1]) > 5 else {"score": 2, "reason": ""}

    with JudgeServer(script) as server:
        edit = made(loaded(best_of.load(Painter(three), 3, server.spec()), closing), request())
    assert trace(edit)["kept"] == 0
    assert edit.notes == ("the judge of best_of gave no verdict 1 of 3 times (no)",)
    with JudgeServer([Reply("", refusal="no")]) as silent:
        edit = made(loaded(best_of.load(Painter(three), 3, silent.spec()), closing), request())
    assert (edit.status, trace(edit)["kept"]) == ("ok", 0)


# turns by a judge


def test_a_judge_divides_the_instruction(closing: list[Editor]) -> None:
    with JudgeServer([{"steps": ["1. Paint the square red.", "2. Turn the red square."]}]) as server:
        inner = Painter()
        edit = made(loaded(turns.load(inner, 3, judge=server.spec()), closing), request("Paint it red and turn it."))
        assert "at most 3 steps" in server.asked[0].text
    assert [case.instruction for case in inner.seen] == ["Paint the square red.", "Turn the red square."]
    assert trace(edit)["judge"].startswith("openai:gpt-4o")
    with JudgeServer([Reply("", refusal="never")]) as server:
        edit = made(loaded(turns.load(inner, judge=server.spec()), closing), request())
    assert edit.status == "refused" and "was not divided by openai:gpt-4o" in str(edit.reason)


# Composition, and whole runs


def test_a_plan_is_asked_for_once_whether_it_stands_inside_or_outside_of_best_of(closing: list[Editor]) -> None:
    with JudgeServer([{"trace": PLAN}]) as server:
        outside = Painter(at_once=1)
        made(loaded(rewrite.load(best_of.load(outside, 3, "miou"), server.spec()), closing), request(answer=ANSWER))
        assert server.calls == 1
        inside = Painter()
        made(loaded(best_of.load(rewrite.load(inside, server.spec()), 3, "miou"), closing), request(answer=ANSWER))
        assert server.calls == 1
    assert [case.instruction for case in inside.seen] == [case.instruction for case in outside.seen]


@pytest.mark.slow
def test_a_run_by_spec_keeps_both_texts_and_no_key(small_set: Path, tmp_path: Path) -> None:
    with JudgeServer([{"trace": PLAN}]) as server:
        spec = f"best_of(2, by=miou):rewrite(judge={server.spec()}):ref:half"
        suite = es.load_suite("paintbench", root=small_set)
        run = es.run(suite, spec, out=tmp_path / "run", limit=3)
        assert server.calls == 3
    lines = [json.loads(line) for line in (tmp_path / "run" / "journal.jsonl").read_text().splitlines()]
    edits = [line for line in lines if line.get("step") == "edit"]
    assert len(edits) == 3 and all(line["status"] == "ok" for line in edits)
    for line in edits:
        assert line["asked"].startswith(f"Plan:\n{PLAN}\n\nInstruction:\nPaint the square number")
        assert json.loads(line["trace"])["inner"]["instruction"].startswith("Paint the square number")
        assert any("upper bound" in note for note in line["notes"])
    assert run.summary["coverage"]["ok"] == 3
    for path in (tmp_path / "run").rglob("*"):
        assert path.is_dir() or KEY.encode() not in path.read_bytes()


def decode_size(asked: Asked) -> list[tuple[int, int]]:
    """Width and height of the pictures that a judge was shown."""
    return [(pixels.shape[1], pixels.shape[0]) for picture in asked.pictures for pixels in [decode(picture).pixels]]


def test_wrappers_stand_around_a_hosted_editor_too(closing: list[Editor]) -> None:
    with (
        JudgeServer([{"instruction": "Make it a negative."}]) as writer,
        JudgeServer([{"score": 5, "reason": ""}]) as chooser,
        OpenAIServer() as server,
    ):
        wrappers = f"best_of(3, by={chooser.spec()}):rewrite(judge={writer.spec()}, mode=instruction)"
        editor = load_editor(f"{wrappers}:resize(size=1024x1024):{server.spec('gpt-image-1')}")
        editor.limit(EditLimits(concurrency=6))
        editor.check()
        edit = made(loaded(editor, closing), request())
        assert editor.at_once == 2 and editor.name == "best-of-3+rewrite-instruction+resize+gpt-image-1"
        assert (writer.calls, len(server.seen)) == (1, 3)
        assert chooser.calls == 1  # this server makes the same of every seed: one question, asked once
        assert {seen.instruction for seen in server.seen} == {"Make it a negative."}
    assert edit.image.shape == (32, 32, 3)  # type: ignore[union-attr]
    assert edit.asked == "Make it a negative."
    costs = [one["cost_usd"] for one in trace(edit)["candidates"]]
    assert edit.cost_usd is not None and edit.cost_usd > sum(costs) > 0
    assert trace(edit)["inner"]["inner"]["pictures"] == ["32x32 sent as 1024x1024"]


@pytest.mark.slow
def test_a_model_on_this_machine_can_rewrite_too(tmp_path: Path, closing: list[Editor]) -> None:
    pytest.importorskip("torch")
    from support.models.tiny_vlm import save_tiny_vlm

    model = save_tiny_vlm(tmp_path / "tiny-vlm")
    inner = Painter()
    edit = made(loaded(rewrite.load(inner, f"local:{model}?reason=12", cache="off"), closing), request())
    assert edit.status == "ok" and edit.cost_usd == 0.0
    assert trace(edit)["written"] and trace(edit)["written"] in str(edit.asked)


@pytest.mark.slow
def test_a_wrapped_editor_object_reaches_the_workers_of_a_run(small_set: Path, tmp_path: Path) -> None:
    with JudgeServer([{"trace": PLAN}]) as server:
        editor = rewrite.load(load_editor("ref:oracle"), server.spec())
        run = es.run(es.load_suite("paintbench", root=small_set), editor, out=tmp_path / "run", limit=4)
        assert server.calls == 4
    assert run.summary["overall"]["miou"]["mean"] == 100
    assert str(run.case("border/000").asked).startswith(f"Plan:\n{PLAN}")
