"""Editscope: the measuring instrument for image-editing models."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from editscope.version import __version__ as __version__

if TYPE_CHECKING:
    from editscope.cases import Case, Edit
    from editscope.editors import EditLimits, Editor, Request
    from editscope.errors import BadInput, EditscopeError
    from editscope.images import ImageLike as Image
    from editscope.results import Run, open_run
    from editscope.results.comparison import compare
    from editscope.runs import run
    from editscope.scoring import score_pixels
    from editscope.scoring.classic import Metric
    from editscope.scoring.psnr import psnr_outside
    from editscope.stats.ratings import Match, elo
    from editscope.suites import Suite, load_suite

# Names are looked up when first used, so that the command line starts without NumPy and Numba.
_HOME = {
    "BadInput": "editscope.errors:BadInput",
    "Case": "editscope.cases:Case",
    "Edit": "editscope.cases:Edit",
    "EditLimits": "editscope.editors:EditLimits",
    "Editor": "editscope.editors:Editor",
    "EditscopeError": "editscope.errors:EditscopeError",
    "Image": "editscope.images:ImageLike",
    "Match": "editscope.stats.ratings:Match",
    "Metric": "editscope.scoring.classic:Metric",
    "Request": "editscope.editors:Request",
    "Run": "editscope.results:Run",
    "Suite": "editscope.suites:Suite",
    "compare": "editscope.results.comparison:compare",
    "elo": "editscope.stats.ratings:elo",
    "load_suite": "editscope.suites:load_suite",
    "open_run": "editscope.results:open_run",
    "psnr_outside": "editscope.scoring.psnr:psnr_outside",
    "run": "editscope.runs:run",
    "score_pixels": "editscope.scoring:score_pixels",
}

__all__ = [
    "BadInput",
    "Case",
    "Edit",
    "EditLimits",
    "Editor",
    "EditscopeError",
    "Image",
    "Match",
    "Metric",
    "Request",
    "Run",
    "Suite",
    "compare",
    "elo",
    "load_suite",
    "open_run",
    "psnr_outside",
    "run",
    "score_pixels",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'editscope' has no attribute {name!r}")
    module, _, attribute = _HOME[name].partition(":")
    value = getattr(import_module(module), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
