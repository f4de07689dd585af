"""Moments in between: words that ask for something that is under way rather than for the state at its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import takewhile

from editscope.factory.rules.moments.phrases import passing_phrase
from editscope.factory.rules.moments.subjects import BE, ing_list, is_one_of, says_how, singulars, subjects
from editscope.factory.rules.records import LeveledInstruction
from editscope.suites.annotation.questions.english import (
    ATTRIBUTES,
    AUXILIARIES,
    CONNECTORS,
    DETERMINERS,
    PREPOSITIONS,
    PRONOUNS,
    is_mark,
    is_participle,
    word_set,
    words,
)

_GERUND = word_set(
    "by after from without before of for than instead against despite prevent prevents stop stops stopped finish "
    "finished ceased avoid avoids about like via"
)
"""Words after which a form in -ing names an action and does not say that it goes on."""
_DENIED = word_set("not never no nothing neither nor without isn't aren't longer cannot nobody none")
_ALSO_NOUNS = word_set(
    "landing crossing opening setting heading clearing turning building painting drawing carving trimming molding "
    "moulding striking kindling"
)
_NOUN_PLACES = word_set("in of at for with between")
_RESULTS = word_set("leaving forming making creating producing causing letting allowing uncovering")
"""What a clause has come to: fine after a comma, not after *is*."""
_BOTH_WAYS = {
    "boiling": (False, "over"),
    "bubbling": (False, "over"),
    "foaming": (False, "over"),
    "frothing": (False, "over"),
    "burning": (False, "down away up through out to"),
    "filling": (False, "with up"),
    "floating": (False, "down up away off past downstream toward towards by"),
    "hovering": (False, "down"),
    "soaking": (False, "through"),
    "curling": (False, "up inward inwards back over"),
    "slumping": (False, "over down forward to and"),
    "peeling": (False, "a an the potatoes apples oranges itself back away"),
    "stretching": (
        True,
        "to across along over from into toward towards between beyond far all up down around away out",
    ),
    "opening": (True, "onto into to out toward towards"),
    "closing": (True, "off"),
    "drying": (True, "on in over from by beside above"),
    "poking": (True, "out through from up above"),
    "playing": (True, "chess cards guitar piano violin checkers draughts music"),
    "catching": (True, "light sunlight"),
    "picking": (True, "out"),
    "pressing": (True, "against"),
    "bending": (True, "under"),
    "rubbing": (True, "against"),
    "spreading": (True, "its their"),
    "sweeping": (True, "down"),
}
"""Forms that last or not by the word after them: whether these words make them last."""
_CONJUNCTIONS = word_set("as so very when while if then upon though although once until")
_RAINING = word_set("raining snowing hailing drizzling sleeting storming")
_KEEPS = word_set("keeps keep kept continues continue")
_LIT = word_set("light sun sunlight lamplight moonlight shadow shadows glow")


@dataclass(frozen=True, slots=True)
class _Form:
    """A form in -ing and the words around it."""

    word: str
    before: Sequence[str]
    after: Sequence[str]

    @property
    def last(self) -> str:
        """The word before, adverbs aside."""
        return next((word for word in reversed(self.before) if not says_how(word)), "")

    @property
    def next(self) -> str:
        """The word after."""
        return self.after[0] if self.after else "."

    @property
    def progressive(self) -> bool:
        """Whether it is said of something with *is* or *are*."""
        return self.last in BE | _KEEPS or (self.last in ("not", "also") and bool(BE.intersection(self.before[-3:])))


def settled_state(text: LeveledInstruction) -> str | None:
    """No level asks for a moment in between."""
    for level, instruction in text.levels():
        word = passing_phrase(instruction) or _under_way(instruction)
        if word:
            return (
                f"{word!r} at the {level} level is a moment in between; describe the state when all has come to rest."
            )
    return None


def _under_way(instruction: str) -> str | None:
    """A form in -ing that says that something moves, breaks or changes."""
    found = words(instruction)
    for at, word in enumerate(found):
        if not word.endswith("ing") or len(word) < 5:
            continue
        form = _Form(word, found[:at], found[at + 1 :])
        if word in ("being", "getting") and _is_done_to(form):
            return f"{word} {form.next}"
        if _passes(form) and not _excused(form):
            return word
    return None


_HELD = word_set("held worn supported lit displayed shown used seen carried watched kept guarded")


def _is_done_to(form: _Form) -> bool:
    """Whether something is just done to a thing: being torn."""
    after = [word for word in form.after if not says_how(word)][:1]
    return bool(after) and is_participle(after[0]) and after[0] not in _HELD and not _denied(form)


def _passes(form: _Form) -> bool:
    """Whether the word, as it stands here, means motion, breaking or change."""
    word = form.word
    if word in _BOTH_WAYS:
        lasts, followers = _BOTH_WAYS[word]
        near = form.after[:3] if lasts and word in ("playing", "catching") else form.after[:1]
        listed = bool(word_set(followers).intersection(near))
        if word in ("filling", "curling") and not listed:
            return word == "filling" and is_mark(form.next) and form.progressive
        if lasts is listed:
            return False
        return word not in _nouns() or form.progressive or _verbal(form)
    if word == "growing":
        return _grows(form)
    if word in _RAINING:
        return "it" not in form.before[-5:] and not any(is_one_of(one, "elements") for one in subjects(form.before))
    if word == "taking":
        return form.next in ("off", "flight", "wing")
    if word in _RESULTS:
        return form.progressive or (word == "forming" and form.next in PREPOSITIONS and form.last not in _GERUND)
    if word in ("throwing", "casting") and _LIT.intersection(form.after[:4]):
        return False
    if word in _nouns() and not form.progressive:
        return word in _ALSO_NOUNS and word in ing_list("moving_verbs") and _verbal(form)
    if word in ing_list("moving_verbs"):
        return not _is_noun(form)
    if word in singulars("lasting_forms") or word in _nouns():
        return False
    return form.progressive or _verbal(form)


def _grows(form: _Form) -> bool:
    """Plants that grow somewhere last; what grows, or grows darker, does not."""
    somewhere = form.next in word_set("on in at from beside between out along under near around against through by")
    return not (somewhere and any(is_one_of(one, "plants") for one in subjects(form.before, form.word)))


@cache
def _nouns() -> frozenset[str]:
    return singulars("ing_nouns")


def _is_noun(form: _Form) -> bool:
    """Whether an article stands before it and no noun after it: *the landing of the stairs*."""
    bare = not form.after or is_mark(form.next) or form.next in PREPOSITIONS | AUXILIARIES
    return bare and bool(form.before) and form.before[-1] in DETERMINERS


def _verbal(form: _Form) -> bool:
    """Whether it stands behind a noun, and words follow that go with a verb."""
    if not form.last or is_mark(form.last) or form.last in DETERMINERS | PREPOSITIONS | CONNECTORS | AUXILIARIES:
        return False
    if (form.last in ATTRIBUTES and form.next not in DETERMINERS) or form.last in _CONJUNCTIONS:
        return False
    follows = form.next in DETERMINERS | PREPOSITIONS | PRONOUNS or is_mark(form.next) or says_how(form.next)
    if form.word in _ALSO_NOUNS:
        return form.next in DETERMINERS or (form.next in PREPOSITIONS and form.next not in _NOUN_PLACES)
    return follows


def _excused(form: _Form) -> bool:
    """Whether it is denied, names an action or a kind of thing, or is what weather, birds or roads do."""
    return _denied(form) or _names_action(form) or _names_kind(form) or _does_so_always(form)


def _denied(form: _Form) -> bool:
    near = [word for word in form.before[-3:] if not says_how(word) and word not in BE]
    return bool(_DENIED.intersection(near[-1:]) or (near[-2:-1] and near[-2] in ("no", "neither", "nor")))


def _names_action(form: _Form) -> bool:
    """Whether a preposition such as *after* or *by* stands before it, or before a form that it is joined to."""
    if form.last in _GERUND:
        return True
    joined = form.last in ("and", "or", ",")
    earlier = [at for at, word in enumerate(form.before[-8:]) if word in _GERUND]
    return joined and any(form.before[-8:][at + 1].endswith("ing") for at in earlier if at + 1 < len(form.before[-8:]))


def _names_kind(form: _Form) -> bool:
    """Whether it names a kind of thing with the noun after it: *a rocking chair*, *a sliding glass door*."""
    if form.progressive:
        return False
    nouns = list(takewhile(lambda word: not (word in PREPOSITIONS | DETERMINERS or is_mark(word)), form.after[:3]))
    for noun in nouns:
        if any(f"{form.word} {one}" in singulars("kinds_of_things") for one in _numbers(noun)):
            return True
    gear = bool(nouns) and any(one in singulars("kind_nouns") for one in _numbers(nouns[0]))
    return gear and form.next == nouns[0] and form.word not in ing_list("accidents")


def _numbers(noun: str) -> tuple[str, ...]:
    """A noun as it stands, in the singular and in the plural."""
    return (noun, noun.removesuffix("s"), noun.removesuffix("es"), f"{noun}s")


def _does_so_always(form: _Form) -> bool:
    """Whether weather, fire, water or light does it, something that flies, or a road or a wall that runs somewhere."""
    objects = [word for word in form.after[:3] if not says_how(word)]
    attributive = [word for word in objects[:1] if word not in PREPOSITIONS | DETERMINERS and not is_mark(word)]
    if attributive and attributive[0] in ATTRIBUTES:
        attributive += objects[1:2]
    for one in attributive:
        if is_one_of(one, "elements") and not _goes_on(objects, one):
            return True
        if is_one_of(one, "flyers") and form.word in ing_list("flights"):
            return True
        if is_one_of(one, "water_sources") and form.word in ing_list("water_verbs"):
            return True
        if is_one_of(one, "roads") and form.word in ing_list("road_verbs"):
            return True
    if attributive and (form.before and form.before[-1] in PREPOSITIONS | DETERMINERS | ATTRIBUTES | {"with"}):
        return False
    doers = subjects(form.before, form.word)
    if doers and doers[0] in ("it", "they", "them"):
        doers = [word for word in form.before if is_one_of(word, "flyers")]
    return any(is_its_nature(one, form.word) for one in doers)


_MADE_OF_TWO = word_set(
    "bottle bottles glass tank tanks jug jugs tower wheel wheels pipe pipes gun guns pistol balloon balloons lily "
    "lilies truck trucks engine escape extinguisher globe globes man ball balls plow plough coat barrel barrels "
    "bulb bulbs fixture hat umbrella chime chimes turbine turbines mill alarm lantern lanterns lamp door bucket "
    "cup can bowl skin ski slide bed mattress melon house station hydrant tongs screen ring boot boots pitcher "
    "carafe canister cooler dispenser board fish"
)


def _goes_on(objects: Sequence[str], element: str) -> bool:
    """Whether the element is part of a longer name: *the falling water bottle*."""
    at = list(objects).index(element)
    return bool(_MADE_OF_TWO.intersection(objects[at + 1 : at + 2]))


def is_its_nature(noun: str, form: str) -> bool:
    """Whether a thing of this name may do what the form in -ing says.

    >>> is_its_nature("rain", "falling"), is_its_nature("gull", "falling"), is_its_nature("path", "winding")
    (True, False, True)
    """
    return (
        is_one_of(noun, "elements")
        or (is_one_of(noun, "flyers") and (form == "taking" or form in ing_list("flights")))
        or (is_one_of(noun, "roads") and form in ing_list("road_verbs"))
        or (is_one_of(noun, "lines") and form in ing_list("line_verbs"))
        or (is_one_of(noun, "water_sources") and form in ing_list("water_verbs"))
    )
