"""The camera in a motion caption: where the caption speaks of it."""

from __future__ import annotations

import re

from editscope.suites.annotation.questions.english import unquoted

_SLOWLY = (
    r"(?:(?:a|an|with|very|extremely|slow|slowly|gentle|gently|slight|slightly|subtle|smooth|smoothly|tiny"
    r"|gradual|shaky|jittery|wobbly|sudden|rapid|long|wide|heavy|low|high|careful|continuous|rough|combined"
    r"|steady|quick|fast|soft|single|minimal|simple|then|followed|by|and|one|brief|short"
    r"|small|whip|light) )*"
)
_MOTIONS = {
    "pan": r"pan(?:s|ned|ning)?(?: shot)?",
    "tilt": r"tilt(?:s|ed|ing)?",
    "zoom": r"zoom(?:s|ed|ing)?",
    "push": r"push(?:es|ed|ing)?(?:[- ]in)?|doll(?:y|ies)(?:ing)?[- ](?:in|forward)|moves? (?:in|closer|forward)"
    r"|moving (?:in|closer)",
    "pull": r"pull(?:s|ed|ing)?(?:[- ](?:back|out|away))|doll(?:y|ies)(?:ing)?[- ](?:out|back)|moves? (?:back|away)",
    "orbit": r"orbit(?:s|ed|ing)?|arc(?:s|ing)?|circl(?:es|ing)",
    "track": r"track(?:s|ed|ing)?(?: shot)?|truck(?:s|ing)?|doll(?:y|ies)(?! ?-?(?:in|out|back|forward))"
    r"|follow(?:s|ing)|slid(?:es|ing)|drift(?:s|ing)?",
    "crane": r"crane(?:s|d)?|craning|pedestals?|boom(?:s|ing)?|ris(?:es|ing)|lifts?|descends?|lowers",
    "shake": r"hand-?held|shak(?:es|ing|y)|jitters?",
    "roll": r"roll(?:s|ing)?|rotat(?:es|ing)|spins?",
}
_FAMILY = re.compile("|".join(rf"(?P<{name}>\b(?:{words})\b)" for name, words in _MOTIONS.items()), re.IGNORECASE)
_COOKING = (
    r"(?! (?:(?!moving|revealing|following|showing|tracking|going|starting|ending|drifting|turning)\w+ing"
    r"|full|lids?|handles?|on the (?:stove|hob|fire|floor|counter|table|wall)"
    r"|(?!reveals|shows|follows|ends|begins|starts|across|moves|continues|keeps|brings|towards|takes|shots"
    r"|sways|shakes"
    r"|upwards|downwards|sideways|past|is|as|has|this)\w{2,}s)\b)"
)
"""What follows the word where a pan or a crane is a thing in the scene."""
_NOUN_MOTION = re.compile(
    rf"^(?:(?:after|before|(?:starting|beginning|opening|ending|finishing)(?: with| on| from| in)?|following|first)"
    rf" )?(?:with )?{_SLOWLY}"
    rf"(?:push(?= (?:in|toward|towards|forward|closer|on)\b)"
    rf"|push(?:ing)?[- ]in|pull(?:ing)?[- ](?:back|out)|pan(?:ning)?|tilt"
    rf"|zoom(?:ing)?|doll(?:y|ying)|orbit(?:ing)?"
    r"|arc|track(?:ing)?|truck(?:ing)?|crane|boom|pedestal|handheld|hand-held)\b" + _COOKING,
    re.IGNORECASE,
)
_THING = re.compile(r"\bcameras?(?:'s)? (?:on|in|lying|beside|near|under|strap|bag|hung|hanging)\b", re.IGNORECASE)
_OWNED = re.compile(r"\b(?:his|her|their|security|old|toy|vintage|broken|film|digital)\s+cameras?\b", re.IGNORECASE)
_STILL = re.compile(
    r"\b(?:static|still|fixed|stationary|locked(?:[- ](?:off|down))?|lock-?off|steady|unmoving|motionless"
    r"|immobile|unmoved"
    r"|holds?|holding|stays?|remains?|does not move|doesn't move|without moving|not moving|at rest|tripod"
    r"|no (?:camera )?(?:movement|motion|move)|in place)\b",
    re.IGNORECASE,
)
_LENS = r"(?:camera|lens(?! caps?\b| of\b| hood\b)|viewpoint|(?<=the )(?:view|shot)(?= \w))"
_SHOT = re.compile(
    r"\b(?:camera|shot|tripod (?=shot|view)|framing|viewpoint|camera's|lens(?! caps?\b| of\b| hood\b)|view)\b"
    r"|^(?:static|fixed|still|steady|locked|stationary|unmoving)(?:-off|-down)? (?:frame|angle|perspective"
    r"|composition|tripod)\b"
    r"|^the (?:frame|framing|angle|perspective) (?:stays|remains|holds|is) (?:\w+ly )?(?:still|static|fixed"
    r"|steady|locked|unmoving)\b"
    r"|^(?:(?:locked|fixed|static|steady|mounted|filmed|seen|down|off) )+(?:on|from) (?:a|the) (?:\w+ )?tripod$"
    r"|^(?:completely |fully |all )?(?:static|locked[- ]off|locked[- ]down|handheld"
    r"|no (?:camera )?(?:movement|motion))$",
    re.IGNORECASE,
)
_SEEN_BY = re.compile(
    r"\b(?:towards?|at|into|past|to|near|onto|over|behind|beside|out of|off|of|away from|against|before)"
    r" (?:the |a |its |our )(?:\w+ )?(?:camera|lens|tripod|viewer)\b"
    r"|\b(?:from|out of|into|in|off|within|across|blocks|blocking|fills|filling|enters|leaves) (?:the )?"
    r"(?:view|shot|frame)\b(?! of\b)(?! \w+ly (?:pan|tilt|zoom))",
    re.IGNORECASE,
)
"""Where the camera or the view is only a place: "rolls toward the camera", "drifts out of view"."""
_GLIDES = (
    r"(?:glid|sweep|swoop|travel|float|fl(?:y|ie)|turn|swing|advanc|retreat|back|creep|sink|climb|drop|swivel"
    r"|mov|tip|inch"
    r"|eas|whip|shift|spiral|wander|sway|swerv|div|edg|crawl|ascend|descend|circl|hover|reced|approach|draw|com)"
    r"(?:e?s|ing|e)?"
)
"""Other motions of a camera, which count only right after its name."""
_GLIDING = re.compile(rf"\b{_LENS}(?: is)? (?:\w+ly |then |first |also |itself )*(?P<way>{_GLIDES})\b", re.IGNORECASE)
_FALLS = (
    r"(?! (?:falls?|falling|drops?|tips?|topples?|tipping|toppling|breaks?|shatters|tumbles|slips|lands|melts"
    r"|cracks|bounces|strap|bag|case|on|in|lying|beside|near|under)\b)"
)
_OF_CAMERA = re.compile(
    rf"(?:^|[,;]?\s+)(?:(?:and|while|as|with|then|so|but)\s+)+(?:the |a |an )?"
    rf"(?:(?!his|her|their|old|toy)[\w-]+ ){{0,2}}?"
    rf"(?:camera|lens(?! caps?\b| of\b| hood\b)|viewpoint)\b{_FALLS}[^,;:.]*$",
    re.IGNORECASE,
)
"""The words about the camera at the end of a clause."""
_LAST_CAMERA = re.compile(
    r"\b(?:while|as|with|and|from|under|on|before)\s+(?:the |a |an )?(?:[\w-]+ ){0,3}?(?:camera|tripod"
    r"|tripod shot|shot|lens(?! caps?\b| of\b| hood\b)|view)\b[^,;:]*$",
    re.IGNORECASE,
)
_LAST_MOTION = re.compile(
    rf"\b(?:with|under|in) (?:an? )?{_SLOWLY}(?:push(?:ing)?[- ]in|pull(?:ing)?[- ](?:back|out)|pan|tilt|zoom"
    rf"|dolly|orbit|tracking)"
    r"(?: (?:in|out|left|right|up|down|shot|move|motion))*$",
    re.IGNORECASE,
)
MOST_WORDS = 9
"""Words of a last clause that still speaks of the camera alone."""


