"""Rules of motion captions, from which image-to-video models make a clip of a few seconds."""

from __future__ import annotations

import re
from functools import cache

from editscope.errors import unknown
from editscope.factory.rules.camera import ending as camera_ending
from editscope.factory.rules.camera.motions import motions
from editscope.factory.rules.lexicon import listed
from editscope.factory.rules.records import MotionCaption
from editscope.suites.annotation.questions.english import NUMBERS, matching, unquoted, word_set
from editscope.suites.picabench.data import LAWS

SHORTEST, LONGEST = 3.0, 5.0
"""Seconds of a clip."""

_VALUES = {"half": 0.5, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8}
_VALUES |= {"nine": 9, "ten": 10, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30, "sixty": 60}
_NUMBER = rf"(?:\d+(?:\.\d+)?|{'|'.join(sorted(NUMBERS | {'half'}))})"
_SECONDS = re.compile(
    rf"\b({_NUMBER})(?:\s*(?:–|-|—|to|or)\s*({_NUMBER}))?(?:[- ]?(?:seconds?|secs?)\b|\s?s\b)(?! (?:hand|candle"
    rf"|from))",
    re.IGNORECASE,
)
_INSTANT = re.compile(
    r"\b(?:less than|under|within|in|half|fraction of|split) (?:an? )?(?:single |split )?second\b", re.IGNORECASE
)
_LONG = r"(?:minute|hour|day|week|month|year|decade|century|centurie|night)"
_PART = r"(?:afternoon|morning|evening|season|spring|summer|autumn|winter|lifetime|millennium|fortnight|weekend)"
_CLIP = r"(?: long)?[- ](?:shot|clip|video|take|sequence|duration|period|process|span)"
_LONGER = re.compile(
    rf"(?<!man of )(?<!child of )(?<!aged )\b(?:{_NUMBER}|half an?|several|few|many|couple of|multiple|some"
    rf"|more|next|following|entire"
    rf"|whole) {_LONG}s?\b(?! (?:old|hand|of age))"
    rf"|\b(?:{_NUMBER})-{_LONG}s?{_CLIP}|\b(?:over|for|in|within|during|after|of|lasting|takes?"
    rf"|half) an? (?:full |single |whole )?{_LONG}\b"
    rf"|\b(?:over|for|during|through|after|across|within|in) (?:the )?(?:next |many |long |course of |past "
    rf"|passing )*"
    rf"(?:{_LONG}|season|age)s\b|\b(?:throughout|all) (?:the )?(?:{_LONG}|season)s?\b|\bovernight\b"
    rf"|\b(?:an?|one|this|that|another) (?:\w+ )?(?:{_LONG}|{_PART}) of \w+|\b(?:{_LONG}|{_PART})s of \w+"
    rf"|\b(?:over|for|in|within|during|after|through|throughout|across|lasting|takes?|(?:space|course|span|matter|period"
    rf"|end) of) (?:an?|one|the whole|the entire|the full) (?:\w+ )?(?:{_LONG}|{_PART})\b(?! (?:hand|sky|light|sun|mist"
    rf"|air|breeze|scene|gown|dress|stand|table|lamp|market|storm|rain|bag|pack))"
    rf"|\b(?:minute|hour|day|week|month|year|decade|night|season)-long\b"
    rf"|\bday after day\b|\ball (?:day|night|week|year)\b"
    rf"|\btime-? ?laps\w*|\bhyper-? ?laps\w*",
    re.IGNORECASE,
)
_ABBREVIATION = re.compile(
    r"\b(?:approx|mr|mrs|ms|dr|st|vs|etc|no|fig|ca|e\.g|i\.e|[ap]\.m|[a-z]\.[a-z]|cf|jr|sr|in|ft|max|min)\.(?=[ ,])"
    r"|(?<=\b[a-z]\.[a-z])\.",
    re.IGNORECASE,
)
_CUTS = re.compile(
    r"\b(?:cut|cuts|cutting) (?:to|away|between|back|from)\b|\b(?:jump|hard|smash|match|quick|sudden"
    r"|cross)[- ]?cuts?\b"
    r"|\b(?:inter|cross)cut\w*|\bcut-?aways?\b|(?:^|[,;:] *|\bthen )cut(?= *[,;:])"
    r"|\b(?:fade|fades|fading|fade-?)[- ]?(?:in|out)\b|\b(?:fade|fades|fading) to black\b|\bcross-? ?(?:fad"
    r"|dissolv)\w*"
    r"|\btransition(?:s|ed|ing)? (?:in)?to\b|\bmontages?\b|\bsplit-? ?screens?\b"
    r"|\bshots?\b(?! glass)|\bscenes\b|(?<!\bthe )(?<!\bwhole )(?<!\bentire )\bscene\b|\b(?:clip|video|footage)s?\b"
    r"|\b(?:new|another|different|second|other|reverse) (?:\w+ )?(?:angle|view|viewpoint|perspective|camera)s?\b"
    r"|\bclose-? ?ups?\b|\bflash-? ?backs?\b|\breplays?\b|\bwe\b|\blater\b|\bmeanwhile\b|\bnext\b(?! to\b)",
    re.IGNORECASE,
)
_ONE_SHOT = re.compile(
    r"\b(?:single|continuous|unbroken|static|tracking|one)[- ](?:continuous |unbroken )?shot\b", re.IGNORECASE
)
_SIDES = re.compile(
    r"(?<!\bon the )(?<!\bthe )(?<!\bat )(?<!\bfar )(?<!\bits )\b(?:left|right)\b(?! (?:side|half|edge|hand"
    r"|corner|end|of)\b)|\b(?:to|toward|towards|from) (?:the |its )?(?:far "
    r"|very )?(?:left|right)\b",
    re.IGNORECASE,
)
_WAY = re.compile(
    r"(?<!next )(?<!close )(?<!attached )(?<!near )(?<!due )(?<!compared )(?<!similar )(?<!tied )"
    r"(?<!belonging )(?<!adjacent )(?<!fixed )(?<!opposite )(?<!parallel )(?<!change )(?<!changes )"
    r"(?<!turns )(?<!turn )(?<!shifts )\bto (?:the|its|their|one|his|her|both)"
    r" (?!color|colour|shade|tone|hue|eye|touch|music|same)\w+"
    r"|\bfrom (?:the |its |one )?(?:\w+ )?(?:to|toward|towards|down|up|into|onto|outward|inward)\b"
    r"|\binto (?:the|its|his|her|their) \w+|\b(?:out of|along|past|around|through|over) (?:the|its|a|an) \w+"
    r"|\b(?:falls?|drops?|sinks?|rises?|slides?|moves?|rolls?|slips?|climbs?|disappears?|vanish(?:es)?|goes"
    r"|spreads?|drifts?|flows?"
    r"|runs?|spills?|dips?|shoots?|flies|bounces?|jumps?|leaks?|pours?|swings?|tips?|topples?|leans?"
    r"|shifts?) (?:\w+ly )?(?:below"
    r"|above|beyond|past|behind|under|beneath|over|onto|through|between|inside|out|in front of)\b"
    r"|\bfrom (?:the )?(?:top|bottom|edges?|center|centre|middle|tip|base|sides?|back|front|left|right)\b",
    re.IGNORECASE,
)
_MEASURE = re.compile(
    r"\b\d+(?:\.\d+)?\s?(?:%|cm|mm|m\b|°|x\b|times|percent|degrees|meters|inches|feet)|\bas \w+ as\b"
    r"|\bby (?:about |roughly |nearly |almost |at least )?(?:an?|its|one|two|three|four|five|half"
    r"|several) (?:\w+(?:'s)? )?"
    r"(?:widths?|heights?|lengths?|sizes?|fifth|tenth|fraction|few|lot|steps?|notch|floors?|rows?|body|hand"
    r"|finger|palm|full|stories|storeys|meters?|inch|inches|feet|foot|degrees)\b"
    r"|\b(?:more|less) (?:\w+ly |\w+)(?= |,|\.|$)|\bmost of\b|\btwo-thirds|\bthree-quarters",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"(?:^|(?<=, )|(?<=and )|(?<=while ))(?:the|its|his|her|their|this|that|both|two|three|one)\s+(?:(?!whole"
    r"|entire|full)[\w-]+\s+){0,3}?"
    r"(?=\w+(?:\s+(?:on|in|at|of|by|near|beside|behind|under|above|next to)\s+(?:the|its"
    r"|a)\s+[\w-]+(?:\s+(?:side|wall|shelf"
    r"|table))?)?\s+(?:\w+s|is|are|\w+ly)\b)",
    re.IGNORECASE,
)
_SIZED = re.compile(
    r"\b(?:the|its|his|her|their) (?:(?:small|smaller|big|bigger|large|larger|tall|taller|short|long|thin|thick"
    r"|tiny|huge|narrow|wide"
    r"|low|high|heavy|deep|giant|lower|upper|faint|strong|full) )+",
    re.IGNORECASE,
)
_PLACES = re.compile(
    r"\b(?:on|in|at|of|by|near|beside|behind|under|above|below|inside) (?:the|its|a) (?:far |upper |lower |top "
    r"|back |front )*"
    r"(?:left|right|top|bottom|middle|center|centre|back|front|foreground|background|end|edge|corner|upper"
    r"|lower|side)"
    r"(?:-?(?:hand|most))?(?: (?:side|half|corner|edge|shelf|wall|part|end|window|table|row))?\b(?: of (?:the"
    r"|its|a) \w+)?",
    re.IGNORECASE,
)
_META = re.compile(
    r"(?<!mirror )(?<!mirrored )(?<!mirror-)\bimages?\b|\bphotos?\b|\bphotograph(?!ers?\b)\w*"
    r"|\b(?:un|re)?edit(?:s|ed|ing)?\b"
    r"|\b(?:un)?prompt(?:s|ed|ing|ings)?\b|\bimaged\b",
    re.IGNORECASE,
)

