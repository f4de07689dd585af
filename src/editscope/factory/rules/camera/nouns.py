"""Nouns about the camera: its names in a caption, motions that are named by a noun, and motions that are denied."""

from __future__ import annotations

from collections.abc import Sequence

from editscope.factory.rules.camera.verbs import WAYS, Motion, is_strong, motion, verb_forms, way_of
from editscope.factory.rules.camera.words import (
    ACCIDENTS,
    ADVERBIAL,
    CAMERA,
    DOWN_THERE,
    MANNER,
    OTHER_CAMERAS,
    PARTS,
    SHAKY,
)
from editscope.suites.annotation.questions.english import (
    DETERMINERS,
    NUMBERS,
    PREPOSITIONS,
    is_adverb,
    is_mark,
    word_set,
)

_SCREEN = word_set("picture image scene video clip")
"""Nouns that stand for the camera where they pan or zoom."""
_SHARED = word_set(
    "tilt roll drift rise swing spin turn sweep dive climb rotation descent ascent circle retreat advance push "
    "pull drop float lift dip slide shift fall move twist sway bounce follow"
)
"""Nouns that may be said of a thing just as well."""
MOTION_NOUNS = {
    "rotation": ("roll", ""),
    "descent": ("crane", "down"),
    "ascent": ("crane", "up"),
    "flyover": ("track", ""),
    "flythrough": ("track", ""),
    "flyby": ("track", ""),
    "chase": ("track", ""),
    "shake": ("shake", ""),
    "jitter": ("shake", ""),
    "wobble": ("shake", ""),
    "sway": ("shake", ""),
    "tremor": ("shake", ""),
    "judder": ("shake", ""),
    "jolt": ("shake", ""),
}
_VERB_NOUNS = word_set(
    "whip pan pans panning tilt tilts tilting zoom zooms zooming push pushing pull pulling dolly dollying orbit "
    "orbiting arc arcing circle circling track tracking truck trucking crane craning boom booming jib pedestal "
    "roll rolling drift drifting rise rising swing spin spinning sweep glide gliding dive climb retreat advance "
    "turn rotating descending lift follow following float floating move dash lunge swoop plunge "
    "slide"
)
_BARE = word_set("glide zoom orbit arc tracking zooming panning dollying orbiting craning")
_KINDS = word_set("shot move movement motion shots in out back")
_FOLLOWS = word_set(
    "to across along toward towards around from of reveals shows follows on past upon into through after with "
    "over alongside as for at"
)


def camera_at(found: Sequence[str]) -> tuple[int, int] | None:
    """Where the camera is the subject of a clause: the first word of its noun phrase, and the word after it.

    >>> camera_at("the camera pans left".split()), camera_at("the window frame tilts".split())
    ((0, 2), None)
    """
    if found and found[0] in ("we", "we're"):
        return 0, 1
    for at, word in enumerate(found):
        name = word.removesuffix("'s")
        if name in _SCREEN and at + 1 < len(found) and is_strong(motion(found[at + 1], found[at + 2 :])):
            return _phrase_start(found, at), at + 1
        if name not in CAMERA or (found[at + 1 : at + 2] and found[at + 1] in PARTS):
            continue
        if found[at + 1 : at + 2] and found[at + 1] in CAMERA and found[at + 1] not in ("frame",):
            continue
        start = _phrase_start(found, at)
        before = found[start:at]
        if _is_move(before, found[at + 1 :]):
            if found[at + 2 : at + 3] and found[at + 2] in ("is", "combines", "includes", "starts", "begins", "ends"):
                return start, at + 2
            continue
        if start and not _may_precede(found[:start]):
            return None
        if OTHER_CAMERAS.intersection(before) or not _fits(name, before, found[at + 1 :]):
            continue
        return start, at + 1
    return None


def _is_move(before: Sequence[str], after: Sequence[str]) -> bool:
    """Whether *camera* only says which move is meant: *one camera move*, *two camera moves*."""
    following = after[0] if after else ""
    return following in ("move", "movement", "motion") or (
        following in ("moves", "movements", "motions") and bool(NUMBERS.intersection(before))
    )


def _phrase_start(found: Sequence[str], at: int) -> int:
    start = at
    while start and found[start - 1] not in PREPOSITIONS and not is_mark(found[start - 1]):
        start -= 1
        if found[start] in DETERMINERS or found[start] == "our":
            break
    return start


def _may_precede(earlier: Sequence[str]) -> bool:
    """Whether words before the noun phrase only say when or where: *at the end the camera pans*."""
    if set(earlier) <= {"not", "only", "does", "here", "now", "also"}:
        return True
    return earlier[-1] not in PREPOSITIONS and (earlier[0] in ADVERBIAL or all(is_adverb(word) for word in earlier))


