"""Moments in between: words that ask for something that is under way rather than for the state at its end."""

from __future__ import annotations

import re

from editscope.factory.rules.lexicon import entries, listed
from editscope.factory.rules.records import LeveledInstruction
from editscope.suites.annotation.questions.english import (
    is_adverb,
    is_mark,
    is_participle,
    matching,
    unquoted,
    word_set,
    words,
)

_STEADY = word_set(
    "snow rain hail drizzle sleet snowflakes snowfall raindrops fog mist wind clouds cloud water waterfall "
    "fountain river "
    "stream tap faucet fire flame flames campfire candle smoke steam bird birds kite kites plane flag flags "
    "insects bees drops droplets "
    "butterfly butterflies seagull seagulls gull gulls stork storks swallow swallows pigeon pigeons dove doves crow "
    "crows raven ravens goose geese duck ducks eagle eagles hawk hawks falcon falcons owl owls sparrow sparrows swan "
    "swans heron herons crane cranes pelican pelicans flamingo flamingos parrot parrots vulture vultures starling "
    "starlings puffin puffins magpie magpies flock flocks bat bats bee fly flies moth moths dragonfly dragonflies "
    "fireflies wasps insect mosquitoes airplane airplanes planes jet jets helicopter drone drones waves wave surf "
    "blizzard storm thunderstorm shower gusts breeze creek brook rapids geyser spring lava sea ocean tide torrent "
    "embers sparks bonfire fireplace chimney torch torches banner banners pennant pennants blaze inferno wildfire "
    "snowstorm rainstorm sandstorm hailstones hailstorm lightning fumes vapor vapour haze breakers swell ripples "
    "current currents streams rivers brooks creeks waterfalls fountains cascade cascades fires candles campfires "
    "sleet downpour gust winds kestrel kestrels robin robins finch finches cormorant cormorants tern terns "
    "glider gliders helicopters biplane biplanes airliner airliners paraglider hummingbird hummingbirds wasp mosquito "
    "hornet hornets ladybird bumblebee bumblebees swarm locusts sail sails"
)
"""Weather, fire, running water and things in the air, which may go on."""
_DONE = word_set("by after from without before of for stopped finished stops stop ceased than prevent instead against")
_KINDS = word_set(
    "top pot water kettle door doors chair chairs stick board pin pins shoes shoe table tables gate gates stool "
    "machine horse saucer star fish "
    "mill wheel suitcase bag walkway staircase stairs window windows sun moon tide hills ladder screen scissors "
    "knife water car cars bike bikes bicycle bicycles boat boats yacht yachts ship ships kayak dinghy suit suits rope "
    "ropes rack racks mat pad gear strip track tracks wall frame net post bag bags ball pan pans pen tool tools saw "
    "blade press rod rods hook bin van truck lot rink ring ground belt bridge mechanism bell helmet gloves boots jack "
    "jacks bean beans bed beds plane plant plants rose roses vine vines ivy stand bowl cup tray trays drum point line "
    "lines place area room light lights head glass paper hammer axe stone stones arm iron range club "
    "target gallery goggles cap pool costume gown cart carts bar bars block blocks cabinet shelf stove "
    "path paths trail street shop school"
)
_FLOWING = word_set(
    "falling flying rising drifting flowing running pouring streaming rolling moving swirling fluttering "
    "flapping trickling "
    "climbing spraying gliding soaring circling hopping wafting dripping sweeping cascading billowing landing "
    "passing sliding"
)
"""What weather, water, smoke and birds may do."""
_GOING_ON = re.compile(
    r"\b(?:being|getting) (?:\w+ly )?(?P<passive>\w+)\b"
    r"|\b(?:as|while) (?:it|they|he|she) (?!was|were|is|are|would|should|did|had|does|do|has|have)\w+"
    r"|\b(?P<more>\w+er) and (?P=more)\b"
    r"|\b(?:still|keeps?|continues?|currently|just|already|now) (?P<verb>\w+ing)\b",
    re.IGNORECASE,
)
_POSTURES = word_set("lying standing hanging resting leaning sitting floating burning glowing facing holding wearing")
_IS_DOING = re.compile(r"\b(?:is|are|be|was|were) (?:now |still |just |\w+ly )*(?P<verb>\w{2,}ing)\b", re.IGNORECASE)
_BEFORE = re.compile(
    r"\bbefore (?:it|they|the \w+|its \w+) (?:\w+ly )?(?:hits?|lands?|falls?|reaches|touches|breaks?|settles?"
    r"|collapses?|drops?"
    r"|tips?|shatters?|melts?|stops?)\b",
    re.IGNORECASE,
)
_RUSHING = re.compile(
    r"\b(?:as|while|when) (?:the |its |a |an |their )?(?:\w+ ){0,2}?\w+s (?:out|down|off|over|into|away|through"
    r"|apart|up"
    r"|under|toward|towards|across|onto|to the|in half|open|loose|and)\b"
    r"|\b(?:as|while|just as) (?:the|its|a|an|their) (?:\w+ ){1,2}?(?:falls|melts|collapses|breaks|shatters"
    r"|tips|topples"
    r"|drops|sinks|bursts|burns|cracks|slides|spills|freezes|tears|snaps|crumbles|explodes|lands|hits)\b",
    re.IGNORECASE,
)
_LASTING = word_set(
    "lying standing hanging resting leaning sitting floating burning glowing facing holding wearing showing "
    "missing remaining "
    "shining covering touching pointing looking reaching hovering reflecting casting supporting leading "
    "surrounding winding "
    "extending stretching crossing sticking flowing living sleeping blooming waving overlapping matching "
    "containing carrying "
    "framing blocking hiding spanning connecting separating dividing overlooking bordering filling lining lighting "
    "illuminating bulging protruding projecting jutting sagging drooping slumping trailing dangling clinging "
    "adhering peeling "
    "flaking curling gleaming glistening glittering sparkling shimmering steaming smoking dripping keeping "
    "staying depicting "
    "kneeling crouching perching squatting reclining balancing propping draping pooling bubbling boiling flickering "
    "smoldering nothing something anything everything ceiling building painting clothing railing interesting boring"
)


