"""Queues for review: read strictly, with a sentence for every flaw, and never a path outside their folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from editscope.errors import BadInput
from editscope.review_queue import QueueRecord, read_queue, read_settings, write_queue


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    record = QueueRecord("a", {"source": "p/a.png"}, {"instruction": "<b>مرحبا</b>"}, {"n": [1]}, {"by": "factory"})
    write_queue(tmp_path / "q", [record])
    write_queue(tmp_path / "q", [QueueRecord("b")])
    assert read_queue(tmp_path / "q") == [record, QueueRecord("b")]
    assert read_queue(tmp_path / "q")[0].fingerprint == record.fingerprint != QueueRecord("a").fingerprint


def test_a_line_that_is_still_being_written_is_left_out(tmp_path: Path) -> None:
    path = write_queue(tmp_path, [QueueRecord("a")])
    with path.open("a") as file:
        file.write('{"id": "b", "te')
    assert [record.id for record in read_queue(tmp_path)] == ["a"]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("nonsense\n", "line 1 is not JSON"),
        ('{"pictures": {}}\n', "line 1, field 'id': Field required"),
        ('{"id": 3}\n', "line 1, field 'id': Input should be a valid string"),
        ('{"id": "a", "picture": {}}\n', "line 1, field 'picture': Extra inputs"),
        ('{"id": "a", "pictures": {"x": "../secret.png"}}\n', "'pictures.x': '../secret.png' leaves the folder"),
        ('{"id": "a", "pictures": {"x": "/etc/passwd"}}\n', "leaves the folder"),
        ('{"id": "a", "texts": {"x": "\\ud800"}}\n', "field 'x' holds a NUL or half"),
        ('{"id": "a"}\n{"id": "a"}\n', "line 2: the id 'a' is that of line 1 too"),
        ('{"id": "a", "id": "b"}\n', "stands twice"),
    ],
)
def test_a_flaw_is_named_with_line_field_and_fix(line: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "queue.jsonl").write_text(line)
    with pytest.raises(BadInput, match=why):
        read_queue(tmp_path)


def test_a_link_does_not_lead_out_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "secret.png").write_bytes(b"secret")
    (tmp_path / "q").mkdir()
    (tmp_path / "q" / "inside.png").symlink_to(tmp_path / "secret.png")
    (tmp_path / "q" / "queue.jsonl").write_text(json.dumps({"id": "a", "pictures": {"x": "inside.png"}}) + "\n")
    with pytest.raises(BadInput, match="leaves the folder"):
        read_queue(tmp_path / "q")


def test_settings_are_checked(tmp_path: Path) -> None:
    assert read_settings(tmp_path).reviews == 2
    (tmp_path / "queue.toml").write_text('title = "Mine"\nreviews = 1\nreasons = ["ugly"]\n')
    assert (read_settings(tmp_path).title, read_settings(tmp_path).reasons) == ("Mine", ("ugly",))
    (tmp_path / "queue.toml").write_text("reviews = 9\n")
    with pytest.raises(BadInput, match=r"queue.toml, field 'reviews'"):
        read_settings(tmp_path)
