"""The superficial level of an instruction: one command, and nothing that explains it."""

from __future__ import annotations

import re

from editscope.factory.rules.levels import PLURALS, third_person
from editscope.factory.rules.lexicon import entries, listed
from editscope.factory.rules.records import LeveledInstruction
from editscope.suites.annotation.questions.english import (
    AUXILIARIES,
    DETERMINERS,
    PREPOSITIONS,
    is_adverb,
    is_mark,
    unquoted,
    word_set,
    words,
)

_JOINING = word_set("and then but or")
_OBJECTS = DETERMINERS | word_set("it them him her itself themselves everything something")
_CLAUSES = word_set(
    "so because until till unless while whilst when whenever once if although though whereas whereby thereby "
    "thus hence "
    "therefore consequently"
)
_AFTER_COMMA = word_set("then which with where as since to like after before for who whose that due but")
_MAKING = word_set(
    "causing making letting leaving creating producing revealing resulting forming allowing forcing ensuring showing "
    "keeping considering respecting preserving maintaining exposing bringing"
)
_PLACING = word_set("face point lean hang stand lie sit rest reach touch cover fit")
_AS = re.compile(
    r"\bas (?:it|they|if|though|a result|would|physics|gravity|nature|expected|after|during|in (?:real|nature"
    r"|reality))\b"
    r"|\bas (?:the|its|their|a|an) (?:\w+ ){1,3}(?:\w+s|would|does|do|is|are)\b|\blike in (?:real|nature)"
    r"|\band (?:its|their) (?:\w+ ){1,2}\w+er\b|\bunder (?:its|the|their) (?:own )?weight\b|\bin (?:a )?(?:real"
    r"|realistic|natural|physical)\w* (?:life|way|manner)\b"
    r"|\b(?:which|, that|,? (?:and|with) (?:its|the|all|their) (?:\w+ ){0,3}(?:effects?|consequences?))\b",
    re.IGNORECASE,
)


def bare_action(text: LeveledInstruction) -> str | None:
    """The superficial level has one command and nothing more."""
    instruction = text.superficial.strip()
    if not instruction:
        return None
    if re.search(r"[.!?;:–—]\s*\S", re.sub(r"(?<=\w)[.:](?=\w)", "", unquoted(instruction))):
        return "it has a second part; the superficial level is one command."
    word = listed("reasons_and_results", instruction) or _second_clause(instruction)
    if word is None:
        return None
    return f"{word!r} adds a cause, a result or a second command; the superficial level is one command."


def _second_clause(instruction: str) -> str | None:
    if match := _AS.search(unquoted(instruction)):
        return match[0].strip(" ,")
    found = words(instruction)
    started = False
    for at, word in enumerate(found):
        after = found[at + 1 :]
        if not started:  # an opening such as "in the foreground," and the command itself
            started = not is_mark(word) and word in entries("command_verbs")
            continue
        if word in _CLAUSES and not (word == "once" and after[:1] in ([], ["."])):
            return word
        if word in _MAKING:
            return word
        if word == "to" and _is_purpose(after):
            return f"to {after[0]}"
        said = _after_comma(after) if word == "," and after else None
        if said and not (said == "with" and _EXCHANGING.intersection(found)):
            return said
        if word == "then":
            return word
        if word in _JOINING and after and (joined := _joined(after)):
            return f"{word} {joined}"
    return None


def _is_command(found: list[str]) -> bool:
    """Whether a command begins here: a verb, and what it is done to."""
    while found and is_adverb(found[0]):
        found = found[1:]
    if not found or found[0] not in entries("command_verbs"):
        return False
    following = found[1] if len(found) > 1 else "."
    if found[0] in entries("verbs_or_nouns") or found[0] in PLURALS:
        return following in _OBJECTS
    return following in _OBJECTS or (
        not is_mark(following) and following not in PREPOSITIONS | AUXILIARIES and found[0] in _ONLY_VERBS
    )


_ONLY_VERBS = word_set(
    "add remove make let create show reveal ensure cause allow keep adjust update change darken brighten soften "
    "sharpen "
    "insert delete erase replace bring give have enlarge reduce increase decrease preserve maintain shatter "
    "melt spill "
    "sink collapse lower raise widen lengthen shorten deform bend simulate render reflect cast follow match "
    "produce throw"
)


def _is_purpose(after: list[str]) -> bool:
    """Whether *to* begins a purpose, as in "to reveal the floor", and not a place or a state."""
    if not after or after[0] in _PLACING:
        return False
    first = after[0]
    following = after[1] if len(after) > 1 else "."
    if is_adverb(first):
        return _is_purpose(after[1:])
    if first not in entries("command_verbs"):
        return first in ("be", "get", "become", "have", "see", "look", "give", "cause")
    if following in ("up", "down", "off", "out", "away") and first in entries("command_verbs"):
        return True
    return following in _OBJECTS or first in _ONLY_VERBS or (first in _ENDING and following == ".")


_PLURAL_VERBS = word_set("wave flutter react respond follow vanish disappear fall glow move")
_FALLS = word_set("drops stacks covers marks cracks waves curls rests stamps rolls")
_ENDING = word_set("fall collapse melt sink freeze burn break shatter bend dry topple grow shrink spread evaporate")


def _after_comma(after: list[str]) -> str | None:
    first = after[0]
    if first in _AFTER_COMMA or (first.endswith("ing") and len(first) > 5 and first not in _THINGS):
        return first
    if is_adverb(first) and len(after) > 1 and after[1].endswith("ing"):
        return after[1]
    if _is_command(after):
        return first
    return _finite(after)


_EXCHANGING = word_set("replace swap substitute exchange")
_THINGS = word_set("ceiling building painting railing awning clothing flooring lighting including")


def _joined(after: list[str]) -> str | None:
    """A second command or a clause after *and*; None where another thing follows."""
    if _is_command(after):
        return after[0]
    if after[0] in ("it", "they", "so", "then", "thus", "therefore", "let"):
        return " ".join(after[:2])
    if (
        after[0].endswith("ing")
        and after[0] not in _THINGS
        and len(after[0]) > 5
        and after[1:2]
        and after[1] in _OBJECTS
    ):
        return after[0]
    return _finite(after)


def _finite(after: list[str]) -> str | None:
    """The verb of a clause such as "the tower falls", where one follows rather than another thing."""
    stop = next((at for at, word in enumerate(after) if is_mark(word) or word in _JOINING), len(after))
    clause = after[:stop]
    if not clause or clause[0] in PREPOSITIONS:
        return None
    for at, word in enumerate(clause[1:], 1):
        if word in PREPOSITIONS or word in ("that", "who"):
            return None
        if at == 2 and clause[0] in DETERMINERS and word in _FALLS:
            return " ".join(clause[: at + 1])
        if word in AUXILIARIES:
            return " ".join(clause[: at + 1])
        if at > 1 and third_person(word):
            return " ".join(clause[: at + 1])
        if (
            at > 1
            and clause[at - 1].endswith("s")
            and word in _ENDING | {"disappear", "vanish", "move", "shift", "change"}
        ):
            return " ".join(clause[: at + 1])
        if (
            at > 1
            and at == len(clause) - 1
            and clause[at - 1].endswith("s")
            and (word in entries("command_verbs") or word in _PLURAL_VERBS)
        ):
            return " ".join(clause)
        if at == 1 and clause[0] not in DETERMINERS and third_person(word):
            return " ".join(clause[:2])
    return None
