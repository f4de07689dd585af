"""Replies of judges: the text becomes the values that were asked for, or the reason why there are none."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from editscope.cases import NOTHING
from editscope.judges.records import Field, Schema, TextField, Value

LONGEST = 200_000
"""Characters. What is longer is a judge that repeats itself, not a verdict."""

_Pairs: TypeAlias = "list[tuple[str, Any]]"

_THOUGHT = re.compile(r"\A\s*<(think|thinking)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_BOLD = " \t*_`"
_SCORE_LINE = re.compile(r"[\s*_#>`\-]*final\s+score[\s*_`]*:", re.IGNORECASE)
_ANSWER_LINE = re.compile(r"[\s*_#>`\-]*(?:final\s+)?answer[\s*_`]*:", re.IGNORECASE)
_REFUSAL = re.compile(
    r"\b(?:i|we)\s*(?:'m|\s+am|\s+are|'re)?\s*(?:sorry\b.{0,40}?)?"
    r"(?:can't|cannot|can not|won't|will not|unable to|not able to|not allowed to|must decline|have to decline|decline)"
    r"\s*(?:to\s+)?(?:assist|help|comply|provide|evaluate|assess|analy[sz]e|answer|fulfill|process|rate|judge|score|"
    r"discuss|identify|continue|engage|support|review|do that|do this|respond)"
    r"|\bagainst (?:my|our|the) (?:policy|policies|guidelines)\b"
    r"|(?:抱歉|对不起|很遗憾).{0,20}(?:无法|不能|不可以)",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class AskedField(Field):
    """A field that the reply calls by another name: ``score`` that a prompt asks for as ``quality_score``."""

    asked: str = ""


@dataclass(frozen=True, slots=True)
class Parsed:
    """A reply that satisfies its schema: a value for every field, and the judge's own words."""

    values: Mapping[str, Value] = field(default_factory=lambda: NOTHING)
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Broken:
    """A reply that is not a verdict, and why."""

    why: str


class _Unclear(Exception):
    """Raised inside this file where a reply cannot be a verdict; the message says why."""


def parse(text: str, schema: Schema) -> Parsed | Broken:
    """Read a reply strictly: every field once, of its kind and in its range, or it is not a verdict.

    Accepted are one JSON object with the fields (bare, fenced, or with words around it) and, for a schema of one
    field, one line ``Final Score: 4`` or ``Answer: Yes`` (any case, with or without bold marks). An integer is written
    as an integer: 4.5, "4", 4/5 and four are not. Where a reply says something twice, it must say the same.

    >>> scale = Schema((Field("score", "integer", 1, 5),))
    >>> parse('Here it is: {"reason": "one stray shadow", "score": 4}', scale)
    Parsed(values={'score': 4}, reason='one stray shadow')
    >>> parse("A clean edit.\\n**Final Score:** **5**", scale)
    Parsed(values={'score': 5}, reason='A clean edit.')
    >>> parse('{"reason": "perfect", "score": "10/10"}', scale)
    Broken(why="score is the text '10/10', not an integer from 1 to 5")

    A model that writes is held to its fields in the same way.

    >>> asked = Schema((TextField("questions", "yes_no", 1, 2, "rows", ("question", "answer")),), reason="")
    >>> parse('{"questions": [{"question": "Is the cup red?", "answer": "Yes"}]}', asked).values
    {'questions': [{'question': 'Is the cup red?', 'answer': 'Yes'}]}
    >>> parse('{"questions": []}', asked)
    Broken(why='questions is a list of 0, not a list of 1 to 2')

    A schema without fields asks for a text alone: an object with the text that it calls the reason.

    >>> parse('{"plan": "First the circle, then its shadow."}', Schema((), reason="plan"))
    Parsed(values={}, reason='First the circle, then its shadow.')
    """
    if len(text) > LONGEST:
        return Broken(f"the reply has {len(text):,} characters; a verdict has at most {LONGEST:,}")
    reply = _THOUGHT.sub("", text, count=1).lstrip("\ufeff").strip()
    if not reply:
        return Broken("the reply is empty")
    try:
        if reply.lower().startswith(("<think>", "<thinking>")):
            raise _Unclear("the reply is cut off while the judge was thinking")
        readings = [*_objects(reply, schema), *_lines(reply, schema)]
        if not readings:
            raise _Unclear(_nothing(schema))
        if any(other.values != readings[0].values for other in readings):
            raise _Unclear("the reply gives two verdicts that differ: " + _listed(readings))
        if not schema.fields and any(other.reason != readings[0].reason for other in readings):
            raise _Unclear(f"the reply gives two texts under {schema.reason!r} that differ")
    except _Unclear as unclear:
        return Broken(str(unclear))
    except RecursionError:
        return Broken("the reply nests lists or objects too deeply")
    return readings[0]


