"""Phrases for a moment in between that are not a form in -ing alone."""

from __future__ import annotations

import re
from functools import cache

from editscope.factory.rules.lexicon import entries, listed
from editscope.factory.rules.moments.subjects import ing_list, is_one_of, says_how, subjects
from editscope.factory.rules.verb_forms import ing_forms, s_form
from editscope.suites.annotation.questions.english import (
    ATTRIBUTES,
    DETERMINERS,
    PREPOSITIONS,
    is_mark,
    unquoted,
    word_set,
    words,
)

_EVENT = (
    r"(?:fall|jump|leap|flight|drop|collapse|dive|swing|spin|tumble|slide|roll|bounce|throw|crash|breakup|burst|melt|pour"
    r"|spill|stride|turn|somersault|explosion|impact|splash|tilt|slip|stumble|skid|descent|ascent|plunge|move|movement"
    r"|motion|action|arc|trajectory|swoop|gallop|sprint|flip|kick|punch|pirouette|cartwheel|lunge|eruption|demolition"
    r"|thaw|decay|free[- ]?fall|transformation|transition|change|hop|sneeze|dance|chase|fight|race|throe|toss|climb)s?"
)
_WHOSE = r"(?:(?:its|his|her|their|the|a|an) )?(?:\w+ )?"
_MIDDAY = (
    r"day|night|morning|afternoon|evening|summer|winter|spring|autumn|week|century|centuries|size|sized|length|level|tone"
    r"|tones|height|calf|thigh|ground|range|section|rise|point|town|field|riff|ships?|wives|wife|most|rib|line|brown|grey"
    r"|gray|blue|green|way|west|western|weight|term|wall"
)
"""What follows *mid* where it names a time, a place or a size."""
_HALF_DONE = (
    r"melted|thawed|burned|burnt|collapsed|fallen|toppled|tipped|sunk|sunken|frozen|dissolved|crumbled|deflated"
)
_FALLING = (
    r"fall|drop|tip|collapse|topple|burst|break|snap|slide|slip|roll|jump|leap|spring|pounce|dive|explode|crash|tumble"
    r"|spill|hit|land|strike|shatter|crack|go off|come down|come off|give way|sink|swing|fly|take off|run|bolt|plunge"
    r"|cave in"
)
_POSTURES = r"standing|lying|sitting|resting|building|evening|morning"
_AMID = r"(?:in the (?:very )?(?:middle|midst) of|(?:half|mid|part)-?way through)"
_PHRASES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\bmid(?:-| |)(?!(?:{_MIDDAY})\b)(?:air|\w+ing|(?<=-)\w+|(?<= )(?:{_EVENT}|air))\b",
        rf"\b{_AMID} {_WHOSE}{_EVENT}\b",
        rf"\b(?:during|at the (?:very )?(?:start|beginning|onset|peak|height|apex|top|climax|point) of)"
        rf" {_WHOSE}{_EVENT}\b",
        rf"\b(?:{_AMID}|at the (?:very )?point of|close to|near to|at risk of|on the edge of) (?:slowly |just )?"
        rf"(?!(?:{_POSTURES})\b)\w{{2,}}ing\b",
        rf"\b(?:half|partially|partly|semi|nearly|almost)[- ](?:{_HALF_DONE})\b",
        rf"\b(?:ready|poised|set|due|bound|primed|going|preparing|threatening|fit) to (?:{_FALLING})\b",
        rf"\b(?:will|would|shall) (?:soon |then |next )?(?:{_FALLING})\b[^.;,]*\b(?:second|moment|instant)\b",
        r"\b(?:will|would) soon \w+",
        r"\b(?:is|are|was|were) going to \w+",
        r"\b(?:caught|captured|frozen|photographed|snapped|shown|seen|depicted|stopped)"
        r" (?:(?:in|at|just|as|while|during|right) )?"
        r"(?:as (?:it|they|he|she|the)|while|just as|just before|right before|the act|motion|flight|action"
        r"|a fall|full|free|mid\w*"
        r"|(?:the|this|that) (?:(?:very |exact )?(?:moment|instant)|(?:very|exact|split) second))\b",
        r"\b(?:hangs?|hanging|hung|suspended|frozen|caught|still|stopped|stays|tossed|thrown|flung|hurled"
        r"|flipped|kicked|flicked) (?:up |high )?(?:in|into|through) (?:the |mid-?)?air\b",
        r"\bin full (?:swing|flight|gallop|stride|sprint|fall|motion|leap)\b|\bat full (?:gallop|speed|tilt|pelt)\b",
        r"\bat a (?:run|gallop|trot|canter|sprint)\b",
        r"\bnot (?:quite|entirely|completely|fully) (?:fallen|landed|down|on the (?:ground|floor)|melted|settled)\b",
        r"\b(?:has|have)(?: not|n't) (?:yet|landed|settled|reached|stopped|come to rest|hit|fallen|finished)\b",
        r"\b(?:loses|lose|lost) (?:its|his|her|their) (?:balance|footing)\b",
        r"\b(?:letting go|giving way|giving out|giving in|coming (?:apart|undone|loose|off|down|away|to (?:a|rest)))\b",
        rf"\b{_EVENT} (?:has|have) (?:begun|started)\b",
        r"\b(?P<more>\w+er) and (?P=more)\b",
    )
)
_BEGINS = re.compile(
    r"(?<!from )\b(?:beg[iau]n(?:s|ning)?|start(?:s|ing|ed)?|commenc(?:e|es|ing)|continu(?:e|es|ed|ing)|proceeds?)"
    r"(?: to (?!(?:the|a|an|its|his|her|their|finish|end|be|stand|lie|hang|lean|rest|sit|glow|burn|stay)\b)\w+"
    rf"| (?:its|his|her|their) (?:\w+ )?{_EVENT}| (?!during)\w{{3,}}ing)\b"
    r"|\b(?:keeps?|goes|carries|carry) on \w+ing\b",
    re.IGNORECASE,
)
_HALFWAY = re.compile(
    r"\b(?:(?:half|part)-? ?way|mid-?way|(?:part|most|two-thirds|three-quarters) of the way)"
    r" (?:(?:down|up|over|through|back) )?"
    r"(?P<where>to|toward|towards|down|off|into|out of|over|from|between|onto|across)\b",
    re.IGNORECASE,
)
_PLACED = re.compile(
    r"\b(?:lies?|lying|rests?|resting|stands?|standing|sits?|sitting|stuck|lodged|wedged|parked|stopped|c[oa]me to rest"
    r"|built|placed|put|place|add|set|park|lay|move|hang|hangs|hanging|mount|mounted|reach(?:es|ing)?|has|have|buried|tied"
    r"|fixed|nailed|pinned|position|leave|leans?|leaning|extends?|stretch(?:es)?|grows|runs|painted|draw|drawn|pulled|open"
    r"|locate|located)\b",
    re.IGNORECASE,
)
"""Words that say that a thing has its place halfway down, and does not pass it."""
_GROUND = re.compile(
    r"[^.;]*?\band (?:the )?(?:floor|ground|tiles|pavement|carpet|water|street|grass|rug)\b", re.IGNORECASE
)
_HUNG = word_set("rope curtain curtains cable blind blinds ladder vine vines ivy cord string chain cloth drape drapes")
_NEARLY_THERE = re.compile(
    r"\b(?:just|inches|centimet(?:er|re)s|a hand'?s? (?:width|breadth)|an inch)"
    r" (?:above|over|off|from|short of) (?:the|a|its)\b",
    re.IGNORECASE,
)
_DROPPED = re.compile(
    r"\b(?:drop|fall|knock|throw|toss|tip|topple|push|plunge|plummet|dive|leap|jump|crash|slip|tumble|cut|release|hovering|suspended"
    r"|frozen|stopped)",
    re.IGNORECASE,
)
_CONJUNCTIONS = word_set("as while when before")
_ENDS = word_set(
    "hit hits land lands fall falls reach reaches touch touches break breaks settle settles collapse collapses "
    "drop drops tip tips shatter shatters melt melts stop stops strike strikes crash crashes burst bursts snap "
    "snaps topple topples give gives"
)
"""What a fall or a break comes to, after *before*."""
_DONE_TO = word_set(
    "pulled pushed knocked thrown dropped torn lifted cut hit struck ripped swept blown kicked tipped poured removed"
)
_SHADE = word_set("shade shadow darkness light silence")
_LASTING_VERBS = word_set(
    "is are was were has have had stands stand lies lie hangs hang rests rest leans lean sits sit stays stay "
    "remains remain keeps keep faces face looks look holds hold seems seem appears appear does do would should "
    "did will can sleeps sleep waits wait shows show reads read watches watch wears wear glows glow shines shine "
    "burns burn floats float reaches covers cover touches touch supports support belongs needs need wants want "
    "likes like may might must could matches match"
)


