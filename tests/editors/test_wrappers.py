"""Wrappers are editors: they change what is asked or what is kept, and say so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from editscope.cases import Edit
from editscope.editors import EditLimits, Editor, Request
from editscope.editors.joined_pictures import join_pictures, which_is_which
from editscope.editors.sizing import fit_to
from editscope.editors.wrappers import best_of, derived_seed, join, resize, turns
from editscope.editors.wrappers.turns import steps_of
from editscope.errors import BadInput, Stopped
from editscope.images import Pixels
from editscope.scoring import score_pixels
from support.painter import ANSWER, BEFORE, SIZE, Painter, made, request, trace

# What all wrappers share


@pytest.mark.parametrize(
    "wrap",
    [
        lambda inner: best_of.load(inner, 2, "miou"),
        lambda inner: resize.load(inner, longest=64),
        join.load,
        turns.load,
    ],
)
def test_a_wrapper_passes_on_limits_checks_loading_and_closing(wrap: Callable[[Editor], Editor]) -> None:
    inner = Painter()
    inner.workers, inner.gpu, inner.max_images, inner.own_clock = 3, True, 2, True
    editor = wrap(inner)
    editor.limit(EditLimits(concurrency=12))
    editor.check()
    editor.load()
    editor.close()
    assert inner.told == ["limit", "check", "load", "close"]
    assert (editor.workers, editor.gpu, editor.own_clock) == (3, True, True)
    assert editor.at_once in (12, 6)  # what the limits say counts; two candidates at a time are half as many requests
    assert editor.max_images == (None if editor.name.startswith("join") else 2)
    assert editor.name.endswith("+painter")


def test_the_editor_inside_sees_the_answer_only_if_it_is_a_reference() -> None:
    inner = Painter()
    editor = best_of.load(inner, 3, "miou")
    assert editor.wants_answer and not editor.needs_answer
    made(editor, request(answer=ANSWER))
    assert all(case.answer is None for case in inner.seen)
    inner.needs_answer = True
    made(best_of.load(inner, 1, "miou"), request(answer=ANSWER))
    assert inner.seen[-1].answer is ANSWER


# best_of


def test_the_best_candidate_is_kept_and_all_scores_are_told() -> None:
    inner = Painter()
    edit = made(best_of.load(inner, 5, "miou"), request(answer=ANSWER))
    assert [case.seed for case in inner.seen] == [derived_seed(7, k) for k in range(5)]
    assert inner.seen[0].seed == 7
    scores = [score_pixels(BEFORE, ANSWER, Painter.square(case)).miou for case in inner.seen]
    said = trace(edit)
    assert [one["score"] for one in said["candidates"]] == pytest.approx(scores, abs=1e-6)
    assert said["kept"] == scores.index(max(scores))
    assert score_pixels(BEFORE, ANSWER, edit.image).miou == max(scores)  # type: ignore[arg-type]
    assert any("chosen with the answer" in note and "upper bound" in note for note in edit.notes)


def test_best_of_one_is_the_plain_edit() -> None:
    edit = made(best_of.load(Painter(), 1, "psnr"), request(answer=ANSWER))
    assert np.array_equal(edit.image, Painter.square(request()))  # type: ignore[arg-type]
    assert edit.notes == ()


@pytest.mark.parametrize("by", ["miou", "iou@0", "iou@10", "edit_accuracy", "preservation_accuracy", "psnr"])
def test_candidates_can_be_chosen_by_any_pixel_score_and_a_tie_goes_to_the_first(by: str) -> None:
    right = [False, True, True]

    def make(case: Request) -> Pixels:
        place = [derived_seed(7, k) for k in range(3)].index(case.seed)
        return ANSWER if right[place] else np.zeros_like(BEFORE)

    assert trace(made(best_of.load(Painter(make), 3, by), request(answer=ANSWER)))["kept"] == 1


def test_a_failed_candidate_is_no_candidate() -> None:
    outcomes: list[Any] = [
        RuntimeError("no luck"), None, b"", "not-there.png", Edit("case/0", status="refused", reason="no"), ANSWER,
    ]  # fmt: skip

    def make(case: Request) -> Any:
        outcome = outcomes[[derived_seed(7, k) for k in range(6)].index(case.seed)]
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    edit = made(best_of.load(Painter(make), 6, "miou"), request(answer=ANSWER))
    assert edit.status == "ok" and np.array_equal(edit.image, ANSWER)  # type: ignore[arg-type]
    statuses = [one["status"] for one in trace(edit)["candidates"]]
    assert statuses == ["error", "no_output", "no_output", "no_output", "refused", "ok"]
    assert trace(edit)["candidates"][0]["reason"] == "RuntimeError: no luck"


def test_where_all_candidates_fail_the_first_ones_status_is_the_edits() -> None:
    def make(case: Request) -> Edit:
        return Edit(
            case.case_id, status="refused" if case.seed == 7 else "error", reason=f"for seed {case.seed}", cost_usd=0.1
        )

    edit = made(best_of.load(Painter(make), 3, "miou"), request(answer=ANSWER))
    assert (edit.status, edit.reason, edit.image) == ("refused", "for seed 7", None)
    assert edit.cost_usd == pytest.approx(0.3)


def test_an_editor_that_stops_the_run_stops_it_from_within_best_of() -> None:
    def make(case: Request) -> Any:
        raise Stopped("the budget is spent")

    for at_once in (1, 4):
        with pytest.raises(Stopped, match="budget is spent"):
            best_of.load(Painter(make, at_once=at_once), 3, "miou").edit(request(answer=ANSWER))


def test_candidates_use_the_batches_and_threads_of_the_editor_and_the_result_is_the_same() -> None:
    cases = [request(seed=seed, answer=ANSWER) for seed in (3, 4, 5)]
    plain, batched, threaded = Painter(), Painter(batch=8), Painter(at_once=8)
    found = [best_of.load(inner, 4, "miou").edit_batch(cases) for inner in (plain, batched, threaded)]
    assert batched.batches == [8, 4]
    assert threaded.batches == plain.batches == [1] * 12
    assert best_of.load(batched, 4, "miou").batch == 2
    assert best_of.load(threaded, 4, "miou").at_once == 2
    for one, two, three in zip(*found, strict=True):
        assert isinstance(one, Edit) and isinstance(two, Edit) and isinstance(three, Edit)
        assert one.trace == two.trace == three.trace
        assert np.array_equal(one.image, two.image) and np.array_equal(one.image, three.image)  # type: ignore[arg-type]


def test_time_and_money_of_all_candidates_count() -> None:
    def make(case: Request) -> Edit:
        return Edit("case/0", image=ANSWER, latency_s=2.0, cost_usd=0.5, attempts=2, memory_mb=float(case.seed % 100))

    one_by_one = made(best_of.load(Painter(make), 4, "miou"), request(answer=ANSWER))
    assert (one_by_one.latency_s, one_by_one.cost_usd, one_by_one.attempts) == (8.0, 2.0, 8)
    assert one_by_one.memory_mb == max(derived_seed(7, k) % 100 for k in range(4))
    in_batches = made(best_of.load(Painter(make, batch=2), 4, "miou"), request(answer=ANSWER))
    assert in_batches.latency_s == 4.0  # two batches, in each of which both candidates came at the same time
    assert best_of.load(Painter(), 4, "miou").estimate(10) == 10.0


def test_a_case_without_an_answer_cannot_be_chosen_by_pixels() -> None:
    with pytest.raises(BadInput, match=r"case/0 has no answer to choose by miou; choose by a judge"):
        best_of.load(Painter(), 2, "miou").edit(request())


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ((0, "miou"), "number of edits from 1 to 256"),
        ((True, "miou"), "number of edits"),
        ((2.5, "miou"), "number of edits"),
        ((4,), "by=miou"),
        ((4, "miuo"), "did you mean 'miou'"),
        ((4, "opanai:gpt-4o"), "did you mean 'openai'"),
    ],
)
def test_best_of_says_what_it_needs(args: tuple[Any, ...], said: str) -> None:
    with pytest.raises(BadInput) as error:
        best_of.load(Painter(), *args)
    assert said in str(error.value)


# resize


def test_the_editor_sees_the_size_that_was_asked_for_and_the_output_has_the_size_of_the_input() -> None:
    inner = Painter(lambda case: case.arrays[0])
    case = Request("case/0", (np.zeros((60, 100, 3), np.uint8), np.zeros((50, 50, 3), np.uint8)), "do", 1)
    edit = made(resize.load(inner, longest=200), case)
    assert [one.shape[:2] for one in inner.seen[0].arrays] == [(120, 200), (200, 200)]
    assert edit.image.shape == (60, 100, 3)  # type: ignore[union-attr]
    assert trace(edit)["pictures"][0] == "100x60 sent as 200x120"
    assert made(resize.load(inner, multiple=16, back=False), case).image.shape == (64, 96, 3)  # type: ignore[union-attr]


def test_padding_loses_no_pixel() -> None:
    rng = np.random.default_rng(0)
    picture = rng.integers(0, 256, (45, 77, 3), dtype=np.uint8)
    inner = Painter(lambda case: case.arrays[0])
    edit = made(resize.load(inner, multiple=16, how="pad"), Request("a/0", (picture,), "do", 1))
    assert inner.seen[0].arrays[0].shape == (48, 80, 3)
    assert np.array_equal(edit.image, picture)  # type: ignore[arg-type]


def test_an_output_of_yet_another_size_is_mapped_back_as_the_picture_that_it_shows() -> None:
    wide = np.zeros((576, 1024, 3), np.uint8)
    wide[:, 512:] = 255
    fit = fit_to((1024, 576), sizes=[(1024, 1024), (1536, 1024)])
    sent = fit.apply(wide)
    assert sent.shape == (1024, 1536, 3)
    half = sent[::2, ::2]
    mapped = fit.back(np.ascontiguousarray(half))
    assert mapped.shape == wide.shape
    assert np.mean(mapped != wide) < 0.01


def test_what_cannot_be_decoded_is_no_output_with_the_reason() -> None:
    edit = made(resize.load(Painter(lambda case: "no-such-file.png"), longest=64), request())
    assert edit.status == "no_output" and "no-such-file.png" in str(edit.reason)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "resize needs a size"),
        ({"size": "1024"}, "is not of the form 1024x768"),
        ({"size": "0x10"}, "is not of the form 1024x768"),
        ({"size": "64x64", "longest": 64}, "not both"),
        ({"longest": -1}, "whole number of pixels above 0"),
        ({"longest": "big"}, "whole number of pixels above 0"),
        ({"longest": 64, "how": "crop"}, "value of how= in resize(…)"),
        ({"longest": 64, "resample": "cubic"}, "did you mean 'bicubic'"),
    ],
)
def test_resize_says_what_it_needs(options: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInput) as error:
        resize.load(Painter(), **options)
    assert said in str(error.value)


# join


def test_several_pictures_become_one_and_the_editor_is_told_which_is_which() -> None:
    inner = Painter(lambda case: case.arrays[0])
    inner.max_images = 1
    editor = join.load(inner, "row", 4)
    assert editor.max_images is None
    edit = made(editor, request("Put the second on the first.", pictures=2))
    assert inner.seen[0].arrays[0].shape == (SIZE, SIZE + 4 + SIZE + 8, 3)
    assert inner.seen[0].instruction == f"{which_is_which(2, 'row')} Put the second on the first."
    assert edit.asked == inner.seen[0].instruction
    assert trace(edit) == {"wrapper": "join", "pictures": 2, "how": "row", "gap": 4, "sent": "76x32"}
    made(join.load(inner, tell=False), request("Do it.", pictures=3))
    assert inner.seen[1].instruction == "Do it."


def test_a_single_picture_passes_as_it_is() -> None:
    inner = Painter()
    case = request()
    edit = made(join.load(inner), case)
    assert inner.seen[0].arrays is case.arrays and inner.seen[0].instruction == case.instruction
    assert edit.trace is None and edit.asked is None


@pytest.mark.parametrize("how", ["row", "column", "grid"])
def test_joined_pictures_lie_in_reading_order(how: Any) -> None:
    colors = [40, 120, 200]
    pictures = [np.full((20, 30, 3), color, np.uint8) for color in colors]
    whole = join_pictures(pictures, how, gap=2)
    places = [int(np.argwhere((whole == color).all(axis=2))[0] @ (whole.shape[1], 1)) for color in colors]
    assert places == sorted(places)
    assert all(np.count_nonzero((whole == color).all(axis=2)) == 600 for color in colors)
    rows, columns = {"row": (20, 94), "column": (64, 30), "grid": (42, 62)}[how]
    assert whole.shape == (rows, columns, 3)


# turns


def test_each_step_is_made_on_what_the_last_one_left() -> None:
    def make(case: Request) -> Pixels:
        made = case.arrays[0].copy()
        made[0, len(case.instruction)] = 1
        return made

    inner = Painter(make)
    edit = made(turns.load(inner), request("1. Red it. 2. Blue it all."))
    assert [case.instruction for case in inner.seen] == ["Red it.", "Blue it all."]
    assert [case.seed for case in inner.seen] == [7, derived_seed(7, 1)]
    assert inner.seen[1].arrays[0][0, 7].tolist() == [1, 1, 1]
    pixels: Any = edit.image
    assert pixels[0, 7].tolist() == pixels[0, 12].tolist() == [1, 1, 1]
    assert edit.asked == "1. Red it.\n2. Blue it all."
    steps = trace(edit)["steps"]
    assert [(one["instruction"], one["size"], one["status"]) for one in steps] == [
        ("Red it.", "32x32", "ok"),
        ("Blue it all.", "32x32", "ok"),
    ]


def test_pictures_besides_the_first_stay_for_every_step() -> None:
    inner = Painter()
    case = request("Take the hat of picture 2; take the scarf of picture 3", pictures=3)
    made(turns.load(inner), case)
    assert all(len(one.arrays) == 3 and one.arrays[1] is case.arrays[1] for one in inner.seen)


def test_a_failing_step_says_which_one_it_was_and_what_was_paid_before() -> None:
    def make(case: Request) -> Edit:
        if case.instruction == "b":
            return Edit(case.case_id, status="refused", reason="blocked by a filter", cost_usd=0.5, latency_s=1.0)
        return Edit(case.case_id, image=case.arrays[0], cost_usd=0.5, latency_s=1.0)

    edit = made(turns.load(Painter(make)), request("a\nb\nc"))
    assert (edit.status, edit.reason) == ("refused", "step 2 of 3: blocked by a filter")
    assert (edit.cost_usd, edit.latency_s) == (1.0, 2.0)
    assert len(trace(edit)["steps"]) == 2


def test_an_instruction_in_one_step_is_the_plain_edit() -> None:
    edit = made(turns.load(Painter()), request())
    assert np.array_equal(edit.image, Painter.square(request()))  # type: ignore[arg-type]
    assert edit.asked is None


@pytest.mark.parametrize(
    ("text", "split", "steps"),
    [
        ("First: 1) paint it; now 2) move it", "auto", ("First: paint it; now", "move it")),
        ("Step 1: paint. Step 2: move.", "auto", ("paint.", "move.")),
        ("1、把方块涂红 2、删除圆", "auto", ("把方块涂红", "删除圆")),
        ("- paint\n- move\n\n- turn", "auto", ("paint", "move", "turn")),
        ("paint；move", "auto", ("paint", "move")),
        ("Leave 3. or 4. alone", "auto", ("Leave 3. or 4. alone",)),
        ("Scale by 1.5 and move by 2.5 cells.", "auto", ("Scale by 1.5 and move by 2.5 cells.",)),
        ("Paint it. Then move it! Done?", "sentences", ("Paint it.", "Then move it!", "Done?")),
        ("Paint it. Then move it.", "auto", ("Paint it. Then move it.",)),
        ("a; b", "lines", ("a; b",)),
    ],
)
def test_instructions_are_divided_where_they_divide_themselves(text: str, split: str, steps: tuple[str, ...]) -> None:
    assert steps_of(text, split) == steps


# Composition


def test_wrappers_compose_from_the_outside_in() -> None:
    """best_of(turns(x)) chooses among whole sequences, turns(best_of(x)) chooses at every step."""
    text = "a; b"
    outside, inside = Painter(), Painter()
    chosen = made(best_of.load(turns.load(outside), 2, "miou"), request(text, answer=ANSWER))
    assert [case.instruction for case in outside.seen] == ["a", "b", "a", "b"]
    assert [one["trace"]["wrapper"] for one in trace(chosen)["candidates"]] == ["turns", "turns"]
    stepwise = made(turns.load(best_of.load(inside, 2, "miou")), request(text, answer=ANSWER))
    assert [case.instruction for case in inside.seen] == ["a", "a", "b", "b"]
    assert [one["trace"]["wrapper"] for one in trace(stepwise)["steps"]] == ["best_of", "best_of"]
    assert best_of.load(turns.load(Painter()), 2, "miou").name == "best-of-2+turns+painter"


def test_the_trace_of_the_editor_inside_is_kept() -> None:
    inner = Painter(
        lambda case: Edit(case.case_id, image=case.arrays[0], trace="I thought hard.", notes=("a note",), model="v2")
    )
    edit = made(join.load(resize.load(inner, longest=64)), request(pictures=2))
    assert trace(edit)["inner"]["wrapper"] == "resize"
    assert trace(edit)["inner"]["inner"] == "I thought hard."
    assert (edit.notes, edit.model) == (("a note",), "v2")
