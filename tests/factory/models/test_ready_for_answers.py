"""A model's check imports what its answers need: an answer that is paid for waits for no import."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from editscope.images import encode_png
from support.factory.made_videos import video_of

PROGRAM = """
import asyncio, json, sys
from pathlib import Path
from editscope.factory.models.base import as_picture
from editscope.factory.models.loading import load_model
from editscope.factory.models.mp4 import as_video

kind, checked, *answers = sys.argv[1:]
model = load_model(f"python:made_models:{kind}", kind)
contents = [Path(answer).read_bytes() for answer in answers]
if checked == "checked":
    asyncio.run(model.check())
before = set(sys.modules)
made = [as_video(data, 8) if kind == "video" else as_picture(data) for data in contents]
assert all(one.status == "ok" for one in made), made
print(json.dumps(sorted(set(sys.modules) - before)))
"""
MODELS = """
from editscope import Editor
class editor(Editor):
    def edit(self, request): ...
class image:
    def draw(self, prompt, width, height, seed): ...
class video:
    def animate(self, picture, prompt, seed): ...
"""


def imported(folder: Path, kind: str, checked: bool, answers: list[Path]) -> list[str]:
    """The modules that the first answers of a model bring, in a process of its own."""
    (folder / "made_models.py").write_text(MODELS)
    words = [kind, "checked" if checked else "unchecked", *map(str, answers)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    modules: list[str] = json.loads(done.stdout)
    return modules


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["image", "editor", "video"])
def test_nothing_is_imported_while_the_first_answer_is_decoded(kind: str, tmp_path: Path) -> None:
    from PIL import Image

    pixels = np.random.default_rng(0).integers(0, 255, (64, 48, 3), np.uint8)
    answers = [tmp_path / "answer.png", tmp_path / "answer.jpg", tmp_path / "answer.webp"]
    answers[0].write_bytes(encode_png(pixels))
    for path in answers[1:]:
        Image.fromarray(pixels).save(path)
    if kind == "video":
        answers = [tmp_path / "answer.mp4"]
        answers[0].write_bytes(video_of(pixels))
    assert imported(tmp_path, kind, False, answers)
    assert imported(tmp_path, kind, True, answers) == []
