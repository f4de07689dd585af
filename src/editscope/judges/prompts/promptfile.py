"""A prompt file: a header, a line ``---``, and a text with places for words and pictures.

For example::

    version: 1
    pictures: source, edit, references?
    words: instruction, hint?
    reply: score 1-5
    ---
    Instruction: {instruction}

    Hint: {hint}

    Image A:
    [[source]]

``{instruction}`` is replaced by words; a line that ends with ``[[source]]`` is repeated for every picture of that name,
``{n}`` in it being the picture's number. A place with a question mark in the header may stay empty: the paragraph that
names it is then left out. ``{{`` and ``}}`` are single braces; so is any other brace that holds no place.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Literal

from editscope.cases import NOTHING, scale_of
from editscope.errors import BadInput
from editscope.files import read_file
from editscope.judges.records import Call, Field, Picture, Schema
from editscope.judges.replies import AskedField

LARGEST = 200_000
"""Bytes of a prompt file. A larger one is not a prompt."""

_FILL = re.compile(r"\{\{|\}\}|\{([A-Za-z]\w*)\}")
_PICTURE = re.compile(r"\[\[\s*([A-Za-z]\w*)\s*\]\]\s*$")
_LISTED = re.compile(r"([a-z][a-z0-9_]*)(?:=([A-Za-z]\w*))?(\?)?\Z")
_REPLY = re.compile(r"(?:(\w+)=)?(\w+)\s+(?:(yes/no)|(-?\d+\s*-\s*-?\d+))\Z")
_TEXT = "text"
_HEADER = ("version", "pictures", "words", "reply", "reason")


@dataclass(frozen=True, slots=True)
class Placeholder:
    """A name in a prompt that words or pictures replace; ``optional`` ones may stay empty.

    ``written`` is what the text calls it: in ``words: instruction=instruct`` the text says ``{instruct}``.
    """

    name: str
    written: str
    optional: bool = False

    def __str__(self) -> str:
        return self.name + (f"={self.written}" if self.written != self.name else "") + "?" * self.optional


@dataclass(frozen=True)
class Prompt:
    """One prompt: what it shows, what it says, and the reply that it asks for."""

    name: str
    version: str
    pictures: tuple[Placeholder, ...]
    words: tuple[Placeholder, ...]
    schema: Schema
    text: str
    hash: str
    origin: str

    def call(self, key: str, pictures: Mapping[str, Sequence[Picture]], words: Mapping[str, str] = NOTHING) -> Call:
        """The call that these words and pictures make; what the prompt has no place for is left aside."""
        self._check(pictures, words)
        shown = {place.written: pictures.get(place.name, ()) for place in self.pictures}
        texts = {place.written: words.get(place.name, "") for place in self.words}
        parts: list[str | Picture] = []
        lines: list[str] = []
        for steps, its_pictures, its_words in self._paragraphs:
            if not all(shown[name] for name in its_pictures) or not all(texts[name] for name in its_words):
                continue
            lines.append("")
            for text, name in steps:
                if not name:
                    lines.append(_filled(text, texts) if its_words or "{" in text else text)
                    continue
                numbers = _numbers(texts.get(f"{name}_numbers", ""), len(shown[name]))
                for number, picture in zip(numbers, shown[name], strict=True):
                    parts += [*_joined([*lines, _filled(text, {**texts, "n": number})]), picture]
                    lines = []
        return Call(key, (*parts, *_joined(lines)), self.schema, prompt=self.name, prompt_hash=self.hash)

    @cached_property
    def _paragraphs(self) -> tuple[tuple[list[tuple[str, str]], set[str], set[str]], ...]:
        """Each paragraph as texts and, where a picture follows, its name; and the pictures and words that it names."""
        return tuple(
            (_steps(paragraph), *places_of(paragraph)) for paragraph in re.split(r"\n(?:[ \t]*\n)+", self.text)
        )

    def _check(self, pictures: Mapping[str, Sequence[Picture]], words: Mapping[str, str]) -> None:
        missing = [f"the picture {p.name!r}" for p in self.pictures if not p.optional and not pictures.get(p.name)]
        missing += [f"the word {w.name!r}" for w in self.words if not w.optional and not words.get(w.name)]
        if missing:
            raise BadInput(
                f"the prompt {self.name!r} ({self.origin}) needs {' and '.join(missing)}, which is not there"
            )


def read_prompt(path: str | Path, like: Prompt | None = None) -> Prompt:
    """One prompt file. ``like`` is the prompt it stands in for: a file without a header takes over that one's."""
    path = Path(path)
    header, text = _split(path, _text_of(path))
    if header is None and like is None:
        raise BadInput(f"{path} has no header; it begins with lines such as 'version: 1' and a line '---'")
    if header is None:
        assert like is not None
        prompt = replace(like, version="own", text=_with_pictures(text, like.pictures, like.words), origin=str(path))
    else:
        prompt = Prompt(
            name=path.stem,
            version=header["version"],
            pictures=(pictures := _places(path, "pictures", header["pictures"])),
            words=(words := _places(path, "words", header["words"])),
            schema=Schema(_fields(path, header["reply"]), header["reason"]),
            text=_with_pictures(text, pictures, words),
            hash="",
            origin=str(path),
        )
    _check_places(prompt, unused_too=header is not None)
    return replace(prompt, hash=short_hash("\n".join([*header_lines(prompt), "---", prompt.text])))


