"""Places in the text of a prompt: where its pictures and words go, and every mistake in them with its line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

LONGEST_SHOWN = 40
NUMBER = "n"
"""The word that stands for the number of the picture after it."""

_WORD = re.compile(r"\{\{|\}\}|\{([A-Za-z]\w*)\}")
_NAME = re.compile(r"[A-Za-z]\w*\Z")
_BRACKETS = re.compile(r"(?<!\[)(\[{2,}+)([^\[\]\n]*+)(\]{2,}+)")  # possessive: thousands of brackets take no time
_LIKE_A_NAME = re.compile(r"[^\W\d][\w?]*(?:[ -][\w?]+)*\Z")
_BRACES = re.compile(r"(?<!\{)\{\s+(\w+)\s*\}(?!\})|(?<!\{)\{(\w+)\s+\}(?!\})|(?<!\{)\{\{\s*(\w+)\s*\}\}(?!\})")
_PLACE, _QUOTED = 2, 4
"""How many brackets are around the name of a picture, and around a name that is only text."""


@dataclass(frozen=True, slots=True)
class Step:
    """A piece of a paragraph: a text, and the name of the pictures that follow it, if any."""

    text: str
    picture: str = ""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph of a prompt in steps, with the pictures and words that it names."""

    steps: tuple[Step, ...]
    pictures: frozenset[str]
    words: frozenset[str]


def paragraphs(text: str) -> tuple[Paragraph, ...]:
    """The paragraphs of a text, which blank lines separate."""
    parts = re.split(r"\n(?:[ \t]*\n)+", text)
    return tuple(Paragraph(_steps(part), *map(frozenset, places_of(part))) for part in parts)


def places_of(text: str) -> tuple[set[str], set[str]]:
    """The pictures and the words that a text names.

    >>> places_of("Change: {instruction}\\nImage {n}: [[source]]")
    ({'source'}, {'instruction'})
    >>> places_of("Before: [[source]] Escaped: [[[[edit]]]] and {{hint}}")
    ({'source'}, set())
    """
    pictures = {name for match in _BRACKETS.finditer(text) if (name := _picture(match))}
    return pictures, {match[1] for match in _WORD.finditer(text) if match[1]} - {NUMBER}


def filled(text: str, words: Mapping[str, str]) -> str:
    """A text with its words in place, in one pass: what stands in the words is never taken for a place."""
    return _WORD.sub(lambda match: match[0][0] if match[1] is None else words.get(match[1], ""), text)


def only_at_line_ends(text: str) -> bool:
    """Whether each picture ends a line of its own and no name is escaped, as version 0.1 required.

    >>> only_at_line_ends("Before: [[source]]\\nAfter:\\n[[edit]]"), only_at_line_ends("[[source]] [[edit]]")
    (True, False)
    """
    for line in text.split("\n"):
        matches = list(_BRACKETS.finditer(line))
        if any(_quoted(match) for match in matches):
            return False
        if any(line[match.end() :].strip() for match in matches if _picture(match)):
            return False
    return True


def mistakes(
    text: str, pictures: Sequence[str], words: Sequence[str], reason: str = "that nothing fills", first_line: int = 1
) -> Iterator[str]:
    """Every place that nothing fills, as "line 3 has a place [[sorce]] for …", in the order of the lines.

    ``pictures`` and ``words`` are the names that the text may use; ``reason`` ends the sentence about any other.

    >>> next(mistakes("Was this done: {instrution}", [], ["instruction"]))
    'line 1 has a place {instrution} for a word that nothing fills; did you mean {instruction}? (known: instruction)'
    """
    for number, line in enumerate(text.split("\n"), first_line):
        for why in (*_wrong_pictures(line, pictures, words, reason), *_wrong_words(line, pictures, words, reason)):
            yield f"line {number} {why}"


def line_of(text: str, place: str, first_line: int = 1) -> int:
    """The line of a text on which a place first stands.

    >>> line_of("Look:\\n\\n[[edit]]", "[[edit]]", first_line=6)
    8
    """
    name = place.strip("[]{}")
    match = re.search(rf"\[\[\s*{name}\s*\]\]" if place.startswith("[") else re.escape(place), text)
    return first_line + (text[: match.start()].count("\n") if match else 0)


