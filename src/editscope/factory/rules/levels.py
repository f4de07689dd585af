"""Rules of instructions at three levels: for a benchmark, and for training."""

from __future__ import annotations

import re

from editscope.factory.rules.lexicon import entries, listed, pattern
from editscope.factory.rules.records import LeveledInstruction
from editscope.factory.rules.tokens import TOKENIZER, count_tokens
from editscope.suites.annotation.questions.english import (
    AUXILIARIES,
    DETERMINERS,
    NUMBERS,
    PREPOSITIONS,
    PRONOUNS,
    is_adverb,
    is_mark,
    matching,
    unquoted,
    word_set,
    words,
)

TOKEN_LIMITS = {"superficial": 20, "intermediate": 128, "explicit": 256}
"""Every level has fewer tokens than this."""

_POLITE = word_set("please then now first next finally just simply also so and")
_OPENERS = PREPOSITIONS | word_set("where when while as if because using keeping given once")
_AFTER_VERB = DETERMINERS | PRONOUNS | word_set("it them him her on off up down out away back")
_NEVER_VERBS = word_set("half all both no what here there most such more")
_POSTURES = word_set(
    "including starting facing standing hanging leaning sitting lying wearing holding resting using during morning "
    "evening ceiling building string spring king ring wing thing sling painting awning railing swing"
)
_TRAILING = re.compile(r",\s+(?:\w+ly\s+)?(\w+ing)\b", re.IGNORECASE)
_UNITS = (
    r"percent|per cent|%|degrees?|stops?|pixels?|px|cm|mm|centimeters?|meters?|inch(?:es)?|feet|foot|kelvins?|ev"
    r"|points?"
    r"|times|lux|lumens?|seconds?|minutes?|hours?|units?|fold"
)
_FIGURES = re.compile(
    rf"[+−-]?\d[\d.,]*(?:\s?(?:%|°|{_UNITS}))?|\b(?:{'|'.join(sorted(NUMBERS))}|half a|a few|a couple of|several)"
    rf"(?:[- ](?:{'|'.join(sorted(NUMBERS))}))*[- ](?:{_UNITS})\b",
    re.IGNORECASE,
)
_STEADY = word_set(
    "snow rain leaves snowflakes snowfall water petals bird birds kite kites plane flag insects bees butterfly "
    "seagull "
    "seagulls confetti ash embers"
)


def command_form(text: LeveledInstruction) -> str | None:
    """Every level begins with a command."""
    for level, instruction in text.levels():
        found = words(instruction)
        if not _is_command(found):
            start = " ".join(word for word in found[:4] if not is_mark(word))
            return (
                f"the {level} level begins with {start!r}, which is no command; begin with a verb such as Add or Make."
            )
    return None


def _is_command(found: list[str]) -> bool:
    while found and (found[0] in _POLITE or is_mark(found[0]) or (is_adverb(found[0]) and found[0] not in PRONOUNS)):
        found = found[1:]
    if not found:
        return False
    first, after = found[0], found[1:]
    if first in ("do", "don't", "never", "let's"):
        return first != "do" or after[:1] == ["not"]
    if first in _OPENERS or (first.endswith("ing") and first not in _verbs()):
        return _command_after_opening(found)
    if first in DETERMINERS | PRONOUNS | AUXILIARIES - {"have"} | _NEVER_VERBS:
        return False
    following = after[0] if after else "."
    if first in _ambiguous():
        return following in _AFTER_VERB or following == "." or (first in _verbs() and not _goes_on_as_noun(after))
    if first in _verbs():
        return following not in AUXILIARIES | {"of"} and not (following == "in" and first in {"change", "increase"})
    return following in DETERMINERS and not first.endswith(("ing", "ed", "s"))


def _goes_on_as_noun(after: list[str]) -> bool:
    """Whether the word before is the subject of a sentence: a preposition, a verb or nothing follows."""
    if not after or after[0] in PREPOSITIONS | AUXILIARIES:
        return True
    return after[0].endswith("s") and len(after) > 1 and after[1] in PREPOSITIONS | DETERMINERS - {"to", "into", "from"}