_SEEN = {
    "light_source_effects light_propagation": "shadow, shade, highlight, glow, glare, gleam, glint, beam, ray, "
    "illuminate, "
    "silhouette, bright, dark, dim, lit, unlit, tint, of light",
    "reflection": "reflect, reflection, mirror image, mirrors, mirrored, mirroring, highlight, gloss, gleam, "
    "glint, sheen",
    "refraction": "warp, distort, distortion, bend, bent, disperse, dispersion, magnified, ripple, wavy, blur, "
    "split, rainbow, "
    "displace, offset, stretch, curve, bulge, enlarge",
    "deformation": "indent, indentation, dent, rebound, sag, sink, sank, sunk, sunken, compress, squash, "
    "squeeze, flatten, "
    "bulge, crease, wrinkle, fold, stretch, bend, bent, buckle, crumple, imprint, dimple",
    "causality": "tilt, slide, slid, collapse, topple, tip, fall, fell, fallen, tumble, drop, roll, lean, slip, "
    "swing, swung, "
    "spill, scatter, crash, sway, wobble, buckle, crumble, plunge, sink, sank, splash, snap, pour, shatter",
    "local": "droplet, frost, soot, crack, wet, gloss, ice, icicle, melt, char, smoke, flame, steam, rust, "
    "mold, splash, drip, "
    "puddle, stain, wrinkle, fracture, shard, scorch, soak, damp, dry, bead, bubble, blister, ash, burn, burnt, "
    "foam, wilt, "
    "shatter, crumble, peel, freeze, froze, frozen",
    "global": "color temperature, atmosphere, haze, fog, mist, sunset, sunrise, dusk, dawn, golden, warm, cool, "
    "overcast, cloud, "
    "storm, thunderstorm, snow, snowfall, snowflake, rain, rainfall, raindrop, frost, nightfall, twilight, "
    "moonlight, sunlight, daylight, night, noon, shadow, glow, dark, bright, dim, autumn, "
    "winter, summer, sky",
}
CUES = {law: tuple(words.split(", ")) for laws, words in _SEEN.items() for law in laws.split()}
"""Words that name what one sees of each law."""


