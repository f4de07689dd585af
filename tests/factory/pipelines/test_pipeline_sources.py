"""Sources of pipelines: parts in shares, start and end pictures, and dictionaries of tasks with variations."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from editscope.errors import BadInput
from editscope.factory.blobs import BlobStore
from editscope.factory.sources.mixing import MixedSource
from editscope.factory.sources.start_end import StartEndSource
from editscope.factory.sources.word_tasks import CauseSource, IdeaSource, ProcessSource
from editscope.factory.steps.tools import Tools
from editscope.images import encode_png


def tools_in(folder: Path, seed: int = 0) -> Tools:
    return Tools(BlobStore(folder / "blobs"), folder, seed)


def rows(folder: Path, name: str, count: int) -> Mapping[str, Any]:
    lines = (json.dumps({"name": name, "number": number}) for number in range(count))
    (folder / f"{name}.jsonl").write_text("\n".join(lines))
    return {"use": "list", "path": f"{name}.jsonl"}


def test_parts_come_in_their_shares_until_one_ends_and_from_any_place(tmp_path: Path) -> None:
    parts = {"a": {**rows(tmp_path, "a", 6), "share": 3}, "b": {**rows(tmp_path, "b", 5), "share": 1}}
    source, tools = MixedSource({"parts": parts}), tools_in(tmp_path)
    found = list(source.records(tools))
    assert "".join(one["source"] for one in found) == "aaabaaabbbb" and [one["number"] for one in found[:4]] == [
        0,
        1,
        2,
        0,
    ]
    for start in range(13):
        assert list(source.records(tools, start)) == found[start:]


def test_a_part_without_a_path_is_left_out_where_that_is_allowed(tmp_path: Path) -> None:
    optional = {"use": "folder", "path": "", "optional": True}
    source = MixedSource({"parts": {"a": rows(tmp_path, "a", 2), "b": optional}})
    assert [one["source"] for one in source.records(tools_in(tmp_path))] == ["a", "a"]
    with pytest.raises(BadInput, match="the source mixes nothing; give one of its parts a path"):
        MixedSource({"parts": {"b": optional}})
    with pytest.raises(BadInput, match="the part 'a' of the source has the share 0; write a number above 0"):
        MixedSource({"parts": {"a": {**rows(tmp_path, "a", 2), "share": 0}}})
    with pytest.raises(BadInput, match="there is no source 'foldr'; did you mean 'folder'"):
        MixedSource({"parts": {"a": {"use": "foldr"}}})


def test_start_and_end_pictures_are_paired_by_name(tmp_path: Path) -> None:
    folder = tmp_path / "pairs"
    (folder / "kitchen").mkdir(parents=True)
    for name, shade in (("kitchen/kettle_start", 10), ("kitchen/kettle_end", 200), ("bud_start", 30), ("bud_end", 90)):
        (folder / f"{name}.png").write_bytes(encode_png(np.full((8, 8, 3), shade, np.uint8)))
    source, tools = StartEndSource({"path": "pairs"}), tools_in(tmp_path)
    found = list(source.records(tools))
    assert [one["file"] for one in found] == ["bud", "kitchen/kettle"] and source.count(tools) == 2
    assert found[0]["start_picture"] != found[0]["end_picture"] and list(source.records(tools, 1)) == found[1:]
    (folder / "bud_end.png").write_bytes(b"\x89PNG not a picture")
    assert "broken" in next(source.records(tools))
    (folder / "bud_end.png").unlink()
    with pytest.raises(BadInput, match=r"bud_start\.png has no other end; put bud_end\.png beside it"):
        list(source.records(tools))
    with pytest.raises(BadInput, match="the source '' is not a folder"):
        StartEndSource({}).count(tools)


def test_seeds_come_again_as_variations_with_words_to_start_from(tmp_path: Path) -> None:
    source, tools = ProcessSource({"sizes": {"physics": 8, "process_plausibility": 14}}), tools_in(tmp_path)
    found = list(source.records(tools))
    assert source.count(tools) == len(found) == 22
    assert Counter(one["variation"] for one in found) == {0: 18, 1: 4}  # six seeds of physics, twelve pairs of paths
    again = [one for one in found if one["variation"]]
    assert all("; " in one["nudge"] and "stages" not in one and "checklist" not in one for one in again)
    assert all("nudge" not in one for one in found if not one["variation"])
    assert list(source.records(tools, 5)) == found[5:] and found != list(source.records(tools_in(tmp_path, seed=1)))
    seeds = [one for one in found if not one["variation"] and one.get("subtask") == "physics"]
    assert all(one["category"] == "scientific_simulation" and len(one["checklist"]) >= 2 for one in seeds)


def test_groups_stand_side_by_side_so_that_a_pilot_has_all_of_them(tmp_path: Path) -> None:
    first = list(islice(IdeaSource({}).records(tools_in(tmp_path)), 50))
    assert {one["task"] for one in first} == {"awareness", "interpretation", "imagination", "complex"}
    assert all(len(one["scenes"]) == one["count"] and one["subset"].endswith(str(one["count"])) for one in first)
    pilot = list(islice(CauseSource({}).records(tools_in(tmp_path)), 22))
    assert len({one["mode"] for one in pilot}) == 11 and all(one["causes"] for one in pilot)


def test_objects_come_with_their_modes_or_their_causes(tmp_path: Path) -> None:
    tools = tools_in(tmp_path)
    objects = list(CauseSource({"per": "object", "sizes": {"objects": 150}}).records(tools))
    assert len({one["object"] for one in objects}) == 149 and objects[-1]["variation"] == 1 and objects[0]["modes"]
    causes = list(CauseSource({"per": "cause"}).records(tools))
    assert all(one["cause"] in one["question"] for one in causes)
    with pytest.raises(BadInput, match="there is no word 'objet' of per of the source; did you mean 'object'"):
        CauseSource({"per": "objet"})
    with pytest.raises(BadInput, match="there is no group 'physic' of the dictionary"):
        ProcessSource({"sizes": {"physic": 3}}).count(tools)
    with pytest.raises(BadInput, match="the size of physics is -1; write a whole number from 0"):
        ProcessSource({"sizes": {"physics": -1}}).count(tools)


def test_a_variation_of_an_idea_has_its_seed_as_an_example_only(tmp_path: Path) -> None:
    found = list(IdeaSource({"sizes": {"complex_4": 3}}).records(tools_in(tmp_path)))
    assert [one["variation"] for one in found] == [0, 1, 2] and found[0]["instruction"] == found[1]["seed"]
    assert "instruction" not in found[1] and found[1]["count"] == 4 and found[1]["nudge"] != found[2]["nudge"]