def _plain(caption: str) -> str:
    """A caption without quotations; a lens is a piece of glass where the caption has a camera besides."""
    text = unquoted(caption)
    if not re.search(r"\bcamera\b", text, re.IGNORECASE):
        return text
    return re.sub(r"\blens\b(?! (?:\w+ly )?(?:zoom|pan|tilt|push|pull))", "glass", text, flags=re.IGNORECASE)


def ending(caption: str) -> str:
    """What a caption says of the camera at its end; "" where it ends with something else.

    >>> ending("The lamp turns off, camera static."), ending("Camera static, the lamp turns off.")
    ('camera static', '')
    """
    text = re.sub(r"\bcamera: ", "camera ", _plain(caption).strip().rstrip(".!… "), flags=re.IGNORECASE)
    text = re.split(r"(?<!\d)[.!?]+\s+(?=[A-Z])", text)[-1]
    clauses = re.split(r"\s*(?:[,;:]|\s[–—-]\s|[.!?]\s)\s*", text)
    if len(clauses) > 1 and _speaks(clauses[-1]):
        return clauses[-1].strip()
    if match := _LAST_MOTION.search(text):
        return match[0]
    match = _LAST_CAMERA.search(text)
    if match and match.start() > 0 and _speaks(re.sub(r"^(?:while|as|and|from|under|on|before)\s+", "", match[0])):
        return match[0]
    return ""


def _speaks(clause: str) -> bool:
    clause = _SEEN_BY.sub("", clause.strip()).strip()
    most = 2 * MOST_WORDS if _BY_CAMERA.match(clause) else MOST_WORDS
    if len(clause.split()) > most or _THING.search(clause) or _OWNED.search(clause):
        return False
    if re.search(r"\b(?:as|while|when)\b(?! the camera)", clause, re.IGNORECASE):
        return False
    if _NOUN_MOTION.search(clause):
        return True
    if not _SHOT.search(clause):
        return False
    return bool(_STILL.search(clause) or _FAMILY.search(clause) or _GLIDING.search(clause))


_BY_CAMERA = re.compile(
    rf"(?:(?:with|the|a|as|while|and) )*(?:\w+ )?{_LENS}\b(?!.*\band (?:the|its|a|an)\b)", re.IGNORECASE
)


def content(caption: str) -> str:
    """A caption without what it says of the camera."""
    kept = []
    for place, clause in enumerate(re.split(r"(?<=[,;:.])\s*", _plain(caption))):
        plain = clause.strip(" ,;:.")
        begins = ("camera", "the camera", "the lens ", "the view ", "the shot ") if place else ("camera", "the camera")
        if not (_speaks(plain) or (plain.lower().startswith(begins) and not _THING.search(plain))):
            kept.append(_OF_CAMERA.sub(" ", clause.rstrip(" ,;:.")) + clause[len(clause.rstrip(" ,;:.")) :])
    text = " ".join(kept)
    end = ending(caption)
    return text.replace(end, " ") if end else text
