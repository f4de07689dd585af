"""Words for motions of a camera, and which motion they mean together with the words after them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import takewhile

from editscope.factory.rules.verb_forms import ing_forms, s_form
from editscope.suites.annotation.questions.english import is_adverb, word_set

WAYS = {
    "left": "left",
    "leftward": "left",
    "leftwards": "left",
    "right": "right",
    "rightward": "right",
    "rightwards": "right",
    "up": "up",
    "upward": "up",
    "upwards": "up",
    "skyward": "up",
    "skywards": "up",
    "down": "down",
    "downward": "down",
    "downwards": "down",
    "in": "in",
    "inward": "in",
    "inwards": "in",
    "closer": "in",
    "nearer": "in",
    "forward": "in",
    "forwards": "in",
    "ahead": "in",
    "onward": "in",
    "onwards": "in",
    "out": "out",
    "outward": "out",
    "outwards": "out",
    "back": "out",
    "backward": "out",
    "backwards": "out",
    "rearward": "out",
    "away": "out",
    "sideways": "side",
    "sidewards": "side",
    "laterally": "side",
    "clockwise": "clockwise",
    "counterclockwise": "counterclockwise",
    "anticlockwise": "counterclockwise",
}
"""Words that say which way, and the way that they mean."""
OPPOSITES = {"left": "right", "up": "down", "in": "out", "clockwise": "counterclockwise"}
OPPOSITES |= {other: one for one, other in OPPOSITES.items()}
AROUND = word_set("around round")

_FAMILIES = {
    "pan": "pan scan swish swivel pivot turn whip swing snap wheel yaw",
    "tilt": "tilt tip",
    "zoom": "zoom",
    "push": "push advance approach close",
    "pull": "pull retreat recede withdraw back recoil fall",
    "orbit": "orbit arc circle revolve encircle",
    "track": "track truck dolly follow chase trail lead escort",
    "crane": "crane boom jib pedestal rise lift climb ascend soar descend lower sink drop dip",
    "roll": "roll rotate spin bank twist lean pitch twirl whirl",
    "shake": "shake jitter tremble wobble jolt sway bounce rattle vibrate judder jerk lurch bob shudder jiggle "
    "quiver waver wiggle quake rock",
    "glide": "glide drift float slide travel sweep fly creep crawl inch ease edge wander sail swoop dive race rush "
    "skim snake weave spiral sidle coast scoot slip cruise leap jump head dart dash plunge shoot hurtle walk run step "
    "roam prowl veer curve loop surge speed zip nudge lunge hurry scurry trot stroll march "
    "amble jog sprint",
    "move": "move go come draw shift get",
    "widen": "widen tighten",
}
_DOWN = word_set("descend lower sink drop dip dive")
_UP = word_set("rise lift climb ascend soar")
NEEDS_A_WAY = word_set("fall close push pull back come go draw get whip snap tip")
"""Verbs that are a motion of the camera only together with words that say where."""
_WHERE = word_set(
    "toward towards to into onto through across along past over around round from on at sideways laterally after with"
)
_PASSING = word_set("toward towards across along past over around round through")
_STRONG = word_set("pan zoom dolly push pull crane boom pedestal track truck")
"""Verbs that are hardly ever said of a thing in the scene, as far as they are used with a way."""


@dataclass(frozen=True, slots=True)
class Motion:
    """A motion of the camera: the word of the caption, what kind of motion it is, and which way."""

    word: str
    family: str
    way: str = ""
    weak: bool = False
    """Says no more than that the camera moves, such as *moves closer*."""
    joined: bool = False
    """Joined to the motions before it by *and*, *then* or the like."""

    @property
    def verb(self) -> str:
        """The verb in its plain form; the word itself where it is a noun."""
        return verb_forms().get(self.word, self.word)

    @property
    def vague(self) -> bool:
        """Whether it may only lead to the motion that the next words name: *eases into a pull-back*."""
        return not self.way and (self.weak or self.family == "track" or self.verb in ("swing", "turn", "glide"))

    @property
    def plain(self) -> bool:
        """Whether the verb only says that the camera moves, such as *moves forward* of a dolly shot."""
        return _family_of().get(self.verb) in ("glide", "move") and self.family in ("track", "push", "pull", "crane")

    def is_same(self, other: Motion) -> bool:
        """Whether two words mean one motion: the same kind, and not two ways."""
        if self.family == other.family and "return" in (self.way, other.way):
            return self.way == other.way
        if self.family == other.family:
            return self.family == "shake" or not self.way or not other.way or self.way == other.way
        if (self.weak or other.weak) and not (self.joined or other.joined):
            return self.way in ("in", "out", "left", "right") and self.way == other.way
        return False


@cache
def verb_forms() -> Mapping[str, str]:
    """Every form of a verb of motion, and the verb."""
    forms: dict[str, str] = {}
    for verbs in _FAMILIES.values():
        for verb in verbs.split():
            forms |= dict.fromkeys((verb, s_form(verb), *ing_forms(verb)), verb)
            forms |= dict.fromkeys((f"{verb}ned", f"{verb}med") if verb in ("pan", "zoom") else (), verb)
    return forms


@cache
def _family_of() -> Mapping[str, str]:
    return {verb: family for family, verbs in _FAMILIES.items() for verb in verbs.split()}


def motion(word: str, after: Sequence[str]) -> Motion | None:
    """The motion that a verb means with the words after it, where it means one.

    >>> motion("dollies", ["in", "on", "the", "cup"]), motion("pulls", ["the", "cart"])
    (Motion(word='dollies', family='push', way='in', weak=False, joined=False), None)
    """
    verb = verb_forms().get(word)
    if verb is None:
        return None
    way, where = way_of(after)
    if verb in _TAKES_OBJECTS and _has_own_object(verb, after):
        return None
    if verb in ("pull", "dolly", "zoom", "draw", "ease") and "back" in after[:2]:
        way = "out"
    if verb == "back" and after[:1] and after[0] in ("off", "up", "from"):
        way = "out"
    if verb == "zoom" and way not in ("in", "out", "return"):
        way = ""
    if verb in NEEDS_A_WAY and not (way or where):
        return None
    if verb in ("push", "pull") and way not in ("in", "out", "up") and where not in _WHERE - {"after", "at"}:
        return None
    if verb == "pull" and way == "in" and set(after[1:3]) & {"tight", "close", "closer", "on"}:
        return Motion(word, "push", "in")
    if verb == "fall" and way != "out":
        return None
    if (verb == "pull" and way not in ("out", "up")) or (verb == "close" and way != "in"):
        return None
    if verb == "push" and (way == "out" or list(after[:1]) == ["off"]):
        return None
    if verb in ("come", "go", "get", "draw") and not way and where not in _PASSING:
        return None
    if verb in ("turn", "shift") and list(after[:1]) == ["into"] and list(after[1:2]) != ["the"]:
        return None
    if verb == "pan" and list(after[:1]) == ["for"]:
        return None
    if way == "out" and "back" in after[:2] and _family_of()[verb] in ("pan", "tilt", "orbit", "roll"):
        way = "return"
    return Motion(word, *_resolved(verb, way, where))


_TAKES_OBJECTS = word_set("push pull draw lift lower swing tip roll turn shake tilt drop spin rotate back")
_OBJECTS = word_set("them him her it himself herself")


def _has_own_object(verb: str, after: Sequence[str]) -> bool:
    """Whether somebody moves something: *pulls them out*, *pulls up the quilt*."""
    if after[:1] and after[0] in _OBJECTS:
        return True
    return (
        len(after) > 2
        and verb in ("push", "pull", "draw")
        and after[0] in ("up", "back", "out", "in", "down", "away", "off")
        and after[1] in ("the", "a", "an", "his", "her", "its", "their")
        and not _MEASURES.intersection(after[2:4])
    )


_MEASURES = word_set(
    "few little bit step steps touch tad hair notch long short couple meter meters foot way quarter full half second "
    "moment slow smooth single gentle wide quick direction same opposite other"
)
_STILL = word_set(
    "is was holds stays remains rests sits stands hangs keeps stops ends settles lingers waits pauses hesitates "
    "watches shows reveals captures catches finds sees frames films records looks peers faces points focuses "
    "racks begins starts opens continues becomes lights cuts fades has does makes takes gives lets leaves allows "
    "blurs lies hovers follows seems"
)
"""What a camera does besides moving."""
_ALONG = word_set("along across past around round toward towards through")


def unknown_motion(word: str, after: Sequence[str]) -> Motion | None:
    """The motion of a camera by a verb that no list has, where the words after it say which way.

    >>> unknown_motion("saunters", ["past", "the", "stalls"]), unknown_motion("stays", ["back"])
    (Motion(word='saunters', family='track', way='', weak=False, joined=False), None)
    """
    if not word.endswith("s") or word in _STILL or word in verb_forms() or len(word) < 4:
        return None
    way, where = way_of(after)
    if not way and where not in _ALONG:
        return None
    return Motion(word, *_by_way("glide", way, where))


def _resolved(verb: str, way: str, where: str) -> tuple[str, str, bool]:
    """The kind of motion, the way, and whether the verb says no more than that the camera moves."""
    family = _family_of()[verb]
    if family == "widen":
        return "zoom", "out" if verb == "widen" else "in", True
    if family == "crane":
        return family, "down" if verb in _DOWN else "up" if verb in _UP else way, False
    if family in ("push", "zoom") and where in ("toward", "towards", "to", "into", "on") and not way:
        return family, "in", False
    if family == "push":
        return family, "in", False
    if verb == "pull" and way == "up":
        return "crane", way, False
    if family == "pull":
        return family, "out", False
    if verb in ("swing", "spin", "rotate", "swivel", "sweep", "wheel") and where in AROUND and not way:
        return "orbit", "", False
    if verb in ("swing", "turn", "tip", "swivel", "whip", "snap") and way in ("up", "down"):
        return "tilt", way, False
    if family == "track" or family in ("glide", "move"):
        return _by_way(verb, way, where)
    return family, way, False


def _by_way(verb: str, way: str, where: str) -> tuple[str, str, bool]:
    weak = _family_of()[verb] == "move" or verb in ("ease", "shift", "travel")
    if verb in ("follow", "chase", "trail", "lead", "escort"):
        return "track", "", False
    if where in AROUND and not way:
        return "orbit", "", False
    if way == "in" or (not way and where in ("toward", "towards", "into") and verb not in ("track", "truck")):
        return "push", "in", weak
    if way == "out":
        return "pull", "out", weak
    if way in ("up", "down") and verb not in ("dolly", "track", "truck"):
        return "crane", way, weak
    if verb in ("dive", "swoop", "plunge") and not way:
        return "crane", "down", False
    if way == "return":
        return "track", way, weak
    return "track", way if way in ("left", "right") else "", weak


_SKIPPED = word_set(
    "slowly gently quickly steadily smoothly slightly gradually far further farther even very right all straight still"
)
_LANES = word_set(
    "aisle street hall hallway corridor road river path lane alley avenue track tunnel row line platform promenade "
    "canal "
    "beach pier passage boulevard driveway trail highway nave coast shore runway catwalk bar table counter field valley"
)
"""What one goes up or down without rising or sinking."""
_STOPS = word_set("as while when until that which who and then before after but or with followed")
_UP_OR_DOWN = word_set("left right up down")


def way_of(after: Sequence[str]) -> tuple[str, str]:
    """Which way the words after a verb say, and the preposition of the place where they say none.

    >>> way_of("slowly to the left".split()), way_of("along the wall to the right".split())
    (('left', 'to'), ('right', 'along'))
    """
    where = ""
    near = list(takewhile(lambda word: word not in _STOPS and word[0].isalnum(), after[:9]))
    if re.search(r"\b(?:other|opposite|reverse) (?:way|direction)\b|\bin the other$", " ".join(near)):
        return "return", where
    for at, word in enumerate(near):
        ahead = near[at + 1 :]
        if word in ("up", "down") and ahead[:1] and ahead[0] in ("the", "a", "an") and _LANES.intersection(ahead[1:4]):
            where = where or "along"
            continue
        if word == "from" and "to" in ahead:
            goal = ahead[ahead.index("to") + 1 :][:1]
            return (WAYS[goal[0]], "from") if goal and goal[0] in WAYS else ("", where or "from")
        if word in WAYS and ahead[:1] == ["to"] and ahead[1:2] and ahead[1] in WAYS:
            return WAYS[ahead[1]], where
        if word in WAYS and _says_way(near, at):
            return WAYS[word], where
        if not where and (word in _WHERE or word == "of"):
            where = word
    return "", where


def _says_way(near: Sequence[str], at: int) -> bool:
    """Whether a word such as *in* or *left* says which way here, and not where."""
    word, earlier, ahead = near[at], near[:at], list(near[at + 1 :])
    if word in ("left", "right") and earlier[-1:] == ["the"]:
        return earlier[-2:-1] != [] and earlier[-2] in ("to", "toward", "towards", "on")
    if word == "back" and ahead[:2] == ["to", "the"] and ahead[2:3] and ahead[2] in WAYS:
        return False
    if word in ("in", "back") and ahead and WAYS.get(ahead[0]) in _UP_OR_DOWN:
        return False
    if word == "in" and ahead[:1] and ahead[0] in ("a", "an", "one", "the"):
        return (
            ahead[0] == "a"
            and ahead[1:2] != []
            and ahead[1] in ("little", "bit", "touch", "tad", "hair", "notch", "few")
        )
    if at and word == "right" and ahead[:1] and ahead[0] in ("next", "before", "after", "at", "behind", "in"):
        return False
    if word in ("in", "out", "up", "down", "back") and at > 1:
        return earlier[-1] in _SKIPPED or is_adverb(earlier[-1])
    return True


def is_strong(found: Motion | None) -> bool:
    """Whether hardly anything but a camera does it."""
    return found is not None and found.verb in _STRONG and (found.verb in ("pan", "dolly") or bool(found.way))
