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

``{instruction}`` is replaced by words, ``[[source]]`` by every picture of that name. The text before the place, from
the start of the line or from the place before it, is repeated for each picture, ``{n}`` in it being its number. A
place with a question mark in the header may stay empty: the paragraph that names it is then left out. ``{{`` and ``}}``
are single braces; so is any other brace that holds no place. ``[[[[name]]]]`` is the text ``[[name]]``.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Literal

from editscope.cases import NOTHING, scale_of
from editscope.errors import BadInput
from editscope.files import read_file
from editscope.judges.prompts.places import (
    NUMBER,
    Paragraph,
    filled,
    line_of,
    mistakes,
    only_at_line_ends,
    paragraphs,
    places_of,
)
from editscope.judges.prompts.text_fields import read_text_field, text_field
from editscope.judges.records import Call, Field, Picture, Schema, TextField
from editscope.judges.replies import AskedField, asked_name

LARGEST = 200_000
"""Bytes of a prompt file. A larger one is not a prompt."""

_LISTED = re.compile(r"([a-z][a-z0-9_]*)(?:=([A-Za-z]\w*))?(\?)?\Z")
_REPLY = re.compile(r"(?:(\w+)=)?(\w+)\s+(?:(yes/no)|(-?\d+\s*-\s*-?\d+))\Z")
_TEXT = "text"
PICTURE_FORM, WORD_FORM = "[[{}]]", "{{{}}}"
"""How a text writes the places of pictures and words."""
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
    first_line: int = 1
    """The line of its file on which the text begins."""

    def call(self, key: str, pictures: Mapping[str, Sequence[Picture]], words: Mapping[str, str] = NOTHING) -> Call:
        """The call that these words and pictures make; what the prompt has no place for is left aside."""
        self._check(pictures, words)
        shown = {place.written: pictures.get(place.name, ()) for place in self.pictures}
        texts = {place.written: words.get(place.name, "") for place in self.words}
        parts: list[str | Picture] = []
        labels: list[str] = []
        lines: list[str] = []
        for paragraph in self._paragraphs:
            if not all(map(shown.get, paragraph.pictures)) or not all(map(texts.get, paragraph.words)):
                continue
            lines.append("")
            for step in paragraph.steps:
                if not step.picture:
                    lines.append(filled(step.text, texts) if paragraph.words or "{" in step.text else step.text)
                    continue
                count = len(shown[step.picture])
                numbers = _numbers(texts.get(f"{step.picture}_numbers", ""), count)
                for place, (number, picture) in enumerate(zip(numbers, shown[step.picture], strict=True), 1):
                    parts += [*_joined([*lines, filled(step.text, {**texts, NUMBER: number})]), picture]
                    labels.append(f"{step.picture} {place}" if count > 1 else step.picture)
                    lines = []
        asked = (*parts, *_joined(lines))
        return Call(key, asked, self.schema, prompt=self.name, prompt_hash=self.hash, labels=tuple(labels))

    def unsaid(self, pictures: Collection[str], words: Collection[str]) -> tuple[str, ...]:
        """Required places that would be left out with a paragraph, where only these pictures and words are given.

        A paragraph is left out as a whole, so nothing that every call needs may stand only in one that can be empty.
        """
        shown = {place.written for place in self.pictures if place.name in pictures}
        said = {place.written for place in self.words if place.name in words}
        kept = [one for one in self._paragraphs if one.pictures <= shown and one.words <= said]
        lost = []
        for form, kind, places in ((PICTURE_FORM, "pictures", self.pictures), (WORD_FORM, "words", self.words)):
            before, after = (
                {name for paragraph in listed for name in getattr(paragraph, kind)}
                for listed in (self._paragraphs, kept)
            )
            lost += [form.format(one.written) for one in places if not one.optional and one.written in before - after]
        return tuple(lost)

    def where(self, place: str) -> str:
        """The file and the line of a place, as messages name them."""
        return f"{self.origin}, line {line_of(self.text, place, self.first_line)}"

    @cached_property
    def _paragraphs(self) -> tuple[Paragraph, ...]:
        return paragraphs(self.text)

    def _check(self, pictures: Mapping[str, Sequence[Picture]], words: Mapping[str, str]) -> None:
        missing = [f"the picture {p.name!r}" for p in self.pictures if not p.optional and not pictures.get(p.name)]
        missing += [f"the word {w.name!r}" for w in self.words if not w.optional and not words.get(w.name)]
        if missing:
            raise BadInput(
                f"the prompt {self.name!r} ({self.origin}) needs {' and '.join(missing)}, which is not there"
            )
        shown = {place.name for place in self.pictures if pictures.get(place.name)}
        said = {place.name for place in self.words if words.get(place.name)}
        if len(shown) == len(self.pictures) and len(said) == len(self.words):
            return
        for lost in self.unsaid(shown, said):
            raise BadInput(f"{self.where(lost)}: {left_out(lost)}")


def left_out(place: str) -> str:
    """What is wrong with a place that every call needs, in a paragraph that some calls do not have."""
    return (
        f"{place} is in a paragraph that is left out where another of its places is empty; "
        "put a blank line between the two"
    )


