"""Rules of instructions at three levels: for a benchmark, and for training."""

from __future__ import annotations

import re

from editscope.factory.rules.lexicon import entries, listed, pattern
from editscope.factory.rules.records import LeveledInstruction
from editscope.factory.rules.tokens import TOKENIZER, count_tokens
from editscope.suites.annotation.questions.english import (
    ATTRIBUTES,
    AUXILIARIES,
    DETERMINERS,
    NUMBERS,
    PREPOSITIONS,
    PRONOUNS,
    is_adverb,
    is_mark,
    is_participle,
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
PLURALS = word_set(
    "stains lights cracks drops shades rings stacks covers stands plants marks spots waves prints reflections plates "
    "flowers books boxes clouds nails screws cups rocks trees leaves windows shadows curls ties tiles signs posts "
    "strings steps sails seats rests sets loops knots hooks handles glasses benches towers chairs lamps cushions "
    "letters numbers balls blocks bricks boards branches fans fires hammers irons masks mirrors patches pins saws "
    "shoes shelves stones strips pipes wheels whips wraps paints papers cards clothes dishes dresses faces feet "
    "hands "
    "heads hairs horses houses jams lines locks maps parts people pets pots rails roads rollers ropes seeds sheets "
    "skies socks springs stairs stamps stars stools straps streams streets swings tables taps tents walls "
    "weights wires"
)
"""Plural nouns that look like verbs."""
HAPPENS = word_set(
    "falls disappears vanishes follows reacts glows becomes gets goes comes flows gushes leaks rises remains stays "
    "appears looks seems obeys lies rises ties happens occurs moves responds shows dries flies"
)
"""Verbs that say what happens, and are no commands."""
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
    if first in _OPENERS or (is_participle(first) and first.endswith("ing")):
        return _command_after_opening(found)
    if first in NUMBERS and "," in found and not AUXILIARIES.intersection(found[: found.index(",")]):
        return PREPOSITIONS.intersection(found[: found.index(",")]) != frozenset() and _command_after_opening(found)
    if first in DETERMINERS | PRONOUNS | AUXILIARIES - {"have"} | _NEVER_VERBS:
        return False
    following = after[0] if after else "."
    if first in _ambiguous():
        if following in _AFTER_VERB - {"on"}:
            return not _BE.intersection(_clause(after))
        if first in ATTRIBUTES:
            return False
        return following == "." or not _goes_on_as_noun(first, after)
    if first in _verbs():
        return following not in AUXILIARIES | {"of"}
    return following in DETERMINERS and not (is_participle(first) or first.endswith("s"))


_BE = word_set("is are was were")
_NEW_CLAUSE = word_set("that which who whose so until where when while if as and but because what how")


def _clause(found: list[str]) -> list[str]:
    """The words before a mark or another clause."""
    stop = next((at for at, word in enumerate(found) if is_mark(word) or word in _NEW_CLAUSE), len(found))
    return found[:stop]


_DONE_SOMEWHERE = word_set(
    "step tap roll slide lean sit stand cut blow press push pull play point sweep rub drill knock jump shine "
    "zoom switch "
    "swing ride drive sail move turn work land stamp bite run shift bounce saw bore chip scratch scrape dig hammer"
)


def _goes_on_as_noun(first: str, after: list[str]) -> bool:
    """Whether the word before is a noun: a verb follows, or a preposition where the word is no verb of motion."""
    if after[0] in AUXILIARIES or third_person(after[0]):
        return True
    if after[0] in PLURALS and after[1:2] and after[1] in DETERMINERS:
        return True
    if after[0] in PREPOSITIONS:
        return first not in _DONE_SOMEWHERE or any(
            third_person(word) or word in AUXILIARIES - {"can"} for word in after
        )
    if is_participle(after[0]):
        return True
    return len(after) > 1 and (after[1] in AUXILIARIES or third_person(after[1]))


def third_person(word: str) -> bool:
    """Whether a word is a verb such as *falls*, and no plural that looks like one."""
    if not word.endswith("s") or word in PLURALS:
        return False
    return {word[:-1], word[:-2], f"{word[:-3]}y"} & _verbs() != frozenset() or word in HAPPENS


def _command_after_opening(found: list[str]) -> bool:
    """Whether a command follows after the comma of an opening such as "in the foreground,"."""
    return "," in found and _is_command(found[found.index(",") + 1 :])


def _verbs() -> frozenset[str]:
    return frozenset(entries("command_verbs"))


def _ambiguous() -> frozenset[str]:
    return frozenset(entries("verbs_or_nouns"))


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
            r"\b(?:match|like|as in|seen in|shown in|equals?|to|from|per|following|follow|of|in"
            r"|with) the (output|target"
            r"|result|reference|ground truth)\b(?! \w)",
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
    r"\b(?:create|apply|use|generate|draw|add|make|set|adjust|lower|raise|increase|decrease|reduce|boost|tweak)"
    r" (?:a |an |the )?(?:\w+ ){0,2}?(?:mask|masks|layers|blur|gradient|overlay|exposure|levels|saturation|luminance"
    r"|contrast value|gain|vibrance|brush|selection|highlights slider|tool)\b",
    re.IGNORECASE,
)


def _tool(instruction: str) -> str | None:
    return matching(_TOOLS, instruction)
