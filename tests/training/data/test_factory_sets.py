"""Exported builds as training data."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from editscope.errors import BadInput
from editscope.factory.blobs import BlobStore
from editscope.images import encode_png
from support.factory.made_pictures import drawn, exported, picture_plan
from support.training.training_data import opened, seen, settings_of

SIZES = {"sizes": ["32x32"], "enlarge": 2}


def test_records_of_an_export_are_examples_with_levels(tmp_path: Path) -> None:
    exported(picture_plan(), tmp_path)
    part = {"source": f"set:{tmp_path / 'export'}", "level": "explicit"}
    loader = opened(settings_of(part, sizes=SIZES, epochs=1))
    examples = [example for batch in loader for example in batch]
    assert len(examples) == 8 and {example.level for example in examples} == {"explicit"}
    assert all(example.answer is not None and example.pictures[0].shape == (32, 32, 3) for example in examples)
    assert {example.tags["law"] for example in examples} == {"reflection", "refraction"}
    one, again = (opened(settings_of(part, sizes=SIZES)) for _ in range(2))
    list(islice(one, 5))
    again.load_state(one.state())
    assert seen(islice(one, 3)) == seen(islice(again, 3))


def test_several_input_pictures_get_the_size_of_the_bucket(tmp_path: Path) -> None:
    blobs = BlobStore(tmp_path / "build" / "blobs")
    pictures = [blobs.put(encode_png(drawn(seed, 40 + 9 * seed, 50))) for seed in range(2)]
    output = {"columns": {"pictures": "pictures", "picture": "picture", "after": "picture", "explicit": "text"},
              "inputs": ["picture", "pictures"]}  # fmt: skip
    exported(picture_plan(output, count=2, fields={"pictures": pictures}), tmp_path)
    (batch,) = opened(settings_of({"source": f"set:{tmp_path / 'export'}"}, sizes=SIZES, epochs=1))
    assert [[picture.shape for picture in example.pictures] for example in batch] == [[(32, 32, 3)] * 3] * 2


def test_every_record_is_looked_at_before_anything_starts(tmp_path: Path) -> None:
    exported(picture_plan(count=230), tmp_path)
    part = {"source": f"set:{tmp_path / 'export'}", "name": "p"}
    told: list[str] = []
    opened(settings_of(part, sizes=SIZES), say=told.append)
    assert told == ["checked part 'p': instructions, inputs and answers of all 230 records; 200 sizes, evenly spaced"]
    (shard,) = (tmp_path / "export").rglob("*.parquet")
    table = pq.read_table(shard)
    for column, level, what in (
        ("after", None, "no answer"),
        ("picture", None, "no input picture"),
        ("explicit", "explicit", "no instruction that is wanted"),
    ):
        values = table[column].to_pylist()
        values[229] = None  # not among the 200 that are evenly spaced
        place = table.schema.get_field_index(column)
        pq.write_table(table.set_column(place, table.field(column), pa.array(values, table.field(column).type)), shard)
        wanted = part if level is None else {**part, "level": level}
        with pytest.raises(BadInput, match=f"record 229 of the split 'train' has {what}; exclude it from the export"):
            opened(settings_of(wanted, sizes=SIZES))


def test_what_an_export_lacks_is_named_before_anything_starts(tmp_path: Path) -> None:
    exported(picture_plan(), tmp_path)
    source = f"set:{tmp_path / 'export'}"
    with pytest.raises(BadInput, match="there is no split 'tset'"):
        opened(settings_of({"source": source, "split": "tset"}))
    with pytest.raises(BadInput, match=r"there is no level 'explict' of part 'p'; did you mean 'explicit'\?"):
        opened(settings_of({"source": source, "name": "p", "level": "explict"}, sizes=SIZES))
    output = {"columns": {"picture": "picture", "explicit": "text"}, "inputs": ["picture"]}
    exported(picture_plan(output), tmp_path / "without")
    bare = {"source": f"set:{tmp_path / 'without' / 'export'}"}
    with pytest.raises(BadInput, match="has no column with answers; supervised training needs one"):
        opened(settings_of(bare, sizes=SIZES))
    assert next(opened(settings_of(bare, sizes=SIZES), answers=False))[0].answer is None


def test_a_set_that_has_changed_is_not_resumed_with(tmp_path: Path) -> None:
    exported(picture_plan(), tmp_path)
    settings = settings_of({"source": f"set:{tmp_path / 'export'}", "name": "p"}, sizes=SIZES)
    state = json.loads(json.dumps(opened(settings).state()))
    opened(settings).load_state({name: value for name, value in state.items() if name != "content"})  # earlier versions
    (shard,) = (tmp_path / "export").rglob("*.parquet")
    table, whole = pq.read_table(shard), shard.read_bytes()
    for column, value in (("explicit", "make it rde"), ("after", {"bytes": encode_png(drawn(9, 40)), "path": "a.png"})):
        values = [*table[column].to_pylist()]
        values[3] = value
        place = table.schema.get_field_index(column)
        pq.write_table(table.set_column(place, table.field(column), pa.array(values, table.field(column).type)), shard)
        with pytest.raises(
            BadInput, match=r"the records of part 'p' have changed since .*; restore the folder as it was"
        ):
            opened(settings).load_state(state)
    shard.write_bytes(whole)
    opened(settings).load_state(state)