def read_prompt(path: str | Path, like: Prompt | None = None) -> Prompt:
    """One prompt file. ``like`` is the prompt it stands in for: a file without a header takes over that one's."""
    path = Path(path)
    whole = _text_of(path)
    header, text = _split(path, whole)
    first_line = 1 + whole[: len(whole.rstrip("\n")) - len(text)].count("\n")
    if header is None and like is None:
        raise BadInput(f"{path} has no header; it begins with lines such as 'version: 1' and a line '---'")
    if header is None:
        assert like is not None
        own_text = _with_pictures(text, like.pictures, like.words)
        prompt = replace(like, version="own", text=own_text, origin=str(path), first_line=first_line)
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
            first_line=first_line,
        )
    _check_places(prompt, has_header=header is not None)
    # A text whose places stand where they could not stand before has another hash than it had as plain text.
    marks = [] if only_at_line_ends(prompt.text) else ["places anywhere"]
    return replace(prompt, hash=short_hash("\n".join([*header_lines(prompt), "---", prompt.text, *marks])))


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
        needed = [place for place in known if not place.optional and not place.name.endswith("_numbers")]
        used = places_of(own.text)[what == "word"]
        uses = {one.name for one in has if one.written in used}
        form = PICTURE_FORM if what == "picture" else WORD_FORM
        problems += [
            f"it never {'shows' if what == 'picture' else 'says'} {form.format(place.name)}, as ours does: add it"
            for place in needed
            if place.name not in uses
        ]
    pictures, words = ({one.name for one in places if not one.optional} for places in (own.pictures, own.words))
    problems += [
        f"line {line_of(own.text, place, own.first_line)}: {left_out(place)}" for place in own.unsaid(pictures, words)
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
    if "\0" in text:
        raise BadInput(f"{path} holds a NUL at byte {data.index(0)}, so it is not text: save it as UTF-8")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _split(path: Path, text: str) -> tuple[dict[str, str] | None, str]:
    """The header by name and the text below it; no header where the file does not begin with one."""
    head, bar, body = (*re.split(r"(\n---[ \t]*(?:\n|\Z))", text, maxsplit=1), "", "")[:3]
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
        if written := read_text_field(item):
            fields.append(written)
            continue
        match = _REPLY.match(item)
        scale = scale_of(match[4]) if match and match[4] else (0, 0)
        if match is None or scale is None:
            raise BadInput(
                f"{path} has the reply field {item[:60]!r}; write 'score 1-5', 'answer yes/no', 'caption text', "
                "'keywords texts 2-3', 'law one of heat|light' or 'questions rows 4-5 of question+answer'"
            )
        name = match[1] or match[2]
        alias = match[2] if match[1] else ""
        low, high = scale
        kind: Literal["yes_no", "integer"] = "yes_no" if match[3] else "integer"
        fields.append(AskedField(name, kind, low, high, alias) if alias else Field(name, kind, low, high))
    if len({field.name for field in fields}) < len(fields):
        raise BadInput(f"{path} names a reply field twice")
    return tuple(fields)


def _check_places(prompt: Prompt, has_header: bool) -> None:
    """Every place is known. All that its own header lists has a place; without one, all that must be shown has."""
    pictures, words = ([place.written for place in places] for places in (prompt.pictures, prompt.words))
    reason = "that its header does not list" if has_header else "that nothing fills"
    if wrong := list(mistakes(prompt.text, pictures, words, reason, prompt.first_line)):
        more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
        raise BadInput(f"{prompt.origin}, {wrong[0]}{more}")
    shown, said = places_of(prompt.text)
    for what, there, places, form in (
        ("picture", shown, prompt.pictures, PICTURE_FORM),
        ("word", said, prompt.words, WORD_FORM),
    ):
        for place in places:
            if place.written in there or place.name.endswith("_numbers"):
                continue
            missing = form.format(place.written)
            if has_header:
                raise BadInput(f"{prompt.origin} lists the {what} {place.written!r} and has no place {missing} for it")
            if what == "picture" and not place.optional:
                raise BadInput(f"{prompt.origin} shows other pictures and never {missing}, which it must show: add it")


def _with_pictures(text: str, pictures: Sequence[Placeholder], words: Sequence[Placeholder]) -> str:
    """A text without any place for pictures shows them below itself, in the order of its header.

    Pictures that have names of their own (a word ``frames_numbers``) are shown with these.
    """
    if places_of(text)[0] or not pictures:
        return text
    named = {place.name.removesuffix("_numbers") for place in words if place.name.endswith("_numbers")}
    return text + "".join(f"\n\n{'{n}: ' * (place.name in named)}[[{place.written}]]" for place in pictures)


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
    if isinstance(field, TextField):
        return text_field(field)
    alias = f"={field.asked}" if isinstance(field, AskedField) else ""
    return f"{field.name}{alias} " + ("yes/no" if field.kind == "yes_no" else f"{field.low}-{field.high}")


def _kinds(schema: Schema) -> list[str]:
    return sorted(_reply(field).replace(f"={asked_name(field)}", "", 1) for field in schema.fields)


def short_hash(text: str) -> str:
    """Sixteen hexadecimal digits that name a text."""
    return sha256(text.encode()).hexdigest()[:16]
