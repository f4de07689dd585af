"""PICABench: questions about regions of an edit with one right answer, and PSNR where nothing was to change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from editscope.cases import Aggregation, Case, Group, Question, Region, Status
from editscope.errors import BadInput
from editscope.images import Pixels, load, probe
from editscope.judges import Call, Picture, Verdict
from editscope.scoring.psnr import MOST_DB, outside, psnr_outside
from editscope.scoring.rubrics.base import Measure, Prompts, Rubric, ScoreRow, Unit, instruction_of, variant_tags
from editscope.scoring.rubrics.combining import combine, majority
from editscope.scoring.rubrics.pictures import QUALITY, jpeg, with_side

Box: TypeAlias = tuple[int, int, int, int]
"""Left, top, right and bottom, the last two exclusive."""

SIDE = 1024
"""The longer side of the canvas that question boxes are on, and of the crop that the judge sees."""
PADDING = 20
WHITE_SIDE = 512
"""The side of the white picture that the released tool shows the judge where it finds no edit."""
LINE = 4
RED = (255, 0, 0)


class PicaBenchRubric(Rubric):
    """PICAEval and consistency.

    Options: ``region`` is crop, whole or box (drawn into the whole picture); ``instruction=1`` tells the judge what
    the editor was asked; ``psnr=channel-sum`` and ``psnr_size=N`` are the paper's formula and the release's resizing;
    ``edit_area`` is auto (as the suite reads the boxes), or source or canvas, which reads all of them alike.
    """

    name = "picabench"
    headline = "accuracy"
    temperature = None
    measures = (
        Measure("accuracy", ("accuracy",), "Accuracy", note="share of right answers, pooled over questions"),
        Measure("accuracy_by_case", ("accuracy_by_case",), "Accuracy by case", note="mean over cases of their shares"),
        Measure("consistency", ("consistency",), "Consistency", best=MOST_DB, scale=1.0, note="PSNR in dB"),
    )

    def configure(self) -> None:
        """Read the options."""
        self.region = self.choice("region", "crop")
        self.with_instruction = self.flag("instruction")
        self.channel_sum = self.choice("psnr", "mean") == "channel-sum"
        self.psnr_size = self.number("psnr_size", 0)
        self.edit_area = self.choice("edit_area", "auto")

    def sending(self) -> dict[str, Any]:
        """Also the size and the quality of crops."""
        return {**super().sending(), "side": SIDE, "quality": QUALITY}

    def units(self, case: Case) -> tuple[Unit, ...]:
        """One for each level; BadInput for a case without questions."""
        if not case.questions:
            raise BadInput(
                f"case {case.id!r} of {case.suite} has no questions, which the protocol picabench asks; "
                "choose another --protocol, such as kris"
            )
        return super().units(case)

    def keys(self, case: Case, unit: Unit) -> tuple[str, ...]:
        """``q1``, ``q2`` … in the order of the case's questions."""
        return tuple(f"q{number}" for number in range(1, len(case.questions) + 1))

    def calls(self, case: Case, unit: Unit, edits: Mapping[str, Pixels], prompts: Prompts) -> tuple[Call, ...]:
        """One for each question; what is shown of the edit is encoded once for all questions about the same box."""
        canvas = with_side(edits[unit.variants[0]], SIDE)
        boxes = [self._box(question, canvas) for question in case.questions]
        pictures = {box: self._picture(canvas, box) for box in dict.fromkeys(boxes)}
        return self._asked(case, unit, prompts, [pictures[box] for box in boxes])

    def white_calls(self, case: Case, unit: Unit, prompts: Prompts) -> tuple[Call, ...]:
        """One for each question, about a white square as the released tool makes it, shown whole."""
        white = jpeg(np.full((WHITE_SIDE, WHITE_SIDE, 3), 255, np.uint8))
        return self._asked(case, unit, prompts, [white] * len(case.questions))

    def _asked(self, case: Case, unit: Unit, prompts: Prompts, pictures: Sequence[Picture]) -> tuple[Call, ...]:
        """Each question of a case with its picture."""
        prompt = "question_with_instruction" if self.with_instruction else "question"
        words = {"instruction": instruction_of(case, unit.variants[0]).text} if self.with_instruction else {}
        return tuple(
            self.sent(prompts.call(prompt, key, {"edit": (picture,)}, {**words, "question": question.text}))
            for key, question, picture in zip(self.keys(case, unit), case.questions, pictures, strict=True)
        )

    def from_pixels(self, case: Case, unit: Unit, edits: Mapping[str, Pixels]) -> dict[str, float | None]:
        """Consistency: PSNR in dB outside the case's edit area, none where they leave no pixel."""
        value = psnr_outside(
            case.images[0],
            edits[unit.variants[0]],
            self._regions(case),
            size=self.psnr_size or None,
            channel_sum=self.channel_sum,
        )
        return {"consistency": None if isnan(value) else value}

    def rows(
        self,
        case: Case,
        unit: Unit,
        verdicts: Mapping[str, Sequence[Verdict]],
        pixels: Mapping[str, float | None],
        missing: Status | None = None,
    ) -> tuple[ScoreRow, ...]:
        """A row for each question, one for the case's share of right answers, one for consistency where it has one."""
        tags = variant_tags(case, unit)
        questions = tuple(
            _answered(question, key, verdicts.get(key, ()), unit, tags, missing)
            for key, question in zip(self.keys(case, unit), case.questions, strict=True)
        )
        rows = (*questions, _by_case(questions, unit, tags, missing))
        psnr = (
            pixels.get("consistency") if missing is None else (None if _all_inside(case, self._regions(case)) else 0.0)
        )
        if psnr is None:
            return rows
        return (*rows, ScoreRow("consistency", psnr, missing or "ok", unit.name, "", tags))

    def aggregation(self, suite: Aggregation) -> Aggregation:
        """Pooled over questions, as the suite groups them and by question category."""
        base = super().aggregation(suite)
        return replace(base, groups=(*base.groups, Group("question_category", ("question_category",))))

    def _regions(self, case: Case) -> tuple[Region, ...]:
        """The edit area: as the suite reads it, or in the reading that was asked for where the case has both."""
        readings = case.details.get("edit_area")
        if self.edit_area == "auto" or not isinstance(readings, Mapping):
            return case.regions
        boxes = readings[self.edit_area]
        return tuple(Region(f"edit{number}", box) for number, box in enumerate(boxes, start=1))

    def _box(self, question: Question, canvas: Pixels) -> Box | None:
        """What of the canvas is shown or marked; none for all of it."""
        if self.region == "whole" or question.region is None:
            return None
        return padded(question.region.box, canvas.shape[1], canvas.shape[0], PADDING if self.region == "crop" else 0)

    def _picture(self, canvas: Pixels, box: Box | None) -> Picture:
        if box is None:
            return jpeg(canvas)
        if self.region == "box":
            return jpeg(marked(canvas, box))
        left, top, right, bottom = box
        # Cropped before it is scaled, so that no pixel beside the crop shows through at its edges.
        return jpeg(with_side(canvas[top:bottom, left:right], SIDE))


