"""Pictures that fit words: by keywords in their captions, or by a model that puts texts and pictures side by side."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from editscope.documents import Malformed, read_json
from editscope.errors import BadInput
from editscope.factory.sources.candidates.collections import CandidatePicture
from editscope.factory.words.entries import name_key
from editscope.files import DOCUMENT, read_file
from editscope.runfolder.files import write_whole
from editscope.suites.annotation.questions.english import word_set

SMALL_WORDS = word_set("a an the and or of in on at to from with by for its their into onto over under")
TEMPLATE = "a photo of {}"
"""How a keyword is put to the model."""


@dataclass(frozen=True, slots=True)
class Keyword:
    """Words to look for, and the law that they are for; "" where none."""

    text: str
    law: str = ""

    @property
    def words(self) -> frozenset[str]:
        """The words that a caption must have, in the singular, without small ones.

        >>> sorted(Keyword("Spoons with a distorted face").words)
        ['distorted', 'face', 'spoon']
        """
        return caption_words(self.text) - SMALL_WORDS


def caption_words(caption: str) -> frozenset[str]:
    """The words of a caption, in the singular and without marks.

    >>> sorted(caption_words("Two mirrors, antique; on a wall."))
    ['a', 'antique', 'mirror', 'on', 'two', 'wall']
    """
    plain = "".join(letter if letter.isalnum() or letter == "'" else " " for letter in caption)
    return frozenset(name_key(plain).split()) | frozenset(name_key(f"x {plain}").split()) - {"x"}


class KeywordIndex:
    """Finds the keywords whose words all stand in a caption, in any order."""

    def __init__(self, keywords: Sequence[Keyword]) -> None:
        self._by_word: dict[str, list[tuple[Keyword, frozenset[str]]]] = {}
        for keyword in keywords:
            words = keyword.words
            if words:
                self._by_word.setdefault(max(words, key=lambda word: (len(word), word)), []).append((keyword, words))

    def found(self, caption: str) -> list[Keyword]:
        """The keywords of a caption, in the order of the alphabet.

        >>> index = KeywordIndex([Keyword("rain puddle", "reflection"), Keyword("wet asphalt at night")])
        >>> [one.text for one in index.found("A puddle after the rain on wet ground")]
        ['rain puddle']
        """
        words = caption_words(caption)
        hits = [keyword for word in words for keyword, all_words in self._by_word.get(word, ()) if all_words <= words]
        return sorted(hits, key=lambda keyword: (keyword.law, keyword.text))


@dataclass(frozen=True, slots=True)
class FoundPicture:
    """A picture, and what it was found by."""

    picture: CandidatePicture
    keywords: tuple[Keyword, ...] = ()
    similarity: float | None = None

    @property
    def laws(self) -> tuple[str, ...]:
        """The laws of its keywords, each once."""
        return tuple(dict.fromkeys(one.law for one in self.keywords if one.law))


def by_keyword(
    pictures: Iterable[CandidatePicture], keywords: Sequence[Keyword], most: int = 0
) -> Iterator[FoundPicture]:
    """Pictures whose caption has a keyword; of each law, or without laws of each keyword, the first ``most``."""
    index = KeywordIndex(keywords)
    taken: dict[str, int] = {}
    for picture in pictures:
        found = [one for one in index.found(picture.caption) if not most or taken.get(one.law or one.text, 0) < most]
        if found:
            for group in {one.law or one.text for one in found}:
                taken[group] = taken.get(group, 0) + 1
            yield FoundPicture(picture, tuple(found))


def by_embedding(
    pictures: Sequence[CandidatePicture],
    keywords: Sequence[Keyword],
    model: str,
    *,
    least: float,
    most: int,
    kept_in: Path,
) -> Iterator[FoundPicture]:
    """Pictures by the keyword that is nearest to them: at least ``least``, of each law the ``most`` nearest ones.

    What the model says is kept in a file, so that a build that goes on asks it nothing.
    """
    if not keywords or not pictures:
        return
    nearest = _kept(kept_in, len(pictures), len(keywords)) or _compared(pictures, keywords, model, kept_in)
    groups: dict[str, list[tuple[float, int]]] = {}
    for place, (similarity, number) in enumerate(nearest):
        if number >= 0 and similarity >= least:
            one = keywords[number]
            groups.setdefault(one.law or one.text, []).append((-similarity, place))
    chosen = {place for group in groups.values() for _, place in sorted(group)[: most or None]}
    for place in sorted(chosen):
        similarity, number = nearest[place]
        yield FoundPicture(pictures[place], (keywords[number],), similarity)


def _compared(
    pictures: Sequence[CandidatePicture], keywords: Sequence[Keyword], model: str, kept_in: Path
) -> list[tuple[float, int]]:
    """For each picture its similarity to the nearest keyword, and the number of that; -1 where it cannot be read."""
    import numpy as np

    from editscope.errors import BadImage
    from editscope.images import load
    from editscope.scoring.classic.embeddings import BATCH, TextPictureModel

    loaded = TextPictureModel(model)
    texts = loaded.texts([TEMPLATE.format(keyword.text) for keyword in keywords])
    nearest: list[tuple[float, int]] = [(-1.0, -1)] * len(pictures)
    for start in range(0, len(pictures), BATCH):
        places, pixels = [], []
        for place in range(start, min(start + BATCH, len(pictures))):
            try:
                pixels.append(load(pictures[place].read()))
                places.append(place)
            except (BadImage, OSError):
                continue
        if places:
            similar = loaded.pictures(pixels) @ texts.T
            best = np.argmax(similar, axis=1)
            for row, place in enumerate(places):
                nearest[place] = (round(float(similar[row, best[row]]), 4), int(best[row]))
    kept_in.parent.mkdir(parents=True, exist_ok=True)
    write_whole(kept_in, json.dumps({"keywords": len(keywords), "nearest": nearest}).encode())
    return nearest


def _kept(path: Path, pictures: int, keywords: int) -> list[tuple[float, int]] | None:
    if not path.is_file():
        return None
    try:
        found = read_json(read_file(path, DOCUMENT))
        nearest = [(float(similarity), int(number)) for similarity, number in found["nearest"]]
    except (Malformed, KeyError, TypeError, ValueError):
        return None
    return nearest if len(nearest) == pictures and found["keywords"] == keywords else None


def read_keywords(path: Path) -> list[Keyword]:
    """Keywords by law from a list of rows with ``law`` and ``keywords``: JSON lines, or Parquet files of a folder."""
    if path.is_dir():
        from pyarrow import parquet

        files = sorted(path.rglob("*.parquet"))
        rows: list[Mapping[str, Any]] = [row for file in files for row in parquet.read_table(file).to_pylist()]
    elif path.is_file():
        from editscope.factory.sources.manifest import rows_of_file

        rows = [row for _, row in rows_of_file(path, read_file(path, DOCUMENT))]
    else:
        rows = []
    found = []
    for row in rows:
        listed = row.get("keywords")
        if not isinstance(row.get("law"), str) or not isinstance(listed, list):
            raise BadInput(f"{path} has a row without 'law' and a list 'keywords'; write both")
        found += [Keyword(text.strip(), row["law"]) for text in listed if isinstance(text, str) and text.strip()]
    if not found:
        raise BadInput(f"{path} has no keywords; give a list with 'law' and 'keywords', or leave keywords_from empty")
    return list(dict.fromkeys(found))
