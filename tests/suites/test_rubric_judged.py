"""Rubrics with a real judge on loopback: from the cases of a suite to its tables."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from editscope.images import load
from editscope.stats.summary import summarize
from editscope.suites import load_suite
from editscope.suites.rubrics import load_rubric
from support.judged.rubric_columns import measured, score_columns
from support.judged_data import make_picabench, make_wiseedit, make_worldedit
from support.judged_data_more import make_inedit, make_kris, make_rise
from support.places import SAMPLES
from support.servers.judge_server import JudgeServer, Reply, agreeable, ask_all

MADE: dict[str, Callable[[Path], Path]] = {
    "picabench": lambda folder: make_picabench(folder, 4),
    "worldedit": lambda folder: make_worldedit(folder, 4),
    "wiseedit": lambda folder: make_wiseedit(folder, 1),
    "wiseedit-complex": lambda folder: make_wiseedit(folder, 1),
    "inedit": lambda folder: make_inedit(folder, 1),
    "kris": lambda folder: make_kris(folder, 1),
    "rise": lambda folder: make_rise(folder, 2),
}


def judged(name: str, root: Path, script: Any = agreeable) -> tuple[dict[str, Any], int, int]:
    """The overall cells of a suite whose every case is edited by doing nothing; calls that were asked, and units."""
    suite = load_suite(name, root=root)
    rubric = load_rubric(suite.default_protocol)
    prompts, plan = rubric.prompts(), rubric.aggregation(suite.aggregation)
    prepared = []
    for case in suite:
        for unit in rubric.units(case):
            edits = dict.fromkeys(unit.variants, load(case.images[0]))
            calls = rubric.calls(case, unit, edits, prompts)
            prepared.append((case, unit, calls, rubric.from_pixels(case, unit, edits)))
    every = [call for _, _, calls, _ in prepared for call in calls]
    with JudgeServer(script, keep=False) as server:
        verdicts = iter(ask_all(server.spec(), *every, retries=0))
    scored = []
    for case, unit, calls, pixels in prepared:
        said = {call.key: [next(verdicts)] for call in calls}
        scored.append((case.id, case.tags, rubric.rows(case, unit, said, pixels)))
    columns = measured(score_columns(scored, plan), rubric.measures)
    names = [measure.name for measure in rubric.measures]
    return summarize(columns, plan, names, resamples=50)["overall"], len(every), len(prepared)


@pytest.mark.slow
@pytest.mark.parametrize("name", list(MADE))
def test_a_judge_that_is_content_with_all_gives_every_suite_its_best_scores(name: str, tmp_path: Path) -> None:
    cells, calls, units = judged(name, MADE[name](tmp_path))
    rubric = load_rubric(load_suite(name, root=tmp_path).default_protocol)
    assert calls >= units
    for measure in rubric.measures:
        expected = measure.shown(measure.best)
        if name == "picabench" and measure.name.startswith("accuracy"):
            expected = 50  # half of the labels are No
        if cells[measure.name]["n"]:
            assert cells[measure.name]["mean"] == pytest.approx(expected), measure.name
            low = cells[measure.name]["lo"]  # none where the made data has fewer than five cases
            assert low is None or low <= expected + 1e-9
    assert cells[rubric.headline]["n"]


@pytest.mark.parametrize("reply", [Reply(refusal="I cannot judge this."), Reply("It looks like a 5 to me.")])
def test_a_judge_that_says_nothing_usable_gives_no_number_at_all(reply: Reply, tmp_path: Path) -> None:
    cells, _, _ = judged("worldedit", make_worldedit(tmp_path, 2), lambda asked: reply)
    assert {(cell["mean"], cell["n"]) for cell in cells.values()} == {(None, 0)}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "cases"), [("inedit", 15), ("kris", 40), ("rise", 12)])
def test_real_samples_are_judged_completely(name: str, cases: int) -> None:
    if not (SAMPLES / name).is_dir():
        pytest.skip("the samples are not here")
    cells, calls, units = judged(name, SAMPLES / name)
    assert units == cases
    assert calls == {"inedit": 6 * 5 + 6 * 4 + 3, "kris": 3 * 40, "rise": 9 * 3 + 3 * 2}[name]
    assert cells[load_rubric(name).headline]["mean"] == 100
