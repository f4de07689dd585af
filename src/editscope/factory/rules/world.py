"""Rules of instructions that name a cause and leave its effect to world knowledge, and of their paraphrases."""

from __future__ import annotations

import re

from editscope.factory.rules.lexicon import entries, listed, pattern
from editscope.factory.rules.records import PlainText
from editscope.suites.annotation.questions.english import ATTRIBUTES, DETERMINERS, is_mark, unquoted, word_set, words

_PAINTING = word_set(
    "recolor repaint paint color colour tint dye enlarge shrink resize widen lengthen shorten darken brighten "
    "fade whiten blacken redden roughen dim outline "
    "lighten "
    "blur erase delete remove crop draw insert replace swap substitute give sharpen thicken desaturate shade"
)
_CHANGING = word_set("change transform convert modify alter adjust increase decrease reduce edit")
_ADDING = word_set("add cover put place create apply scatter decorate fill coat include smear sprinkle splash attach")
_DEFINITE = word_set("the this that these those its his her their my your")
_STATE = re.compile(
    r"\b(?:becom(?:e|es|ing)|became|turn(?:s|ed)?|gets?|got|grows?|looks?|appears?|is|are|be|being|made|make"
    r"|makes|goes"
    r"|seem|seems|with|has|have)\s+(?P<rest>[^.;?!]*)",
    re.IGNORECASE,
)


def implicit_cause(text: PlainText) -> str | None:
    """A cause, not its visible result."""
    word = _explicit(text.text)
    return f"{word!r} says what one will see; name the cause and leave the result open." if word else None


def _explicit(text: str) -> str | None:
    for clause in re.split(r"[,;.]\s+(?:and |then )*|\s(?:and|then) (?=\w+ )", unquoted(text)):
        if word := _explicit_command(clause, text):
            return word
    return _said_state(text)


def _explicit_command(clause: str, text: str) -> str | None:
    """The words at the beginning of a clause that make it an order to paint a result."""
    found = [word for word in words(clause) if word not in _FILLERS and not is_mark(word)]
    if len(found) < 2:
        return None
    first, rest = found[0], found[1:]
    if first in ("remove", "delete", "erase") and _SUPPORTS.intersection(rest[:4]):
        return None
    if first in _PAINTING:
        return first
    if first in _CHANGING:
        return None if any(word in entries("conditions") for word in rest[:4]) and "color" not in rest else first
    if first in _ADDING:
        return f"{first} {noun}" if (noun := _new_result(text)) else None
    if first == "make":
        return None if rest[0] == "it" and rest[1:2] and rest[1] in {"rain", "snow", "hail"} else first
    if first in ("turn", "render") and ("into" in rest or rest[-1] in entries("visible_attributes")):
        return f"{first} {'into' if 'into' in rest else rest[-1]}"
    if first in _SHOWING and "what" not in rest and "how" not in rest:
        with_attribute = re.search(r"\bwith (?:an? |its )?(\w+)", clause, re.IGNORECASE)
        if with_attribute and with_attribute[1].lower() in entries("visible_attributes"):
            return f"{first} … {with_attribute[0]}"
        return f"{first} … {rest[-1]}" if rest[-1] in entries("visible_attributes") else _new_result(clause)
    return _new_result(clause) if "into" in rest and first not in _CAUSING else None


_FILLERS = word_set("please now just then let's simply slowly carefully gently")
_CAUSING = word_set(
    "pour put drop throw dip push press blow inject pump place roll fall toss shoot walk crash run jump"
)
_SUPPORTS = word_set(
    "air heat support supports pressure cork plug pin pillar water moisture oxygen weight battery power lid cap "
    "stopper "
    "nail screw prop clamp peg magnet column"
)
_SHOWING = word_set("show let depict have display")


_INSIDE = word_set("on in under at of")
_SHATTERED = word_set("pieces fragments shards flames folds patches")


def _new_result(text: str) -> str | None:
    """A visible result that is not one of the things in the picture, which would have an article such as *the*."""
    plain = unquoted(text)
    for match in pattern("result_nouns").finditer(plain):
        before = words(plain[: match.start()])[-3:]
        if not _DEFINITE.intersection(before[-2:]) and not (
            before and before[-1] in _INSIDE and match[0].lower() not in _SHATTERED
        ):
            return match[0]
    return None


def _said_state(text: str) -> str | None:
    """A visible attribute that is said of something, as in "the can becomes flat"."""
    for match in _STATE.finditer(unquoted(text)):
        rest = [word for word in words(match["rest"]) if word not in DETERMINERS | {"more", "very", "much", "all"}]
        while rest and rest[0].endswith("ly"):
            rest = rest[1:]
        verb = match[0].split()[0]
        if verb.lower().startswith("bec") and not re.search(r"\bwhat\b", text[: match.start()], re.IGNORECASE):
            return " ".join([verb, *rest[:1]])
        if rest and listed("visible_attributes", " ".join(rest[:2])) and _is_said(verb, rest):
            return f"{verb} {rest[0]}"
    return None


_GIVEN = word_set("with has have is are be being")


def _is_said(verb: str, rest: list[str]) -> bool:
    """Whether the attribute is what is said, not part of the name of a thing: "is red" but not "with red wine"."""
    if rest[0] not in entries("visible_attributes") and rest[0] not in ("full", "covered"):
        return False
    if verb.lower() not in _GIVEN:
        return True
    after = rest[1:2]
    return verb.lower() != "with" and (
        not after or is_mark(after[0]) or after[0] in ("and", "with", "at", "from", "of")
    )


_FACES = re.compile(
    r"\b(?:happy|sad|angry|laughing|crying|scared|proud|cheerful|tired|scary)[ -]"
    r"(?:faces?|smileys?|emojis?|expressions?|masks?|clowns?|eyes|mouths?|looking face)\b",
    re.IGNORECASE,
)
_FEELING = re.compile(
    r"\bfeels? (?!rough|smooth|soft|hard|firm|wet|dry|sticky|brittle|stiff|slick|warm to|cold to)\w+", re.IGNORECASE
)
_TACTILE = re.compile(
    r"\bfeels? (?:rough|smooth|soft|hard|firm|wet|dry|sticky|brittle|stiff|slick|warm to|cold to)", re.IGNORECASE
)
_A_LOOK = re.compile(
    r"\b(?:an?|the) ((?:[\w-]+,? (?:and )?){1,3}?)(?:feel|look|impression|charm|presence)\b(?! of (?!\w+ness))",
    re.IGNORECASE,
)


def _a_look(plain: str) -> re.Match[str] | None:
    """A phrase such as "a bold look", where no word says what one sees."""
    match = _A_LOOK.search(plain)
    return None if match is None or pattern("visible_changes").search(match[1]) else match


def no_mood(text: PlainText) -> str | None:
    """What one sees, not a mood."""
    plain = _FACES.sub(" ", unquoted(text.text))
    match = pattern("moods").search(_TACTILE.sub(" ", plain)) or _FEELING.search(plain) or _a_look(plain)
    return f"{match[0]!r} is a mood or an image in words; describe what one sees." if match else None


def visible_change(text: PlainText) -> str | None:
    """At least one change that can be seen."""
    plain = re.sub(r"\bno longer\b", "", text.text.strip(), flags=re.IGNORECASE)
    named = words(plain)
    while len(named) > 2 and named[0] in DETERMINERS and named[1] in ATTRIBUTES:
        named.pop(1)
    if listed("visible_changes", " ".join(named)):
        return None
    return (
        "no word says what one sees; name a change of texture, shape, color, gloss, firmness or surface, "
        "a fragment or a deformation."
    )
