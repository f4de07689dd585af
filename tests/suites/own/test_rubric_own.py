"""Claims about the rubric of a benchmark of one's own: prompts, scales, averages, and what is wrong with them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from editscope.cases import Case
from editscope.errors import BadInput
from editscope.judges import Verdict
from editscope.scoring.rubrics import ScoreRow, Unit
from editscope.stats.summary import summarize
from editscope.suites import load_suite
from editscope.suites.own.rubric import OwnRubric
from editscope.suites.rubrics import load_rubric
from support.judged.rubric_columns import measured, score_columns
from support.judged_data_more import make_own

PIXELS = np.full((6, 8, 3), 100, np.uint8)
HEADLESS = """Was "{instruction}" done?

Season: {season}.

Answer with JSON: {"reason": "…", "answer": "Yes or No"}"""
HEADED = """version: 3
pictures: source, edit, answer?
words: instruction, mood?
reply: score 0-4
---
Rate it: {instruction}

Mood: {mood}

[[source]]
[[edit]]

The truth: [[answer]]
"""
MANIFEST = """
name = "rooms"
tags = ["room"]
headline = "everything"
[[metrics]]
name = "done"
prompt = "done.txt"
reply = "yes/no"
images = ["edit"]
[[metrics]]
name = "mess"
prompt = "done.txt"
reply = "yes/no"
images = ["edit"]
right = "no"
only = { room = ["kitchen"] }
[[metrics]]
name = "light"
label = "Light"
prompt = "light.txt"
[[metrics]]
name = "follows"
prompt = "kris/knowledge"
field = "instruction"
[[metrics]]
name = "knows"
prompt = "kris/knowledge"
field = "knowledge"
[[averages]]
name = "everything"
metrics = ["done", "light"]
[[averages]]
name = "of_means"
metrics = ["done", "light"]
of = "metrics"
[[averages]]
name = "kris_mean"
metrics = ["follows", "knows"]
of = "metrics"
[tables]
room = []
"""
CASES: list[dict[str, Any]] = [
    {"id": "a", "image": "a.png", "instruction": "Tidy up.", "room": "kitchen", "season": "winter", "mood": "calm"},
    {"id": "b", "image": "b.png", "instruction": "Paint it.", "room": "hall", "answer": "truth.png"},
]


def rubric_of(suite: Any) -> OwnRubric:
    rubric = load_rubric(suite.default_protocol, **suite.rubric_options)
    assert isinstance(rubric, OwnRubric)
    return rubric


def said(**values: Any) -> list[Verdict]:
    return [Verdict("ok", values)]


def rows_of(
    rubric: OwnRubric, case: Case, verdicts: dict[str, list[Verdict]], missing: Any = None
) -> dict[str, ScoreRow]:
    return {row.metric: row for row in rubric.rows(case, Unit(case.id, ("",)), verdicts, {}, missing)}


@pytest.fixture
def suite(tmp_path: Path) -> Any:
    return load_suite(str(make_own(tmp_path, MANIFEST, CASES, {"done.txt": HEADLESS, "light.txt": HEADED})))


def test_metrics_of_one_prompt_are_asked_in_one_call_and_only_where_they_apply(suite: Any) -> None:
    rubric = rubric_of(suite)
    keys = {case.id: rubric.keys(case, Unit(case.id, ("",))) for case in suite}
    # "done" and "mess" want the same field of the same prompt, so that one reply cannot serve both.
    assert keys == {"a": ("done", "mess", "light", "follows"), "b": ("done", "light", "follows")}


def test_a_prompt_says_what_the_judge_sees_with_or_without_a_header(suite: Any) -> None:
    rubric = rubric_of(suite)
    calls = {
        (case.id, call.key): call
        for case in suite
        for call in rubric.calls(case, rubric.units(case)[0], {"": PIXELS}, rubric.prompts())
    }
    assert len(calls["a", "done"].pictures) == 1
    assert 'Was "Tidy up." done?\n\nSeason: winter.' in str(calls["a", "done"].parts[0])
    assert 'Was "Paint it." done?\n\nAnswer' in str(calls["b", "done"].parts[0])
    assert len(calls["a", "light"].pictures) == 2
    assert len(calls["b", "light"].pictures) == 3  # with the truth
    assert "calm" in str(calls["a", "light"].parts)
    assert "Mood" not in str(calls["b", "light"].parts)
    assert [field.name for field in calls["a", "follows"].schema.fields] == ["instruction", "knowledge"]


def test_scales_are_shown_as_their_prompts_have_them_and_yes_or_no_as_the_share_of_good_answers(suite: Any) -> None:
    rubric = rubric_of(suite)
    verdicts = {"done": said(answer=True), "mess": said(answer=True), "light": said(score=3)}
    rows = rows_of(rubric, suite["a"], {**verdicts, "follows": said(instruction=5, knowledge=1)})
    assert {m: row.value for m, row in rows.items()} == {
        "done": 1,
        "mess": 0,  # the good answer is no
        "light": 3,
        "follows": 5,
        "knows": 1,
        "everything": (1 + 3 / 4) / 2,
        "of_means.done": 1,
        "of_means.light": 3 / 4,
    }
    shown = {measure.name: measure.shown(rows[measure.name].value or 0) for measure in rubric.measures[3:]}
    assert shown == {"done": 100, "mess": 0, "light": 3, "follows": 5, "knows": 1}


def test_averages_are_over_cases_or_of_metric_means(suite: Any) -> None:
    rubric = rubric_of(suite)
    replies = {
        "a": {"done": said(answer=True), "light": said(score=0), "follows": said(instruction=3, knowledge=5)},
        "b": {"done": said(answer=False), "light": [Verdict("refused")], "follows": said(instruction=1, knowledge=2)},
    }
    plan = rubric.aggregation(suite.aggregation)
    scored = [(case.id, case.tags, tuple(rows_of(rubric, case, replies[case.id]).values())) for case in suite]
    names = [measure.name for measure in rubric.measures]
    found = summarize(measured(score_columns(scored, plan), rubric.measures), plan, names, resamples=0)["overall"]
    assert found["everything"]["mean"] == 25  # (½ + 0) / 2
    assert found["of_means"]["mean"] == 25  # (½ + 0) / 2: light has one verdict
    assert found["light"] == {"mean": 0, "lo": None, "hi": None, "n": 1}
    assert found["kris_mean"]["mean"] == pytest.approx((2 + 3.5) / 2)  # of a scale from 1 to 5
    assert plan.headline == "everything"


def test_without_an_edit_every_metric_and_average_is_worst(suite: Any) -> None:
    rows = rows_of(rubric_of(suite), suite["a"], {}, "no_output")
    assert {row.status for row in rows.values()} == {"no_output"}
    assert {m: row.value for m, row in rows.items()} == {
        **dict.fromkeys(("done", "mess", "light", "everything", "of_means.done", "of_means.light"), 0),
        "follows": 1,
        "knows": 1,
    }


def test_without_a_verdict_an_average_has_none(suite: Any) -> None:
    rows = rows_of(rubric_of(suite), suite["b"], {"done": [Verdict("unparsed")], "light": [Verdict("refused")]})
    assert (rows["everything"].value, rows["everything"].status) == (None, "unparsed")


def test_what_a_prompt_needs_and_a_case_lacks_is_said_before_anything_is_asked(tmp_path: Path) -> None:
    manifest = 'name = "x"\n[[metrics]]\nname = "light"\nprompt = "light.txt"\n'
    prompts = {"light.txt": HEADED.replace("mood?", "mood")}
    suite = load_suite(str(make_own(tmp_path, manifest, CASES, prompts)))
    rubric = rubric_of(suite)
    assert rubric.units(suite["a"])
    with pytest.raises(BadInput, match=r"case 'b' has no word 'mood', which the prompt of metric 'light'.*only"):
        rubric.units(suite["b"])


ONE = 'name = "x"\n[[metrics]]\nname = "m"\nprompt = "p.txt"\n'


def checked(folder: Path, prompt: str, manifest: str) -> None:
    """What `suite check` and the start of a run look at."""
    suite = load_suite(str(make_own(folder, manifest, CASES, {"p.txt": prompt})))
    rubric = rubric_of(suite)
    rubric.check_prompts(suite)
    for case in suite:
        rubric.units(case)


@pytest.mark.parametrize(
    ("prompt", "said"),
    [
        ("Original: [[sorce]] Edited: [[edit]]", r"p\.txt, line 1 .*\[\[sorce\]\].*did you mean \[\[source\]\]"),
        ("Look at [[edit]].", r"p\.txt shows other pictures and never \[\[source\]\]"),
        ("Original: {source} Edited: {edit}", r"line 1 .* 'source' is a picture: write \[\[source\]\]"),
        (
            "{instrution}\n\n[[source]] [[edit]]",
            r"p\.txt, line 1: {instrution} is never filled.*did you mean 'instruction'",
        ),
        ("{instruction}\n\nIn {seson}", r"p\.txt, line 3: {seson} is never filled.*did you mean 'season'"),
        ("{instruction} in {season}", r"case 'b': .*p\.txt, line 1: {instruction} is in a paragraph that is left out"),
    ],
)
def test_a_place_that_no_case_fills_is_refused_without_a_header(tmp_path: Path, prompt: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        checked(tmp_path, prompt, ONE + 'reply = "1-5"\n')


@pytest.mark.parametrize(
    ("prompt", "said"),
    [
        (HEADED.replace("mood", "moud"), r"p\.txt, line 8: {moud} is never filled.*did you mean 'mood'"),
        (HEADED.replace("answer", "anser"), r"p\.txt, line 13: .*'anser'; did you mean 'answer'"),
        (HEADED.replace(", edit", "").replace("[[edit]]", ""), r"p\.txt, .* never shows the edit: add \[\[edit\]\]"),
        (HEADED.replace("score 0-4", "text"), r"p\.txt, .* asks for a text"),
    ],
)
def test_a_place_that_no_case_fills_is_refused_with_a_header(tmp_path: Path, prompt: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        checked(tmp_path, prompt, ONE)


def test_pictures_in_the_middle_of_a_line_reach_the_judge(tmp_path: Path) -> None:
    text = "{instruction}? Original: [[source]] Edited: [[edit]]"
    suite = load_suite(str(make_own(tmp_path, ONE + 'reply = "1-5"\n', CASES, {"p.txt": text})))
    rubric, case = rubric_of(suite), suite["a"]
    (call,) = rubric.calls(case, rubric.units(case)[0], {"": PIXELS}, rubric.prompts())
    texts = [part if isinstance(part, str) else "picture" for part in call.parts]
    assert texts == ["Tidy up.? Original:", "picture", "Edited:", "picture"]
    assert call.labels == ("source", "edit")


def test_prompts_can_be_replaced_by_a_folder(suite: Any, tmp_path: Path) -> None:
    rubric, folder = rubric_of(suite), tmp_path / "other"
    folder.mkdir()
    for name in ("done", "light", "follows"):
        (folder / f"{name}.txt").write_text(f"Other words on {name}: {{instruction}}", encoding="utf-8")
    call = rubric.calls(suite["b"], Unit("b", ("",)), {"": PIXELS}, rubric.prompts(folder))[0]
    assert "Other words on done" in str(call.parts)
    assert rubric.prompts().hash != rubric.prompts(folder).hash


@pytest.mark.parametrize(
    ("metric", "said"),
    [
        ({"name": "x"}, "no prompt"),
        ({"name": "x", "prompt": "kris/nothing"}, "no prompt of kris 'nothing'"),
        ({"name": "x", "prompt": "kris/quality", "field": "beauty"}, "beauty"),
    ],
)
def test_a_wrong_metric_is_named(metric: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        load_rubric("own", metrics=[metric])


def test_it_is_nothing_without_metrics() -> None:
    with pytest.raises(BadInput, match=r"suite\.toml that lists \[\[metrics\]\]"):
        load_rubric("own")
