"""Texts of test suites: equal but for case, signs and spaces, or with most word n-grams in common."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import xxhash

WORDS = 5
"""Words of an n-gram."""
SHARE = 0.8
"""The share of n-grams that makes two texts the same. In a sentence of 15 words one other word breaks up to five of
eleven n-grams, so that another object under the same template stays; in 30 words one other word is still found."""
LEAST_GRAMS = 4
"""Texts with fewer n-grams are only compared as a whole."""
_WORD = re.compile("[\u3400-\u9fff\uf900-\ufaff]|[^\\W_\u3400-\u9fff\uf900-\ufaff]+")


def words_of(text: str) -> list[str]:
    """The words of a text without case, signs, accents of compatibility and spaces; a Chinese character is a word.

    >>> words_of("  Melt the ICE-cube，please!"), words_of("把冰块融化")
    (['melt', 'the', 'ice', 'cube', 'please'], ['把', '冰', '块', '融', '化'])
    """
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def gram_hashes(words: Sequence[str], size: int) -> npt.NDArray[np.uint64]:
    """The distinct word n-grams of a text, each as a number."""
    grams = {" ".join(words[place : place + size]) for place in range(len(words) - size + 1)}
    return np.array(sorted(xxhash.xxh3_64_intdigest(gram.encode()) for gram in grams), np.uint64)


class TextIndex:
    """The texts of suites, and the one that a new text repeats."""

    def __init__(self, texts: Sequence[str], size: int = WORDS, share: float = SHARE) -> None:
        self._size, self._share = size, share
        words = [words_of(text) for text in texts]
        self._exact: dict[str, int] = {}
        for place, found in enumerate(words):
            if found:
                self._exact.setdefault(" ".join(found), place)
        grams = [gram_hashes(found, size) for found in words]
        counts = np.array([len(one) for one in grams], np.int64)
        of = np.repeat(np.arange(len(grams)), counts)
        joined = np.concatenate(grams) if grams else np.array([], np.uint64)
        order = np.argsort(joined, kind="stable")
        self._counts, self._grams, self._of = counts, joined[order], of[order]

    def same(self, text: str) -> int | None:
        """The place of the first text that is the same; None where there is none."""
        words = words_of(text)
        if not words:
            return None
        if (exact := self._exact.get(" ".join(words))) is not None:
            return exact
        grams = gram_hashes(words, self._size)
        if len(grams) < LEAST_GRAMS:
            return None
        first, last = np.searchsorted(self._grams, grams), np.searchsorted(self._grams, grams, "right")
        spans = [self._of[low:high] for low, high in zip(first, last, strict=True) if high > low]
        if not spans:
            return None
        places, shared = np.unique(np.concatenate(spans), return_counts=True)
        counts = self._counts[places]
        found = places[(counts >= LEAST_GRAMS) & (shared >= self._share * np.minimum(counts, len(grams)))]
        return int(found[0]) if len(found) else None
