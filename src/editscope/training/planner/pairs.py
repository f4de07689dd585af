"""Pairs of texts for a planner, in an order that can be saved and resumed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from random import Random
from typing import Any

from editscope.documents import Malformed, read_json
from editscope.errors import BadInput
from editscope.files import DOCUMENT, read_file
from editscope.training.planner.objective import PlannedEdit


def read_pairs(path: Path) -> list[PlannedEdit]:
    """The pairs of a JSON Lines file: ``{"instruction": …, "plan": …}``, with an optional ``id``."""
    try:
        lines = read_file(path, DOCUMENT).decode().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} cannot be read ({error}); give a JSON Lines file of instructions and plans") from error
    pairs = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            entry = read_json(line)
        except Malformed as error:
            raise BadInput(f"{path}, line {number} is not JSON: {error}") from error
        texts = [entry.get(name) if isinstance(entry, dict) else None for name in ("instruction", "plan")]
        if not all(isinstance(text, str) and text.strip() for text in texts):
            raise BadInput(f"{path}, line {number}: instruction and plan must be non-empty strings")
        pairs.append(PlannedEdit(str(entry.get("id", f"line {number}")), str(texts[0]), str(texts[1])))
    if not pairs:
        raise BadInput(f"{path} has no pairs; write one line of JSON for each")
    return pairs


class PairLoader:
    """Endless pairs, each epoch in its own order; batch n goes to the process n mod ``world``."""

    def __init__(
        self, pairs: Sequence[PlannedEdit], batch: int, *, seed: int = 0, rank: int = 0, world: int = 1
    ) -> None:
        self._pairs, self._batch, self._seed, self._rank, self._world = tuple(pairs), batch, seed, rank, world
        self._hash = _hash(self._pairs)
        self._position = 0
        self._epoch, self._order = -1, list(range(len(self._pairs)))

    def __iter__(self) -> Iterator[Sequence[PlannedEdit]]:
        while True:
            first = self._position + self._rank * self._batch
            self._position += self._world * self._batch
            yield [self._at(first + number) for number in range(self._batch)]

    def state(self) -> Mapping[str, Any]:
        """How many pairs all processes have seen, and which pairs these are."""
        return {"position": self._position, "pairs": len(self._pairs), "seed": self._seed, "hash": self._hash}

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Restore a saved state; BadInput if it is one of other pairs. Earlier versions saved no hash."""
        if state["pairs"] != len(self._pairs) or state["seed"] != self._seed:
            raise BadInput("the checkpoint was made with other pairs; resume with the file that it was made with")
        if state.get("hash", self._hash) != self._hash:
            raise BadInput(
                f"texts or order of the {len(self._pairs):,} pairs have changed since the checkpoint was saved; resume "
                "with the file that it was made with, or start over with another --out"
            )
        self._position = int(state["position"])

    def _at(self, position: int) -> PlannedEdit:
        epoch, place = divmod(position, len(self._pairs))
        if epoch != self._epoch:
            order = list(range(len(self._pairs)))
            Random(f"{self._seed}/{epoch}").shuffle(order)
            self._epoch, self._order = epoch, order
        return self._pairs[self._order[place]]


def _hash(pairs: Sequence[PlannedEdit]) -> str:
    """A hash of what is learned: the texts, in their order. The name of a pair may be the number of its line."""
    hashed = blake2b(digest_size=16)
    for pair in pairs:
        hashed.update(json.dumps([pair.instruction, pair.plan]).encode() + b"\n")
    return hashed.hexdigest()
