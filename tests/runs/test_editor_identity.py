"""An editor object is identified by its class and settings: a folder with the run of another one is refused."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import editscope as es
from editscope.editors import load_editor
from editscope.errors import BadInput
from editscope.outside import keep_secret
from editscope.runs.editor_identity import editor_info, has_worked, settings_apart, settings_at_start, settings_of
from editscope.runs.plan import make_plan


class Brush(es.Editor):
    """Gives the input back; ``more`` become attributes."""

    def __init__(self, size: int = 20, **more: Any) -> None:
        self.size = size
        self.calls = 0
        vars(self).update(more)

    def edit(self, case: es.Request) -> Any:
        self.calls += 1
        return case.arrays[0]


class Held(Brush):
    """A brush that cannot be pickled, so that the object itself works."""

    def __init__(self, size: int = 20) -> None:
        super().__init__(size)
        self.lock = threading.Lock()


@dataclass
class Config:
    steps: int
    api_key: str = ""


def apart(old: es.Editor, new: es.Editor) -> tuple[str, str] | None:
    first, second = (json.loads(json.dumps(editor_info(editor, None))) for editor in (old, new))
    return settings_apart(first, second)


def test_simple_attributes_are_settings_and_all_else_is_left_out() -> None:
    editor = Brush(
        path=Path("a/b"),
        color=(1, 2.5, None, True),
        options={"steps": 4, 7: "seven"},
        config=Config(9),
        inner=Brush(5),
        endless=float("inf"),
        lock=threading.Lock(),
        mixed=[1, threading.Lock()],
        _started="12:00",
        workers=3,
        batch=8,
        name="brush",
    )
    assert settings_of(editor) == {
        "size": 20,
        "calls": 0,
        "path": "a/b",
        "color": [1, 2.5, None, True],
        "options": {"steps": 4, "7": "seven"},
        "config": {"steps": 9},
        "inner": {"class": "Brush", "size": 5, "calls": 0},
        "endless": "inf",
    }


def test_no_setting_holds_a_key() -> None:
    keep_secret("known-secret-1234")
    editor = Brush(
        api_key="abc",
        apiKey="abc",
        credentials={"user": "abc"},
        token="abc",
        header="Bearer known-secret-1234",
        config=Config(3, api_key="abc"),
        options={"password": "abc", "steps": 2},
        plain="sk-Zm9vYmFyYmF6cXV4",
        max_tokens=100,
    )
    settings = settings_of(editor)
    assert sorted(settings) == ["calls", "config", "max_tokens", "options", "plain", "size"]
    assert "abc" not in str(settings) and "known-secret" not in str(settings) and "Zm9v" not in str(settings)
    assert settings_of(Brush(plain="sk-Zm9vYmFyYmF6cXV5"))["plain"] != settings["plain"], "compared by its hash"


def test_long_values_stand_there_as_their_hash_and_still_count() -> None:
    first, second = Brush(prompt="a" * 5000, table=list(range(1000))), Brush(prompt="a" * 4999 + "b", table=[0] * 1000)
    assert len(json.dumps(settings_of(first))) < 300
    told = apart(first, second)
    assert told is not None and told[0].startswith("prompt='[5,000 characters, hash ") and "table='[1,000 " in told[0]


def test_a_value_that_holds_itself_is_no_setting() -> None:
    circle: list[Any] = []
    circle.append(circle)
    assert settings_of(Brush(circle=circle)) == {"size": 20, "calls": 0}


def test_what_differs_is_named() -> None:
    assert apart(Brush(), Brush()) is None
    assert apart(Brush(20), Brush(400)) == ("size=20", "size=400")
    assert apart(Brush(config=Config(4)), Brush(config=Config(8))) == ("config.steps=4", "config.steps=8")
    assert apart(Brush(style="oil"), Brush(style=threading.Lock())) == ("style='oil'", "no style")
    assert apart(Brush(inner=Brush(1)), Brush(inner=Brush(2))) == ("inner.size=1", "inner.size=2")


def test_a_class_that_was_mended_may_have_other_attributes_but_no_other_values() -> None:
    old, new = editor_info(Brush(steps=3), None), editor_info(Brush(mode="fast"), None)
    assert settings_apart(old, new) is not None
    new["code"] = [{"hash": "another", "file": "brush.py"}]
    assert settings_apart(old, new) is None
    assert settings_apart(old, {**new, "settings": {"size": 21}}) == ("size=20", "size=21")


def test_an_editor_of_a_spec_has_no_settings_besides_and_one_of_an_older_version_passes() -> None:
    assert "settings" not in editor_info(load_editor("ref:identity"), "ref:identity")
    old = editor_info(Brush(), None)
    del old["settings"]
    assert settings_apart(old, editor_info(Brush(400), None)) is None


def test_what_an_object_changes_while_it_works_does_not_make_it_another_one() -> None:
    editor = Brush()
    began = settings_at_start(editor)
    editor.calls, editor.last = 7, "border/001"  # type: ignore[attr-defined]
    has_worked(editor)
    assert settings_at_start(editor) == began
    editor.calls = 9
    has_worked(editor)
    assert settings_at_start(editor) == began, "also when it has worked twice"
    editor.size = 400
    assert settings_at_start(editor) == {**began, "size": 400}, "what was set in between counts"


@pytest.mark.slow
def test_a_folder_with_the_run_of_another_object_is_refused(
    small_set: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    suite = es.load_suite("paintbench", root=small_set)
    es.run(suite, Brush(size=20), limit=4, out="runs/sweep", progress=False)
    journal = Path("runs/sweep/journal.jsonl").read_bytes()
    with pytest.raises(BadInput) as refused:
        es.run(suite, Brush(size=400), limit=4, out="runs/sweep", progress=False)
    assert str(refused.value).startswith(
        "--out runs/sweep holds another run, of Brush with size=20 (asked: size=400); give another --out"
    )
    with pytest.raises(BadInput, match=r"another run, of Brush with size=20 \(asked: size=400\), with seed 0"):
        make_plan(suite, Brush(size=400), limit=4, seed=1, out="runs/sweep")
    assert es.run(suite, Brush(size=20), limit=4, out="runs/sweep", progress=False).complete
    assert Path("runs/sweep/journal.jsonl").read_bytes() == journal


@pytest.mark.slow
def test_an_object_that_counts_its_calls_goes_on_with_its_run(small_set: Path, tmp_path: Path) -> None:
    suite, editor = es.load_suite("paintbench", root=small_set), Held()
    es.run(suite, editor, limit=4, out=tmp_path / "run", progress=False)
    assert editor.calls == 4
    es.run(suite, editor, limit=4, out=tmp_path / "run", repeats=2, progress=False)
    assert editor.calls == 8
    assert es.run(suite, Held(), limit=4, out=tmp_path / "run", repeats=2, progress=False).complete
    with pytest.raises(BadInput, match=r"size=20 \(asked: size=21\)"):
        editor.size = 21
        es.run(suite, editor, limit=4, out=tmp_path / "run", repeats=2, progress=False)


@pytest.mark.slow
def test_a_run_of_an_object_without_recorded_settings_goes_on(small_set: Path, tmp_path: Path) -> None:
    suite, folder = es.load_suite("paintbench", root=small_set), tmp_path / "run"
    es.run(suite, Brush(), limit=4, out=folder, progress=False)
    info = json.loads((folder / "run.json").read_text())
    assert info["editor"]["settings"] == {"size": 20, "calls": 0}
    del info["editor"]["settings"], info["editor"]["code"]
    (folder / "run.json").write_text(json.dumps(info))
    assert es.run(suite, Brush(400), limit=4, out=folder, progress=False).complete