def header_lines(prompt: Prompt) -> tuple[str, ...]:
    """The header of a prompt as it stands in a file."""
    return (
        f"version: {prompt.version}",
        f"pictures: {', '.join(map(str, prompt.pictures))}",
        f"words: {', '.join(map(str, prompt.words))}",
        f"reply: {', '.join(map(_reply, prompt.schema.fields)) or _TEXT}",
        f"reason: {prompt.schema.reason}",
    )


def differences(own: Prompt, ours: Prompt) -> tuple[str, ...]:
    """Why a prompt cannot stand in for the one that ships: what it asks for, or needs, that a rubric does not know."""
    problems = []
    if _kinds(own.schema) != _kinds(ours.schema):
        expected = ", ".join(map(_reply, ours.schema.fields))
        problems.append(f"reply is {', '.join(map(_reply, own.schema.fields))!r}, not {expected!r}")
    for what, has, known in (("picture", own.pictures, ours.pictures), ("word", own.words, ours.words)):
        names = {place.name for place in known}
        given = ", ".join(sorted(names)) or "none"
        problems += [f"the {what} {one.name!r} is not given (given: {given})" for one in has if one.name not in names]
        optional = {place.name for place in known if place.optional}
        problems += [
            f"the {what} {one.name!r} may be missing: write '{one.name}?' in the header"
            for one in has
            if one.name in optional and not one.optional
        ]
    return tuple(problems)


def _text_of(path: Path) -> str:
    try:
        data = read_file(path, LARGEST)
    except OSError as error:
        if error.errno == errno.EFBIG:
            raise BadInput(f"{path} is too large; a prompt has at most {LARGEST:,} bytes") from None
        raise BadInput(f"{path} cannot be read: {error.strerror}") from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} is not UTF-8 at byte {error.start}: save it as UTF-8") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _split(path: Path, text: str) -> tuple[dict[str, str] | None, str]:
    """The header by name and the text below it; no header where the file does not begin with one."""
    head, bar, body = text.partition("\n---\n")
    lines = [line for line in head.split("\n") if line.strip()]
    if not bar or not all(re.match(r"[a-z]+\s*:", line) for line in lines):
        return None, text.strip("\n")
    header: dict[str, str] = {}
    for line in lines:
        name, _, value = line.partition(":")
        name = name.strip()
        if name not in _HEADER:
            raise BadInput(f"{path} has the header line {name!r}, which is none of {', '.join(_HEADER)}")
        if name in header:
            raise BadInput(f"{path} has the header line {name!r} twice")
        header[name] = value.strip()
    for name in ("version", "reply"):
        if not header.get(name):
            raise BadInput(f"{path} has no header line '{name}: …'")
    if not body.strip():
        raise BadInput(f"{path} has no text below its header")
    return {"pictures": "", "words": "", "reason": "reason", **header}, body.strip("\n")


def _places(path: Path, what: str, listed: str) -> tuple[Placeholder, ...]:
    """The places of ``source, edit, references?`` or ``instruction=instruct, hint?``."""
    places = []
    for item in filter(None, (part.strip() for part in listed.split(","))):
        match = _LISTED.match(item)
        if match is None:
            raise BadInput(f"{path} lists {item!r} under {what}: a name is small letters, digits and _, as in 'edit'")
        places.append(Placeholder(match[1], match[2] or match[1], bool(match[3])))
    if len({place.name for place in places}) < len(places):
        raise BadInput(f"{path} lists a name twice under {what}")
    return tuple(places)


