"""What a page takes as given: the reader's data, outputs, runs, pictures and models, small and made here."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import editscope as es
from editscope.images import write_png
from editscope.results.archive.pack import pack
from editscope.runs import run as run_suite
from suites.gedit.gedit_rows import gedit_rows, make_gedit
from support.documentation.shell_commands import read_arguments
from support.judged_data import draw, make_picabench, make_wiseedit, make_worldedit
from support.judged_data_more import make_inedit, make_kris, make_rise
from support.models.classic_models import save_tiny_clip, save_tiny_dino
from support.models.tiny_pipelines import save_kontext, save_lora, save_qwen_plus
from support.models.tiny_vlm import save_tiny_vlm
from support.small_sets import make_small_set

CASES = 3
"""How many cases a command of a page runs at most: the same command with fewer cases."""


def _gedit(folder: Path) -> Path:
    return make_gedit(folder, gedit_rows(4))


def _rise(folder: Path) -> Path:
    make_rise(folder, per_category=3, file="another.json")
    return make_rise(folder, per_category=3)


DATA: Mapping[str, Callable[[Path], Path]] = {
    "paintbench": make_small_set,
    "tinygrafix": make_small_set,
    "picabench": partial(make_picabench, n=16, hub=True),
    "kris": partial(make_kris, per_category=1),
    "inedit": partial(make_inedit, per_category=3),
    "rise": _rise,
    "worldedit": make_worldedit,
    "wiseedit": make_wiseedit,
    "wiseedit-complex": make_wiseedit,
    "gedit": _gedit,
}
"""How to make a small data folder of each benchmark that has one."""

PICTURES = (
    "000_input.png",
    "000_answer.png",
    "0000_output.png",
    "edit.jpg",
    "input.png",
    "answer.png",
    "output.png",
    "a.png",
    "b.png",
    "start.png",
    "end.png",
    "source.png",
    "edit.png",
)
RUN = re.compile(r"(?<![\w/])runs/[\w-]+(?:\.zip)?")
"""A run that a command is about."""


INFERENCE = """
import shutil, sys
from pathlib import Path

data, outputs = map(Path, sys.argv[1:])
for picture in data.glob("*/*_input.png"):
    place = outputs / picture.parent.name / picture.name.replace("_input", "_output")
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(picture, place)
"""
"""The reader's own script, whose model returns the picture it gets."""


MODEL = """
import editscope as es


class MyEditor(es.Editor):
    def __init__(self, **options):
        self.options = options

    def edit(self, case):
        return case.images[0]
"""
"""The reader's own model, on pages that do not print one."""


def put_files(folder: Path) -> None:
    """The reader's own pictures and scripts."""
    (folder / "my_inference.py").write_text(INFERENCE)
    (folder / "my_model.py").write_text(MODEL)
    for number, name in enumerate(PICTURES):
        draw(folder / name, number)


def put_data(folder: Path, suite: str, data: str) -> None:
    """The data folder that a command names, where it is not there yet."""
    name = suite.partition("?")[0]
    if name in DATA and not (folder / data).exists():
        DATA[name](folder / data)


def put_outputs(folder: Path, suite: str, data: str | None, outputs: str) -> None:
    """Edits as files for every case of a suite: its answer, or its first picture."""
    if (folder / outputs).exists():
        return
    name, _, query = suite.partition("?")
    options: dict[str, Any] = dict(pair.split("=") for pair in query.split("&")) if query else {}
    if data is None and name in ("paintbench", "tinygrafix"):
        options |= {"tasks": "border", "per_mode": 1}
    made = es.load_suite(name, **({"root": folder / data} if data else {}), **options)
    for case in made:
        for variant in made.variants(case.id) or ("",):
            picture = case.images[0] if case.answer is None else case.answer
            places = made.output_names(case.id, variant) or (f"{case.id}_output",)
            write_png(folder / outputs / f"{places[0]}.png", es.to_array(picture))


def put_runs(folder: Path, command: str, pool: Path) -> None:
    """The runs that a command reads and that are not there yet: reference editors on a few cases of PaintBench."""
    made_by_it = re.findall(r"(?:--out |\bout=[\"'])(runs/[\w-]+)", command)
    for name in RUN.findall(command):
        run = folder / name.removesuffix(".zip")
        if name not in made_by_it and not (folder / name).exists() and not run.exists():
            shutil.copytree(_pooled(pool, run.name), run)
            if name.endswith(".zip"):
                pack(run, folder / name)


def _pooled(pool: Path, name: str) -> Path:
    editor = name if name in ("half", "drift", "noise") else "half" if sum(map(ord, name)) % 2 else "drift"
    run = pool / editor
    if not run.exists():
        run_suite(es.load_suite("paintbench"), f"ref:{editor}", out=run, limit=16, progress=False)
    return run


def few_steps(text: str) -> str:
    """A command whose diffusers pipeline takes two steps.

    >>> few_steps("--editor 'diffusers:a/b?steps=28&lora=c' --limit 3")
    "--editor 'diffusers:a/b?steps=2&lora=c' --limit 3"
    """

    def shorter(found: re.Match[str]) -> str:
        options = [option for option in (found[2] or "").split("&") if option and not option.startswith("steps=")]
        return f"{found[1]}?{'&'.join(['steps=2', *options])}"

    text = re.sub(r"^steps = \d+", "steps = 2", text, flags=re.MULTILINE)
    return re.sub(r"(?<!spec = \")(diffusers:[\w./-]+)(?:\?([^\s'\"]*))?", shorter, text)


def put_models(folder: Path, text: str, pool: Path) -> None:
    """Tiny pipelines where a command names a model of diffusers, with tiny weights for its LoRA or network."""
    for model, query in re.findall(r"diffusers:([\w./-]+)(?:\?([^\s'\"]*))?", text):
        kind = "qwen" if "qwen" in model.lower() else "kontext"
        pipeline = _pooled_model(pool, kind)
        _link(folder / model, pipeline)
        for option, place in re.findall(r"(lora|network)=([\w./-]+)", query):
            _link(folder / place, pool / f"{kind}-lora" if option == "lora" else pipeline / "transformer")

    for kind, place in re.findall(r"\b(clip|dino|local)[=:]([\w./-]+)", text):
        save = {"clip": save_tiny_clip, "dino": save_tiny_dino, "local": save_tiny_vlm}[kind]
        if not (folder / place).exists():
            save(folder / place)


def _link(place: Path, target: Path) -> None:
    if not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(target)


def _pooled_model(pool: Path, kind: str) -> Path:
    if not (pool / kind).exists():
        save = {"kontext": save_kontext, "qwen": save_qwen_plus}[kind]
        save(pool / kind)
        save_lora(pool / f"{kind}-lora", pool / kind)
    return pool / kind


def put_what_it_needs(folder: Path, arguments: Sequence[str]) -> None:
    """The data and outputs that the arguments of a command name."""
    if arguments[:1] == ["studio"] and not arguments[1].startswith("-"):
        (folder / arguments[1]).mkdir(parents=True, exist_ok=True)
    given: dict[str, Any] = read_arguments(arguments)
    suite, data = given.get("suite"), given.get("data")
    if not isinstance(suite, str):
        return
    root = str(data) if data and not str(data).startswith("hf:") else None
    if root:
        put_data(folder, suite, root)
    folders = re.findall(r"folder:([\w./-]+)", " ".join(arguments)) + (
        [str(given["outputs"])] if given.get("outputs") else []
    )
    for outputs in folders:
        put_outputs(folder, suite, root, outputs)