def _fits(name: str, before: Sequence[str], after: Sequence[str]) -> bool:
    described = [word for word in before if word not in DETERMINERS and word != "our"]
    known = all(
        word in MANNER or word in SHAKY or word in verb_forms() or is_adverb(word) or word in CAMERA
        for word in described
    )
    following = after[0] if after else ""
    if name in ("shot", "view") and len(described) < 3 and verb_forms().get(following) in _FILMING:
        return True
    if name in ("camera", "cam", "drone"):
        indefinite = bool(before) and before[0] in ("a", "an") and not described
        lowered = following in ("drops", "bounces") and not DOWN_THERE.intersection(after[1:5])
        if following in ("falls", "falling") and set(after[1:2]) & {"back", "away", "behind"}:
            return known
        if (
            following in ACCIDENTS
            and not lowered
            and not (following in ("on", "in") and len(after) > 1 and noun_motions(after[1:], joined=True))
        ):
            return following in ("on", "in", "stands", "hangs", "of") and "tripod" in after[:4]
        return known and not (
            indefinite
            and following in verb_forms()
            and verb_forms()[following] not in ("pan", "zoom", "dolly", "orbit", "track")
        )
    if name in ("lens", "frame") and (following in ACCIDENTS or _falls(after)):
        return following == "drops" and "from" in after[1:2] and "to" in after[2:6]
    if name == "angle" and following not in verb_forms():
        return False
    return known


_FILMING = word_set("pan tilt zoom push pull dolly orbit circle track truck crane glide follow rise descend arc")
"""What a shot does, whatever it is called: *a helicopter shot circles the volcano*."""


def _falls(after: Sequence[str]) -> bool:
    """Whether it rolls, slides or drops off something, as things do."""
    return (
        bool(after)
        and after[0] in ("rolls", "slides", "drops", "tips", "spins", "swings")
        and bool({"off", "over", "onto", "wall", "nail", "table", "floor"} & set(after[1:5]))
    )


def phrase_motions(phrase: Sequence[str], *, shot: bool) -> list[Motion]:
    """Motions that words before a name of the camera tell: *a shaky, slowly panning camera*, *a crane shot*."""
    found = []
    for at, word in enumerate(phrase):
        if word in SHAKY:
            found.append(Motion(word, "shake"))
        elif (word.endswith("ing") or (shot and word in _VERB_NOUNS)) and (said := motion(word, phrase[at + 1 :])):
            found.append(said)
    return found


def noun_motions(found: Sequence[str], *, opening: bool = False, joined: bool = False) -> list[Motion]:
    """The motions of a clause that begins with a noun for one: *a slow push in*, *shaky pan to the left*.

    ``opening``: the clause opens the caption; ``joined``: what comes before is about the camera.

    >>> [one.word for one in noun_motions("a shaky pan across the rubble".split(), opening=True)]
    ['shaky', 'pan']
    """
    words = list(found)
    indefinite = bool(words) and words[0] in ("a", "an", "one", "another")
    words = words[1:] if indefinite or words[:1] in (["some"], ["then"]) else words
    motions: list[Motion] = []
    manner = False
    for at, word in enumerate(words):
        rest = words[at + 1 :]
        if (word == "dolly" and rest[:1] == ["zoom"]) or (
            word == "whip" and rest[:1] and rest[0] in ("pan", "tilt", "zoom")
        ):
            manner = True
            continue
        if word in SHAKY and _shakes(word, rest, alone=not at):
            motions.append(Motion(word, "shake"))
            manner = True
            continue
        if word in MOTION_NOUNS or word in _VERB_NOUNS:
            named = _named(
                word,
                rest,
                manner=manner or (joined and indefinite and not _acts(rest)),
                indefinite=indefinite,
                opening=opening,
            )
            if named is None:
                return motions
            motions.append(named)
            if not (rest and rest[0] in _VERB_NOUNS and word.endswith("ing")):
                return motions
            continue
        if (
            word in CAMERA
            and motions
            and word in ("shot", "view", "footage", "camera", "framing", "camerawork", "frame")
        ):
            return motions
        if indefinite and at < 2 and _is_surely_named(rest):
            manner = True
            continue
        if word not in MANNER and not is_adverb(word) and not word[0].isdigit():
            shaken = bool(motions) and motions[-1].family == "shake"
            shaken = shaken and (not rest or word in PREPOSITIONS or word in _ON_FOOT)
            shaken = shaken or (bool(motions) and word == "throughout")
            return motions if shaken else []
        manner = True
    return motions


def _is_surely_named(rest: Sequence[str]) -> bool:
    """Whether a noun for a motion follows that no thing has: *a breathless push-in*."""
    at = next(
        (at for at, word in enumerate(rest[:2]) if word in ("zoom", "push", "pull", "dolly", "tracking", "crane")), None
    )
    if at is None:
        return False
    following = rest[at + 1] if at + 1 < len(rest) else ""
    if rest[at] == "zoom":
        return not _is_kind_of_thing("zoom", rest[at + 1 :])
    return following in ("in", "back", "out", "shot") and not (
        rest[at] in ("tracking", "crane") and following != "shot"
    )


_ON_FOOT = word_set("run walk ride sprint climb chase")


