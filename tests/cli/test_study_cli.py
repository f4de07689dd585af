"""`editscope study`: from runs to links, votes, an export, ratings and correlations, in one folder."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from editscope.images import Pixels
from editscope.studio.settings import Settings
from editscope.studio.store.engine import Store
from editscope.studio.studies.records import find_study, raters_of
from support.command_line import called
from support.studio.simulated_raters import by_strength, vote_all


def worse(step: int) -> Callable[[Pixels], Pixels]:
    """An edit that is wrong in more rows, the higher the step."""

    def change(answer: Pixels) -> Pixels:
        changed = answer.copy()
        changed[: 10 * step] = 255 - changed[: 10 * step]
        return changed

    return change


@pytest.mark.slow
def test_a_study_from_runs_to_a_correlation(
    small_set: Path, tmp_path: Path, put_outputs: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    runs = tmp_path / "runs"
    for step, name in enumerate(("right", "near", "far")):
        outputs = put_outputs(small_set, tmp_path / name, worse(step))
        done = ("run", "paintbench", "--data", small_set, "--editor", f"folder:{outputs}", "--out", runs / name)
        assert called(capsys, *done)[0] == 0
    named = [f"{name}={runs / name}" for name in ("right", "near", "far")]
    two = called(capsys, "study", "create", "two", runs / "near", runs / "far", "--dir", runs, "--items", "2")
    assert two[0] == 0 and "2 cases, 1 pair of each" in two[1] and f"--raters 20 --dir {runs}" in two[1], two
    store = Store.opened(Settings(runs))
    with store.reading() as connection:
        assert find_study(connection, "two").model_names == ("near", "far")  # one editor: folders tell them apart
    store.close()
    made = called(capsys, "study", "create", "people", *named, "--dir", runs, "--items", "8", "--votes", "3")
    assert made[0] == 0 and "8 cases, 3 pairs of each, 3 votes for each: 72 votes" in made[1], made
    code, said, _ = called(capsys, "study", "links", "people", "--raters", "3", "--dir", runs, "--csv")
    links = list(csv.DictReader(io.StringIO(said)))
    assert code == 0 and len(links) == 3 and all("/rate/" in row["link"] for row in links)
    store = Store.opened(Settings(runs))
    try:
        with store.reading() as connection:
            study = find_study(connection, "people")
            raters = raters_of(connection, study.id)
        vote_all(store, study, raters, by_strength({"right": 3.0, "near": 1.5, "far": 0.0}))
    finally:
        store.close()
    _, said, _ = called(capsys, "study", "status", "people", "--dir", runs)
    assert "72 of 72 votes (100%)" in said and "Krippendorff's alpha" in said
    _, said, _ = called(capsys, "study", "export", "people", "--dir", runs)
    rows = list(csv.DictReader(io.StringIO(said)))
    assert len(rows) == 72 and {row["winner"] for row in rows} <= {"right", "near", "far"}
    _, said, _ = called(capsys, "study", "elo", "people", "--dir", runs)
    assert said.index("right") < said.index("near") < said.index("far") and "Bradley–Terry" in said
    _, said, _ = called(capsys, "study", "correlate", "people", "--dir", runs, "--json")
    compared = {(one["over"], one["people"]): one for one in json.loads(said)}
    over_models = compared["models", "elo"]
    assert [round(one["value"], 6) for one in over_models["correlations"][1:]] == [1.0, 1.0]  # Spearman and Kendall
    over_cases = compared["cases", "share won"]
    assert len(over_cases["x"]) == 24 and all(one["value"] > 0.3 for one in over_cases["correlations"])


def test_what_cannot_be_a_study_gets_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def refused(*words: str | Path) -> str:
        code, _, error = called(capsys, "study", *words, "--dir", tmp_path)
        assert code == 2, error
        return error

    assert "there is no study 'nothing'" in refused("status", "nothing")
    assert "either runs or --material" in refused("create", "people")
    listed = tmp_path / "cases.jsonl"
    listed.write_text(
        '{"case": "a", "instruction": "Paint", "source": "a.png", "edits": {"m": "b.png", "n": "c.png"}}\n'
    )
    assert "case 'a'" in refused("create", "people", "--material", listed)
    assert "needs a scale" in refused("create", "people", "--material", listed, "--kind", "ratings")
    assert "not of the form" in refused("create", "people", "--material", listed, "--scale", "quality")
    listed.write_text('{"case": "a", "instruction": "Paint", "edits": {"m": "b.png"}}\nnot json\n')
    assert "line 2: not JSON" in refused("create", "people", "--material", listed)
    assert "no study preset" in refused("create", "people", "--preset", "nothing")