def settled_state(text: LeveledInstruction) -> str | None:
    """No level asks for a moment in between."""
    for level, instruction in text.levels():
        word = listed("passing_moment", instruction) or _passing(instruction) or _going_on(instruction)
        if word:
            return (
                f"{word!r} at the {level} level is a moment in between; describe the state when all has come to rest."
            )
    return None


def _passing(instruction: str) -> str | None:
    """A form in -ing of a verb of motion or change, where it says what goes on."""
    found = words(instruction)
    passing = frozenset(entries("passing_verbs"))
    for at, word in enumerate(found):
        if word not in passing:
            continue
        before, after = found[max(0, at - 7) : at], found[at + 1 : at + 3]
        last = before[-1] if before else "."
        if last in _DONE or (last in ("and", "or", ",") and _DONE.intersection(before)):
            continue
        if _does_so_always(word, _phrase(before)) or _STEADY.intersection(after[:1]):
            continue
        if after and after[0] in _KINDS and last not in _BE:
            continue
        return word
    return None


_CRASHING = word_set(
    "plunging plummeting crashing tumbling falling colliding exploding bursting breaking dropping hurtling tearing "
    "ripping collapsing sinking burning melting smashing slamming disintegrating folding landing"
)
"""What ends a flight, and is no part of it."""
_ELEMENTS = word_set(
    "snow rain hail sleet drizzle fog mist wind water waterfall waterfalls river rivers stream streams creek brook sea "
    "ocean wave waves surf tide rapids flame flames fire smoke steam clouds cloud lava storm blizzard embers sparks "
    "raindrops snowflakes hailstones downpour torrent geyser fountain breakers swell sunlight"
)
"""Weather, fire and water, which may do anything."""
_BE = word_set("is are be was were being")


def _does_so_always(word: str, phrase: list[str]) -> bool:
    """Whether weather, fire, smoke, water or something in the air does it: the last noun before the verb is one."""
    if word in _FLOWING and _STEADY.intersection(phrase):
        return True
    if word in _CRASHING and not _ELEMENTS.intersection(phrase):
        return False
    nouns = [one for one in phrase if one not in _BE and one not in ("and", "now", "still") and not is_adverb(one)]
    return bool(nouns) and nouns[-1] in _STEADY


def _phrase(before: list[str]) -> list[str]:
    """The words since the last comma or the like."""
    marks = [at for at, word in enumerate(before) if is_mark(word)]
    return before[marks[-1] + 1 :] if marks else before


def _going_on(instruction: str) -> str | None:
    for match in _GOING_ON.finditer(unquoted(instruction)):
        if match["passive"] and not is_participle(match["passive"].lower()):
            continue
        if match["verb"] and (
            match["verb"].lower() in _POSTURES or match[0].lower().startswith(("now", "just", "keep"))
        ):
            continue
        return match[0]
    for match in _IS_DOING.finditer(unquoted(instruction)):
        before = words(instruction[: match.start()])[-7:]
        if match["verb"].lower() not in _LASTING and not _does_so_always(match["verb"].lower(), before):
            return match[0]
    return matching(_RUSHING, instruction) or matching(_BEFORE, instruction)
