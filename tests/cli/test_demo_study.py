"""The study of `editscope studio --demo`: simulated votes once, and a link with work left for a person."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from editscope.cli.people.demo_study import CASES, NAME, RATERS, make_study
from editscope.images import Pixels
from editscope.studio.settings import Settings
from editscope.studio.store.engine import Store
from editscope.studio.studies.assigning import ItemRequest, give_items
from editscope.studio.studies.overview import study_overview
from editscope.studio.studies.records import find_study
from support.command_line import called


def inverted(answer: Pixels) -> Pixels:
    """An edit that is wrong everywhere."""
    return 255 - answer


@pytest.mark.slow
def test_the_demo_makes_its_study_once_and_leaves_votes_for_a_person(
    small_set: Path, tmp_path: Path, put_outputs: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    runs = {"right": tmp_path / "runs" / "right", "wrong": tmp_path / "runs" / "wrong"}
    for name, change in (("right", lambda answer: answer), ("wrong", inverted)):
        outputs = put_outputs(small_set, tmp_path / name, change)
        done = ("run", "paintbench", "--data", small_set, "--editor", f"folder:{outputs}", "--out", runs[name])
        assert called(capsys, *done)[0] == 0
    settings = Settings(tmp_path / "runs")
    path = make_study(settings, runs)
    assert path.startswith("/rate/") and make_study(settings, runs) == path
    store = Store.opened(settings)
    try:
        with store.writing() as connection:
            overview = study_overview(connection, find_study(connection, NAME))
            rest = give_items(connection, [ItemRequest(path.rpartition("/")[2], 100, agreed=True)])[0]
    finally:
        store.close()
    assert overview.progress.votes == len(RATERS) * CASES and overview.progress.wanted == (len(RATERS) + 1) * CASES
    assert not isinstance(rest, Exception) and len(rest["items"]) == CASES
    found = overview.results().kept.preferences
    assert found is not None and found.elo[0].model == "right"
