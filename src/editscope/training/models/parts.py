"""Parts of a pipeline as their files describe them, looked at before any weights are loaded.

Of weights, only headers are read: they show a download that was not finished.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from editscope.documents import read_json
from editscope.editors.diffusion.finding import INDEX, local_folder, shortly
from editscope.errors import BadInput, EditscopeError
from editscope.files import SETTINGS, read_file
from editscope.weight_files import DamagedFolder, check_weights

NEEDED = ("transformer", "scheduler")
CONFIG = "config.json"
NO_MODELS = ("Tokenizer", "Processor", "Extractor")
"""What is in the names of classes whose files have other names."""


def check_parts(pipeline: str, index: Mapping[str, Any]) -> None:
    """BadInput for a part that the index names wrong, or whose configuration is missing or damaged.

    Of a repository only the index is looked at: the hub gives whole files.
    """
    folder = local_folder(pipeline)
    for name in NEEDED:
        if name not in index:
            raise BadInput(_damaged(Path(pipeline) / INDEX, f"it names no {name}"))
    for name, kind in index.items():
        if name.startswith("_") or not isinstance(kind, list) or kind[:1] == [None]:
            if name in NEEDED:
                raise BadInput(_damaged(Path(pipeline) / INDEX, f"it names no class of the {name}"))
            continue
        if len(kind) != 2 or not all(isinstance(one, str) for one in kind):
            raise BadInput(_damaged(Path(pipeline) / INDEX, f"{name} is not a pair of a library and a class"))
        if folder is not None:
            _check_part(folder / name, library=kind[0], kind=kind[1])


@contextmanager
def described_by(pipeline: str, part: str) -> Iterator[None]:
    """Turn what goes wrong where a part is made from its configuration into BadInput that names the file."""
    try:
        yield
    except EditscopeError:
        raise
    except Exception as error:  # of whatever kind: classes of diffusers check nothing that they are given
        raise BadInput(_damaged(Path(pipeline) / part / CONFIG, shortly(error))) from error


def _check_part(folder: Path, library: str, kind: str) -> None:
    if not folder.is_dir():
        raise BadInput(_damaged(folder, "the folder is not there"))
    plain = not any(word in kind for word in NO_MODELS) and library in ("diffusers", "transformers")
    needed = {("scheduler_" if "Scheduler" in kind else "") + CONFIG} if plain else set()
    for name in sorted(needed | {file.name for file in folder.glob("*config.json")}):
        try:
            if not isinstance(read_json(read_file(folder / name, SETTINGS)), dict):
                raise ValueError("it has no entries")
        except FileNotFoundError:
            raise BadInput(_damaged(folder / name, "it is not there")) from None
        except (OSError, ValueError) as error:
            raise BadInput(_damaged(folder / name, shortly(error))) from error
    if plain and "Scheduler" not in kind:
        try:
            check_weights(folder)
        except DamagedFolder as error:
            raise BadInput(_damaged(error.path, error.why)) from error


def _damaged(file: Path, why: str) -> str:
    return f"[model] pipeline: {file} cannot be used ({why}); save the pipeline again, or finish its download"
