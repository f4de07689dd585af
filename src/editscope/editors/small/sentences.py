"""Sentences as the small editor reads them: words, numbers with their values, and color codes in their order."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

TOKENS = 96
"""The most tokens that a sentence has; longer ones are cut off."""
LETTERS = 2000
"""Characters of a text that are read; the longest sentences in training have about 450."""
LARGEST = 1000.0
"""Larger numbers are refused; the largest in training is 360."""
CODES = 3
"""The most color codes that a sentence can have."""
PADDING, UNKNOWN, NUMBER = 0, 1, 2
SPECIAL = ("<padding>", "<unknown>", "<number>", *(f"<code {place + 1}>" for place in range(CODES)))
DIGITS = "0123456789"
_PARTS = re.compile(r"#[0-9a-f]{6}\b|[0-9]+(?:\.[0-9]+)?|[a-z]+(?:'[a-z]+)?|[^\sa-z0-9]")


@dataclass(frozen=True, slots=True)
class ReadSentence:
    """A sentence as numbers: a token each, the value of those that are numbers, and the color codes as RGB."""

    tokens: tuple[int, ...]
    values: tuple[float, ...]
    codes: tuple[tuple[int, int, int], ...]
    unknown: tuple[str, ...]
    """Words that the editor does not know."""
    cut: bool = False
    """Whether the sentence is longer than what was read."""
    length: int = 0
    """Characters of the whole text."""
    large: tuple[str, ...] = ()
    """Numbers above ``LARGEST``, as written."""
    more_codes: int = 0
    """Different color codes after the first ``CODES``, which are not read."""

    @property
    def known(self) -> int:
        """How many different words the editor knows; numbers, codes and signs do not count as words."""
        words = vocabulary()
        there = {token - len(SPECIAL) for token in self.tokens if token >= len(SPECIAL)}
        return sum(words[place][0].isalpha() for place in there if place < len(words))


def parts_of(sentence: str) -> list[str]:
    """The words, numbers, codes and signs of a sentence, in lower case.

    >>> parts_of("Move it by 12.5%, to red (#FF0000).")
    ['move', 'it', 'by', '12.5', '%', ',', 'to', 'red', '(', '#ff0000', ')', '.']
    """
    return _PARTS.findall(sentence.lower())


def read_sentence(sentence: str) -> ReadSentence:
    """A sentence as the network reads it."""
    known = word_tokens()
    tokens: list[int] = []
    values: list[float] = []
    codes: list[tuple[int, int, int]] = []
    unknown: list[str] = []
    large: list[str] = []
    more: set[tuple[int, int, int]] = set()
    parts = parts_of(sentence[:LETTERS])
    for part in parts[:TOKENS]:
        value = 0.0
        if part[0] == "#" and len(part) == 7:
            rgb = int(part[1:3], 16), int(part[3:5], 16), int(part[5:7], 16)
            if rgb not in codes and len(codes) < CODES:
                codes.append(rgb)
            if rgb not in codes:
                more.add(rgb)
            token = NUMBER + 1 + codes.index(rgb) if rgb in codes else UNKNOWN
        elif part[0] in DIGITS:
            token, value = NUMBER, min(float(part), 1e6)
            if value > LARGEST:
                large.append(part)
        else:
            token = known.get(part, UNKNOWN)
            if token == UNKNOWN:
                unknown.append(part)
        tokens.append(token)
        values.append(value)
    cut = len(parts) > TOKENS
    return ReadSentence(
        tuple(tokens),
        tuple(values),
        tuple(codes),
        tuple(unknown),
        cut,
        length=len(sentence),
        large=tuple(large),
        more_codes=len(more),
    )


@lru_cache(maxsize=1)
def vocabulary() -> tuple[str, ...]:
    """The words that the editor knows, in the order of their tokens, after the special ones."""
    text = files("editscope.editors.small").joinpath("vocabulary.txt").read_text("utf-8")
    return tuple(text.split())


@lru_cache(maxsize=1)
def word_tokens() -> dict[str, int]:
    """The token of each word that the editor knows."""
    return {word: len(SPECIAL) + place for place, word in enumerate(vocabulary())}


def token_count() -> int:
    """How many different tokens there are: the special ones and the words."""
    return len(SPECIAL) + len(vocabulary())
