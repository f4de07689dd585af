"""Rules of motion captions, from which image-to-video models make a clip of a few seconds."""

from __future__ import annotations

import re

from editscope.errors import unknown
from editscope.factory.rules import camera
from editscope.factory.rules.lexicon import listed
from editscope.factory.rules.records import MotionCaption
from editscope.suites.annotation.questions.english import NUMBERS, matching, unquoted
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
_CLIP = r"(?: long)?[- ](?:shot|clip|video|take|sequence|duration|period|process|span)"
_LONGER = re.compile(
    rf"\b(?:{_NUMBER}|half an?|several|few|many|couple of|multiple|some|more|next|following|entire"
    rf"|whole) {_LONG}s?\b(?! (?:old|hand))"
    rf"|\b(?:{_NUMBER})-{_LONG}s?{_CLIP}|\b(?:over|for|in|within|during|after|of|lasting|takes?"
    rf"|half) an? (?:full |single |whole )?{_LONG}\b"
    rf"|\b(?:over|for|during|through|after|across|within|in) (?:the )?(?:next |many |long |course of |past "
    rf"|passing )*"
    rf"(?:{_LONG}|season|age)s\b|\btime-? ?laps\w*|\bhyper-? ?laps\w*",
    re.IGNORECASE,
)
_ABBREVIATION = re.compile(
    r"\b(?:approx|mr|mrs|ms|dr|st|vs|etc|no|fig|ca|e\.g|i\.e|[ap]\.m|[a-z]\.[a-z]|cf|jr|sr|in|ft|max|min)\.(?=[ ,])"
    r"|(?<=\b[a-z]\.[a-z])\.",
    re.IGNORECASE,
)
_CUTS = re.compile(
    r"\bcuts? to\b(?! (?:size|length|pieces|shape|fit|a point|the bone|ribbons|half|its|two|a third|a quarter|strips))"
    r"|\bfollowed by (?:an? |the |another )?(?:\w+ )?(?:shot|view|scene|close-?up|angle)\b"
    r"|\b(?:switch|switches|switching|jumps?|jumping|transitions?|moves?) to (?:an? |the )?(?:\w+ )?(?:close-?up"
    r"|shot|wide shot|angle|scene|view)\b"
    r"|\b(?:scene|screen|shot|view|picture|frame|everything) fades? to (?:black|white)\b"
    r"|(?:^|[,;.:] *|\bthen )(?:cut(?= *[;,.:]|$)|switch to\b)"
    r"|\b(?:view|scene|camera|shot|video|story|focus|perspective|clip|footage|film) (?:\w+ )?(?:switches|jumps"
    r"|cuts|skips|returns"
    r"|goes back) to\b"
    r"|(?:^|[,;.:] *|\bthen )(?:an? |smooth |quick |slow )*transition(?:s|ing)? to\b",
    re.IGNORECASE,
)
_SIDES = re.compile(
    r"(?<!\bon the )(?<!\bthe )(?<!\bat )(?<!\bfar )(?<!\bits )\b(?:left|right)\b(?! (?:side|half|edge|hand"
    r"|corner|end|of)\b)|\b(?:to|toward|towards|from) the (?:far )?(?:left|right)\b",
    re.IGNORECASE,
)
_MEASURE = re.compile(
    r"\b\d+(?:\.\d+)?\s?(?:%|cm|mm|m\b|°)|\bas \w+ as\b"
    r"|\bby (?:about |roughly |nearly |almost )?(?:an?|its|one|two|three|four|five) (?:\w+(?:'s)? )?"
    r"(?:widths?|heights?|lengths?|sizes?|fifth|tenth|fraction|few|lot|steps?|notch|floors?|rows?|body|hand"
    r"|finger|palm|full)\b",
    re.IGNORECASE,
)
_META = re.compile(
    r"(?<!mirror )(?<!mirrored )\bimages?\b|\bphotos?\b|\bphotograph(?:s|ed)?\b|\bedit(?:s|ed|ing)?\b"
    r"|\bprompt(?:s|ed|ing)?\b",
    re.IGNORECASE,
)


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
    if camera.ending(text.text):
        return None
    last = " ".join(text.text.split()[-4:])
    return f"it ends with {last!r}; end with the camera, such as ', camera static'."


def one_camera_motion(text: MotionCaption) -> str | None:
    """At most one motion of the camera."""
    found = camera.motions(text.text)
    return f"the camera moves in {len(found)} ways, {' and '.join(found)}; keep one." if len(found) > 1 else None


def single_shot(text: MotionCaption) -> str | None:
    """One shot without a cut."""
    plain = re.sub(r"\bshot glass\w*", "glass", text.text, flags=re.IGNORECASE)
    word = matching(_CUTS, plain) or listed("cuts", plain)
    return f"{word!r} is a cut; describe one continuous shot." if word else None


def measurable_cue(text: MotionCaption) -> str | None:
    """Which way, or how much."""
    plain = camera.content(text.text)
    if (
        matching(_SIDES, plain)
        or matching(_MEASURE, plain)
        or listed("directions", plain)
        or listed("magnitudes", plain)
    ):
        return None
    return "no word says which way or how much; add one, such as 'by half its width' or 'to the left'."


def physics_cue(text: MotionCaption) -> str | None:
    """A visible sign of the law."""
    if text.law not in LAWS:
        raise unknown("law", text.law, LAWS)
    if listed(f"cues_{text.law}", camera.content(text.text)):
        return None
    return f"no word says what one sees of {text.law.replace('_', ' ')}; name it, such as {_EXAMPLES[text.law]}."


_EXAMPLES = {
    "light_propagation": "the shadow",
    "light_source_effects": "the shadows or the glow",
    "reflection": "the reflection",
    "refraction": "how the view through the glass warps",
    "deformation": "the dent",
    "causality": "how things tilt, slide or fall",
    "global": "the haze or the color of the light",
    "local": "droplets, frost, soot or cracks",
}


def law_unnamed(text: MotionCaption) -> str | None:
    """The change without the name of its law."""
    word = listed("law_names", text.text)
    return f"{word!r} names a law; describe only what one sees." if word else None


def no_meta_words(text: MotionCaption) -> str | None:
    """No word about pictures, edits or prompts."""
    word = matching(_META, text.text)
    return f"{word!r} speaks of the picture, not of the scene; leave it out." if word else None
