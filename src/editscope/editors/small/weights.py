"""Weights of the small editor: a file with a line that describes it, followed by a network as ONNX."""

from __future__ import annotations

import json
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

from editscope.editors.small.sentences import vocabulary
from editscope.errors import BadInput
from editscope.files import read_file

KIND = "editscope small editor"
FORMAT = f"{KIND} 2"
SHIPPED = "small.weights"
LARGEST = 1 << 30
LONGEST = 1 << 16
"""The most bytes in the line that describes a file."""
WRITE = "`editscope train small-export CHECKPOINT --out FILE` writes a new one"


def shipped_weights() -> Path:
    """The file that ships with Editscope."""
    return Path(str(files("editscope.editors.small").joinpath(SHIPPED)))


def vocabulary_digest() -> str:
    """Identifies the vocabulary: a network reads only the words that it was trained with."""
    return sha256("\n".join(vocabulary()).encode()).hexdigest()[:16]


def weights_problem() -> str:
    """Why the weights that ship cannot be used; "" if they are intact."""
    try:
        read_weights(shipped_weights())
    except BadInput as error:
        return str(error)
    return ""


def packed_weights(onnx: bytes, about: dict[str, Any]) -> bytes:
    """The bytes of a weights file. ``about`` has facts for readers, such as how many problems the network has seen."""
    line = {
        "format": FORMAT,
        "sha256": sha256(onnx).hexdigest(),
        "vocabulary": vocabulary_digest(),
        **dict(sorted(about.items())),
    }
    return json.dumps(line).encode() + b"\n" + onnx


def facts_of(path: Path) -> dict[str, Any]:
    """The facts in the first line of a file; none if it cannot be read, which ``read_weights`` reports."""
    try:
        with path.open("rb") as file:
            facts = json.loads(file.readline(LONGEST))
    except (OSError, ValueError):
        return {}
    return facts if isinstance(facts, dict) else {}


def read_weights(path: Path) -> tuple[dict[str, Any], bytes]:
    """The facts of a weights file, and its network. Raises BadInput if the file is not intact."""
    shipped = path == shipped_weights()
    fix = "install Editscope again" if shipped else WRITE
    try:
        data = read_file(path, LARGEST)
    except FileNotFoundError:
        raise BadInput(f"the weights of the small editor, {path}, are not there; {fix}") from None
    except OSError as error:
        raise BadInput(f"the weights of the small editor, {path}, cannot be read ({error}); {fix}") from error
    line, _, onnx = data.partition(b"\n")
    try:
        about = json.loads(line)
        known = isinstance(about, dict) and str(about.get("format")).startswith(KIND)
    except ValueError:
        known = False
    if not known:
        raise BadInput(f"{path} is not a weights file of the small editor; {fix}")
    if about["format"] != FORMAT:
        raise BadInput(
            f"{path} is a weights file of another version of the small editor; train it again, or use `small`"
        )
    if sha256(onnx).hexdigest() != about.get("sha256"):
        raise BadInput(f"the weights of the small editor, {path}, are damaged; {fix}")
    if about.get("vocabulary") != vocabulary_digest():
        raise BadInput(f"{path} was trained with a different vocabulary than this version of Editscope reads; {WRITE}")
    return about, onnx
