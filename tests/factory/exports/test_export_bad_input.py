"""Exports that cannot be: each is refused in a sentence with a fix, and nothing is written."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from editscope.errors import BadInput
from editscope.factory.engine.build import Build
from editscope.factory.output.export import ExportOptions, export
from editscope.factory.plan import BuildPlan
from editscope.factory.steps.review import ReviewStep
from support.factory.made_pictures import DrawnSource, all_bytes, exported, picture_plan
from support.factory.made_plans import id_of, made_plan


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ({"kind": "traning"}, "there is no kind 'traning'.*did you mean 'training'"),
        ({"kind": "suite"}, "write: suite = 'own'"),
        ({"colums": {}}, "there is no setting 'colums'.*did you mean 'columns'"),
        ({"columns": ["law"]}, "columns is .*not a table"),
        ({"columns": {"law": "txt"}}, "type of the column 'law': 'txt'.*did you mean 'text"),
        ({"columns": {"id": "text"}}, "'id' is a column that every export has"),
        (
            {"columns": {"law": "text", "missing": "text"}},
            r"record \w+, column 'missing': the record has no such field",
        ),
        ({"columns": {"license": "text"}}, r"record \w+, column 'license'.*license = 'text\?'"),
        ({"columns": {"law": "picture"}}, r'record \w+, column .law.: "reflection" is not a picture'),
        ({"columns": {"picture": "number"}}, "is not a number"),
        ({"split": {"test": 1.5}}, "test is 1.5; write a share between 0 and 1"),
        ({"split": {"test": 0.6, "val": 0.5}}, "leave some for train"),
        ({"split": {"train": 0.5}}, "'train' cannot be the name of a split"),
        ({"source": "foto"}, "no record has the field 'foto'"),
        ({"answer": "law"}, "the column 'law' is a text, and inputs and answer are pictures"),
        ({"inputs": ["pic"]}, "there is no column 'pic'"),
        ({"near": 30}, "from 0 to 15"),
        ({"webdataset": 1}, "webdataset is 1, not true or false"),
        ({"tags": [1]}, "not a list of names"),
        ({"shard_mb": 0}, "shard_mb is 0"),
    ],
)
def test_settings_that_cannot_be_used_are_named(output: Mapping[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=message):
        exported(picture_plan(output, count=2), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["build"]


def test_a_build_with_pending_records_is_refused_unless_a_part_is_wanted(tmp_path: Path) -> None:
    log = tmp_path / "log"
    plan = made_plan(log)
    Path(f"{log}.failing").write_text(id_of(3))
    with Build(plan, tmp_path / "build") as build:
        assert build.run().pending
        with pytest.raises(
            BadInput, match="is not finished: 0 of 10 records went through the steps from 'ask' to 'write'"
        ):
            export(build, tmp_path / "export")
        with pytest.raises(BadInput, match="has no records"):
            export(build, tmp_path / "export", ExportOptions(partial=True))
        Path(f"{log}.failing").unlink()
        build.run()
        assert export(build, tmp_path / "export").splits == {"train": 16}
    with Build(plan, tmp_path / "pilot", limit=4) as pilot:
        pilot.run()
        assert sum(export(pilot, tmp_path / "few").splits.values()) == 6
    with Build(plan, tmp_path / "pilot") as pilot:
        with pytest.raises(BadInput, match="4 of 10 records"):
            export(pilot, tmp_path / "few")
        part = export(pilot, tmp_path / "few", ExportOptions(partial=True))
        assert "This is a part of the build: 4 of 10" in part.remarks[0]
    assert "This is a part of the build" in (tmp_path / "few" / "README.md").read_text()


def test_a_build_that_waits_for_people_is_refused(tmp_path: Path) -> None:
    review = ReviewStep("look", {"texts": ["superficial"], "pictures": ["picture"]})
    plan = BuildPlan("waiting", DrawnSource({"count": 2}), [review])
    with Build(plan, tmp_path / "build") as build:
        assert build.run().waiting
        with pytest.raises(BadInput, match="the step 'look' has not decided about 2 records"):
            export(build, tmp_path / "export")


def test_a_picture_that_is_gone_or_changed_is_named_with_its_record(tmp_path: Path) -> None:
    exported(picture_plan(count=2), tmp_path)
    before = all_bytes(tmp_path / "export")
    blob = sorted((tmp_path / "build" / "blobs").rglob("*.png"))[0]
    blob.write_bytes(b"other bytes")
    with Build(picture_plan(count=2), tmp_path / "build") as build:
        with pytest.raises(BadInput, match="was changed"):
            export(build, tmp_path / "export")
        blob.unlink()
        with pytest.raises(BadInput, match=r"record \w+, column '\w+': the blob .* is gone; restore it"):
            export(build, tmp_path / "export")
    assert all_bytes(tmp_path / "export") == before and not list(tmp_path.glob(".export*"))


def test_a_folder_of_somebody_else_is_never_overwritten(tmp_path: Path) -> None:
    mine = tmp_path / "holiday"
    mine.mkdir()
    (mine / "beach.jpg").write_bytes(b"sun")
    with pytest.raises(BadInput, match="holds files that are not an export"):
        exported(picture_plan(count=2), tmp_path, to=mine)
    assert [path.name for path in mine.iterdir()] == ["beach.jpg"]
    with pytest.raises(BadInput, match="is a file"):
        exported(picture_plan(count=2), tmp_path, to=mine / "beach.jpg")
    empty = tmp_path / "empty"
    empty.mkdir()
    assert exported(picture_plan(count=2), tmp_path, to=empty).splits == {"train": 2}
