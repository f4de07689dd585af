"""The records that every room shares: a case, the edit of it, and the score of that edit."""

from __future__ import annotations

import copyreg
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from editscope.images import ImageLike, load, pixels_digest

Status = Literal["ok", "no_output", "refused", "unparsed", "error"]
"""Why a score is what it is. Only ``ok`` means that somebody looked at an edit and gave a verdict."""

NOTHING: Mapping[str, Any] = MappingProxyType({})


def _read_only(items: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    """A read-only mapping as another process reads it."""
    return MappingProxyType(items)


# Records with read-only mappings go to other processes, and Python by itself does not pickle such a mapping.
copyreg.pickle(MappingProxyType, lambda mapping: (_read_only, (dict(mapping),)))

MOST_STEPS = 1000
"""Steps that a judge's scale may have; servers are sent a list of them all."""
_SCALE = re.compile(r"(-?[0-9]{1,6})\s*-\s*(-?[0-9]{1,6})")


def scale_of(text: str) -> tuple[int, int] | None:
    """The ends of a scale that is written as ``1-5``; None where it is none, reversed, or has over MOST_STEPS steps.

    >>> scale_of("1-5"), scale_of("-2 - 2"), scale_of("5-1"), scale_of("0-1000000")
    ((1, 5), (-2, 2), None, None)
    """
    match = _SCALE.fullmatch(text)
    low, high = (int(match[1]), int(match[2])) if match else (0, 0)
    return (low, high) if low < high <= low + MOST_STEPS else None


@dataclass(frozen=True, slots=True)
class Instruction:
    """What the editor is asked, at one level of detail and in one language.

    ``variant`` names the edit that comes of it, where a case has several: "explicit", "cn", "A".
    """

    text: str
    level: str = "default"
    language: str = "en"
    variant: str = ""


@dataclass(frozen=True, slots=True)
class Region:
    """A named box in an image: left, top, right, bottom in pixels, right and bottom exclusive."""

    name: str
    box: tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Question:
    """A question about an edit that has one right answer, with the region it looks at."""

    text: str
    answer: str
    region: Region | None = None
    category: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Effect:
    """One visible effect of an edit and the pixels that it changes; ``direct`` marks what the sentence names itself."""

    name: str
    mask: npt.NDArray[np.bool_]
    direct: bool = False


@dataclass(frozen=True, eq=False)
class Case:
    """One test case: what goes in, what is asked, and whatever is needed to judge what comes out.

    ``images`` and ``answer`` are paths, PIL images, arrays or tensors; ``tags`` is what tables group by. ``effects``
    say what the edit changes and why, and ``ignored`` marks pixels that the input does not determine.
    """

    id: str
    suite: str
    images: tuple[ImageLike, ...]
    instructions: tuple[Instruction, ...]
    tags: Mapping[str, str]
    answer: ImageLike | None = None
    regions: tuple[Region, ...] = ()
    questions: tuple[Question, ...] = ()
    hint: str | None = None
    references: tuple[ImageLike, ...] = ()
    checklist: str | None = None
    details: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    effects: tuple[Effect, ...] = ()
    ignored: npt.NDArray[np.bool_] | None = None

    @property
    def instruction(self) -> str:
        """The text of the first instruction."""
        return self.instructions[0].text

    @cached_property
    def fingerprint(self) -> str:
        """Hash of all that a score depends on: id, texts, and the pixels of every image.

        The same problem has the same fingerprint whether it was made in memory or read from a folder.
        """
        parts = [self.suite, self.id]
        parts += [f"{i.level}|{i.language}|{i.text}" for i in self.instructions]
        parts += [pixels_digest(load(image)) for image in self.images]
        parts.append("" if self.answer is None else pixels_digest(load(self.answer)))
        parts += [pixels_digest(load(image)) for image in self.references]
        parts += [f"{r.name}|{r.box}" for r in self.regions]
        parts += [f"{q.text}|{q.answer}|{q.region}" for q in self.questions]
        parts += [f"{name}|{text}" for name, text in (("hint", self.hint), ("checklist", self.checklist)) if text]
        parts += sorted(f"{effect.name}|{effect.direct}|{_mask_digest(effect.mask)}" for effect in self.effects)
        parts += [] if self.ignored is None else [f"ignored|{_mask_digest(self.ignored)}"]
        return sha256("\x1f".join(parts).encode()).hexdigest()[:24]


def _mask_digest(mask: npt.NDArray[np.bool_]) -> str:
    return sha256(f"{mask.shape}".encode() + np.packbits(mask).tobytes()).hexdigest()


LEFT_UNCHANGED = "left unchanged"
"""How the note begins of an edit that the editor did not try."""


@dataclass(frozen=True, slots=True, eq=False)
class Edit:
    """What an editor made of a case, or the status that says why there is nothing.

    ``latency_s`` is the time from asking to having the picture, waiting for a turn and failed attempts excluded;
    ``cost_usd`` is None where nothing is paid or the price is not known; ``trace`` is what the editor said or thought;
    ``asked`` is the instruction that the model really got, where a wrapper changed it; ``memory_mb`` is the most GPU
    memory that was in use; ``attempts`` counts requests, where an edit takes requests; ``notes`` are sentences
    about this edit that a user should read; one that begins with ``LEFT_UNCHANGED`` says that the editor returned the
    picture as it is without trying, and why: a run counts these, and their time is not part of its speed; ``model`` is
    the version that a server says it was; ``charged_usd`` is what counts against a budget, where that is more than
    ``cost_usd``.
    """

    case_id: str
    variant: str = ""
    image: ImageLike | None = None
    status: Status = "ok"
    reason: str | None = None
    latency_s: float | None = None
    cost_usd: float | None = None
    trace: str | None = None
    asked: str | None = None
    memory_mb: float | None = None
    attempts: int | None = None
    notes: tuple[str, ...] = ()
    model: str = ""
    charged_usd: float | None = None


@dataclass(frozen=True, slots=True)
class Score:
    """One metric of one edit: a value in 0..1 where there is one, a status, and the evidence behind it."""

    case_id: str
    metric: str
    value: float | None
    status: Status = "ok"
    variant: str = ""
    evidence: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    provenance: Mapping[str, Any] = field(default_factory=lambda: NOTHING)


@dataclass(frozen=True, slots=True)
class Group:
    """One kind of table row: cases that share the tags ``by``, averaged over the tags ``over`` from fine to coarse.

    ``Group("category", by=("category",), over=("task",))`` is the mean of the category's task means;
    an empty ``by`` is the whole suite. ``strata`` are the tags within which the bootstrap resamples for these
    rows, where they differ from the suite's.
    """

    name: str
    by: tuple[str, ...]
    over: tuple[str, ...] = ()
    strata: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Aggregation:
    """How a suite turns scores of cases into the rows of its tables.

    ``strata`` are the tags within which the bootstrap resamples, unless a group names its own; cases whose tags
    contain ``exclude`` are diagnostics and stay out of every average; ``headline`` is the metric that comes first.
    ``resampling`` names the choice of strata where a suite offers several, such as "release" and "paper". The bootstrap
    draws cases of one ``unit`` together, such as the levels of one problem; without it, each case by itself.
    """

    overall: Group
    groups: tuple[Group, ...]
    strata: tuple[str, ...]
    exclude: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    headline: str = "miou"
    orders: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: NOTHING)
    resampling: str = ""
    unit: str = ""

    @property
    def tags(self) -> tuple[str, ...]:
        """Every tag that the tables need of a case.

        >>> groups = (Group("condition", ("condition",), ("task",), strata=("task", "condition")),)
        >>> Aggregation(Group("overall", ()), groups, strata=("task",), exclude={"split": "extra"}).tags
        ('condition', 'task', 'split')
        """
        groups = (self.overall, *self.groups)
        used = [tag for group in groups for tag in (*group.by, *group.over, *(group.strata or ()))]
        return tuple(dict.fromkeys([*used, *self.strata, *self.exclude, *([self.unit] if self.unit else [])]))
