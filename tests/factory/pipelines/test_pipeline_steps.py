"""Steps that pipelines share: conditions, words that models choose, quotas, and lists."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from editscope.errors import BadInput
from editscope.factory.plan import BuildPlan, plan_from
from support.factory.made_plans import built


def plan_of(folder: Path, records: list[dict[str, Any]], *steps: dict[str, Any]) -> BuildPlan:
    (folder / "records.jsonl").write_text("\n".join(map(json.dumps, records)))
    source = {"use": "list", "path": "records.jsonl"}
    return plan_from({"name": "made", "source": source, "steps": list(steps)}, "plan.toml", folder)


def outcome(folder: Path, plan: BuildPlan, name: str) -> tuple[dict[str, int], list[dict[str, Any]]]:
    result, lines = built(plan, folder / "build")
    return dict(result.counts[name].dropped), [json.loads(line)[1] for line in lines]


def test_a_step_with_a_condition_lets_other_records_pass_unchanged(tmp_path: Path) -> None:
    records: list[dict[str, Any]] = [{"n": 1}, {"n": 2, "text": "mine"}, {"n": 3, "text": ""}]
    write = {"name": "write", "use": "template", "fields": {"text": "made {n}"}, "when": {"lacks": ["text"]}}
    dropped, fields = outcome(tmp_path, plan_of(tmp_path, records, write), "write")
    assert [one["text"] for one in fields] == ["made 1", "mine", "made 3"] and not dropped
    split = {"name": "split", "use": "expand", "field": "parts", "when": {"has": ["parts"]}}
    plan = plan_of(tmp_path, [{"parts": ["a", "b"]}, {"n": 2}], split)
    result, lines = built(plan, tmp_path / "split")
    ids = [json.loads(line)[0] for line in lines]
    assert [one.partition(".")[2] for one in ids] == ["1", "2", ""] and ids[0][:-2] == ids[1][:-2] != ids[2]
    assert (result.counts["split"].records_in, result.counts["split"].records_out) == (2, 3)


def test_another_condition_makes_the_step_again(tmp_path: Path) -> None:
    def built_with(**when: Any) -> list[Any]:
        step = {"name": "write", "use": "template", "fields": {"text": "made"}, "when": when}
        return [one.get("text") for one in outcome(tmp_path, plan_of(tmp_path, [{"n": 1}, {"n": 2}], step), "write")[1]]

    assert built_with(least={"n": 2}) == [None, "made"]
    assert built_with(most={"n": 1}) == ["made", None]
    assert built_with(among={"n": [1, 2]}) == ["made", "made"]


def test_a_condition_that_cannot_be_used_is_refused(tmp_path: Path) -> None:
    step = {"name": "write", "use": "template", "fields": {"text": "made"}}
    with pytest.raises(BadInput, match=r"there is no condition 'lack' of plan\.toml, step 'write', when"):
        plan_of(tmp_path, [{"n": 1}], {**step, "when": {"lack": ["text"]}})
    with pytest.raises(BadInput, match="the condition lacks is 'text', not a list of fields"):
        plan_of(tmp_path, [{"n": 1}], {**step, "when": {"lacks": "text"}})
    with pytest.raises(BadInput, match="when is a table"):
        plan_of(tmp_path, [{"n": 1}], {**step, "when": "always"})
    with pytest.raises(BadInput, match="a step that looks at all records has no when"):
        plan_of(tmp_path, [{"n": 1}], {"name": "draw", "use": "sample", "size": 1, "when": {"has": ["n"]}})


def test_a_word_that_a_model_chose_becomes_the_reason(tmp_path: Path) -> None:
    step = {
        "name": "good",
        "use": "accept",
        "field": "verdict",
        "accepts": ["fine"],
        "reasons": {"weak": "weak effect"},
    }
    records = [{"verdict": word} for word in ("fine", "weak", "odd", "weak")]
    dropped, fields = outcome(tmp_path, plan_of(tmp_path, records, step), "good")
    assert dropped == {"weak effect": 2, "verdict is odd": 1} and len(fields) == 1
    result, _ = built(plan_of(tmp_path, [{"n": 1}], step), tmp_path / "empty")
    assert result.pending == 1  # nobody chose: neither kept nor dropped


def test_quotas_are_kept_by_value_and_drawn_the_same_every_time(tmp_path: Path) -> None:
    records = [{"n": n, "subset": "ab"[n % 2]} for n in range(40)] + [{"n": 40, "subset": "c"}]
    step = {"name": "quota", "use": "quota", "by": "subset", "quotas": {"a": 5, "b": 30}}
    dropped, fields = outcome(tmp_path, plan_of(tmp_path, records, step), "quota")
    subsets = [one["subset"] for one in fields]
    assert (subsets.count("a"), subsets.count("b")) == (5, 20) and dropped == {"beyond the quota": 15, "no quota": 1}
    _, again = built(plan_of(tmp_path, records[:30], {**step, "times": 1.5}), tmp_path / "longer")
    assert len([line for line in again if '"subset": "a"' in line]) == 8
    everything, _ = built(plan_of(tmp_path, records, {**step, "quotas": {}}), tmp_path / "all")
    assert everything.records == 41
    with pytest.raises(BadInput, match="the quota of a is -1; write a whole number from 0"):
        plan_of(tmp_path, records, {**step, "quotas": {"a": -1}})
    with pytest.raises(BadInput, match="does not say what its quotas are of"):
        plan_of(tmp_path, records, {"name": "quota", "use": "quota"})


def test_lists_are_taken_apart_and_put_together(tmp_path: Path) -> None:
    spread = {"name": "spread", "use": "spread", "field": "texts", "into": "text", "count": "count"}
    gather = {"name": "gather", "use": "gather", "fields": ["text_1", "text_2", "text_3"], "into": "back"}
    records = [{"texts": ["a", "b"], "count": 2}, {"texts": ["a"], "count": 2}, {"texts": ["a", "b", "c"], "count": 3}]
    dropped, fields = outcome(tmp_path, plan_of(tmp_path, records, spread, gather), "spread")
    assert dropped == {"another number of texts than asked for": 1}
    assert [one["back"] for one in fields] == [["a", "b"], ["a", "b", "c"]] and fields[0]["text_2"] == "b"