def padded(box: Box, width: int, height: int, padding: int) -> Box | None:
    """A box with padding on all sides, clipped to a picture of this size; none where nothing of it is inside.

    >>> padded((100, 5, 200, 300), 1024, 768, 20)
    (80, 0, 220, 320)
    >>> padded((100, 800, 200, 900), 1024, 512, 20) is None
    True
    """
    left, top, right, bottom = box
    left, top = max(0, left - padding), max(0, top - padding)
    right, bottom = min(width, right + padding), min(height, bottom + padding)
    return (left, top, right, bottom) if left < right and top < bottom else None


def marked(canvas: Pixels, box: Box) -> Pixels:
    """The picture with a red frame along the inside of a box.

    >>> import numpy as np
    >>> marked(np.zeros((9, 9, 3), np.uint8), (0, 0, 9, 9))[:, :, 0].tolist()[4]
    [255, 255, 255, 255, 0, 255, 255, 255, 255]
    """
    left, top, right, bottom = box
    picture = canvas.copy()
    framed = picture[top:bottom, left:right]
    inside = framed[LINE:-LINE, LINE:-LINE].copy()
    framed[:] = RED
    framed[LINE : LINE + inside.shape[0], LINE : LINE + inside.shape[1]] = inside
    return picture


@dataclass(frozen=True, slots=True)
class Labels:
    """How far one gets without looking: shares in percent of a number of questions.

    A judge that always says yes is right wherever the label is Yes. An unchanged picture is right where the label is
    No, if nothing that a question asks for can be seen in it; what a judge really says of unchanged pictures is what
    a run with ``--editor ref:identity`` measures.
    """

    questions: int
    yes: float
    always_yes: float
    unchanged: float


