"""Registry of metrics: those that ship, those of other packages, and classes of your own; and which work here."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib.metadata import EntryPoint
from importlib.util import find_spec
from typing import Any

import numpy as np
import numpy.typing as npt

from editscope.errors import BadInput, EditscopeError, unknown
from editscope.images import Pixels
from editscope.outside import kind_of
from editscope.plugins import (
    FLAG,
    TEXT,
    TEXTS,
    Wanted,
    load_registered,
    one_sentence,
    registered,
    wrong_attribute,
)
from editscope.python_class import KIND, load_object
from editscope.scoring.classic.embeddings import Clip, Dino
from editscope.scoring.classic.lpips import Lpips
from editscope.scoring.classic.metric import Metric, MetricLabel, MetricSettings, library
from editscope.scoring.classic.pixelwise import Psnr, Ssim
from editscope.scoring.offsets.metrics import ERRORS, WITHIN
from editscope.scoring.psnr import Box, outside
from editscope.specs import read_options

GROUP = "editscope.metrics"
"""The entry points with which other packages register a metric: a class that derives from ``editscope.Metric``."""

CLASSIC: dict[str, type[Metric]] = {metric.name: metric for metric in (Psnr, Ssim, Lpips, Clip, Dino)}
OFFSETS: dict[str, Metric] = {metric.name: metric for metric in (*WITHIN, *ERRORS)}
"""Metrics that say how far off an edit is, for diagnosis; they hold nothing, so that one of each does."""
METRICS: dict[str, type[Metric] | Metric] = {**CLASSIC, **OFFSETS}
"""The metrics that ship with Editscope, in the order in which tables show them."""
TOGETHER = {"within": tuple(metric.name for metric in WITHIN), "errors": tuple(metric.name for metric in ERRORS)}
"""Names that stand for several metrics."""

EXTRA = ("torch", "torchmetrics", "transformers")
"""The libraries that come with ``editscope[local]``."""

RESERVED = ("case_id", "variant", "seen")
OUTSIDE = "_outside"
"""What the column of a metric outside the edit region ends with."""
ATTRIBUTES: Mapping[str, Wanted] = {
    **dict.fromkeys(("name", "label", "unit"), TEXT),
    **dict.fromkeys(("higher_is_better", "needs_model"), FLAG),
    "libraries": TEXTS,
}
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,63}")


def available() -> dict[str, str | None]:
    """Every metric by name, with None where it works here and otherwise what it lacks and how to get it.

    >>> available()["psnr"] is None
    True
    """
    lacking = {name: _lacks(metric) for name, metric in METRICS.items()}
    for name, point in _registered().items():
        try:
            lacking[name] = _lacks(_from_plugin(point, {}))
        except EditscopeError as error:
            lacking[name] = str(error)
    return lacking


def load_metric(spec: str, settings: MetricSettings) -> Metric:
    """The metric of a spec, ready to use; BadInput with what it lacks.

    A spec is a name (``psnr``), a name with options (``sharpness?sigma=2``) or a class of your own
    (``python:module:Class?key=value``).
    """
    metric = _metric(spec)
    lacking = _lacks(metric)
    if lacking is not None:
        raise BadInput(f"measure {metric.name} is not available: {lacking}")
    if metric.needs_model and not settings.model:
        raise BadInput(f"measure {metric.name} needs a model: give its folder or name, {spec}=DIR")
    if "torch" in metric.libraries:
        _check_device(settings.device)
    with one_sentence(f"metric {metric.name} could not be loaded"):
        metric.load(settings)
    return metric


def provenance(metric: Metric) -> dict[str, str]:
    """All that decides the values of a loaded metric: its class and options, libraries, model, weights."""
    with one_sentence(f"metric {metric.name}: its made_with failed"):
        made_with = metric.made_with()
    if not isinstance(made_with, Mapping):
        raise BadInput(f"metric {metric.name}: made_with returned {kind_of(made_with)}; return a dict of texts")
    return {**metric.origin, **{str(name): str(value) for name, value in made_with.items()}}


def built_in_label(name: str) -> MetricLabel | None:
    """How tables show a metric that ships with Editscope; None for another name."""
    return _built_in(name).shown if name in METRICS else None


def parse_measures(text: str) -> dict[str, str]:
    """Specs of metrics with their models, from ``spec[=model]`` separated by commas.

    >>> list(parse_measures("psnr,within"))
    ['psnr', 'miou_within_1', 'miou_within_2', 'miou_within_4']
    >>> parse_measures("psnr, clip=models/clip-vit-base-patch32, python:my_metrics:Sharpness?sigma=2")
    {'psnr': '', 'clip': 'models/clip-vit-base-patch32', 'python:my_metrics:Sharpness?sigma=2': ''}
    """
    wanted: dict[str, str] = {}
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        spec, model = part, ""
        if "=" in part.partition("?")[0]:
            spec, _, model = part.partition("=")
        spec = spec.strip()
        if spec in TOGETHER and not model:
            wanted |= dict.fromkeys(TOGETHER[spec], "")
            continue
        _known(spec.partition("?")[0])
        wanted[spec] = model.strip()
    if not wanted:
        raise BadInput(f"no measure is named; choose from {', '.join((*CLASSIC, *TOGETHER))}")
    return wanted


def edit_region(source: Pixels, answer: Pixels | None, boxes: Sequence[Box] = ()) -> npt.NDArray[np.bool_]:
    """Where an edit was asked for: where input and answer differ, or inside the boxes of a case without answer.

    >>> before = np.zeros((1, 3, 3), np.uint8)
    >>> after = before.copy(); after[0, 1] = 9
    >>> edit_region(before, after).tolist()
    [[False, True, False]]
    """
    if answer is not None:
        differs: npt.NDArray[np.bool_] = (source != answer).any(axis=2)
        return differs
    return ~outside(boxes, (source.shape[0], source.shape[1]))


def _metric(spec: str) -> Metric:
    name, _, query = spec.partition("?")
    _known(name)
    if name in METRICS:
        if query:
            fix = "leave them out" if name in OFFSETS else f"give its model as {name}=DIR"
            raise BadInput(f"measure {name} takes no options, but got {query}; {fix}")
        return _built_in(name)
    options = read_options(f"metric {name}", query)
    if name.startswith(f"{KIND}:"):
        metric = load_object("metric", name.removeprefix(f"{KIND}:"), Metric, options)
        _check_attributes(name, metric)
        if not metric.name:
            metric.name = type(metric).__name__.lower()
        _check_name(name, metric.name)
        metric.origin = _origin(metric, options)
        return metric
    return _from_plugin(_registered()[name], options)


def _known(name: str) -> None:
    if not name.startswith(f"{KIND}:") and name not in METRICS and name not in (plugins := _registered()):
        raise unknown("measure", name, {**METRICS, **TOGETHER, **plugins})


def _built_in(name: str) -> Metric:
    return OFFSETS[name] if name in OFFSETS else CLASSIC[name]()


def _registered() -> dict[str, EntryPoint]:
    """The metrics that other packages register, none of them imported. A name that ships with Editscope stays ours."""
    return registered(GROUP, {**METRICS, **TOGETHER})


def _from_plugin(point: EntryPoint, options: Mapping[str, Any]) -> Metric:
    factory = load_registered("metric", point)
    with one_sentence(f"metric {point.name} could not be constructed"):
        metric = factory(**options)
    if not isinstance(metric, Metric):
        raise BadInput(f"metric {point.name} is {kind_of(metric)}, not an editscope.Metric")
    _check_attributes(point.name, metric)
    _check_name(point.value, point.name)
    metric.name = point.name
    package = {} if point.dist is None else {point.dist.name: point.dist.version}
    metric.origin = {**_origin(metric, options), **package}
    return metric


def _check_attributes(where: str, metric: Metric) -> None:
    if wrong := wrong_attribute(metric, ATTRIBUTES):
        raise BadInput(f"metric {where}: {wrong}")


def _origin(metric: Metric, options: Mapping[str, Any]) -> dict[str, str]:
    kind = type(metric)
    return {"class": f"{kind.__module__}:{kind.__qualname__}", **{name: str(value) for name, value in options.items()}}


def _check_name(where: str, name: str) -> None:
    """Raise BadInput for a name that cannot be a column of its own in measures.parquet."""
    if not _NAME.fullmatch(name):
        raise BadInput(f"metric {where} is called {name!r}; a name has letters, digits and _ only, and begins with one")
    if name in METRICS or name in TOGETHER or name in RESERVED or name.endswith(OUTSIDE):
        raise BadInput(f"metric {where} is called {name!r}, which is a column already; give it another name")


def _check_device(device: str) -> None:
    if not device or device == "cpu":
        return
    try:
        library("torch").zeros(1).to(device)
    except (RuntimeError, AssertionError, ValueError) as error:
        message = " ".join(str(error).split()).split(". ")[0]
        raise BadInput(f"--device {device} cannot be used ({message}); leave it out to measure on the CPU") from error


def _lacks(metric: Metric | type[Metric]) -> str | None:
    missing = [name for name in metric.libraries if find_spec(name) is None]
    if not missing:
        return None
    wanted = [name for name in missing if name not in EXTRA]
    if len(wanted) < len(missing):
        wanted.insert(0, "'editscope[local]'")
    return f"it needs {' and '.join(missing)}: pip install {' '.join(wanted)}"
