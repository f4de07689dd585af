"""A blob whose file is gone is made again for the records that need it, and for no others."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from editscope.errors import BadInput
from editscope.factory.blobs import BlobStore
from editscope.factory.engine.build import Build, BuildProgress
from editscope.factory.engine.opened import CHUNK
from editscope.factory.plan import BuildPlan
from editscope.factory.records import BLOB, Record, blobs_in
from editscope.factory.steps.base import Outcome, PlainStep, RecordStep, kept
from editscope.factory.steps.review import ReviewStep
from editscope.factory.steps.sampling import SampleStep
from editscope.factory.steps.texts import TemplateStep
from editscope.factory.steps.tools import Tools
from editscope.images import encode_png, load
from support.command_line import Called
from support.factory.made_plans import NumberSource, built, calls, id_of


class PaidPictures(RecordStep):
    """Draws a picture of its own for every record, and another one each time, as paid models do."""

    kind = "map"
    settings_of: ClassVar = {"log": "", "into": "picture", "random": False}

    async def run(self, record: Record, tools: Tools) -> Outcome:
        with Path(self.settings["log"]).open("a", encoding="utf-8") as log:
            log.write(f"{self.name} {record.id}\n")
        seed = int.from_bytes(os.urandom(4)) if self.settings["random"] else record.fields["number"]
        picture = np.random.default_rng(seed).integers(0, 255, (8, 8, 3), np.uint8)
        return kept({self.settings["into"]: tools.blobs.put(encode_png(picture))}, cost_usd=0.5, attempts=1)

    def identity(self) -> Any:
        return [self.kind, self.name, self.version, self.settings["into"]]


class MirrorStep(PlainStep):
    """A picture made of another one, which the record does not keep."""

    kind = "map"
    settings_of: ClassVar = {"word": "", "forget": False}

    def apply(self, record: Record, tools: Tools) -> Outcome:
        pixels = load(tools.blobs.get(record.fields["picture"]))
        mirrored = tools.blobs.put(encode_png(np.ascontiguousarray(pixels[:, ::-1])))
        return kept({"mirrored": mirrored, "word": self.settings["word"], **self._forgotten()})

    def _forgotten(self) -> dict[str, Any]:
        return {"picture": None} if self.settings["forget"] else {}


def picture_plan(log: Path, *, count: int = 5, word: str = "", random: bool = False, sample: int = 0) -> BuildPlan:
    steps: list[Any] = [
        PaidPictures("draw", {"log": str(log), "random": random}),
        MirrorStep("mirror", {"word": word, "forget": True}),
        TemplateStep("write", {"fields": {"text": "Number {number}"}}),
    ]
    if sample:
        steps[1] = MirrorStep("mirror", {"word": word})
        steps.insert(1, SampleStep("some", {"each": sample, "by": "law"}))
    return BuildPlan("pictures", NumberSource({"count": count}), steps)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log"


@pytest.fixture
def build(tmp_path: Path) -> Path:
    return tmp_path / "build"


def blob_of(folder: Path, number: int, step: str) -> Path:
    """The file of the picture that a step made for a record."""
    query = "SELECT body FROM results WHERE step = ? AND record = ?"
    with closing(sqlite3.connect(folder / "results.db")) as database:
        ((body,),) = database.execute(query, (step, id_of(number)))
    (blob,) = blobs_in(json.loads(body)[0])
    return BlobStore(folder / "blobs").path(blob)


def test_a_finished_build_makes_again_only_the_record_whose_blob_is_gone(log: Path, build: Path) -> None:
    plan = picture_plan(log, count=2 * CHUNK + 5)
    _, lines = built(plan, build)
    gone = blob_of(build, CHUNK + 3, "mirror")
    gone.unlink()
    told: list[int] = []
    with Build(plan, build, progress=BuildProgress(blobs_gone=lambda: told.append(1))) as work:
        assert work.run().records == len(lines) and told
    assert gone.is_file() and len(calls(log)) == 2 * CHUNK + 5  # the picture that it was made of was still there
    assert built(plan, build)[1] == lines


def test_what_the_gone_blob_was_made_of_is_made_again_too(log: Path, build: Path) -> None:
    plan = picture_plan(log)
    _, lines = built(plan, build)
    for step in ("draw", "mirror"):
        blob_of(build, 2, step).unlink()
    assert built(plan, build)[1] == lines
    assert calls(log)[5:] == [f"draw {id_of(2)}"]
    with Build(plan, build) as work:
        assert work.store.spent()["draw"][1] == 3.0  # six pictures were paid for


def test_a_blob_that_no_record_needs_any_more_is_not_paid_for_again(log: Path, build: Path) -> None:
    plan = picture_plan(log)
    built(plan, build)
    blob_of(build, 1, "draw").unlink()
    built(plan, build)
    assert len(calls(log)) == 5
    _, lines = built(picture_plan(log, word="new"), build)  # now the mirror needs it
    assert calls(log)[5:] == [f"draw {id_of(1)}"] and len(lines) == 5


def test_a_model_that_draws_another_picture_changes_its_record_alone(log: Path, build: Path) -> None:
    plan = picture_plan(log, random=True, sample=9)
    _, lines = built(plan, build)
    for step in ("draw", "mirror"):
        blob_of(build, 4, step).unlink()
    _, again = built(plan, build)
    assert calls(log)[5:] == [f"draw {id_of(4)}"]
    assert again[:4] == lines[:4] and again[4] != lines[4]
    assert built(plan, build)[1] == again and len(calls(log)) == 6


def test_a_later_part_of_a_plan_finds_its_pictures(log: Path, build: Path) -> None:
    plan = picture_plan(log, sample=9)
    built(plan, build, until="some")
    blob_of(build, 0, "draw").unlink()
    result, lines = built(plan, build)
    assert result.records == len(lines) == 5 and calls(log)[5:] == [f"draw {id_of(0)}"]


def test_people_see_a_picture_that_was_deleted_before_it_was_in_their_queue(log: Path, build: Path) -> None:
    draw = PaidPictures("draw", {"log": str(log)})
    review = ReviewStep("look", {"texts": [], "pictures": ["picture"]})
    built(BuildPlan("seen", NumberSource({"count": 3}), [draw]), build)
    blob_of(build, 1, "draw").unlink()
    result, _ = built(BuildPlan("seen", NumberSource({"count": 3}), [draw, review]), build)
    assert "3 of 3 records wait" in result.waiting and calls(log)[3:] == [f"draw {id_of(1)}"]
    assert len(list((build / "review/look/pictures").iterdir())) == 3


def test_steps_in_other_processes_and_their_export_find_what_was_deleted(
    editscope: Callable[..., Called], tmp_path: Path
) -> None:
    folder = tmp_path / "mine"
    editscope("factory", "new", folder)
    plan = folder / "plan.toml"
    text = plan.read_text()
    plan.write_text(text[: text.index("# People accept")] + text[text.index("[output]") :])
    assert editscope("factory", "build", folder, "--limit", 3).returncode == 0
    before = sorted((folder / "build/blobs").rglob("*.png"))
    before[0].unlink()
    before[-1].unlink()
    done = editscope("factory", "export", folder, "--limit", 3)
    assert done.returncode == 2 and "is gone; restore it, or build again" in done.stderr
    done = editscope("factory", "build", folder, "--limit", 3)
    assert done.returncode == 0 and done.stderr.count("files are gone from blobs/") == 1, done.stderr
    assert sorted((folder / "build/blobs").rglob("*.png")) == before
    before[0].unlink()
    plan.write_text(plan.read_text().replace("least = 0.01", "least = 0.02"))
    assert editscope("factory", "build", folder, "--limit", 3).returncode == 0 and before[0].is_file()
    assert editscope("factory", "export", folder, "--limit", 3).returncode == 0


def test_a_blob_that_nothing_can_make_again_is_named(log: Path, build: Path) -> None:
    class NowhereStep(PlainStep):
        kind = "map"

        def apply(self, record: Record, tools: Tools) -> Outcome:
            return kept({"picture": {BLOB: "0" * 64, "type": "image/png"}})

    steps = [NowhereStep("draw", {}), MirrorStep("mirror", {})]
    with Build(BuildPlan("nowhere", NumberSource({"count": 2}), steps), build) as work:
        assert work.run().pending == 2
        assert all("is gone; restore it" in reason for _, _, reason in work.store.pending())
        with pytest.raises(BadInput, match="is gone; restore it"):
            work.tools.blobs.get({BLOB: "0" * 64, "type": "image/png"})
