"""Training sets: an export read lazily and by index, with several pictures of several sizes."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from editscope.errors import BadInput
from editscope.factory.blobs import BlobStore
from editscope.factory.output import parquet
from editscope.factory.output.reading import GROUPS_KEPT, load_training_set
from editscope.images import encode_png
from support.factory.made_pictures import drawn, exported, picture_plan
from support.factory.made_plans import id_of


def test_records_have_pictures_levels_and_the_answer(tmp_path: Path) -> None:
    exported(picture_plan({"split": {"test": 0.4}}), tmp_path)
    train, test = (load_training_set(tmp_path / "export", split) for split in ("train", "test"))
    assert len(train) + len(test) == 8
    records = sorted([*train, *test], key=lambda record: record.fields["score"])
    for number, record in enumerate(records):
        assert np.array_equal(record.pictures[0].pixels(), drawn(number // 2)) and len(record.pictures) == 1
        assert record.answer is not None and record.answer.pixels().shape == (24, 24, 3)
        assert list(record.instructions) == ["superficial", "intermediate", "explicit"]
        assert record.fields["law"] in ("reflection", "refraction") and "made:writer" in record.history
    assert records[0].source_id == records[1].source_id != records[2].source_id


def test_any_record_is_read_by_its_index_and_few_groups_stay_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet, "ROWS", 2)
    exported(picture_plan(count=30), tmp_path)
    records = load_training_set(tmp_path / "export")
    order = np.random.default_rng(0).permutation(30)
    assert [records[int(place)].id for place in order] == [id_of(place) for place in order]
    assert len(records._kept) == GROUPS_KEPT and records[-1].id == id_of(29)
    assert [record.id for record in records[3:9:3]] == [id_of(3), id_of(6)]
    with pytest.raises(IndexError):
        records[30]
    copy = pickle.loads(pickle.dumps(records))
    assert not copy._kept and copy[7].id == id_of(7)


def test_several_input_pictures_of_mixed_sizes(tmp_path: Path) -> None:
    blobs = BlobStore(tmp_path / "build" / "blobs")
    pictures = [blobs.put(encode_png(drawn(seed, 20 + 9 * seed, 30))) for seed in range(3)]
    output = {"columns": {"pictures": "pictures", "picture": "picture", "after": "picture", "explicit": "text"},
              "inputs": ["picture", "pictures"]}  # fmt: skip
    exported(picture_plan(output, count=2, fields={"pictures": pictures}), tmp_path)
    record = load_training_set(tmp_path / "export")[1]
    assert [picture.pixels().shape for picture in record.pictures] == [
        (24, 24, 3),
        *((30, 20 + 9 * n, 3) for n in range(3)),
    ]
    assert list(record.instructions) == ["explicit"]


def test_what_is_no_training_set_is_refused(tmp_path: Path) -> None:
    exported(picture_plan(count=2), tmp_path)
    with pytest.raises(BadInput, match="there is no split 'tset'"):
        load_training_set(tmp_path / "export", "tset")
    with pytest.raises(BadInput, match="is not an export of a build"):
        load_training_set(tmp_path)
    path = next((tmp_path / "export" / "data").iterdir())
    path.write_bytes(b"PAR1")
    with pytest.raises(BadInput, match="export the build again"):
        load_training_set(tmp_path / "export")
