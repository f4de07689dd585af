from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editscope.errors import BadInput
from editscope.factory.rules import (
    RULES,
    CaseQuestions,
    LeveledInstruction,
    MotionCaption,
    PlainText,
    QuestionText,
    Translation,
    breaches,
    rule,
    rules_for,
)
from editscope.factory.rules.records import Subject
from editscope.factory.rules.tokens import count_tokens
from editscope.suites.picabench.data import LAWS
from support.places import ROOT, TESTS

LABELLED = TESTS / "factory" / "labelled"
TUNED = TESTS / "factory" / "tuned"
UNSEEN = TESTS / "factory" / "unseen"
CODE = [name for name, one in RULES.items() if one.decided_by == "code"]
MODEL = [name for name, one in RULES.items() if one.decided_by == "model"]


def examples(name: str, folder: Path = LABELLED) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def wrongly_decided(name: str, entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    one = RULES[name]
    return [entry for entry in entries if (one.check(one.record.from_json(entry)) is not None) is not entry["breaks"]]


@pytest.mark.parametrize("name", CODE)
def test_a_rule_decides_nearly_all_of_its_labelled_examples(name: str) -> None:
    one, labelled = RULES[name], examples(name)
    assert [sum(entry["breaks"] for entry in labelled), len(labelled)] == [15, 30]
    wrong = [entry for entry in labelled if (one.check(one.record.from_json(entry)) is not None) is not entry["breaks"]]
    assert len(wrong) <= 1, wrong


@pytest.mark.parametrize("name", CODE)
def test_no_labelled_example_stands_twice(name: str) -> None:
    texts = [json.dumps({key: value for key, value in entry.items() if key != "breaks"}) for entry in examples(name)]
    assert len(set(texts)) == len(texts)


def test_every_rule_that_code_decides_has_examples_and_every_file_a_rule() -> None:
    assert {file.stem for file in LABELLED.glob("*.jsonl")} == set(CODE)


@pytest.mark.parametrize("file", sorted(TUNED.glob("*.jsonl")), ids=lambda file: file.stem)
def test_what_was_found_wrong_once_stays_right(file: Path) -> None:
    assert file.stem in CODE
    assert wrongly_decided(file.stem, examples(file.stem, TUNED)) == []


@pytest.mark.parametrize("file", sorted(UNSEEN.glob("*.jsonl")), ids=lambda file: file.stem)
def test_unseen_examples_are_about_thirty_that_no_other_set_has(file: Path) -> None:
    assert file.stem in CODE
    unseen = examples(file.stem, UNSEEN)
    one = RULES[file.stem]
    assert 26 <= len(unseen) <= 30  # a few were in another set by chance, and left out
    assert 12 <= sum(entry["breaks"] for entry in unseen) <= 18
    assert all(isinstance(entry["breaks"], bool) for entry in unseen)
    records = [one.record.from_json(entry) for entry in unseen]
    assert len(set(records)) == len(unseen)
    for other in (LABELLED, TUNED):
        if (other / file.name).is_file():
            assert not set(records) & {one.record.from_json(entry) for entry in examples(file.stem, other)}


@pytest.mark.parametrize("name", CODE)
def test_a_reason_is_a_sentence_for_a_person(name: str) -> None:
    one = RULES[name]
    for entry in examples(name):
        breach = one.check(one.record.from_json(entry))
        if breach:
            assert breach.rule == name
            assert breach.reason.endswith(".")
            assert len(breach.reason) > 15
            assert "\n" not in breach.reason


def test_a_rule_that_needs_a_model_says_so_instead_of_passing_everything() -> None:
    assert {"stable_outcome", "outcome_left_open", "plausible_pair", "large_change", "other_aspects"} <= set(MODEL)
    for name in MODEL:
        one = RULES[name]
        with pytest.raises(BadInput, match="ask a model"):
            one.check(one.record.from_json({"text": "x", "texts": ["x"], "explicit": "x"}))


def test_every_subject_has_rules_of_code_and_every_rule_a_source() -> None:
    for subject in get_args(Subject):
        assert rules_for(subject, "code"), subject
    for one in RULES.values():
        assert one.about.endswith("."), one.name
        assert one.source.split(",")[0] in {"PICABench", "WorldEdit", "WiseEdit"}


def test_an_unknown_rule_law_language_or_subject_is_named_with_the_known_ones() -> None:
    with pytest.raises(BadInput, match="did you mean 'no_mood'"):
        rule("no_moods")
    with pytest.raises(BadInput, match="did you mean 'reflection'"):
        rule("physics_cue").check(MotionCaption("The lamp turns off, camera static.", "reflections"))
    with pytest.raises(BadInput, match="known: en, zh"):
        rule("language").check(Translation("Bonjour", "fr"))
    with pytest.raises(BadInput, match="did you mean 'paraphrase'"):
        rules_for("paraphrases")  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="needs one of"):
        MotionCaption.from_json({"caption": "The lamp turns off."})


