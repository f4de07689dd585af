"""Studies with people as the papers of benchmarks describe them: plain data that a study is made from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from editscope.errors import BadInput, unknown
from editscope.stats.ratings import FLOOR, ROUNDS, SCALE, START, STEP, VOTES
from editscope.suites.registry import benchmarks

StudyKind: TypeAlias = Literal["pairwise", "ratings"]


@dataclass(frozen=True, slots=True)
class RatingScale:
    """A scale that raters score an edit on: whole numbers from ``low`` to ``high``, with words for both ends."""

    name: str
    label: str
    low: int = 1
    high: int = 5
    low_label: str = ""
    high_label: str = ""

    @classmethod
    def read(cls, text: str) -> RatingScale:
        """A scale as you write it on the command line: ``name:low-high`` with optional words for both ends.

        >>> RatingScale.read("quality:1-5:poor:excellent")
        RatingScale(name='quality', label='Quality', low=1, high=5, low_label='poor', high_label='excellent')
        """
        name, _, rest = text.partition(":")
        span, _, words = rest.partition(":")
        low, _, high = span.partition("-")
        if not name.strip() or not (low.isdecimal() and high.isdecimal() and int(low) < int(high) <= 100):
            raise BadInput(f"the scale {text!r} is not of the form name:1-5, or name:1-5:worst:best")
        worst, _, best = words.partition(":")
        label = name.strip().replace("_", " ").replace("-", " ").capitalize()
        return cls(name.strip(), label, int(low), int(high), worst.strip(), best.strip())


@dataclass(frozen=True, slots=True)
class EloSettings:
    """How Elo ratings follow from votes; see ``editscope.elo``."""

    start: float = START
    scale: float = SCALE
    step: float = STEP
    votes_per_match: float = VOTES
    floor: float = FLOOR
    rounds: int = ROUNDS


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyPreset:
    """A study as a paper ran it. Numbers that the paper does not state are ours, and ``remark`` says which.

    ``items`` are sampled for each of ``levels``, spread over the values of the tag ``stratify``; each pair of models
    (or, with ratings, each edit) gets ``votes`` votes. ``per_rater`` is the most that one rater is asked.
    """

    name: str
    title: str
    kind: StudyKind
    question: str
    models: int
    items: int | None
    votes: int
    levels: tuple[str, ...] = ("",)
    stratify: str = ""
    raters: int | None = None
    per_rater: int | None = None
    ties: bool = False
    scales: tuple[RatingScale, ...] = ()
    calibration: int = 0
    elo: EloSettings = field(default_factory=EloSettings)
    remark: str = ""

    @property
    def pairs(self) -> int:
        """Pairs of models that meet on each item; 0 in a study with ratings."""
        return self.models * (self.models - 1) // 2 if self.kind == "pairwise" else 0

    @property
    def total_votes(self) -> int | None:
        """All votes of the study; None where the number of items is not fixed."""
        if self.items is None:
            return None
        return self.items * len(self.levels) * (self.pairs or self.models) * self.votes


def study_presets() -> dict[str, StudyPreset]:
    """The studies of all installed benchmarks, by name."""
    found: dict[str, StudyPreset] = {}
    for benchmark in benchmarks():
        if benchmark.studies:
            found |= {preset.name: preset for preset in benchmark.part("studies")}
    return found


def study_preset(name: str) -> StudyPreset:
    """The study of this name; BadInput where no benchmark has it."""
    presets = study_presets()
    if name not in presets:
        raise unknown("study preset", name, presets)
    return presets[name]
