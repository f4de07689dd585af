"""The ``[output]`` table of a plan: what a build is exported as."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, cast

from editscope.cases import NOTHING
from editscope.errors import BadInput, unknown
from editscope.factory.output.columns import COLUMN_TYPES, PROVENANCE
from editscope.factory.plan import BuildPlan

KINDS = ("training", "suite")
TRAIN, TEST = "train", "test"
_SPLIT = re.compile(r"[a-z][a-z0-9_]{0,30}")


@dataclass(frozen=True, slots=True)
class OutputSettings:
    """What a build becomes.

    ``columns`` are fields with their types, "" for all fields as they are; a type that ends with a question mark may be
    missing. ``source`` is the field whose picture no split divides, and ``near`` the distance of perceptual hashes
    (field ``phash``) up to which two sources are the same. ``inputs``, ``answer`` and ``instructions`` say what trains:
    fields of pictures that go in, the picture that should come out, and texts. ``suite`` is a benchmark whose layout
    is written beside; ``cases`` says which field of a record goes where in it, ``tags`` are those of a benchmark of
    your own, and ``manifest`` its suite.toml.
    """

    kind: Literal["training", "suite"] = "training"
    suite: str = ""
    source: str = ""
    columns: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    split: Mapping[str, float] = field(default_factory=lambda: NOTHING)
    near: int = 6
    webdataset: bool = False
    videos: bool = False
    inputs: tuple[str, ...] = ()
    answer: str = ""
    instructions: tuple[str, ...] = ()
    cases: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    tags: tuple[str, ...] = ()
    manifest: str = ""
    license: str = ""
    shard_mb: int = 400

    @property
    def rest(self) -> str:
        """The split of what no share takes."""
        return TEST if self.kind == "suite" and not self.split else TRAIN


def output_settings(plan: BuildPlan) -> OutputSettings:
    """The settings of a plan; BadInput where one cannot be used."""
    where, given = f"the plan {plan.name}, [output]", dict(plan.output)
    known = {one.name: one for one in fields(OutputSettings)}
    defaults = OutputSettings()
    for name, value in given.items():
        if name not in known:
            raise unknown("setting", name, known, of=where)
        default = getattr(defaults, name)
        wanted = list if isinstance(default, tuple) else dict if isinstance(default, Mapping) else type(default)
        if not isinstance(value, wanted) or (isinstance(value, bool) and wanted is not bool):
            called = {list: "a list of names", dict: "a table", bool: "true or false", int: "a whole number"}
            raise BadInput(f"{where}: {name} is {value!r}, not {called.get(wanted, 'a text')}")
        if wanted is list:
            if not all(isinstance(one, str) for one in value):
                raise BadInput(f"{where}: {name} is {value!r}, not a list of names")
            given[name] = tuple(value)
    settings = OutputSettings(**cast("Any", given))
    _check(settings, where)
    return settings


def _check(settings: OutputSettings, where: str) -> None:
    if settings.kind not in KINDS:
        raise unknown("kind", str(settings.kind), KINDS, of=where)
    if settings.kind == "suite" and not settings.suite:
        raise BadInput(f"{where}: a suite needs the layout that it is written in; write: suite = 'own'")
    for name, type_ in settings.columns.items():
        if name in PROVENANCE:
            raise BadInput(f"{where}, columns: {name!r} is a column that every export has; give yours another name")
        if not isinstance(type_, str) or type_.removesuffix("?") not in COLUMN_TYPES:
            raise unknown(f"type of the column {name!r}:", str(type_), COLUMN_TYPES, of=where)
    for name, share in settings.split.items():
        if not _SPLIT.fullmatch(name) or name == settings.rest:
            raise BadInput(f"{where}, split: {name!r} cannot be the name of a split; write: split = {{ test = 0.1 }}")
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 < share < 1:
            raise BadInput(f"{where}, split: {name} is {share!r}; write a share between 0 and 1")
    if sum(settings.split.values()) >= 1:
        raise BadInput(
            f"{where}, split: the shares are {sum(settings.split.values()):g} together; leave some for train"
        )
    if settings.shard_mb < 1:
        raise BadInput(f"{where}: shard_mb is {settings.shard_mb}; write a whole number from 1")
