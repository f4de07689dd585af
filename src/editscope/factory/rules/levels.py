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
_POSTURES = word_set(
    "including starting facing standing hanging leaning sitting lying wearing holding resting using during morning "
    "evening ceiling building string spring king ring wing thing sling painting awning railing swing"
)
_TRAILING = re.compile(r",\s+(?:\w+ly\s+)?(\w+ing)\b", re.IGNORECASE)
_EFFECTS = (
    "collapse|fall|bend|sink|tilt|melt|darken|dim|brighten|shift|change|reflect|mirror|cast|deform|sag|drop|shatter|break"
    "|tip|slide|spread|turn|fade|disappear|vanish|follow|react|stretch|shrink|swell|grow|compress|distort|refract|warp"
    "|illuminate|glow|obey|match|respond|adapt|adjust|update|crumple|dent|flood|fill|soak|wet|freeze|burn|crack|lose|get"
)
_CLAUSE = re.compile(
    rf",\s+which\b|,? and (?:it|they) \w+|\bthat (?:\w+ly )?(?:{_EFFECTS})(?:s|es)?\b|,\s+where\b"
    rf"|\bto (?:{_EFFECTS.replace('fall|', '')}|enlarge|magnify|show|reveal|create|make|let|cause|produce)\b"
    rf"|\band (?:the|its|their|all|every|everything) (?:\w+ ){{0,4}}(?:{_EFFECTS})(?:s|es)\b"
    rf"|\band (?:\w+ly )?(?:show|let|have|keep|preserve|maintain|blend|simulate|allow|{_EFFECTS})\b (?:it|them"
    rf"|the|its|their|how|that|what)"
    rf"|\bwith (?:\w+ ){{0,4}}(?:adjusted|updated|shifted|changed|following|reacting|responding|casting"
    rf"|reflecting|bending)\b"
    r"|\bso (?:the|its|their|a|an|every|all|that|everything)\b|\bso (?:it|they) (?!leans?|faces?|points?|stands?"
    r"|hangs?|lies?)"
    r"|\bgiven (?:the|that|its|how)\b|\bas (?:physics|gravity|nature|expected)\b|\bunder (?:its|the"
    r"|their)(?: own)? weight\b",
    re.IGNORECASE,
)
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
    if first in _OPENERS or (is_participle(first) and first.endswith("ing")):
        return _command_after_opening(found)
    if first in DETERMINERS | PRONOUNS | AUXILIARIES - {"have"} | _NEVER_VERBS:
        return False
    following = after[0] if after else "."
    if first in _ambiguous():
        if (
            following in word_set("water paint light air smoke steam sand snow dust oil ink milk salt")
            and len(after) > 1
        ):
            return first not in ATTRIBUTES and after[1] in PREPOSITIONS
        if first in ATTRIBUTES:
            return following in _AFTER_VERB - {"on"}
        return (
            following in _AFTER_VERB - {"on"} or following == "." or (first in _verbs() and not _goes_on_as_noun(after))
        )
    if first in _verbs():
        return following not in AUXILIARIES | {"of"} and not (following == "in" and first in {"change", "increase"})
    return following in DETERMINERS and not (is_participle(first) or first.endswith("s"))


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
    if match := _CLAUSE.search(unquoted(instruction)):
        return f"{match[0].strip(' ,')!r} adds a result to the action; the superficial level has the action alone."
    for match in _TRAILING.finditer(unquoted(instruction)):
        if match[1].lower() not in _POSTURES:
            return f"{match[1]!r} adds a result to the action; the superficial level has the action alone."
    if re.search(r"[.!?;]\s+\S", unquoted(instruction)):
        return "it has a second sentence; the superficial level has the action alone."
    return None


def settled_state(text: LeveledInstruction) -> str | None:
    """No level asks for a moment in between."""
    for level, instruction in text.levels():
        word = listed("passing_moment", instruction) or _passing_verb(instruction) or _going_on(instruction)
        if word:
            return (
                f"{word!r} at the {level} level is a moment in between; describe the state when all has come to rest."
            )
    return None


_KINDS = word_set("sliding folding swinging flying melting")
"""Verb forms that name a kind of thing before a noun, such as a sliding door."""


def _passing_verb(instruction: str) -> str | None:
    for match in pattern("passing_verbs").finditer(unquoted(instruction)):
        after = words(instruction[match.end() :])[:1]
        before = words(instruction[: match.start()])[-2:]
        names = before[-1:] and before[-1] in {"a", "an", "the"} and after and not is_mark(after[0])
        if not _STEADY.intersection([*after, *before]) and not (names and match[0].lower() in _KINDS):
            return match[0]
    return None


_GOING_ON = re.compile(
    r"\b(?:is|are|being|keeps?|still|just|currently|slowly|rapidly|quickly|starts?|begins?|starting|beginning)"
    r" (?:just |now |\w+ly )?(?P<verb>\w+ing)\b|\bas (?:it|they) (?!was|were|is|are|would|should|did|had)\w+"
    r"|\b(?P<more>\w+er) and (?P=more)\b",
    re.IGNORECASE,
)
_LASTING = word_set(
    "lying standing hanging resting leaning glowing burning running facing showing floating sitting missing "
    "remaining "
    "wearing holding growing shining evening morning nothing something everything ceiling building blooming sleeping "
    "covering touching pointing looking reaching hovering reflecting casting supporting leading surrounding winding "
    "extending stretching crossing coming forming showing depicting waving rising sticking parking painting "
    "flowing living"
)


def _going_on(instruction: str) -> str | None:
    for match in _GOING_ON.finditer(unquoted(instruction)):
        if (match["verb"] or "").lower() not in _LASTING or match[0].lower().startswith(("still", "just", "keep")):
            return match[0]
    for match in _AFTER_NOUN.finditer(unquoted(instruction)):
        noun, verb = match["noun"].lower(), match["verb"].lower()
        if verb not in _LASTING and is_participle(verb) and noun not in _NO_NOUNS | _STEADY - {"water"}:
            return match[0]
    return matching(_RUSHING, instruction)


_NO_NOUNS = DETERMINERS | PREPOSITIONS | AUXILIARIES | word_set("and or while when not")
_AFTER_NOUN = re.compile(
    r"\b(?P<noun>\w+) (?P<verb>\w+ing)(?= (?:down|up|off|out|over|away|apart|through|into|onto|toward|towards"
    r"|across|loose"
    r"|against|from|to|in|back|around|under|forward|sideways)\b|[.,;]|$)",
    re.IGNORECASE,
)
_RUSHING = re.compile(
    r"\bas (?:the |its |a |an )?\w+ \w+s (?:out|down|off|over|into|away|through|apart|up|under|toward|towards"
    r"|across)\b",
    re.IGNORECASE,
)


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
    r"\b(?:create|apply|use|generate|draw|add|make|set|adjust|lower|raise|increase|decrease|reduce|boost|tweak)"
    r" (?:a |an |the )?(?:\w+ ){0,2}?(?:mask|masks|layers|blur|gradient|overlay|exposure|levels|saturation|luminance"
    r"|contrast value|gain|vibrance|brush|selection|highlights slider|tool)\b",
    re.IGNORECASE,
)


def _tool(instruction: str) -> str | None:
    return matching(_TOOLS, instruction)
