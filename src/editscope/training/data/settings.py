"""Settings of training data: parts of a mixture, sizes of pictures, and how batches are made."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from editscope.cases import NOTHING
from editscope.errors import BadInput, unknown
from editscope.images import Resample
from editscope.training.configured_suites import data_place
from editscope.training.settings import record_of
from editscope.training.supervised.settings import check_seed

Fit = Literal["crop", "stretch", "exact"]
KINDS = ("suite", "set", "stream")
"""What examples come from: a suite, an exported data set of the factory, or problems that are made without end."""
MOST_WORKERS, MOST_AHEAD = 256, 1024


@dataclass(frozen=True, slots=True)
class PartSettings:
    """One part of a mixture.

    ``source`` is ``suite:NAME?options``, ``set:FOLDER`` or ``stream:NAME?options``. ``data`` is the folder of a suite,
    ``where`` keeps cases with these tags, ``split`` is that of a set, ``stream_seed`` that of a stream. Without
    ``weight`` a part counts by its records. ``levels`` are weights of the levels of instructions; none means
    every level that a record has, equally often.
    """

    source: str
    name: str = ""
    data: str = ""
    where: tuple[str, ...] = ()
    split: str = "train"
    stream_seed: int = 0
    weight: float | None = None
    repeats: int = 1
    shuffle: bool = True
    levels: Mapping[str, float] = field(default_factory=lambda: NOTHING)
    language: str = "en"

    @property
    def kind(self) -> str:
        """Suite, set or stream."""
        return self.source.partition(":")[0]

    @property
    def target(self) -> str:
        """The suite, the folder or the benchmark."""
        return self.source.partition(":")[2]

    @property
    def label(self) -> str:
        """The name of the part; its source where it has none."""
        return self.name or self.source

    def check(self, where: str) -> None:
        """Raise BadInput for a value that cannot be used."""
        where = f"{where}, part {self.label!r}"
        if self.kind not in KINDS:
            raise unknown("kind of source", self.kind, KINDS, of=where)
        if not self.target:
            raise BadInput(f"{where}: source names nothing; write suite:NAME, set:FOLDER or stream:NAME")
        if self.weight is not None and not (math.isfinite(self.weight) and self.weight > 0):
            raise BadInput(f"{where}: weight is {self.weight}; it must be above 0 (remove the part to leave it out)")
        if self.repeats < 1:
            raise BadInput(f"{where}: repeats is {self.repeats}; it must be 1 or more")
        if self.repeats > 1 and self.kind == "stream":
            raise BadInput(f"{where}: a stream never repeats; remove repeats, and set its weight instead")
        for level, weight in self.levels.items():
            if not (math.isfinite(weight) and weight > 0):
                raise BadInput(f"{where}: the weight of level {level!r} is {weight}; it must be above 0")
        if self.data and self.kind != "suite":
            raise BadInput(f"{where}: data is only for suites; remove it")
        if self.where and self.kind != "suite":
            raise BadInput(f"{where}: where is only for suites; remove it")


@dataclass(frozen=True, slots=True)
class SizeSettings:
    """Sizes of pictures, in pixels: width and height.

    Without ``sizes`` a picture keeps its size, less what exceeds a multiple of the model's. With ``crop`` it is scaled
    until it covers its bucket and cropped at the center, with ``stretch`` scaled without a crop, and with ``exact`` it
    must have the size. It goes to the bucket in which it loses least; one that would be enlarged more than ``enlarge``
    times or lose more than the share ``most_cropped`` fits in none. ``mixed = false`` requires that all pictures
    have one size.
    """

    sizes: tuple[tuple[int, int], ...] = ()
    fit: Fit = "crop"
    resample: Resample = "lanczos"
    enlarge: float = 2.0
    most_cropped: float = 0.5
    mixed: bool = True

    def check(self, where: str, multiple: int) -> None:
        """Raise BadInput for a size that the model cannot have, or a value out of its range."""
        for width, height in self.sizes:
            if width % multiple or height % multiple or min(width, height) < multiple:
                near = [max(multiple, round(side / multiple) * multiple) for side in (width, height)]
                raise BadInput(
                    f"{where} sizes: {width}x{height} has a side that is not a multiple of {multiple}, as this "
                    f"model requires; write {near[0]}x{near[1]}"
                )
        if len(set(self.sizes)) < len(self.sizes):
            raise BadInput(f"{where} sizes: a size is listed twice; remove one")
        if self.fit == "exact" and not self.sizes:
            raise BadInput(f"{where} fit: exact requires sizes; list them, or write mixed = false for any single size")
        if not (math.isfinite(self.enlarge) and self.enlarge >= 1):
            raise BadInput(f"{where} enlarge: {self.enlarge} must be at least 1")
        if not 0 <= self.most_cropped < 1:
            raise BadInput(f"{where} most_cropped: {self.most_cropped} must be at least 0 and below 1")


@dataclass(frozen=True, slots=True)
class DataSettings:
    """All that decides which examples a training sees, and in which order.

    ``workers`` processes make examples for each training process, up to ``ahead`` batches before they are needed; 0
    makes them in the training process. ``epochs`` is the number of passes over all records; 0 repeats them without
    end. A worker that returns nothing for ``patience`` seconds is replaced, once.
    """

    parts: tuple[PartSettings, ...]
    sizes: SizeSettings = SizeSettings()
    seed: int = 0
    workers: int = 2
    ahead: int = 4
    epochs: int = 0
    patience: float = 600.0

    def check(self, where: str, multiple: int) -> None:
        """Raise BadInput for the first value that cannot be used."""
        if not self.parts:
            raise BadInput(f"{where}: there is no data; add a part: [[data.parts]] source = 'stream:NAME'")
        for part in self.parts:
            part.check(where)
        labels = [part.label for part in self.parts]
        if twice := [label for label in labels if labels.count(label) > 1]:
            raise BadInput(f"{where}: two parts are called {twice[0]!r}; give each its own name")
        for name, low, high in (("workers", 0, MOST_WORKERS), ("ahead", 1, MOST_AHEAD)):
            if not low <= getattr(self, name) <= high:
                raise BadInput(f"{where} {name}: {getattr(self, name)} is out of range; write {low} to {high:,}")
        if not (math.isfinite(self.patience) and self.patience > 0):
            raise BadInput(f"{where} patience: {self.patience} is out of range; it must be above 0 (seconds)")
        if self.epochs < 0:
            raise BadInput(f"{where} epochs: {self.epochs} is negative; write 0 for no limit")
        weighted = [part.label for part in self.parts if part.weight is not None]
        if weighted and len(weighted) < len(self.parts):
            left = next(part.label for part in self.parts if part.weight is None)
            raise BadInput(
                f"{where}: part {left!r} has no weight, but {weighted[0]!r} has one; give every part a weight, or none"
            )
        if self.epochs and weighted and len(self.parts) > 1:
            raise BadInput(f"{where} epochs: parts with weights end at different times; remove epochs or the weights")
        streams = [part.label for part in self.parts if part.kind == "stream"]
        if streams and self.epochs:
            raise BadInput(f"{where} epochs: part {streams[0]!r} is endless; remove epochs and limit the steps")
        if streams and len(self.parts) > 1 and not weighted:
            raise BadInput(f"{where}: part {streams[0]!r} is endless, so every part of this mixture needs a weight")
        self.sizes.check(f"{where}, [data.sizes]", multiple)


def data_settings(table: Mapping[str, Any], where: str = "the experiment", folder: Path | None = None) -> DataSettings:
    """Read the table ``[data]`` of an experiment; ``where`` names its file in messages.

    Folders of sets and suites are relative to ``folder``, unless their paths are absolute.
    """
    table = dict(table)
    listed, sizes = table.pop("parts", []), table.pop("sizes", {})
    if not isinstance(listed, list) or not all(isinstance(part, dict) for part in listed):
        raise BadInput(f"{where}, [data] parts: {listed!r} is not a list of tables; write [[data.parts]]")
    if not isinstance(sizes, dict):
        raise BadInput(f"{where}, [data] sizes: {sizes!r} is not a table; write [data.sizes]")
    parts = tuple(_in_folder(_part(part, f"{where}, [[data.parts]]"), folder) for part in listed)
    bucket_sizes = _sizes(sizes, f"{where}, [data.sizes]")
    settings = record_of(DataSettings, table, f"{where}, [data]", parts=parts, sizes=bucket_sizes)
    check_seed(settings.seed, f"{where}, [data]")
    return settings


def _part(table: Mapping[str, Any], where: str) -> PartSettings:
    table = dict(table)
    if "source" not in table:
        raise BadInput(f"{where}: a part has no source; write suite:NAME, set:FOLDER or stream:NAME")
    if not isinstance(table["source"], str):
        raise BadInput(f"{where} source: {table['source']!r} is not a string")
    level, levels = table.pop("level", None), table.pop("levels", {})
    if level is not None and levels:
        raise BadInput(f"{where}: level and levels are both set; remove one")
    if level is not None and not isinstance(level, str):
        raise BadInput(f"{where} level: {level!r} is not a string")
    weights = {level: 1.0} if level is not None else levels
    if not isinstance(weights, dict) or not all(_is_number(weight) for weight in weights.values()):
        raise BadInput(f"{where}: levels is {levels!r}; write level = 'explicit' or levels = {{superficial = 1, …}}")
    if isinstance(table.get("where"), str):
        table["where"] = [table["where"]]
    return record_of(PartSettings, table, where, levels=weights)


def _in_folder(part: PartSettings, folder: Path | None) -> PartSettings:
    if folder is None:
        return part
    data = data_place(part.data, folder)
    source = f"set:{folder / part.target}" if part.kind == "set" and part.target else part.source
    return replace(part, source=source, data=data, name=part.label)


def _sizes(table: Mapping[str, Any], where: str) -> SizeSettings:
    table = dict(table)
    sizes = _size_list(table.pop("sizes", []), where)
    return record_of(SizeSettings, table, where, sizes=sizes)


def _size_list(listed: Any, where: str) -> tuple[tuple[int, int], ...]:
    texts = [listed] if isinstance(listed, str) else listed
    if not isinstance(texts, list | tuple):
        raise BadInput(f"{where} sizes: {listed!r} is not a list of sizes, such as ['1024x576']")
    matches = [re.fullmatch(r"\s*(\d{1,5})\s*[x×]\s*(\d{1,5})\s*", str(text)) for text in texts]
    for text, match in zip(texts, matches, strict=True):
        if match is None:
            raise BadInput(f"{where} sizes: {text!r} is not of the form WIDTHxHEIGHT, such as 1024x576")
    return tuple((int(match[1]), int(match[2])) for match in matches if match)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
