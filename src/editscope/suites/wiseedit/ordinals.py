"""Ordinals in an instruction: which of its pictures it names, in English and in Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterator

WORDS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8}
SIGNS = {"一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
LAST = -1
"""Stands for "the last picture", whichever that is."""

_PICTURE = r"(?:input\s+|source\s+|reference\s+|original\s+)?(?:image|picture|photo|photograph|figure)s?"
_ONE = rf"(?:{'|'.join(WORDS)}|last|[1-9]\d?(?:st|nd|rd|th))"
_BEFORE = re.compile(rf"\b({_ONE}(?:\s*(?:,|and|or|&|,\s*and)\s*(?:the\s+)?{_ONE})*)\s+{_PICTURE}\b", re.IGNORECASE)
_AFTER = re.compile(
    rf"\b{_PICTURE}\s*(?:no\.?\s*|number\s+|#)?([1-9]\d?(?:\s*(?:,|and|or|&)\s*[1-9]\d?)*)(?![\d.]*\w)", re.IGNORECASE
)
_CHINESE = re.compile(r"第\s*([一二两三四五六七八九]|[1-9]\d?)\s*(?:张|幅|个|副)?\s*(?:输入|参考|原)?(?:图|照)")
_CHINESE_AFTER = re.compile(
    r"(?:图片?|照片)\s*([一二三四五六七八九](?![\u4e00-\u9fff]?[张幅个])|[1-9]\d?)(?!\s*[张幅个])"
)


def named_pictures(text: str) -> Iterator[tuple[int, str]]:
    """The numbers of the pictures that an instruction names, each with the words that name it.

    >>> list(named_pictures("Put the hat of the second image on the man in image 1, as in the third and fourth photos"))
    [(2, 'second image'), (3, 'third and fourth photos'), (4, 'third and fourth photos'), (1, 'image 1')]
    >>> list(named_pictures("把第一张图中的人放到图3里"))
    [(1, '第一张图'), (3, '图3')]
    >>> list(named_pictures("Make the first car red, 2 images of it"))
    []
    """
    for match in _BEFORE.finditer(text):
        for word in re.findall(_ONE, match[1], re.IGNORECASE):
            name = word.lower()
            yield LAST if name == "last" else WORDS.get(name) or int(re.sub(r"\D", "", name)), match[0]
    for match in _AFTER.finditer(text):
        for number in re.findall(r"\d+", match[1]):
            yield int(number), match[0]
    for pattern in (_CHINESE, _CHINESE_AFTER):
        for match in pattern.finditer(text):
            yield SIGNS.get(match[1]) or int(match[1]), match[0]


def ordinal_remarks(text: str, pictures: int) -> Iterator[tuple[bool, str]]:
    """What the ordinals of an instruction contradict, as (is it wrong, sentence).

    >>> list(ordinal_remarks("Put the hat of the third image on the man in the first image.", 2))
    [(True, "'third image' names picture 3, but the case has 2"), (False, 'the instruction does not name picture 2')]
    """
    if not text.strip():
        return
    named = set()
    for number, words in named_pictures(text):
        number = pictures if number == LAST else number
        if number > pictures and number not in named:
            yield True, f"{words!r} names picture {number}, but the case has {pictures}"
        named.add(number)
    unnamed = [str(number) for number in range(1, pictures + 1) if number not in named]
    if pictures > 1 and unnamed:
        several = "pictures " if len(unnamed) > 1 else "picture "
        yield False, f"the instruction does not name {several}{', '.join(unnamed)}"
