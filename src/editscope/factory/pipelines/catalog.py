"""The catalog of pipelines: those that ship with Editscope and those of other packages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast, get_args

from editscope.documents import Malformed, read_toml
from editscope.errors import BadInput, unknown
from editscope.files import SETTINGS, read_file
from editscope.plugins import folder_of, registered

GROUP = "editscope.pipelines"
"""Entry points of other packages: a module whose folder holds a ``pipeline.toml``."""
FILE, PLAN, PROMPTS = "pipeline.toml", "plan.toml", "prompts"
HOME = Path(__file__).parent

InputKind: TypeAlias = Literal["folder", "file", "text", "number", "flag"]


@dataclass(frozen=True, slots=True)
class PlanInput:
    """Something that a pipeline can be given, and the place in its plan where that goes.

    ``value`` is what a flag sets: ``false`` for one that turns a step on whose plan says ``skip = true``.
    """

    name: str
    about: str
    sets: str
    kind: InputKind = "text"
    required: bool = False
    default: Any = None
    value: bool = True

    def read(self, given: Any) -> Any:
        """A value as the plan holds it; a path is made absolute, since the plan lies in another folder.

        >>> PlanInput("count", "How many.", "source.count", "number").read("50")
        50
        >>> PlanInput("review", "Let people decide.", "steps.review.skip", "flag", value=False).read(True)
        False
        """
        if self.kind in ("folder", "file"):
            path = Path(given)
            if not (path.is_dir() if self.kind == "folder" else path.exists()):
                raise BadInput(f"--{self.name}: {path} is not a {self.kind}; name one that exists")
            return str(path.absolute())
        if self.kind == "number":
            try:
                number = float(given)
            except ValueError:
                raise BadInput(f"--{self.name} is {given!r}; write a number") from None
            return int(number) if number == int(number) else number
        if self.kind == "flag":
            return bool(given) == self.value
        return given


@dataclass(frozen=True, slots=True)
class ModelInput:
    """A model that a pipeline asks: what for, and of which kind."""

    name: str
    about: str
    kind: str


@dataclass(frozen=True, slots=True)
class ShippedPipeline:
    """A pipeline that ships: where its plan and prompts lie, and what it takes."""

    name: str
    title: str
    about: str
    paper: str
    folder: Path
    inputs: tuple[PlanInput, ...]
    models: tuple[ModelInput, ...]


@lru_cache(maxsize=1)
def pipelines() -> Mapping[str, ShippedPipeline]:
    """All pipelines by name, those of Editscope first.

    >>> "pica100k" in pipelines()
    True
    """
    ours = [read_pipeline(path.parent) for path in sorted(HOME.glob(f"*/{FILE}"))]
    found = {pipeline.name: pipeline for pipeline in ours}
    for name, point in sorted(registered(GROUP, found).items()):
        folder = folder_of(point)
        if folder is not None and (folder / FILE).is_file():
            found[name] = read_pipeline(folder, name)
    return found


def find_pipeline(name: str) -> ShippedPipeline:
    """A pipeline by its name."""
    if name not in pipelines():
        raise unknown("pipeline", name, pipelines())
    return pipelines()[name]


def read_pipeline(folder: Path, name: str = "") -> ShippedPipeline:
    """The pipeline of a folder; BadInput names the file and what is wrong with it."""
    path = folder / FILE
    try:
        found = read_toml(read_file(path, SETTINGS).decode("utf-8"))
    except (OSError, Malformed, UnicodeDecodeError) as error:
        raise BadInput(f"{path} cannot be read ({error})") from error
    inputs = tuple(_input(path, key, entry) for key, entry in found.get("inputs", {}).items())
    models = tuple(
        ModelInput(key, str(entry.get("about", "")), str(entry.get("kind", "text")))
        for key, entry in found.get("models", {}).items()
    )
    title, about, paper = (str(found.get(key, "")) for key in ("title", "about", "paper"))
    return ShippedPipeline(name or str(found.get("name", folder.name)), title, about, paper, folder, inputs, models)


def _input(path: Path, name: str, entry: Mapping[str, Any]) -> PlanInput:
    kind = entry.get("kind", "text")
    if kind not in get_args(InputKind) or not entry.get("sets"):
        raise BadInput(f"{path}: the input {name!r} needs `sets`, and a kind of {', '.join(get_args(InputKind))}")
    value = entry.get("value", True)
    if not isinstance(value, bool):
        raise BadInput(f"{path}: the value of the input {name!r} is {value!r}; write true or false, which a flag sets")
    return PlanInput(
        name,
        str(entry.get("about", "")),
        str(entry["sets"]),
        cast(InputKind, kind),
        bool(entry.get("required", False)),
        entry.get("default"),
        value,
    )
