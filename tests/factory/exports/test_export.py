"""Exports: what `datasets` reads back is what was built, always in the same bytes, and whole or not at all."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from editscope.factory.engine.build import Build
from editscope.factory.output import parquet
from editscope.factory.output.export import ExportOptions, export
from editscope.factory.output.splitting import SourceGroups, split_of
from editscope.factory.records import Record
from editscope.factory.steps.lists import GatherStep
from editscope.images import load
from support.command_line import Called
from support.factory.made_pictures import all_bytes, drawn, exported, picture_plan
from support.factory.made_plans import id_of
from support.places import TESTS
from support.studio.small_disk import KINDS, small_disk

COLUMNS = {
    "picture": "picture", "after": "picture", "superficial": "text", "law": "text", "score": "number",
    "license": "text?",
}  # fmt: skip


@pytest.fixture
def datasets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The real library, offline, with a cache of its own."""
    monkeypatch.setenv("HF_DATASETS_OFFLINE", "1")
    import datasets

    datasets.disable_progress_bars()
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    yield datasets


def environment(**more: str) -> dict[str, str]:
    """That of this process, in which a program finds what tests share."""
    paths = [str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), **more}


@pytest.mark.slow
def test_datasets_reads_back_what_was_built(tmp_path: Path, datasets: Any) -> None:
    result = exported(picture_plan({"columns": COLUMNS, "split": {"test": 0.4}}), tmp_path)
    loaded = datasets.load_dataset(str(tmp_path / "export"), cache_dir=str(tmp_path / "cache"))
    assert {split: len(rows) for split, rows in loaded.items()} == result.splits and sum(result.splits.values()) == 8
    features = loaded["test"].features
    assert isinstance(features["picture"], datasets.Image) and features["score"].dtype == "float64"
    assert list(features) == ["id", "source_id", "history", *COLUMNS]
    rows = sorted((row for split in loaded.values() for row in split), key=lambda row: row["score"])
    for number, row in enumerate(rows):
        assert np.array_equal(load(row["picture"].convert("RGB")), drawn(number // 2))
        assert row["superficial"] == f"Repaint the square in picture {number}." and row["score"] == number / 4
        (noted,) = json.loads(row["history"])
        assert noted == {"step": "write", "model": "made:writer", "snapshot": "writer-1", "prompt": "levels abc123"}
    bare = datasets.load_dataset(
        "parquet", data_files=str(next((tmp_path / "export" / "data").glob("test-*"))), cache_dir=str(tmp_path / "bare")
    )
    assert bare["train"].features == features


@pytest.mark.slow
def test_lists_of_pictures_texts_and_videos_have_their_features(tmp_path: Path, datasets: Any) -> None:
    from editscope.factory.blobs import BlobStore

    blobs = BlobStore(tmp_path / "build" / "blobs")
    from editscope.images import encode_png

    frames = [blobs.put(encode_png(drawn(seed, 20 + seed))) for seed in range(3)]
    fields = {
        "frames": frames,
        "hints": ["a", "b"],
        "clip": blobs.put(b"made bytes", "video/mp4"),
        "phash": (1 << 64) - 1,
    }
    exported(picture_plan({"videos": True}, count=2, fields={**fields, "regions": [{"x": 1}], "none": []}), tmp_path)
    loaded = datasets.load_dataset(str(tmp_path / "export"), cache_dir=str(tmp_path / "cache"))["train"]
    loaded = loaded.cast_column("clip", datasets.Video(decode=False))
    row = loaded[0]
    assert [picture.size[0] for picture in row["frames"]] == [20, 21, 22] and row["hints"] == ["a", "b"]
    assert row["clip"]["bytes"] == b"made bytes" and row["phash"] == str((1 << 64) - 1)
    assert json.loads(row["regions"]) == [{"x": 1}] and row["none"] == "[]"
    left_out = exported(picture_plan(count=2, fields=fields), tmp_path, to=tmp_path / "still")
    assert "clip" not in json.loads((tmp_path / "still" / "export.json").read_text())["columns"]
    assert "The plan names no columns, so they were inferred" in left_out.remarks[0]


@pytest.mark.slow
def test_webdataset_shards_are_read_by_datasets(tmp_path: Path, datasets: Any) -> None:
    exported(picture_plan({"columns": COLUMNS}), tmp_path, webdataset=True)
    files = {"train": str(tmp_path / "export" / "webdataset" / "train-*.tar")}
    loaded = datasets.load_dataset("webdataset", data_files=files, cache_dir=str(tmp_path / "cache"))["train"]
    assert len(loaded) == 8
    row = loaded[5]
    assert row["__key__"] == id_of(5) and row["json"]["law"] == "refraction"
    assert np.array_equal(load(row["picture.png"].convert("RGB")), drawn(2))


@pytest.mark.slow
def test_the_same_build_gives_the_same_bytes(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path\nfrom support.factory.made_pictures import exported, picture_plan\n"
        "exported(picture_plan({'split': {'test': 0.4}, 'suite': 'own', 'tags': ['law']}), Path(sys.argv[1]), "
        "webdataset=True)"
    )
    for name, seed in (("one", "1"), ("two", "2")):
        env = environment(PYTHONHASHSEED=seed, TZ=f"UTC-{seed}")
        subprocess.run([sys.executable, "-c", program, str(tmp_path / name)], env=env, check=True)
    one, two = (all_bytes(tmp_path / name / "export") for name in ("one", "two"))
    assert one == two and len(one) > 20


def test_shards_and_row_groups_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "ROWS", 3)
    plan = picture_plan({"shard_mb": 1}, count=10)
    monkeypatch.setattr(parquet, "GROUP_BYTES", 1)
    with Build(plan, tmp_path / "build") as build:
        build.run()
        export(build, tmp_path / "export", ExportOptions())
        (path,) = (tmp_path / "export" / "data").iterdir()
        facts = pq.ParquetFile(path).metadata
        assert path.name == "train-00000-of-00001.parquet" and facts.num_row_groups == 10
    shards = parquet.ParquetShards(tmp_path / "small", "train", [], shard_bytes=10)
    for number in range(5):
        shards.add(Record(f"{number:06d}"), "source", lambda blob: b"")
    assert [path.name for path in shards.close()] == [f"train-{n:05d}-of-00005.parquet" for n in range(5)]


def test_a_split_never_divides_a_source_picture_nor_its_near_copies(tmp_path: Path) -> None:
    exported(picture_plan({"split": {"test": 0.3, "val": 0.3}, "source": "picture"}, count=60), tmp_path)
    splits: dict[str, set[str]] = {}
    for path in (tmp_path / "export" / "data").iterdir():
        for source in pq.read_table(path, columns=["source_id"]).column(0).to_pylist():
            splits.setdefault(source, set()).add(path.name.partition("-")[0])
    assert len(splits) == 30 and all(len(found) == 1 for found in splits.values())
    assert {name for found in splits.values() for name in found} == {"train", "test", "val"}
    groups = SourceGroups("picture", near=4)
    for number, value in enumerate(("f0", "f1", "0fffff")):
        groups.add(Record(f"{number:06d}", {"picture": {"blob": f"{number}"}, "phash": value}))
    assert groups.group("000000") == groups.group("000001") != groups.group("000002")


def test_two_records_that_share_any_of_their_pictures_are_in_one_split(tmp_path: Path) -> None:
    output = {"split": {"test": 0.5}, "source": "pictures", "columns": {"pictures": "pictures", "score": "number"}}
    plan = picture_plan(output, count=40)
    gather = GatherStep("gather", {"fields": ["after", "picture"], "into": "pictures"})  # only the second is shared
    exported(replace(plan, steps=[*plan.steps, gather]), tmp_path)
    splits: dict[int, list[str]] = {}
    for path in (tmp_path / "export" / "data").iterdir():
        for score in pq.read_table(path, columns=["score"]).column(0).to_pylist():
            splits.setdefault(int(4 * score) // 2, []).append(path.name.partition("-")[0])
    assert len(splits) == 20 and all(first == second for first, second in splits.values())
    assert {split for pair in splits.values() for split in pair} == {"train", "test"}


def test_shares_are_those_that_were_asked_for_and_more_records_move_nobody() -> None:
    named = [split_of(f"{number:064x}", 7, {"test": 0.1, "val": 0.2}, "train") for number in range(20_000)]
    shares = {name: named.count(name) / len(named) for name in ("test", "val", "train")}
    assert shares == pytest.approx({"test": 0.1, "val": 0.2, "train": 0.7}, abs=0.01)


def test_the_card_tells_how_the_set_was_made_and_escapes_what_comes_from_outside(tmp_path: Path) -> None:
    exported(picture_plan({"split": {"test": 0.4}}), tmp_path)
    card = (tmp_path / "export" / "README.md").read_text()
    assert "# Drawn \\| pairs \\<b\\>" in card and "<b>" not in card
    for line in (
        "| write | made:writer | writer-1 | levels abc123 | 8 |",
        "| write | map | 8 | 8 |  |",
        "| CC-BY-4.0 | 4 |",
        "| not stated | 4 |",
        "For 4 records the source states no license.",
        "Not compared with any test suite",
        "Nobody has reviewed the records.",
    ):
        assert line in card
    from editscope.version import __version__

    mark = json.loads((tmp_path / "export" / "export.json").read_text())
    assert f"Editscope {__version__}" in card and f"`{mark['hash']}`" in card and "| reflection |" in card


def test_an_earlier_export_is_replaced_and_one_that_was_put_aside_comes_back(tmp_path: Path) -> None:
    exported(picture_plan(), tmp_path)
    before = all_bytes(tmp_path / "export")
    (tmp_path / "export").rename(tmp_path / ".export.before")  # killed between two renames
    (tmp_path / ".export.999999999.tmp").mkdir()
    plan = picture_plan({"columns": {"picture": "picture", "missing": "text"}})
    with pytest.raises(Exception, match="missing"):
        exported(plan, tmp_path)
    assert all_bytes(tmp_path / "export") == before
    exported(picture_plan({"columns": {"law": "text"}}), tmp_path)
    assert all_bytes(tmp_path / "export") != before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["build", "export"]


@pytest.mark.slow
@pytest.mark.parametrize("moment", [1, 5])
def test_a_killed_export_leaves_the_old_one_whole(tmp_path: Path, moment: int) -> None:
    exported(picture_plan(), tmp_path)
    before = all_bytes(tmp_path / "export")
    program = (
        "import os, signal, sys; from pathlib import Path\n"
        "from support.factory.made_pictures import exported, picture_plan\n"
        "def progress(doing, done, total):\n"
        f"    if doing == 'write' and done == {moment}: os.kill(os.getpid(), signal.SIGKILL)\n"
        "exported(picture_plan({'columns': {'law': 'text'}}), Path(sys.argv[1]), progress=progress)"
    )
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], env=environment(), check=False)
    assert done.returncode == -signal.SIGKILL and all_bytes(tmp_path / "export") == before
    exported(picture_plan({"columns": {"law": "text"}}), tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["build", "export"]


def test_a_full_disk_leaves_the_old_export_whole(tmp_path: Path) -> None:
    disk_folder = tmp_path / "disk"
    disk_folder.mkdir()
    with small_disk(disk_folder, KINDS[0]) as disk:
        if disk is None:
            pytest.skip("needs root to mount a small file system")
        target = disk_folder / "export"
        exported(picture_plan(), tmp_path, to=target)
        before = all_bytes(target)
        disk.fill()
        with pytest.raises(Exception, match="No space left on device; make room"):
            exported(picture_plan({"columns": {"after": "picture"}}), tmp_path, to=target)
        assert all_bytes(target) == before
        disk.free()
        assert [path.name for path in disk_folder.iterdir()] == ["export"]
        exported(picture_plan({"columns": {"after": "picture"}}), tmp_path, to=target)
        assert all_bytes(target) != before


@pytest.mark.slow
def test_the_command_exports_and_says_where(tmp_path: Path, editscope: Callable[..., Called]) -> None:
    (tmp_path / "words.csv").write_text("subject,law\ncup,heat\nvase,light\n")
    plan = tmp_path / "plan.toml"
    plan.write_text(
        "name = 'words'\nsource = { use = 'list', path = 'words.csv' }\n[output]\nwebdataset = true\n"
        "[[steps]]\nname = 'write'\nuse = 'template'\nfields = { instruction = 'Heat the {subject}.' }\n"
    )
    refused = editscope("factory", "export", plan)
    assert refused.returncode == 2 and "is not finished: 0 of 2 records" in refused.stderr
    assert editscope("factory", "build", plan).returncode == 0
    done = editscope("factory", "export", plan, "--to", tmp_path / "data")
    assert done.returncode == 0 and f"{tmp_path / 'data'}: 2 train" in done.stdout.replace("\n", "")
    assert "so they were inferred: instruction = 'text'" in " ".join(done.stderr.split())
    assert (tmp_path / "data" / "webdataset" / "train-000000.tar").is_file()
