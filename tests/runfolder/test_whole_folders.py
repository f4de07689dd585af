"""Folders that are whole or not there: an earlier one stays until the new one has taken its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from editscope.runfolder.files import DiskError
from editscope.runfolder.whole_folders import put_back, whole_folder
from support.training.killed_between import killed_before_rename


def write(place: Path, text: str) -> None:
    with whole_folder(place) as new:
        (new / "inside").mkdir()
        (new / "inside/text").write_text(text)


def test_a_new_folder_takes_the_place_of_an_earlier_one(tmp_path: Path) -> None:
    place = tmp_path / "home/place"
    for text in ("old", "new"):
        write(place, text)
        assert (place / "inside/text").read_text() == text
    assert [path.name for path in place.parent.iterdir()] == ["place"]


def test_an_error_leaves_the_earlier_folder(tmp_path: Path) -> None:
    place = tmp_path / "place"
    write(place, "old")
    with pytest.raises(DiskError, match=r"cannot write .*place: No space"), whole_folder(place) as new:
        (new / "half").write_text("half")
        raise OSError(28, "No space left on device")
    assert (place / "inside/text").read_text() == "old" and [path.name for path in tmp_path.iterdir()] == ["place"]


def test_a_process_that_is_killed_between_the_renames_loses_nothing(tmp_path: Path) -> None:
    place = tmp_path / "place"
    write(place, "old")
    killed_before_rename(place, lambda: write(place, "new"))
    assert not place.exists()
    put_back(place)
    assert (place / "inside/text").read_text() == "old"
    write(place, "newer")
    assert (place / "inside/text").read_text() == "newer" and [path.name for path in tmp_path.iterdir()] == ["place"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    write(tmp_path / "disk/place", "old")
    (tmp_path / "link").symlink_to("disk/place")
    write(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "disk/place/inside/text").read_text() == "new"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["disk", "link"]


def test_a_file_is_not_replaced(tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.write_text("of somebody")
    with pytest.raises(DiskError, match="Not a directory"):
        write(place, "new")
    assert place.read_text() == "of somebody"
