"""A small comparison: a plan, judges on loopback, and an editor that stands for a pipeline with the weights of an arm.

The training is real. The editor needs no PyTorch, so that each of the many worker processes starts at once.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from support.judged_data import make_picabench, make_worldedit
from support.servers.judge_server import Asked
from support.training.experiments import write_experiment

MODULE = "arm_editor.py"
HEAD = 'experiment = "mine.toml"\n[sampler]\nsteps = 1\n'
EDITOR = '''"""Paints magenta where weights and instruction say so; weights that are zero are those of the base."""

import hashlib
from pathlib import Path

import numpy as np

import editscope as es


class ArmEditor(es.Editor):
    def __init__(self, weights: str = "", log: str = ""):
        self.weights, self.log = weights, log

    def load(self):
        from safetensors.numpy import load_file

        self.name_of_weights = Path(self.weights).name
        tensors = load_file(self.weights) if self.weights else {}
        trained = any(np.abs(value).sum() for name, value in tensors.items() if "lora_B" in name)
        self.seed = Path(self.weights).read_bytes() if trained else b""

    def edit(self, case):
        with open(self.log, "a") as file:
            file.write(f"{self.name_of_weights} {case.case_id} {case.variant}\\n")
        edited = np.array(case.arrays[0])
        if "lazy" in self.name_of_weights:
            return edited
        digest = hashlib.sha256(self.seed + case.instruction.encode()).digest()
        painted = not self.seed or digest[0] % 2
        edited[:44, :70] = (255, 0, 255) if painted else (digest[1], 255, 0)
        return edited
'''


def stand_in(experiment: Any, weights: Path | None, sampler: Any = None) -> str:
    """The spec of the editor above, in place of that of the pipeline."""
    del experiment, sampler
    where = f"weights={weights}&" if weights is not None else ""
    return f"python:arm_editor:ArmEditor?{where}log=edits.log"


def sees_magenta(asked: Asked) -> Mapping[str, Any]:
    """Right about every question where the picture has magenta in it, and wrong elsewhere; scores by the pictures."""
    fields = (asked.schema or {})["properties"]
    picture = np.asarray(Image.open(io.BytesIO(asked.pictures[-1])).convert("RGB")).astype(int)
    magenta = bool((np.abs(picture - (255, 0, 255)).max(axis=2) < 40).mean() > 0.2)
    found = re.search(r"thing (\d+)\.(\d+)", asked.text)
    yes = found is not None and (int(found[1]) + int(found[2])) % 2 == 0
    return _filled(fields, "Yes" if yes == magenta else "No", 5 if magenta else 2)


def throws_dice(asked: Asked) -> Mapping[str, Any] | str:
    """Says anything, and about some questions nothing that can be read."""
    if "thing 3.1" in asked.text:
        return "I cannot say."
    fields = (asked.schema or {})["properties"]
    digest = hashlib.sha256(asked.text.encode() + b"".join(asked.pictures)).digest()
    return _filled(fields, ("Yes", "No")[digest[0] % 2], 1 + digest[1] % 5)


def _filled(fields: Mapping[str, Any], answer: str, score: int) -> dict[str, Any]:
    return {name: _value(shape, answer, score) for name, shape in fields.items()}


def _value(shape: Mapping[str, Any], answer: str, score: int) -> Any:
    offered = shape.get("enum", ())
    if any(isinstance(value, str) for value in offered):
        return next(value for value in offered if value.lower() == answer.lower())
    return score if offered or shape.get("type") in ("integer", "number") else "because"


def write_files(root: Path, model: Any, *, steps: int = 4, cases: int = 12) -> None:
    """The experiment, the editor and the data of two benchmarks in a folder."""
    write_experiment(root / "mine.toml", model, steps=steps)
    (root / MODULE).write_text(EDITOR)
    make_picabench(root / "pica", cases, hub=True)
    make_worldedit(root / "world", 11)


def write_plan(
    file: Path, judges: list[str], arms: str, *, levels: str = "superficial,explicit", published: str = ""
) -> Path:
    """A plan that compares on PICABench by all judges."""
    file.write_text(
        f"""{HEAD}{arms}
[[evaluations]]
suite = "picabench?levels={levels}"
data = "pica"
judges = {judges!r}
{published}"""
    )
    return file


def write_across(file: Path, judge: str, arms: str) -> Path:
    """A plan that compares on WorldEdit: the base on paraphrases, arms on implicit instructions."""
    file.write_text(
        f"""{HEAD}{arms}
[[evaluations]]
suite = "worldedit?forms=implicit"
data = "world"
judges = ["{judge}"]
instead = {{ base = "worldedit?forms=paraphrase" }}
metrics = ["average", "vc"]
preserved = "vc"
"""
    )
    return file