def json_schema(schema: Schema) -> dict[str, Any]:
    """The JSON schema of a reply, for servers that can be held to one. The reason comes first: think, then score.

    >>> json_schema(Schema((Field("answer", "yes_no"),)))["properties"]
    {'reason': {'type': 'string'}, 'answer': {'type': 'string', 'enum': ['Yes', 'No']}}
    """
    properties: dict[str, Any] = {schema.reason: {"type": "string"}} if schema.reason else {}
    for wanted in schema.fields:
        properties[asked_name(wanted)] = _property(wanted)
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _property(wanted: Field) -> dict[str, Any]:
    if not isinstance(wanted, TextField):
        if wanted.kind == "yes_no":
            return {"type": "string", "enum": ["Yes", "No"]}
        return {"type": "integer", "enum": list(range(wanted.low, wanted.high + 1))}
    if wanted.shape == "choice":
        return {"type": "string", "enum": list(wanted.options)}
    if wanted.shape == "text":
        return {"type": "string"}
    entry: dict[str, Any] = {"type": "string"}
    if wanted.shape == "rows":
        texts = {name: {"type": "string"} for name in wanted.options}
        entry = {"type": "object", "properties": texts, "required": list(texts), "additionalProperties": False}
    return {"type": "array", "items": entry}


def is_refusal(text: str) -> bool:
    """Whether a reply that is not a verdict says that the judge will not judge. Ask only about broken replies.

    >>> is_refusal("I'm sorry, but I can't assist with that request."), is_refusal("I cannot see any change.")
    (True, False)
    """
    start = " ".join(_THOUGHT.sub("", text[:LONGEST], count=1).split())[:400].replace("’", "'")
    return bool(_REFUSAL.search(start))


def asked_name(wanted: Field) -> str:
    """What the reply calls a field."""
    return (wanted.asked or wanted.name) if isinstance(wanted, AskedField) else wanted.name


def _objects(text: str, schema: Schema) -> Iterator[Parsed]:
    """What each JSON object with a field of the schema says."""
    names = {asked_name(wanted).lower() for wanted in schema.fields} or {schema.reason.lower()}
    for start, end, pairs in _json_objects(text):
        if names & {key.strip().lower() for key, _ in pairs}:
            around = " ".join(f"{text[:start]} {text[end:]}".replace("```json", "").replace("```", "").split())
            yield _checked(pairs, schema, around)


def _json_objects(text: str) -> Iterator[tuple[int, int, _Pairs]]:
    """Every outermost JSON object in a text: where it stands, and its pairs in order, those that repeat included."""
    # Not strict about one thing: judges break the lines of their reasons, which JSON wants escaped.
    decoder = json.JSONDecoder(object_pairs_hook=_Object, strict=False)
    start = text.find("{")
    while start >= 0:
        try:
            found, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            # A brace in prose is skipped. What begins like an object is the reply, cut off or garbled: to go on inside
            # of it would take a part for the whole.
            if re.match(r'\{\s*["“”：]', text[start : start + 80]):
                raise _Unclear("the JSON object in the reply is cut off or not valid JSON") from None
            end = start + 1
        else:
            yield start, end, found.pairs
        start = text.find("{", end)


class _Object:
    """A JSON object with its pairs as they were written."""

    def __init__(self, pairs: _Pairs) -> None:
        self.pairs = pairs


def _checked(pairs: _Pairs, schema: Schema, around: str) -> Parsed:
    """The values of one object, each of its kind and range; raises where one is not, or may be meant twice."""
    wanted = {asked_name(one).lower(): one for one in schema.fields}
    values: dict[str, Value] = {}
    reasons: list[str] = []
    for key, value in pairs:
        name = key.strip().lower()
        if name in wanted:
            if wanted[name].name in values:
                raise _Unclear(f"the field {key!r} stands twice in one object")
            values[wanted[name].name] = _value(value, wanted[name])
        elif schema.reason and name == schema.reason.lower():
            reasons.append(value if isinstance(value, str) else _plain(value))
        elif schema.fields and _has_number(value):
            raise _Unclear(f"beside the fields that were asked for there is {key!r} with a number of its own")
    missing = [asked_name(one) for one in schema.fields if one.name not in values]
    if missing:
        raise _Unclear(f"the object has no field {' and no field '.join(map(repr, missing))}")
    text = "\n".join(filter(None, reasons)).strip()
    if not schema.fields and not text:
        raise _Unclear(f"the text under {schema.reason!r} is empty")
    return Parsed(values, text or around)