def clip_length(text: MotionCaption) -> str | None:
    """No time other than three to five seconds."""
    plain = unquoted(text.text)
    for match in _SECONDS.finditer(plain):
        for number in filter(None, match.groups()):
            value = _VALUES.get(number.lower()) or (float(number) if number[0].isdigit() else 100.0)
            if not SHORTEST <= value <= LONGEST:
                return f"{match[0]!r} is not three to five seconds, the length of a clip."
    word = matching(_INSTANT, plain) or matching(_LONGER, plain)
    return f"{word!r} is not three to five seconds, the length of a clip." if word else None


def one_sentence(text: MotionCaption) -> str | None:
    """One sentence."""
    plain = _ABBREVIATION.sub(" ", unquoted(text.text).strip())
    breaks = re.findall(r"(?<![\d])[.!?…]+[\"”']?\s+\S+|\d[.!?]\s+[A-Z]\S*|\n\s*\S+", plain)
    if breaks:
        return f"a second sentence begins at {breaks[0].lstrip('.!?…0123456789 ').strip()!r}; write one sentence."
    return None if plain else "it is empty; write one sentence."


def camera_at_end(text: MotionCaption) -> str | None:
    """The last words say what the camera does."""
    if camera_ending.ending(text.text):
        return None
    last = " ".join(text.text.split()[-4:])
    return f"it ends with {last!r}; end with the camera, such as ', camera static'."


