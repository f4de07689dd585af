"""Design of a study: what raters are asked, how often, and which votes count."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from editscope.errors import BadInput
from editscope.suites.study import EloSettings, RatingScale, StudyKind, StudyPreset

LONGEST_TEXT = 20_000
WELCOME = (
    "You will look at pictures that were edited by computer programs, and say what you think of the edits. "
    "Nobody is tested but the programs."
)
CHECKED = "Some items have a known answer; they show that the votes can be relied on."
CONSENT = (
    "Your votes are stored with the number of your link and the time, and with nothing else about you. "
    "You may stop at any time; the votes that you have given stay."
)
QUESTIONS = {"pairwise": "Which of the two edits matches the instruction better?", "ratings": "How good is this edit?"}


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyDesign:
    """All that decides how a study runs and what follows from its votes.

    ``votes`` is the number of votes for each pair of edits, or each edit with ratings. ``per_rater`` ends the work of
    a rater, ``break_after`` proposes a break. Every ``check_every`` items one is an attention check; a rater who fails
    more than ``1 - check_share`` of them, or whose median vote takes less than ``fastest_s``, is left out of the
    result. ``qualification`` items come first, and ``qualification_share`` of them must be right.
    """

    kind: StudyKind = "pairwise"
    title: str = ""
    question: str = ""
    welcome: str = WELCOME
    consent: str = CONSENT
    ties: bool = False
    scales: tuple[RatingScale, ...] = ()
    votes: int = 5
    per_rater: int | None = None
    break_after: int = 50
    qualification: int = 0
    qualification_share: float = 0.8
    check_every: int = 0
    check_share: float = 0.7
    fastest_s: float = 0.0
    elo: EloSettings = field(default_factory=EloSettings)
    preset: str = ""
    remark: str = ""
    seed: int = 0

    @property
    def asked(self) -> str:
        """The question that raters read."""
        return self.question or QUESTIONS[self.kind]

    def checked(self) -> StudyDesign:
        """The design itself; BadInput where no study can run by it."""
        if self.kind not in ("pairwise", "ratings"):
            raise BadInput(f"a study is pairwise or ratings, not {self.kind!r}")
        if self.kind == "ratings" and not self.scales:
            raise BadInput("a study with ratings needs a scale; add one with --scale quality:1-5:poor:excellent")
        if self.kind == "pairwise" and self.scales:
            raise BadInput("a pairwise study has no scales; leave out --scale, or make it --kind ratings")
        names = [scale.name for scale in self.scales]
        if len(set(names)) != len(names):
            raise BadInput("two scales have the same name; give each its own")
        for field_name, least in (("votes", 1), ("break_after", 0), ("qualification", 0), ("check_every", 0)):
            if getattr(self, field_name) < least:
                raise BadInput(f"{field_name} is {getattr(self, field_name)}; it must be at least {least}")
        if self.per_rater is not None and self.per_rater < 1:
            raise BadInput(f"per_rater is {self.per_rater}; it must be at least 1")
        if self.check_every == 1:
            raise BadInput("check_every is 1, so that every item would be a check; use 10 or more")
        for field_name in ("title", "question", "welcome", "consent", "remark"):
            if len(getattr(self, field_name)) > LONGEST_TEXT:
                raise BadInput(f"{field_name} is longer than {LONGEST_TEXT:,} characters; shorten it")
        return self

    def as_json(self) -> dict[str, Any]:
        """The design as the database keeps it."""
        return asdict(self)

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> StudyDesign:
        """The design that the database has kept."""
        fields = dict(stored)
        fields["scales"] = tuple(RatingScale(**scale) for scale in fields.get("scales", ()))
        fields["elo"] = EloSettings(**fields.get("elo", {}))
        return cls(**fields)

    @classmethod
    def from_preset(cls, preset: StudyPreset, **changes: Any) -> StudyDesign:
        """The design of a paper's study; ``changes`` that are not None replace what it says."""
        taken: dict[str, Any] = {
            "kind": preset.kind,
            "title": preset.title,
            "question": preset.question,
            "ties": preset.ties,
            "scales": preset.scales,
            "votes": preset.votes,
            "per_rater": preset.per_rater,
            "elo": preset.elo,
            "preset": preset.name,
            "remark": preset.remark,
        }
        return cls(**(taken | {name: value for name, value in changes.items() if value is not None}))