def _fields(path: Path, listed: str) -> tuple[Field, ...]:
    """The fields of ``score 1-5``, ``answer yes/no`` or ``score=quality_score 1-5, …``; none for ``text``."""
    if listed == _TEXT:
        return ()
    fields: list[Field] = []
    for item in (part.strip() for part in listed.split(",")):
        match = _REPLY.match(item)
        scale = scale_of(match[4]) if match and match[4] else (0, 0)
        if match is None or scale is None:
            raise BadInput(f"{path} has the reply field {item[:60]!r}; write 'score 1-5', 'answer yes/no' or 'text'")
        name = match[1] or match[2]
        alias = match[2] if match[1] else ""
        low, high = scale
        kind: Literal["yes_no", "integer"] = "yes_no" if match[3] else "integer"
        fields.append(AskedField(name, kind, low, high, alias) if alias else Field(name, kind, low, high))
    if len({field.name for field in fields}) < len(fields):
        raise BadInput(f"{path} names a reply field twice")
    return tuple(fields)


def places_of(text: str) -> tuple[set[str], set[str]]:
    """The pictures and the words that a text names.

    >>> places_of("Change: {instruction}\\nImage {n}: [[source]]")
    ({'source'}, {'instruction'})
    """
    pictures = {match[1] for line in text.split("\n") if (match := _PICTURE.search(line))}
    return pictures, {match[1] for match in _FILL.finditer(text) if match[1]} - {"n"}


def _check_places(prompt: Prompt, unused_too: bool) -> None:
    """Every place is known, and (where the file has its own header) all that the header lists has a place."""
    shown, said = places_of(prompt.text)
    for what, found, places, form in (
        ("picture", shown, prompt.pictures, "[[{}]]"),
        ("word", said, prompt.words, "{{{}}}"),
    ):
        known = {place.written for place in places}
        for name in sorted(found - known):
            listed = ", ".join(sorted(known)) or "none"
            raise BadInput(
                f"{prompt.origin} has a place {form.format(name)} for a {what} that its header does not list "
                f"(listed: {listed})"
            )
        for name in sorted(known - found):
            if unused_too and not name.endswith("_numbers"):
                raise BadInput(f"{prompt.origin} lists the {what} {name!r} and has no place {form.format(name)} for it")


def _with_pictures(text: str, pictures: Sequence[Placeholder], words: Sequence[Placeholder]) -> str:
    """A text without any place for pictures shows them below itself, in the order of its header.

    Pictures that have names of their own (a word ``frames_numbers``) are shown with these.
    """
    if places_of(text)[0] or not pictures:
        return text
    named = {place.name.removesuffix("_numbers") for place in words if place.name.endswith("_numbers")}
    return text + "".join(f"\n\n{'{n}: ' * (place.name in named)}[[{place.written}]]" for place in pictures)


def _filled(line: str, words: Mapping[str, str]) -> str:
    """A line with its words in place, in one pass: what stands in the words is never taken for a place."""
    return _FILL.sub(lambda match: match[0][0] if match[1] is None else words.get(match[1], ""), line)


def _steps(paragraph: str) -> list[tuple[str, str]]:
    """The lines of a paragraph, those without a picture taken together."""
    steps: list[tuple[str, str]] = []
    for line in paragraph.split("\n"):
        place = _PICTURE.search(line)
        if place is not None:
            steps.append((line[: place.start()].rstrip(), place[1]))
        elif steps and not steps[-1][1]:
            steps[-1] = (f"{steps[-1][0]}\n{line}", "")
        else:
            steps.append((line, ""))
    return steps


def _joined(lines: Sequence[str]) -> list[str]:
    """The lines as one text, or none where they are blank."""
    text = "\n".join(lines).strip()
    return [text] if text else []


def _numbers(listed: str, count: int) -> list[str]:
    """The numbers of the pictures of one place: as listed, or counted from 1."""
    numbers = [part.strip() for part in listed.split(",") if part.strip()]
    if numbers and len(numbers) != count:
        raise BadInput(f"{len(numbers)} numbers ({listed}) are given for {count} pictures")
    return numbers or [str(number) for number in range(1, count + 1)]


def _reply(field: Field) -> str:
    alias = f"={field.asked}" if isinstance(field, AskedField) else ""
    return f"{field.name}{alias} " + ("yes/no" if field.kind == "yes_no" else f"{field.low}-{field.high}")


def _kinds(schema: Schema) -> list[tuple[str, str, int, int]]:
    return sorted((field.name, field.kind, field.low, field.high) for field in schema.fields)


def short_hash(text: str) -> str:
    """Sixteen hexadecimal digits that name a text."""
    return sha256(text.encode()).hexdigest()[:16]