def _written(value: Any, wanted: TextField) -> Any:
    """What a model wrote under one name, or the sentence that says why it cannot be used."""
    name = asked_name(wanted)
    if wanted.shape in ("text", "choice"):
        text = value.strip() if isinstance(value, str) else ""
        if not text:
            raise _Unclear(f"{name} is {_named(value)}, not a text")
        chosen = next((option for option in wanted.options if option.casefold() == text.casefold()), None)
        if wanted.shape == "choice" and chosen is None:
            raise _Unclear(f"{name} is {_named(value)}, not one of {', '.join(wanted.options)}")
        return chosen or text
    if not isinstance(value, list) or not wanted.low <= len(value) <= wanted.high:
        given = f"a list of {len(value)}" if isinstance(value, list) else _named(value)
        raise _Unclear(f"{name} is {given}, not a list of {wanted.low} to {wanted.high}")
    if wanted.shape == "texts":
        if not all(isinstance(entry, str) and entry.strip() for entry in value):
            raise _Unclear(f"{name} holds something that is not text")
        return [entry.strip() for entry in value]
    rows = []
    for entry in value:
        pairs = {key.strip().lower(): inner for key, inner in entry.pairs} if isinstance(entry, _Object) else {}
        row = {option: pairs.get(option.lower()) for option in wanted.options}
        if not all(isinstance(text, str) and text.strip() for text in row.values()):
            raise _Unclear(f"{name} holds an entry without the texts {', '.join(wanted.options)}")
        rows.append({option: str(text).strip() for option, text in row.items()})
    return rows


def _value(value: Any, wanted: Field) -> Value:
    """One value, or the sentence that says why it is none."""
    if isinstance(wanted, TextField):
        return _written(value, wanted)  # type: ignore[no-any-return]
    if wanted.kind == "yes_no":
        answer = value.strip().rstrip(".").lower() if isinstance(value, str) else ""
        if answer in ("yes", "no"):
            return answer == "yes"
        raise _Unclear(f"{asked_name(wanted)} is {_named(value)}, not Yes or No")
    if isinstance(value, int) and not isinstance(value, bool) and wanted.low <= value <= wanted.high:
        return value
    raise _Unclear(f"{asked_name(wanted)} is {_named(value)}, not an integer from {wanted.low} to {wanted.high}")


def _lines(text: str, schema: Schema) -> Iterator[Parsed]:
    """What each line ``Final Score: 4`` or ``Answer: Yes`` says, for a schema of one field."""
    if len(schema.fields) != 1:
        return
    wanted = schema.fields[0]
    if isinstance(wanted, TextField):
        return
    pattern = _SCORE_LINE if wanted.kind == "integer" else _ANSWER_LINE
    lines = text.splitlines()
    for number, line in enumerate(lines):
        # Full-width colons and digits are the same signs in another width.
        same = unicodedata.normalize("NFKC", line[:400])
        match = pattern.match(same)
        if match is None:
            continue
        answer = same[match.end() :].strip(_BOLD).removesuffix(".").strip(_BOLD)
        value: Any = int(answer) if re.fullmatch(r"-?[0-9]{1,9}", answer) else answer
        others = " ".join(" ".join(lines[:number] + lines[number + 1 :]).split())
        yield Parsed({wanted.name: _value(value, wanted)}, others)


def _has_number(value: Any) -> bool:
    """Whether a number or a truth value stands anywhere in what JSON gave."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, (int, float)):
            return True
        if isinstance(item, list):
            waiting += item
        elif isinstance(item, _Object):
            waiting += [inner for _, inner in item.pairs]
    return False


def _plain(value: Any) -> str:
    """A reason that is not one text (a list of steps, an object of findings) as text; nothing for null."""
    if value is None:
        return ""
    if isinstance(value, list):
        return "\n".join(map(_plain, value))
    if isinstance(value, _Object):
        return "\n".join(f"{key}: {_plain(inner)}" for key, inner in value.pairs)
    return str(value)


def _named(value: Any) -> str:
    """A wrong value as a reader should see it."""
    if value is None:
        return "null"
    if isinstance(value, str):
        return f"the text {value[:60]!r}" if value.strip() else "an empty text"
    if isinstance(value, (list, _Object)):
        return "a list" if isinstance(value, list) else "an object"
    return str(value).lower() if isinstance(value, bool) else str(value)[:60]


def _nothing(schema: Schema) -> str:
    """What was looked for and is not there."""
    if not schema.fields:
        return f"the reply has no JSON object with {schema.reason!r}"
    fields = " and ".join(repr(asked_name(one)) for one in schema.fields)
    line = {"integer": "Final Score: …", "yes_no": "Answer: …"}[schema.fields[0].kind]
    lines_count = len(schema.fields) == 1 and not isinstance(schema.fields[0], TextField)
    return f"the reply has no JSON object with {fields}" + (f" and no line '{line}'" if lines_count else "")


def _listed(readings: list[Parsed]) -> str:
    """The different verdicts of one reply, in the order in which they stand."""
    verdicts = [", ".join(f"{name} {value}" for name, value in reading.values.items()) for reading in readings]
    return "; ".join(list(dict.fromkeys(verdicts))[:4])
