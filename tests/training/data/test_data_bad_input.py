"""Data that cannot be trained on: a sentence before anything starts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from editscope.errors import BadInput
from editscope.training.data.settings import data_settings
from support.judged_data import make_picabench, make_worldedit
from support.small_sets import make_small_set
from support.training.training_data import opened, settings_of, small_part

STREAM = {"source": "stream:paintbench?tasks=border&conditions=baseline"}


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({}, r"test.toml: there is no data; add a part"),
        ({"parts": [{}]}, r"test.toml, \[\[data.parts\]\]: a part has no source"),
        (
            {"parts": [STREAM], "wrkers": 2},
            r"there is no option 'wrkers' of test.toml, \[data\]; did you mean 'workers'",
        ),
        ({"parts": [{**STREAM, "wieght": 2}]}, r"no option 'wieght'.*did you mean 'weight'"),
        ({"parts": [{**STREAM, "weight": "much"}]}, r"option weight: 'much' is not a number"),
        ({"parts": [{**STREAM, "weight": 0}]}, r"weight is 0; it must be above 0"),
        ({"parts": [{**STREAM, "weight": -1.5}]}, r"weight is -1.5; it must be above 0"),
        ({"parts": [{**STREAM, "weight": float("nan")}]}, r"weight is nan"),
        ({"parts": [{**STREAM, "levels": {"default": 0}}]}, r"the weight of level 'default' is 0"),
        ({"parts": [{**STREAM, "levels": "default"}]}, r"write level = 'explicit' or levels = "),
        ({"parts": [{**STREAM, "repeats": 2}]}, r"a stream never repeats"),
        ({"parts": [{"source": "sweet:paintbench"}]}, r"there is no kind of source 'sweet'"),
        ({"parts": [{"source": "stream:"}]}, r"source names nothing"),
        ({"parts": [STREAM, STREAM]}, r"two parts are called .* give each its own name"),
        ({"parts": [STREAM, {**STREAM, "name": "b"}]}, r"is endless, so every part of this mixture needs a weight"),
        ({"parts": [STREAM, {**STREAM, "name": "b", "weight": 1}]}, r"has no weight, but 'b' has"),
        ({"parts": [STREAM], "epochs": 2}, r"is endless; remove epochs and limit the steps"),
        (
            {"parts": [STREAM], "sizes": {"sizes": ["500x512"]}},
            r"500x512 has a side that is not a multiple of 16.*496x512",
        ),
        ({"parts": [STREAM], "sizes": {"sizes": ["big"]}}, r"'big' is not of the form WIDTHxHEIGHT"),
        ({"parts": [STREAM], "sizes": {"fit": "exact"}}, r"exact requires sizes"),
        ({"parts": [STREAM], "sizes": {"fit": "pad"}}, r"option fit: 'pad' is not one of crop, stretch, exact"),
        ({"parts": [STREAM], "sizes": {"enlarge": 0.5}}, r"enlarge: 0.5 must be at least 1"),
        ({"parts": [STREAM], "sizes": {"sizes": ["1024x1024", "256x1024"]}}, r"no picture uses the bucket 256x1024"),
        ({"parts": [STREAM], "sizes": {"sizes": ["4096x4096"]}}, r"1024×1024 and would be enlarged 4.0 times"),
        ({"parts": [STREAM], "workers": -1}, r"workers: -1 is out of range; write 0 to 256"),
        ({"parts": [{"source": "stream:worldedit"}]}, r"worldedit has no stream of problems"),
        ({"parts": [{**STREAM, "level": "explicit"}]}, r"there is no level to choose in a problem of a stream"),
        ({"parts": [{"source": "suite:paintbench", "where": "task=bordr"}]}, r"no task in paintbench 'bordr'"),
        ({"parts": [{"source": "set:/nowhere"}]}, r"part 'set:/nowhere': .*nowhere"),
    ],
)
def test_settings_that_cannot_be_used_are_named(table: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        opened(data_settings({"workers": 0, **table}, "test.toml"))


def test_a_suite_without_answers_is_for_reinforcement(tmp_path: Path) -> None:
    part = {"source": "suite:worldedit", "data": str(make_worldedit(tmp_path / "data"))}
    with pytest.raises(BadInput, match=r"11 of 11 cases have no answer.*reinforcement does not"):
        opened(settings_of(part))
    assert len(next(opened(settings_of(part), answers=False))) == 2


def test_a_level_that_no_case_has_is_refused_and_levels_of_cases_are_listed(tmp_path: Path) -> None:
    part = {"source": "suite:picabench", "data": str(make_picabench(tmp_path / "data"))}
    with pytest.raises(BadInput, match=r"no level 'implicit' of part 'suite:picabench' \(known: "):
        opened(settings_of({**part, "level": "implicit"}), answers=False)
    with pytest.raises(BadInput, match="no language 'cn'"):
        opened(settings_of({**part, "language": "cn"}), answers=False)


def test_mixed_sizes_are_refused_where_the_settings_forbid_them(tmp_path: Path) -> None:
    make_small_set(tmp_path / "wide", side=96)
    parts = [small_part(tmp_path / "set", name="a"), small_part(tmp_path / "wide", name="b")]
    with pytest.raises(BadInput, match=r"pictures have 2 sizes \(part 'a'.* is 48×48, part 'b'.* is 96×96\) and mixed"):
        opened(settings_of(*parts, sizes={"mixed": False}))
    with pytest.raises(BadInput, match="only accepts 48×48"):
        opened(settings_of(*parts, sizes={"sizes": ["48x48"], "fit": "exact"}))
    opened(settings_of(*parts))


def test_an_epoch_smaller_than_a_batch_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="1 epochs of 12 records are fewer than one batch of 16"):
        opened(settings_of(small_part(tmp_path / "set"), epochs=1), batch=8, world=2)


def test_folders_are_looked_for_beside_the_experiment(tmp_path: Path) -> None:
    make_small_set(tmp_path / "set")
    table = {"workers": 0, "parts": [{"source": "suite:paintbench", "data": "set"}]}
    assert len(next(opened(data_settings(table, "test.toml", tmp_path)))) == 2