def _acts(rest: Sequence[str]) -> bool:
    """Whether a verb follows that says what a thing of this name does: *a pan tips over*."""
    return bool(rest) and rest[0].endswith("s") and rest[0] not in ("follows", "reveals", "shows", "ends", "brings")


def _shakes(word: str, rest: Sequence[str], *, alone: bool) -> bool:
    """Whether *handheld* or *shaky* is about the camera, not about a fan or a hand."""
    if not rest:
        return True
    following = next((one for one in rest if one not in MANNER and one not in SHAKY), "")
    return (
        following
        in CAMERA
        | MOTION_NOUNS.keys()
        | _VERB_NOUNS
        | word_set("feel look style quality motion movement effect take one")
        | _ON_FOOT
        or (alone and following in ("", "throughout"))
        or (following in PREPOSITIONS and word == "handheld")
    )


def _named(word: str, rest: Sequence[str], *, manner: bool, indefinite: bool, opening: bool) -> Motion | None:
    if word in MOTION_NOUNS:
        alone = word in ("flyover", "flythrough") or (not rest and MOTION_NOUNS[word][0] != "shake")
        return Motion(word, *MOTION_NOUNS[word]) if manner or indefinite or alone else None
    said = motion(word, rest)
    way, _ = way_of(rest)
    following = rest[0] if rest else ""
    if said is None and word in ("push", "follow", "pull") and following in _KINDS:
        said = Motion(word, {"push": "push", "pull": "pull", "follow": "track"}[word], "in" if word == "push" else "")
    if said is None and word == "push" and manner and not rest:
        said = Motion(word, "push", "in")
    if word == "whip" and not way:
        return None
    if said is None and word in ("swing", "turn") and manner and way:
        said = Motion(word, "pan", way)
    if said is None or (word == "move" and not way):
        return None
    if following == "of" and word not in _BARE and not (rest[1:3] and CAMERA.intersection(rest[1:3])):
        return None
    direct = following in WAYS or following in _KINDS
    if word in ("crane", "boom", "truck", "jib", "pedestal", "craning", "booming"):
        return (
            said
            if direct
            or (word in ("truck", "boom", "pedestal") and way and manner)
            or (manner and not rest)
            or word.endswith("ing")
            else None
        )
    if word in _BARE:
        return None if _is_kind_of_thing(word, rest) else said
    if word == "pans" or word.endswith("s"):
        return None
    if word in (
        "following",
        "rolling",
        "rising",
        "drifting",
        "spinning",
        "rotating",
        "descending",
        "circling",
        "gliding",
        "floating",
        "tilting",
        "pushing",
        "pulling",
        "arcing",
        "trucking",
        "booming",
    ):
        whole = (
            "shot",
            "movement",
            "motion",
            "camera",
            "view",
            "move",
            "orbit",
            "arc",
            "zoom",
            "dolly",
            "push",
            "pull",
        )
        return said if following in whole else None
    if (
        opening
        and following in PREPOSITIONS
        and following not in WAYS
        and not manner
        and word not in ("push", "pull", "dolly", "tilt", "pan")
    ):
        return None
    if opening and word in ("track", "follow", "circle", "orbit") and following in DETERMINERS:
        return said
    if opening and indefinite and not manner and not direct:
        surely = word in ("pan", "tilt", "zoom") and (
            following in ("across", "along") or (following == "from" and "to" in rest)
        )
        return said if surely or (way and following in ("from", "to", "across") and "of" not in rest[:5]) else None
    if direct or (manner and (not rest or following in _FOLLOWS or is_adverb(following) or following.endswith("s"))):
        return said
    if word in _SHARED and not manner:
        return said if way and (indefinite or not opening) else None
    return (
        said
        if not rest
        or following in ("to", "across", "along", "toward", "towards", "around", "reveals", "follows", "shows")
        or (indefinite and not opening and following in ("over", "past", "from", "through"))
        else None
    )


_LOOKS = word_set(
    "is reveals follows shows ends brings finds takes leads begins starts passes stops gives becomes turns"
)


def _is_kind_of_thing(word: str, rest: Sequence[str]) -> bool:
    """Whether a word for a motion says which thing is meant: *a panning spotlight*, *a zoom lens*."""
    following = rest[0] if rest else ""
    if word == "zoom":
        return following in ("lens", "lenses", "ring", "call", "meeting", "dial", "button")
    if not following or not word.endswith("ing"):
        return False
    return not (
        following in WAYS
        or following in _KINDS
        or following in _FOLLOWS
        or following in _LOOKS
        or following in PREPOSITIONS
        or following in DETERMINERS
        or following in CAMERA
        or following in _VERB_NOUNS
        or following in ("aerial", "close", "wide", "take", "and", "only", "slow", "him", "them", "it")
        or is_adverb(following)
    )


def is_shared(said: Motion) -> bool:
    """Whether the noun may be said of a thing in the scene just as well."""
    return said.word in _SHARED and not (said.family in ("push", "pull") and said.way)