def _command_after_opening(found: list[str]) -> bool:
    """Whether a command follows after an opening such as "in the foreground"."""
    if "," in found:
        return _is_command(found[found.index(",") + 1 :])
    for at, word in enumerate(found):
        if word in AUXILIARIES or word in ("there", "we"):
            return False
        if at > 1 and word in _verbs() and found[at + 1 : at + 2] and found[at + 1] in DETERMINERS:
            return found[at - 1] not in DETERMINERS
    return False


def _verbs() -> frozenset[str]:
    return frozenset(entries("command_verbs"))


def _ambiguous() -> frozenset[str]:
    return frozenset(entries("verbs_or_nouns"))


def bare_action(text: LeveledInstruction) -> str | None:
    """The superficial level has the action alone."""
    instruction = text.superficial.strip()
    if not instruction:
        return None
    if word := listed("reasons_and_results", instruction):
        return f"{word!r} adds a cause, a result or a demand to the action; the superficial level has the action alone."
    for match in _TRAILING.finditer(unquoted(instruction)):
        if match[1].lower() not in _POSTURES:
            return f"{match[1]!r} adds a result to the action; the superficial level has the action alone."
    if re.search(r"[.!?;]\s+\S", unquoted(instruction)):
        return "it has a second sentence; the superficial level has the action alone."
    return None


def settled_state(text: LeveledInstruction) -> str | None:
    """No level asks for a moment in between."""
    for level, instruction in text.levels():
        word = listed("passing_moment", instruction) or _passing_verb(instruction)
        if word:
            return (
                f"{word!r} at the {level} level is a moment in between; describe the state when all has come to rest."
            )
    return None


def _passing_verb(instruction: str) -> str | None:
    for match in pattern("passing_verbs").finditer(unquoted(instruction)):
        after = words(instruction[match.end() :])[:1]
        before = words(instruction[: match.start()])[-2:]
        if not _STEADY.intersection([*after, *before]):
            return match[0]
    return None


def token_limits(text: LeveledInstruction) -> str | None:
    """Every level is shorter than its limit."""
    for level, instruction in text.levels():
        count = count_tokens(instruction)
        if count >= TOKEN_LIMITS[level]:
            limit = TOKEN_LIMITS[level]
            return f"the {level} level has {count} tokens ({TOKENIZER}); it must have fewer than {limit}."
    return None


_HUNG = re.compile(r"\s*(?:frames?\b|from the (?:left|right|top)|on the (?:wall|shelf|desk)|above|over the|hanging)")


def no_other_picture(text: LeveledInstruction) -> str | None:
    """No level speaks of the picture that it was written from."""
    for level, instruction in text.levels():
        plain = unquoted(instruction)
        for match in pattern("other_picture").finditer(plain):
            if not _HUNG.match(plain, match.end()):
                return (
                    f"{match[0]!r} at the {level} level is a picture that the editor does not have; say what to change."
                )
        bare = re.search(
            r"\b(?:match|like|as in|seen in|shown in|equals?) the (output|target"
            r"|result)\b(?! \w)",
            plain,
        )
        if bare:
            return f"{bare[1]!r} at the {level} level is a picture that the editor does not have; say what to change."
    return None


def no_numbers(text: LeveledInstruction) -> str | None:
    """The explicit level has no figures and no measures."""
    word = matching(_FIGURES, text.explicit)
    return f"{word!r} is a figure; say at the explicit level what one sees." if word else None


def no_editing_terms(text: LeveledInstruction) -> str | None:
    """The explicit level names no tool, setting or map of a program."""
    word = listed("editing_terms", text.explicit) or _tool(text.explicit)
    return f"{word!r} is a term of editing programs; say at the explicit level what one sees." if word else None


_TOOLS = re.compile(
    r"\b(?:create|apply|use|generate|draw|add|make|paint|set|adjust|lower|raise|increase|decrease|reduce|boost|tweak)"
    r" (?:a |an |the )?(?:\w+ ){0,2}?(?:mask|masks|layers|blur|gradient|overlay|exposure|levels|saturation|luminance"
    r"|contrast value|gain|vibrance|brush|selection|highlights slider|tool)\b",
    re.IGNORECASE,
)


def _tool(instruction: str) -> str | None:
    return matching(_TOOLS, instruction)
