"""Rules of instructions that name a cause and leave its effect to world knowledge, and of their paraphrases."""

from __future__ import annotations

import re

from editscope.factory.rules.lexicon import entries, listed, pattern
from editscope.factory.rules.records import PlainText
from editscope.suites.annotation.questions.english import DETERMINERS, is_adverb, is_mark, unquoted, word_set, words

EDITING = word_set(
    "add remove delete erase replace swap substitute exchange change transform convert alter modify edit adjust "
    "make give "
    "render paint repaint color colour recolor recolour tint dye draw insert include resize enlarge shrink "
    "widen lengthen "
    "shorten thicken darken brighten lighten redden whiten blacken dim blur sharpen desaturate crop show depict "
    "display "
    "create generate apply decorate outline shade deform reshape flatten increase decrease reduce double triple "
    "halve fade intensify soften"
)
"""Commands that order a picture to be changed rather than something to happen."""
_MAYBE = word_set("cover put place fill coat scatter smear sprinkle splash attach turn let have leave get")
"""Commands that order an edit only together with what one will see."""
_DEFINITE = word_set("the this that these those its his her their my your")
_STATE = re.compile(
    r"\b(?:becom(?:e|es|ing)|became|turn(?:s|ed)?|gets?|got|grows?|looks?|appears?|is|are|be|being|made|make"
    r"|makes|goes"
    r"|seem|seems|with|has|have)\s+(?=(?P<rest>[^.;?!]*))",
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
    return _said_state(text) or _leading_to(text)


_SUBSTANCE = re.compile(
    r"\b(?:turn(?:s|ed|ing)?|change[sd]?|melt(?:s|ed)?|burn(?:s|ed)?|crumbl(?:es?|ed)|dissolv(?:es?|ed)"
    r"|fall(?:s)?|reduced) (?:all )?to"
    r" (?:\w+ )?(?:water|ice|ash|ashes|stone|dust|powder|steam|liquid|mush|goo|gold|slush|mud|pulp|pieces"
    r"|shards|crumbs|rubble"
    r"|vapor|jelly|charcoal|cinders|shreds)\b",
    re.IGNORECASE,
)
_IN_PIECES = re.compile(
    r"\b(?:lies|lie|is|are|left|sits|ends? up|now) (?:\w+ )?in (?:\w+ )?(?:pieces|shards|half|two|ruins"
    r"|fragments|tatters|shreds)\b",
    re.IGNORECASE,
)
_LEADING = re.compile(
    r"\b(?:into|leaving|revealing|showing|forming|creating|producing|causing|with|gets?|has|have|shows?|forms?"
    r"|develops?"
    r"|until|so that|so)\s+(?P<rest>[^.;?!]*)",
    re.IGNORECASE,
)


def _leading_to(text: str) -> str | None:
    """A result that is named, as in "into a puddle" or "leaving cracks"."""
    if match := _IN_PIECES.search(unquoted(text)) or _SUBSTANCE.search(unquoted(text)):
        return match[0]
    for match in _LEADING.finditer(unquoted(text)):
        verb = match[0].split()[0].lower()
        noun = _new_result(match["rest"])
        place = match["rest"].lower().find(noun.lower()) if noun else 0
        if noun and (verb not in ("with", "has", "have") or len(match["rest"][:place].split()) < 4):
            return f"{verb} … {noun}"
    return None


def _explicit_command(clause: str, text: str) -> str | None:
    """The words at the beginning of a clause that make it an order to change the picture."""
    found = [word for word in words(clause) if not is_mark(word)]
    while found and (found[0] in _FILLERS or (is_adverb(found[0]) and len(found) > 1)):
        found = found[1:]
    if len(found) < 2:
        return None
    first, rest = found[0], found[1:]
    if first in EDITING:
        return first
    if first == "turn" and (
        "into" in rest or (rest[-1] in entries("visible_attributes") and rest[-1] not in _SWITCHED)
    ):
        return f"turn … {'into' if 'into' in rest else rest[-1]}"
    if first in _MAYBE:
        with_attribute = re.search(r"\bwith (?:an? |its )?(\w+)", clause, re.IGNORECASE)
        if first in ("let", "have", "leave") and rest[-1] in entries("visible_attributes"):
            return f"{first} … {rest[-1]}"
        if first == "have" and with_attribute and with_attribute[1].lower() in entries("visible_attributes"):
            return f"have … {with_attribute[0]}"
        if first in ("fill", "cover", "coat", "splash") and with_attribute:
            said = with_attribute[1].lower()
            return f"{first} … with {said}" if said in _COLORS else _new_result(text)
        return f"{first} {noun}" if (noun := _new_result(text)) else None
    return None


_FILLERS = word_set("please now just then let's simply and so also to")
_COLORS = word_set(
    "red orange yellow green blue purple violet pink brown black white gray grey golden silver dark pale"
)
_SWITCHED = word_set("on off")


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
        while rest and is_adverb(rest[0]):
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
    r"\bhappy birthday\b|\bsleeping bags?\b|\bmerry christmas\b|\bghost town\b|\blove seat\b|\bloveseat\b"
    r"|\bhope chest\b"
    r"|\bheart[- ]shaped\b|\bmusic stand\b|\bdeath cap\b|\bdead (?:leaf|leaves|branch|branches|wood|tree|grass"
    r"|skin)\b"
    r"|\b(?:weeping|crying) (?:willow|wood)s?\b|\bpeace (?:sign|lily)\b|\bpassion ?fruit\b|\bhumming ?birds?\b"
    r"|\b(?:human|clock|doll's|statue's|painted) (?:face|smile)s?\b|\bstory (?:book|house)s?\b|\b(?:two|three"
    r"|upper|second)[- ]stor(?:y|ies)\b"
    r"|\b(?:happy|sad|angry|laughing|crying|scared|proud|cheerful|tired|scary)[ -]"
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
