"""Judges on loopback whose flaws are known: they see the truth of an exhibit and make of it what their kind does."""

from __future__ import annotations

import json
from collections import Counter
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

from support.servers.judge_server import Asked, JudgeServer, Script


class Truth:
    """The mIoU of every exhibit in a folder, by the bytes of the pictures that a judge is sent."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[tuple[str, str], float] = {}

    def of(self, asked: Asked) -> list[float]:
        """The mIoU of each edit that a request shows; the first picture is the one before the edit."""
        source, *edits = (sha256(picture).hexdigest() for picture in asked.pictures)
        if (source, edits[0]) not in self._known:
            self._read()
        return [self._known[source, edit] for edit in edits]

    def _read(self) -> None:
        for file in self._folder.rglob("exhibits.json"):
            for problem in json.loads(file.read_text())["problems"]:
                for edit in problem["edits"]:
                    self._known[problem["source"]["sha256"], edit["sha256"]] = edit["miou"]


def right(mious: list[float]) -> dict[str, Any]:
    """What a judge says that sees the truth."""
    if len(mious) == 2:
        return {"reason": "less of it is wrong", "better": 1 if mious[0] > mious[1] else 2}
    return {"reason": "as it is", "score": 1 + round(4 * mious[0])}


def good(truth: Truth) -> Script:
    return lambda asked: right(truth.of(asked))


def lazy(truth: Truth) -> Script:
    return lambda asked: {"reason": "fine", **({"better": 1} if len(asked.pictures) == 3 else {"score": 5})}


class Dice:
    """Throws that follow from what is asked and how often it was, so that the order of arrival changes nothing."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._times: Counter[str] = Counter()

    def thrown(self, asked: Asked) -> Random:
        shown = sha256(b"".join(asked.pictures) + asked.text.encode()).hexdigest()
        self._times[shown] += 1
        return Random(f"{self._name}|{shown}|{self._times[shown]}")


def first_sighted(truth: Truth) -> Script:
    """Scores rightly, and of two edits takes the first four times out of five."""
    dice = Dice("first")

    def judge(asked: Asked) -> dict[str, Any]:
        said = right(truth.of(asked))
        return {**said, "better": 1} if "better" in said and dice.thrown(asked).random() < 0.8 else said

    return judge


def noisy(truth: Truth) -> Script:
    """Every second verdict is a throw of the dice."""
    dice = Dice("noisy")

    def judge(asked: Asked) -> dict[str, Any]:
        said, thrown = right(truth.of(asked)), dice.thrown(asked)
        if thrown.random() < 0.5:
            return said
        return {**said, "better": thrown.randint(1, 2)} if "better" in said else {**said, "score": thrown.randint(1, 5)}

    return judge


def stricter(truth: Truth) -> Script:
    """What the good judge says, a point less where there is one to take."""

    def judge(asked: Asked) -> dict[str, Any]:
        said = right(truth.of(asked))
        return {**said, "score": max(1, said["score"] - 1)} if "score" in said else said

    return judge


__all__ = ["JudgeServer", "Truth", "first_sighted", "good", "lazy", "noisy", "right", "stricter"]