def _steps(paragraph: str) -> tuple[Step, ...]:
    """The lines of a paragraph, cut after each place for pictures; texts between two places are one step."""
    steps: list[Step] = []
    for line in paragraph.split("\n"):
        start, cut = 0, False
        for match in _BRACKETS.finditer(line):
            if name := _picture(match):
                steps.append(Step(_unquoted(line[start : match.start()]).rstrip(), name))
                start, cut = match.end(), True
        rest = _unquoted(line[start:])
        if cut and not rest.strip():
            continue
        if steps and not steps[-1].picture:
            steps[-1] = Step(f"{steps[-1].text}\n{rest}")
        else:
            steps.append(Step(rest))
    return tuple(steps)


def _picture(match: re.Match[str]) -> str:
    """The name in ``[[name]]``; "" for any other brackets."""
    name = match[2].strip()
    return name if len(match[1]) == len(match[3]) == _PLACE and _NAME.match(name) else ""


def _quoted(match: re.Match[str]) -> bool:
    """Whether brackets are ``[[[[name]]]]``, which means the text ``[[name]]``."""
    return len(match[1]) == len(match[3]) == _QUOTED and bool(_LIKE_A_NAME.match(match[2].strip()))


def _unquoted(text: str) -> str:
    return _BRACKETS.sub(lambda match: f"[[{match[2]}]]" if _quoted(match) else match[0], text)


def _wrong_pictures(line: str, pictures: Sequence[str], words: Sequence[str], reason: str) -> Iterator[str]:
    for match in _BRACKETS.finditer(line):
        name, given, written = _picture(match), match[2].strip(), shortened(match[0])
        if name in pictures or _quoted(match):
            continue
        if given in words:
            yield f"has a place {written} for a picture, but {given!r} is a word: write {{{given}}}"
        elif named := [one for one in pictures if re.search(rf"\b{re.escape(one)}\b", given)]:
            yield f"has {written}, which is not a place: write {' '.join(f'[[{one}]]' for one in named)}"
        elif len(match[1]) == len(match[3]) == _PLACE and _LIKE_A_NAME.match(given):
            literal = f"; write [[[[{given}]]]] to send [[{given}]] as text"
            what = f"has a place {written} for a picture {reason}"
            yield what + _nearest(given, pictures, "[[{}]]") + literal


def _wrong_words(line: str, pictures: Sequence[str], words: Sequence[str], reason: str) -> Iterator[str]:
    last = max((match.end() for match in _BRACKETS.finditer(line) if _picture(match)), default=0)
    for match in _WORD.finditer(line):
        name = match[1]
        if name == NUMBER and match.start() >= last:
            yield "has {n}, the number of a picture, and no picture after it; put it before the place, on the same line"
        elif name and name != NUMBER and name not in words:
            if name in pictures:
                yield f"has a place {{{name}}} for a word, but {name!r} is a picture: write [[{name}]]"
            else:
                yield f"has a place {{{name}}} for a word {reason}" + _nearest(name, words, "{{{}}}")
    for match in _BRACES.finditer(line):
        name = match[1] or match[2] or match[3]
        if name in words:
            yield f"has {match[0]}, which is not a place: write {{{name}}}"
        elif name in pictures:
            yield f"has {match[0]}, which is not a place: write [[{name}]]"


def shortened(place: str) -> str:
    """A place as a message shows it.

    >>> shortened("[[source]]"), len(shortened("[" * 5000))
    ('[[source]]', 41)
    """
    return place if len(place) <= LONGEST_SHOWN else place[:LONGEST_SHOWN] + "…"


def _nearest(name: str, known: Sequence[str], form: str) -> str:
    near = get_close_matches(name, known, n=1, cutoff=0.5) or get_close_matches(name.lower(), known, n=1, cutoff=0.5)
    hint = f"; did you mean {form.format(near[0])}?" if near else ""
    return f"{hint} (known: {', '.join(known) or 'none'})"
