"""Rules of instructions at three levels: for a benchmark, and for training."""

from __future__ import annotations

import re

from editscope.factory.rules.lexicon import entries, pattern
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
    r"percent|per cent|%|degrees?|stops?|pixels?|px|[cm]m|km"
    r"|(?:centi|milli|deci|kilo|micro)?(?:met(?:er|re)|gram|lit(?:er"
    r"|re))s?|inch(?:es)?|feet|foot|yards?|miles?|ounces?|pounds?|tons?|gallons?|cups?(?= of\b)|kelvins?|ev|points?"
    r"|times|lux|lumens?|watts?|seconds?|minutes?|hours?|days?|weeks?|months?|years?|units?|fold|notch(?:es)?"
    r"|(?:[\w-]+ )?(?:widths?|lengths?|heights?|depths?|breadths?|diameters?|thicknesses)|paces|strides|stories|storeys"
    r"|hand-?widths?|finger-?widths?|arm-?lengths?|(?:fingers?|hands?|palms?|knuckles?|heads?) (?:wide|deep|high|tall"
    r"|long|thick|lower|higher|longer|shorter|wider|deeper)"
    r"|\w+s (?:wide|tall|thick|lower|higher|longer|shorter|wider|deeper|taller|thicker|thinner)"
    r"(?! (?:than|and|in|on)\b)"
)
_NUMBER = rf"(?:{'|'.join(sorted(NUMBERS | {'thirteen', 'fourteen', 'sixteen', 'seventeen', 'eighteen', 'nineteen'}))})"
_FIGURES = re.compile(
    rf"[+−-]?\d[\d.,]*(?:\s?(?:%|°|{_UNITS}))?|\b(?:{_NUMBER}|half an?)"
    rf"(?:(?:[- ]|,? and (?:a )?)(?:{_NUMBER}|half))*(?: more| full| whole| good)?[- ](?:{_UNITS})\b",
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


_HUNG = re.compile(
    r"\s*(?:frames?\b|from the (?:left|right|top)|above|over the|hanging|hangs|leans|leaning|tacked|nailed|pinned|taped"
    r"|(?:\w+ ){0,2}(?:crooked|askew|hangs|fallen)\b"
    r"|(?:in|along|at|of|inside|down|up|under|behind) (?:the|a|an|her|his|their) (?:\w+ )?(?:hallway|hall|corridor|room"
    r"|bedroom|kitchen|staircase|stairs|stairwell|row|stack|album|pile|exhibition|museum|gallery|office|lobby|window|door"
    r"|attic|parlor|study|lounge|locket|drawer|box|fence|bed|bicycle|bike|glasses|cabinet|house|shop)\b"
    r"|(?:on|to|onto|against|beside|near|next to|by) (?:the|a|an|its|his|her|their)"
    r" (?:\w+ ){0,2}?(?:wall|shelf|desk|mantel|easel|table|piano|door|fridge|nightstand"
    r"|dresser|windowsill|sill|cabinet|gallery|one|mirror|clock|floor|ground|rug|carpet|bench|counter|sofa|bed|fireplace"
    r"|chimney|mantelpiece|sideboard|bookcase|post|board|staircase|landing|stairs|tree|nail|hook|string|line)\b)",
    re.IGNORECASE,
)


_PICTURE = r"(?:image|picture|photo|photograph|frame|screenshot|snapshot|render|rendering)"
_ELSEWHERE = re.compile(
    r"\b(?:attached|uploaded|provided|supplied|enclosed|previous|earlier|accompanying|preceding|following|linked|sample"
    rf"|example|guide|inspiration|companion|style|mood|comparison|paired|goal|end|later) {_PICTURE}s?\b"
    rf"|\b(?:the|this|that|your|my|our|an?) (?:very )?(?:first|last|next|other|third|fourth"
    rf"|wanted|intended|finished|completed|corrected|processed|returned|produced"
    rf"|second|output|target|result|resulting|final|edited|reference|modified|generated|desired|expected) {_PICTURE}"
    rf"(?!\w)(?! (?:frames?|hooks?|albums?|books?|windows?|rail|wire|cord|glass)\b)(?!{_HUNG.pattern})"
    rf"|\b{_PICTURE}s? (?:that |which )?(?:I|you|we|they|he|she)(?:'ve|'d)? (?:\w+ ){{0,2}}?(?:sen[dt]|upload(?:ed)?"
    r"|attach(?:ed)?|provided?|give|gave|given|shared?|show(?:ed|n)?|saw|seen|see|posted|supplied|included|took|taken"
    r"|have|had|got|linked|mean|meant|mentioned|described|edited|made)\b"
    rf"|\b{_PICTURE}s? (?:(?:that|which) (?:was|were|is|are|has been) |\w+ )?"
    r"(?:provided|attached|uploaded|supplied|enclosed|sent|shared)\b"
    rf"|\b{_PICTURE}s? (?:(?:shown )?(?:below|above)|from (?:before|earlier|last time|yesterday)|before this one)"
    r"(?= *(?:[.,;:!?]|$))"
    rf"|\b(?:from|in|of|like|match|matches|to|with|by) (?:another|a different|a separate|the different"
    rf"|the previous|a second) {_PICTURE}\b(?! (?:on|above|over|near|beside|hung|hanging|frame|frames))",
    re.IGNORECASE,
)


_BARE = re.compile(
    r"\b((?:the|this|that|your|my|our|an?) (?:(?:final|expected|desired|edited|finished|intended) )?"
    r"(?<!\ba )(?:output|target|result|reference|ground truth))\b(?<!as a result)"
    r"(?= *(?:[.,;:!?)]|$)| (?:should|must|shall|will|would|has|have|had|is|are|can|may|needs?|ought|does|do|shows?"
    r"|looks?|matches|match|contains?|depicts?|displays?|keeps?|includes?|features?|presents?|holds|stays?|remains?"
    r"|appears?|and|or|but|so|as|that|which|where|when|while|with|in|to|from|for|exactly|closely|only|also"
    r"|without|itself|after|before|until|too|than|you|I|we)\b)",
    re.IGNORECASE,
)
"""The output and its like by themselves, not with another noun or *of*: the target board, the result of the match."""


def no_other_picture(text: LeveledInstruction) -> str | None:
    """No level speaks of the picture that it was written from."""
    for level, instruction in text.levels():
        plain = unquoted(instruction)
        for match in pattern("other_picture").finditer(plain):
            if not _HUNG.match(plain, match.end()):
                return (
                    f"{match[0]!r} at the {level} level is a picture that the editor does not have; say what to change."
                )
        bare = _BARE.search(plain) or re.search(rf"({_ELSEWHERE.pattern})", plain, re.IGNORECASE)
        if bare:
            return f"{bare[1]!r} at the {level} level is a picture that the editor does not have; say what to change."
    return None


def no_numbers(text: LeveledInstruction) -> str | None:
    """The explicit level has no figures and no measures."""
    word = matching(_FIGURES, text.explicit)
    return f"{word!r} is a figure; say at the explicit level what one sees." if word else None
