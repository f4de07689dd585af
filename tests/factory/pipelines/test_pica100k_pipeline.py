"""The pipeline pica100k: words are drawn, animated, checked by their pixels, and described."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from drills.counts import times
from support.factory.kills import killed_and_resumed, slowly
from support.factory.pipeline_builds import built_here, counted, exported, pipeline_folder, reasons
from support.factory.scripted_makers import animator, painter
from support.factory.scripted_writer import Fault, breach_at_first, refusal, writer
from support.judged_data import make_picabench
from support.servers.editor_server import KEY


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("EDITSCOPE_CACHE", str(tmp_path / "kept"))
    for name in ("OPENAI_API_KEY", "ARK_API_KEY"):
        monkeypatch.setenv(name, KEY)


class Studio:
    """The three models on loopback, and folders of the pipeline that use them."""

    def __init__(self, writing: Any, painting: Any, animating: Any) -> None:
        self.servers = (writing, painting, animating)

    @property
    def calls(self) -> int:
        """Requests that are paid, of all models."""
        return sum(server.calls for server in self.servers)

    def begun(self, folder: Path, **given: Any) -> Path:
        suite = folder.parent / "suite"
        if not suite.exists():
            make_picabench(suite, 8)
        writing, painting, animating = self.servers
        models = {"writer": writing.spec(), "painter": painting.spec("gpt-image-1"), "animator": animating.spec()}
        leak = {"steps__no-leak__suites": [f"picabench={suite}"]}
        return pipeline_folder("pica100k", folder, models, given, **leak)


@contextmanager
def studio(*faults: Fault, latency: float = 0.0) -> Iterator[Studio]:
    with (
        writer(*faults, latency=latency) as writing,
        painter(latency=latency) as painting,
        animator(latency=latency) as animating,
    ):
        yield Studio(writing, painting, animating)


@pytest.mark.slow
def test_a_pilot_keeps_pairs_in_which_something_happened_and_the_camera_stood(tmp_path: Path) -> None:
    long = breach_at_first("explicit", {"superficial": "Move the stool " + "far to the right " * 8})
    with studio(refusal(13, "prompt"), long) as models:
        folder = models.begun(tmp_path / "set", between="1")
        result, lines = built_here(folder, limit=50)
        calls = models.calls
        assert built_here(folder, limit=50)[1] == lines and models.calls == calls
    assert counted(result)["refine"][0] == 50 and reasons(result) == DROPPED
    records = [json.loads(line) for line in lines]
    assert len(records) == result.records == 23
    laws = Counter(fields["law"] for _, fields, _ in records)
    assert max(laws.values()) <= 1.5 * min(laws.values())
    for _, fields, history in records:
        assert fields["changed_share"] > 0.005 and fields["shift_percent"] < 1 and len(fields["frames"]) == 1
        assert dict(history)["instruct"]["tries"] == 2  # the first superficial level was too long
        assert KEY not in json.dumps(fields)
    _exports_for_training(folder, len(lines))


DROPPED = {
    "refine": {"the model declined": 2},
    "draw": {"the model declined": 6},
    "drawn": {"plain": 2},
    "whole-frames": {"black": 4},
    "something-changed": {"nothing changed": 3},
    "camera-still": {"the camera moves": 5},
    "balance": {"beyond the quota": 5},
}


def _exports_for_training(folder: Path, count: int) -> None:
    import datasets

    from editscope.factory.output.reading import load_training_set

    place = exported(folder, limit=50)
    loaded = datasets.load_dataset(str(place), split="train", cache_dir=str(folder / "cache"))
    assert len(loaded) == count and loaded[0]["before"].size == loaded[0]["after"].size == (160, 128)
    assert {"before", "after", "frames", "superficial", "intermediate", "explicit", "law"} <= set(loaded.column_names)
    assert len(load_training_set(place)) == count


@pytest.mark.slow
@pytest.mark.drill
def test_a_build_killed_at_random_moments_equals_one_that_was_not(tmp_path: Path) -> None:
    kills, limit = times(3, 50), 24
    with studio(latency=0.02) as models:
        _, lines = built_here(models.begun(tmp_path / "whole"), limit=limit)
        paid = models.calls
        folder = models.begun(tmp_path / "killed")
        in_hand = slowly(folder / "plan.toml")
        survived = killed_and_resumed(folder, kills, lambda: models.calls, options=("--limit", str(limit)), stride=40)
    assert survived.lines == lines and survived.kills
    assert survived.requests <= paid + survived.kills * in_hand