def test_a_good_caption_keeps_all_rules_for_every_law() -> None:
    captions = {
        "light_propagation": "The mug slides right by half its width and its shadow follows, camera static.",
        "light_source_effects": "The desk lamp turns off and the glow on the whole wall vanishes, camera static.",
        "reflection": "The boat drifts to the left and its reflection in the water follows, camera static.",
        "refraction": "The spoon moves left behind the jar and the part seen through it warps, camera static.",
        "deformation": "A dumbbell presses a deep dent into the pillow, camera static.",
        "causality": "The lowest block is pulled out to the left and the tower collapses, slow push-in.",
        "global": "Dusk falls over the whole street and shadows grow longer, camera static.",
        "local": "Dense droplets form on the jacket and darken it from the shoulders down, camera static.",
    }
    assert set(captions) == set(LAWS)
    for law, caption in captions.items():
        assert breaches("motion_caption", MotionCaption(caption, law)) == [], law


def test_one_bad_caption_breaks_many_rules_at_once() -> None:
    caption = MotionCaption("The image shows refraction. Cut to a pan, then a zoom, for ten seconds.", "refraction")
    found = {breach.rule for breach in breaches("motion_caption", caption)}
    assert found >= {"no_meta_words", "law_unnamed", "one_sentence", "single_shot", "clip_length", "camera_at_end"}


def test_rules_can_be_left_out_by_name() -> None:
    one = QuestionText("Is the lamp lit?", "yes")
    assert [breach.rule for breach in breaches("question", one)] == ["located_target", "plain_answer"]
    assert breaches("question", one, without=("located_target", "plain_answer")) == []
    with pytest.raises(BadInput, match="there is no rule"):
        breaches("question", one, without=("located",))


def test_the_same_question_four_times_is_one_breach_that_names_both_places() -> None:
    (breach,) = breaches("questions", CaseQuestions(("Is the cup red?",) * 4))
    assert breach.rule == "no_repeated_question"
    assert "questions 1 and 2" in breach.reason


def test_an_empty_level_is_not_checked_and_the_level_is_named() -> None:
    assert breaches("training_instruction", LeveledInstruction()) == []
    (breach,) = breaches("training_instruction", LeveledInstruction("Remove the lamp.", "The lamp is gone."))
    assert breach.rule == "command_form"
    assert "intermediate level" in breach.reason


def test_a_level_with_as_many_tokens_as_its_limit_is_too_long() -> None:
    words = "Remove " + " ".join(["cup"] * 18)
    assert count_tokens(words) == 19
    assert rule("token_limits").check(LeveledInstruction(superficial=words)) is None
    assert rule("token_limits").check(LeveledInstruction(superficial=words + " now")) is not None
    for level, limit in {"intermediate": 128, "explicit": 256}.items():
        assert rule("token_limits").check(LeveledInstruction(**{level: "cup " * (limit - 1)})) is None
        assert rule("token_limits").check(LeveledInstruction(**{level: "cup " * limit})) is not None


def test_quotations_are_words_of_the_picture_and_not_of_the_text() -> None:
    assert rule("no_numbers").check(LeveledInstruction(explicit='Change the sign to "Exit 12".')) is None
    assert rule("no_meta_words").check(MotionCaption('The sign "Photo" falls down, camera static.')) is None
    assert rule("no_mood").check(PlainText("The label “Joy” is torn in half.")) is None


@given(st.text(max_size=300))
def test_any_text_gets_an_answer_from_every_rule(text: str) -> None:
    for name in CODE:
        one = RULES[name]
        levels = dict.fromkeys(("superficial", "intermediate", "explicit"), text)
        entries = {"text": text, "texts": [text, text], "law": "local", "language": "zh", "operation": "move", **levels}
        one.check(one.record.from_json(entries))


def test_the_page_has_every_rule_with_its_source_and_who_decides_it() -> None:
    page = (ROOT / "docs" / "factory-rules.md").read_text(encoding="utf-8").splitlines()
    for one in RULES.values():
        row = f"| `{one.name}` | {one.about} | {one.source} | {one.decided_by} |"
        assert page.count(row) == len(one.subjects), one.name


@pytest.mark.slow
def test_the_page_has_the_figures_that_the_benchmark_prints() -> None:
    page = (ROOT / "docs" / "factory-rules.md").read_text(encoding="utf-8")
    command = [sys.executable, str(ROOT / "benchmarks" / "factory_rules.py"), "--table"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert len(printed) == len(CODE)
    assert [line for line in printed if line not in page] == []


@pytest.mark.slow
def test_the_benchmark_prints_both_measures_with_intervals_and_the_misses(tmp_path: Path) -> None:
    script = ROOT / "benchmarks" / "factory_rules.py"
    folder = tmp_path / "labelled"
    folder.mkdir()
    entries = [{"text": "The lamp is sad.", "breaks": True}, {"text": "The lamp is red.", "breaks": True}]
    (folder / "no_mood.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, script, "no_mood", "--examples", tmp_path], capture_output=True, text=True, check=True
    )
    assert "1.00 [0.21, 1.00]     0.50 [0.09, 0.91]" in done.stdout
    assert 'breaks it, not found: {"text": "The lamp is red."}' in done.stdout
    assert "unseen: no examples" in done.stdout