def passing_phrase(instruction: str) -> str | None:
    """The first phrase for a moment in between; None where there is none.

    >>> passing_phrase("Catch the violin halfway to the floor."), passing_phrase("Put it halfway down the path.")
    ('halfway to', None)
    """
    plain = unquoted(instruction)
    found = listed("passing_moment", instruction) or next(filter(None, (_first(one, plain) for one in _PHRASES)), None)
    return found or _begins(plain) or _halfway(plain) or _nearly(plain) or _in_flight(plain) or _meanwhile(plain)


def _first(pattern: re.Pattern[str], plain: str) -> str | None:
    match = pattern.search(plain)
    return match[0].strip() if match else None


def _natural(before: str) -> bool:
    """Whether what stands before is about weather, fire, water or light."""
    return any(is_one_of(one, "elements") for one in subjects(words(before)))


def _begins(plain: str) -> str | None:
    return next((match[0] for match in _BEGINS.finditer(plain) if not _natural(plain[: match.start()])), None)


def _halfway(plain: str) -> str | None:
    """Halfway to somewhere, where no word says that the thing has its place there."""
    for match in _HALFWAY.finditer(plain):
        clause = re.split(r"[,;.]|\band\b", plain[: match.start()])[-1]
        far = match["where"].lower() in ("to", "toward", "towards", "from")
        to_ground = match["where"].lower() == "between" and _GROUND.match(plain, match.end())
        placed = None if to_ground else _PLACED.search(clause)
        if placed and not (far and placed[0].lower().startswith("hang") and not _HUNG.intersection(words(clause))):
            continue
        if match["where"].lower() in ("between", "across") and not clause.strip():
            continue
        return match[0]
    return None


