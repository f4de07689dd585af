"""Judges on loopback that answer questions about effects, rightly or with errors of known rates."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

from editscope.audit.known_edit_set import FILE, read_set
from editscope.audit.question_calls import question_calls, question_rubric
from editscope.judges.prompts.packs import load_pack
from support.servers.judge_server import Asked, Script


class AnswerTruth:
    """The effect and the true answer of every question in a folder of known edits, by what a judge is sent."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[tuple[str, str], tuple[str, bool]] = {}

    def of(self, asked: Asked) -> tuple[str, bool]:
        """The effect that a request is about, and whether Yes is true."""
        if not self._known:
            self._read()
        return self._known[self._shown(asked)]

    def rank(self, asked: Asked) -> int:
        """The place of a request among all about its effect that have the same true answer, in an order by hash."""
        shown, truth = self._shown(asked), self.of(asked)
        return sorted(key for key, other in self._known.items() if other == truth).index(shown)

    def _shown(self, asked: Asked) -> tuple[str, str]:
        question = next(line for line in asked.text.splitlines() if line.startswith("Question: "))
        return sha256(asked.pictures[0]).hexdigest(), question.removeprefix("Question: ")

    def _read(self) -> None:
        rubric, pack = question_rubric(), load_pack("picabench")
        for file in self._folder.rglob(FILE):
            edit_set = read_set(file.parent)
            for problem in edit_set.problems:
                for call in question_calls(edit_set, problem, rubric, pack):
                    _, level, number = call.key.split(":")
                    question = problem.questions[int(number) - 1]
                    (picture,) = [part for part in call.parts if not isinstance(part, str)]
                    truth = question.effect, question.answers[level] == "Yes"
                    shown = sha256(picture.data).hexdigest(), question.text
                    assert self._known.setdefault(shown, truth) == truth, "one crop with two truths"


def perfect(truth: AnswerTruth) -> Script:
    """Always right."""
    return lambda asked: {"reason": "as it is", "answer": "Yes" if truth.of(asked)[1] else "No"}


def quota(truth: AnswerTruth, false_yes: int, false_no: int, worse: str = "") -> Script:
    """Says Yes to every so many-th of what is not so, and No to every so many-th of what is, in an order by hash.

    So its rates are known exactly and not by chance. About ``worse`` every second answer is wrong.
    """

    def judge(asked: Asked) -> dict[str, Any]:
        effect, true = truth.of(asked)
        every = 2 if effect == worse else false_no if true else false_yes
        return {"reason": "so it seems", "answer": "Yes" if true != (truth.rank(asked) % every == 0) else "No"}

    return judge


def erring(
    truth: AnswerTruth, false_yes: float, false_no: float, worse: Mapping[str, tuple[float, float]] | None = None
) -> Script:
    """Says Yes to so much of what is not so and No to so much of what is; at other rates about some effects."""

    def judge(asked: Asked) -> dict[str, Any]:
        effect, true = truth.of(asked)
        yes, no = (worse or {}).get(effect, (false_yes, false_no))
        shown = sha256(asked.pictures[0] + asked.text.encode()).hexdigest()
        wrong = Random(f"erring|{shown}").random() < (no if true else yes)
        return {"reason": "so it seems", "answer": "Yes" if true != wrong else "No"}

    return judge
