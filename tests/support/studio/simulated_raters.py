"""Raters with known preferences, who vote on everything that a study gives them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from sqlalchemy import select

from editscope.studio.store.engine import Store
from editscope.studio.studies.assigning import ItemRequest, give_items
from editscope.studio.studies.ledger import Ballot, Submission, save_ballots
from editscope.studio.studies.records import Rater, Study
from editscope.studio.studies.tables import ITEMS

Answer = Callable[[Any, Random], str | Mapping[str, int]]
"""What a rater says to an item: first, second or tie, or scores."""


def by_strength(strengths: Mapping[str, float]) -> Answer:
    """A choice by Bradley–Terry: P(first) = 1 / (1 + exp(second - first)); items with a known answer get it."""

    def answer(item: Any, rng: Random) -> str:
        if item.expected:
            return str(item.expected["choice"])
        lead = strengths[item.first_model] - strengths[item.second_model]
        return "first" if rng.random() < 1.0 / (1.0 + math.exp(-lead)) else "second"

    return answer


def vote_all(store: Store, study: Study, raters: list[Rater], answer: Answer, seed: int = 0) -> int:
    """Let raters vote until nothing is left; the number of votes.

    A study hands out its items in a new order each time. The n-th vote on an item is the same whoever gives it, so the
    results of a study are the same too.
    """
    votes: Counter[str] = Counter()
    with store.reading() as connection:
        items = {row.key: row for row in connection.execute(select(ITEMS).where(ITEMS.c.study_id == study.id))}
    total, left = 0, list(raters)
    while left:
        with store.writing() as connection:
            answers = give_items(connection, [ItemRequest(rater.secret, 40, agreed=True) for rater in left])
            submissions, still = [], []
            for rater, given in zip(left, answers, strict=True):
                assert not isinstance(given, Exception), given
                ballots = []
                for item in (items[one["key"]] for one in given["items"]):
                    name = f"{item.kind} {item.case_id} {item.level} {item.first_model} {item.second_model}"
                    votes[name] += 1
                    ballots.append(_ballot(study, rater, item, answer, Random(f"{seed} {name} {votes[name]}")))
                if ballots:
                    still.append(rater)
                    submissions.append(Submission(rater.secret, tuple(ballots)))
            for receipts in save_ballots(connection, submissions):
                assert not isinstance(receipts, Exception)
                assert {receipt.status for receipt in receipts} == {"saved"}, receipts
                total += len(receipts)
        left = still
    return total


def _ballot(study: Study, rater: Rater, item: Any, answer: Answer, rng: Random) -> Ballot:
    said = answer(item, rng)
    key, seconds = f"key-{rater.number}-{item.key}", round(rng.uniform(1, 9), 2)
    if not isinstance(said, str):
        return Ballot(item.key, key, scores=said, seconds=seconds)
    left = "second" if study.swapped(rater.id, item.id) else "first"
    return Ballot(item.key, key, "tie" if said == "tie" else "left" if said == left else "right", seconds=seconds)
