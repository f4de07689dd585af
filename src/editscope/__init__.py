"""Editscope: the measuring instrument for image-editing models."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from editscope.version import __version__ as __version__

if TYPE_CHECKING:
    from editscope.cases import Aggregation, Case, Edit, Group, Instruction, Question, Region
    from editscope.editors import EditLimits, Editor, Request
    from editscope.errors import BadInput, EditscopeError
    from editscope.images import ImageLike as Image
    from editscope.images import to_array
    from editscope.judges import Call, Judge, Picture, Usage, Verdict
    from editscope.results import Run, open_run
    from editscope.results.comparison import compare
    from editscope.runs import run
    from editscope.runs.judging.one_edit import JudgedEdit, judge_one
    from editscope.scoring import PixelScore, error_map, score_batch, score_pixels
    from editscope.scoring.classic import Metric
    from editscope.scoring.psnr import psnr_outside
    from editscope.scoring.rubrics import Measure, Rubric, ScoreRow, Unit
    from editscope.scoring.rubrics.scales import Ask, ScaleRubric
    from editscope.stats.ratings import Match, elo
    from editscope.suites import Benchmark, Option, Suite, load_suite
    from editscope.suites.benchmark import Headline, Paper, PaperFigures
    from editscope.training.data.examples import EditExample
    from editscope.training.rewards import Reward, RewardValue, Rollout
    from editscope.training.rewards import reward_function as reward

# Names are looked up when first used, so that the command line starts without NumPy and Numba.
_HOME = {
    "Aggregation": "editscope.cases:Aggregation",
    "Ask": "editscope.scoring.rubrics.scales:Ask",
    "BadInput": "editscope.errors:BadInput",
    "Benchmark": "editscope.suites:Benchmark",
    "Call": "editscope.judges:Call",
    "Case": "editscope.cases:Case",
    "Edit": "editscope.cases:Edit",
    "EditExample": "editscope.training.data.examples:EditExample",
    "EditLimits": "editscope.editors:EditLimits",
    "Editor": "editscope.editors:Editor",
    "EditscopeError": "editscope.errors:EditscopeError",
    "Group": "editscope.cases:Group",
    "Headline": "editscope.suites.benchmark:Headline",
    "Image": "editscope.images:ImageLike",
    "Instruction": "editscope.cases:Instruction",
    "Judge": "editscope.judges:Judge",
    "JudgedEdit": "editscope.runs.judging.one_edit:JudgedEdit",
    "Match": "editscope.stats.ratings:Match",
    "Measure": "editscope.scoring.rubrics:Measure",
    "Metric": "editscope.scoring.classic:Metric",
    "Option": "editscope.suites:Option",
    "Paper": "editscope.suites.benchmark:Paper",
    "PaperFigures": "editscope.suites.benchmark:PaperFigures",
    "Picture": "editscope.judges:Picture",
    "PixelScore": "editscope.scoring:PixelScore",
    "Question": "editscope.cases:Question",
    "Region": "editscope.cases:Region",
    "Request": "editscope.editors:Request",
    "Reward": "editscope.training.rewards:Reward",
    "RewardValue": "editscope.training.rewards:RewardValue",
    "Rollout": "editscope.training.rewards:Rollout",
    "Rubric": "editscope.scoring.rubrics:Rubric",
    "Run": "editscope.results:Run",
    "ScaleRubric": "editscope.scoring.rubrics.scales:ScaleRubric",
    "ScoreRow": "editscope.scoring.rubrics:ScoreRow",
    "Suite": "editscope.suites:Suite",
    "Unit": "editscope.scoring.rubrics:Unit",
    "Usage": "editscope.judges:Usage",
    "Verdict": "editscope.judges:Verdict",
    "compare": "editscope.results.comparison:compare",
    "elo": "editscope.stats.ratings:elo",
    "error_map": "editscope.scoring:error_map",
    "judge_one": "editscope.runs.judging.one_edit:judge_one",
    "load_suite": "editscope.suites:load_suite",
    "open_run": "editscope.results:open_run",
    "psnr_outside": "editscope.scoring.psnr:psnr_outside",
    "reward": "editscope.training.rewards:reward_function",
    "run": "editscope.runs:run",
    "score_batch": "editscope.scoring:score_batch",
    "score_pixels": "editscope.scoring:score_pixels",
    "to_array": "editscope.images:to_array",
}

__all__ = [
    "Aggregation",
    "Ask",
    "BadInput",
    "Benchmark",
    "Call",
    "Case",
    "Edit",
    "EditExample",
    "EditLimits",
    "Editor",
    "EditscopeError",
    "Group",
    "Headline",
    "Image",
    "Instruction",
    "Judge",
    "JudgedEdit",
    "Match",
    "Measure",
    "Metric",
    "Option",
    "Paper",
    "PaperFigures",
    "Picture",
    "PixelScore",
    "Question",
    "Region",
    "Request",
    "Reward",
    "RewardValue",
    "Rollout",
    "Rubric",
    "Run",
    "ScaleRubric",
    "ScoreRow",
    "Suite",
    "Unit",
    "Usage",
    "Verdict",
    "compare",
    "elo",
    "error_map",
    "judge_one",
    "load_suite",
    "open_run",
    "psnr_outside",
    "reward",
    "run",
    "score_batch",
    "score_pixels",
    "to_array",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'editscope' has no attribute {name!r}")
    module, _, attribute = _HOME[name].partition(":")
    value = getattr(import_module(module), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