def one_camera_motion(text: MotionCaption) -> str | None:
    """At most one motion of the camera."""
    found = motions(text.text)
    return f"the camera moves in {len(found)} ways, {' and '.join(found)}; keep one." if len(found) > 1 else None


def single_shot(text: MotionCaption) -> str | None:
    """No word of cutting."""
    word = matching(_CUTS, _ONE_SHOT.sub(" ", text.text))
    return f"{word!r} speaks of cuts or of another shot; describe one continuous shot." if word else None


def measurable_cue(text: MotionCaption) -> str | None:
    """Which way, or how much."""
    plain = _PLACES.sub(" there ", camera_ending.content(text.text))
    plain = _SIZED.sub("the ", _NAMED.sub("the ", plain))
    if (
        matching(_SIDES, plain)
        or matching(_WAY, plain)
        or matching(_MEASURE, plain)
        or listed("directions", plain)
        or listed("magnitudes", plain)
    ):
        return None
    return "no word says which way or how much; add one, such as 'by half its width' or 'to the left'."


def physics_cue(text: MotionCaption) -> str | None:
    """A cue word of the law."""
    if text.law not in LAWS:
        raise unknown("law", text.law, LAWS)
    if matching(_cue_pattern(text.law), camera_ending.content(text.text)):
        return None
    return f"it has no cue word of {text.law.replace('_', ' ')}; use one, such as {CUES[text.law][0]!r}."


_SHADES = word_set("bright dark dim damp wet cool warm")


@cache
def _cue_pattern(law: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(map(_any_form, CUES[law]))})\b", re.IGNORECASE)


def _any_form(word: str) -> str:
    """A word and its forms: darkens, darkened, darker and darkness of *dark*."""
    base = re.escape(word)
    endings = "(?:s|es|ed|ing|y|ily)?"
    if word in _SHADES:
        endings = "(?:s|ed|ing|er|est|ers|en|ens|ened|ening|ness|ly)?"
    if word.endswith("e"):
        return rf"(?:{base}(?:s|d|r|st)?|{base[:-1]}(?:ed|es|ing|y|ily|ion|ations?))"
    if word.endswith("y"):
        return rf"(?:{base}(?:ing|ly|ness|s)?|{base[:-1]}(?:ies|ied|ier|iest|ily))"
    return rf"(?:{base}{endings}|{base}{base[-1]}(?:ed|ing|er|est|y))"


def cues_in_words() -> str:
    """The cue words of every law, as a text for people."""
    return "; ".join(f"{' and '.join(laws.split())}: {words}" for laws, words in _SEEN.items())


def law_unnamed(text: MotionCaption) -> str | None:
    """The change without the name of its law."""
    word = listed("law_names", text.text)
    return f"{word!r} names a law; describe only what one sees." if word else None


def no_meta_words(text: MotionCaption) -> str | None:
    """No word about pictures, edits or prompts."""
    word = matching(_META, text.text)
    return f"{word!r} speaks of the picture, not of the scene; leave it out." if word else None