def _nearly(plain: str) -> str | None:
    """A thing that falls, just over the ground."""
    match = _NEARLY_THERE.search(plain)
    return match[0] if match and _DROPPED.search(plain) else None


def _in_flight(plain: str) -> str | None:
    match = re.search(r"\bin flight\b", plain, re.IGNORECASE)
    return match[0] if match and not any(is_one_of(word, "flyers") for word in words(plain)) else None


@cache
def _moves() -> frozenset[str]:
    """Verbs of motion, breaking and change, plain and with an *s*."""
    return frozenset(form for verb in entries("moving_verbs") for form in (verb, s_form(verb)))


def _meanwhile(plain: str) -> str | None:
    """A clause with *as*, *while*, *when* or *before* in which something moves: *as the pins scatter*."""
    found = words(plain)
    for at, word in enumerate(found):
        if word not in _CONJUNCTIONS or (
            word == "as" and "as" in (*found[max(0, at - 3) : at], *found[at + 1 : at + 4])
        ):
            continue
        if found[at + 1 : at + 2] in (["if"], ["though"], ["well"], ["for"]):
            continue
        clause = _clause(found[at + 1 :])
        if verb := _moving_verb(clause, word):
            return f"{word} … {verb}"
    return None


def _clause(rest: list[str]) -> list[str]:
    stop = next((at for at, word in enumerate(rest) if is_mark(word)), len(rest))
    return rest[: min(stop, 9)]


def _moving_verb(clause: list[str], conjunction: str) -> str | None:
    if not clause:
        return None
    if clause[0] in ("it", "they", "he", "she", "this", "these"):
        rest = [word for word in clause[1:] if not says_how(word)]
        if not rest or rest[0] in _LASTING_VERBS or (conjunction == "when" and rest[0] not in _moves()):
            return None
        if conjunction == "before" and rest[0] not in _ENDS:
            return None
        return f"{clause[0]} {rest[0]}"
    for at, word in enumerate(clause[1:], start=1):
        if conjunction == "as" and word in ("is", "are") and _DONE_TO.intersection(clause[at + 1 : at + 3]):
            return word
        if word in _LASTING_VERBS:
            return None
        last = next((one for one in reversed(clause[:at]) if not says_how(one)), "")
        if word not in _moves() or not last or last in DETERMINERS | PREPOSITIONS | ATTRIBUTES | {"to", "and", "or"}:
            continue
        if not word.endswith("s") and not last.endswith(("s", "people", "men", "women", "children", "sheep", "geese")):
            continue
        if (conjunction == "before" and word not in _ENDS) or (
            word in ("fall", "falls") and _SHADE.intersection(clause)
        ):
            continue
        forms = ing_forms(next((verb for verb in entries("moving_verbs") if word in (verb, s_form(verb))), word))
        who = subjects(clause[:at])
        if any(is_one_of(one, "elements") for one in who):
            return None
        if any(is_one_of(one, "flyers") and forms[0] in ing_list("flights") for one in who):
            return None
        if any(is_one_of(one, "lines") and forms[0] in ing_list("line_verbs") for one in who):
            return None
        if any(is_one_of(one, "roads") and forms[0] in ing_list("road_verbs") for one in who):
            return None
        return word
    return None