def label_shares(cases: Iterable[Case], by: str = "") -> dict[str, Labels]:
    """The share of Yes labels and what it gives away, overall (under "") and for each value of a tag.

    >>> asked = (Question("Wet?", "Yes"), Question("Dry?", "No"), Question("Shiny?", "Yes"))
    >>> label_shares([Case("1", "picabench", (), (), {}, questions=asked)])[""]
    Labels(questions=3, yes=66.66666666666667, always_yes=66.66666666666667, unchanged=33.333333333333336)
    """
    labels: dict[str, list[bool]] = {"": []}
    for case in cases:
        groups = ["", *([case.tags[by]] if by and by in case.tags else [])]
        for group in groups:
            labels.setdefault(group, []).extend(_is_yes(question) for question in case.questions)
    shares = {}
    for group, answers in labels.items():
        if answers:
            yes = 100 * sum(answers) / len(answers)
            shares[group] = Labels(len(answers), yes, yes, 100 * (len(answers) - sum(answers)) / len(answers))
    return shares


def _answered(
    question: Question,
    key: str,
    verdicts: Sequence[Verdict],
    unit: Unit,
    tags: Mapping[str, str],
    missing: Status | None,
) -> ScoreRow:
    """1 where most verdicts say what the label says, 0 where they do not, ½ where they are even."""
    tags = {**tags, "label": question.answer, **({"question_category": question.category} if question.category else {})}
    if missing is not None:
        return ScoreRow("accuracy", 0.0, missing, unit.name, key, tags)
    combined = combine(verdicts, "answer")
    value = combined.value
    ends: tuple[float | None, float | None] = (0.0, 1.0)
    if value is not None:
        value, ends = majority(value if _is_yes(question) else 1.0 - value), (None, None)
    counts = combined.asked, combined.answered, combined.agreement
    return ScoreRow("accuracy", value, combined.status, unit.name, key, tags, *counts, *ends)


def _by_case(questions: Sequence[ScoreRow], unit: Unit, tags: Mapping[str, str], missing: Status | None) -> ScoreRow:
    """The share of right answers among those that there are; its ends count the others wrong, then right."""
    known = [row.value for row in questions if row.value is not None]
    share = sum(known) / len(known) if known else None
    status = missing or ("ok" if known else questions[0].status)
    gaps = len(questions) - len(known)
    low, high = (sum(known) / len(questions), (sum(known) + gaps) / len(questions)) if gaps else (None, None)
    return ScoreRow("accuracy_by_case", share, status, unit.name, "", tags, low=low, high=high)


def _is_yes(question: Question) -> bool:
    return question.answer.strip().lower() == "yes"


def _all_inside(case: Case, regions: tuple[Region, ...]) -> bool:
    """Whether the regions cover the whole source, so that no edit of it has a consistency."""
    if not regions:
        return False
    source = case.images[0]
    if isinstance(source, str | Path):
        width, height = probe(source)
    else:
        height, width = load(source).shape[:2]
    return not outside(regions, (height, width)).any()
