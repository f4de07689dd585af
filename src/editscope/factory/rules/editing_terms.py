"""Terms of editing programs, told from things of the scene that have the same name."""

from __future__ import annotations

import re

from editscope.factory.rules.lexicon import pattern
from editscope.factory.rules.records import LeveledInstruction
from editscope.suites.annotation.questions.english import matching, unquoted


def no_editing_terms(text: LeveledInstruction) -> str | None:
    """The explicit level names no tool, setting or map of a program."""
    word = _term(text.explicit) or _tool(text.explicit)
    return f"{word!r} is a term of editing programs; say at the explicit level what one sees." if word else None


_TOOLS = re.compile(
    r"\b(?:create|apply|use|generate|draw|add|make|set|adjust|lower|raise|increase|decrease|reduce|boost|tweak)"
    r" (?:a |an |the )?(?:[\w-]+ ){0,2}?(?:layers(?! of\b)|blur|gradient|overlay|exposure"
    r"|(?<!water )(?<!sea )levels|saturation|luminance"
    r"|contrast value|gain|vibrance|clarity|midtones?|hue|selection(?! of\b)|highlights slider|preset|plug-?in)\b"
    r"(?! of (?:snow|dust|paint|ice|mud|sand|leaves|frost|ash|water))"
    r"|\b(?:drag|push|pull|lift|drop|crank|dial|invert|expand|refine|load|save|with|using|via)"
    r" (?:up |down |in |back )?(?:a |an |the )?(?:[\w-]+ ){0,2}?(?:exposure|saturation|luminance|vibrance|clarity"
    r"|midtones?|hue|selection|preset|plug-?in|gradient overlay)\b"
    r"|\b(?:create|apply|use|using|generate|draw|make|set|adjust|add|paint|with|through|via|refine|load|invert"
    r"|feather)"
    r" (?:a |an |the |its )?(?:(?:new|soft|hard|rough|clean|precise|simple|inverted|feathered|vector|object"
    r"|subject|shadow"
    r"|sky|edge|quick|black|white|layer|depth|radial|linear|selection|gradient|luminance|range) )*masks?\b"
    r"(?! (?:of (?!the|a|an)|on (?:his|her|the|a|its)|hanging|hung|lying|worn|made|with|from|is|are|has|lies|hangs))"
    r"|\b(?:use|using|apply|applying|select|pick|choose|take) (?:a |an |the )?(?:[\w-]+ ){0,2}?tool\b"
    r"|\b(?:use|using|apply|applying) (?:a |an |the )?(?:[\w-]+ ){0,2}?brush\b"
    r"|\b(?:soften|paint|blend|darken|lighten|brighten|retouch|erase|smooth|dab|touch|burn|dodge|shade|fade)\b[^.;]*?"
    r"\b(?:soft|hard|feathered|round|textured|airbrush|default|low-\w+|custom|history|mixer|eraser|smudge"
    r"|blur) brush\b"
    r"|\bfeathered brush\b|\b(?:at|with|and) (?:a )?(?:low|high|full|half|reduced|medium|\w+ percent) flow\b"
    r"|\b(?:merge|flatten|group|ungroup|rasterize|duplicate|stack|hide|link|lock|unlock|blend|reorder|rename"
    r"|delete|copy)"
    r" (?:the |all |all the |both |two |visible |bottom |top |active )*layers?\b(?! of)"
    r"|\b(?:invert|deselect|feather|expand|contract|refine) the (?:selection|edges? of the selection)\b"
    r"|\b(?:eraser|crop|pen|text|marquee|lasso|gradient|fill|bucket|eyedropper|smudge|sharpen|blur|sponge|move"
    r"|shape|zoom"
    r"|hand|clone|heal\w*|spot|selection|quick|wand) tool\b"
    r"|\b(?:highlights|shadows|blacks|whites|contrast|brightness|temperature|tint)"
    r" (?:to|by) (?:minus|plus|negative|zero"
    r"|full|maximum|minimum|\w+ (?:percent|points))\b",
    re.IGNORECASE,
)
_AMBIGUOUS = re.compile(
    r"(?:lasso|magic wand|sliders?|marquee|eyedropper|kernels?|threshold\w*|masking|mask (?:over|for|around|the|out)"
    r"|(?:new|separate|background|fog|smoke|color) layer|composite|airbrush\w*|canny|polygons|viewport|color wheel"
    r"|green[- ]?screens?|drop shadow|plug-?ins?|heat[- ]?maps?|filters?|segment the|dodge the)$",
    re.IGNORECASE,
)
"""Terms that are also words for things that one sees."""
_USED = re.compile(
    r"\b(?:use|using|apply|applying|applied|select(?:ed|ing)?|create|draw|set|drag|via|adjust|choose|pick|make"
    r"|push|pull|raise|lower"
    r"|increase|decrease|reduce|boost|blend"
    r"|(?:with|through) (?:the|a|an))\b[^.;,]*$",
    re.IGNORECASE,
)
_OWNED = re.compile(r"(?:\w+['’]s?|\b(?:his|her|their|its)) (?:[\w-]+ ){0,2}$", re.IGNORECASE)
_SEEN = re.compile(
    r"[^.;,]{0,40}?\b(?:lies?|lying|hangs?|hanging|stands?|standing|rests?|resting|sits|sitting|leans?|leaning"
    r"|broken|bent"
    r"|cracked|torn|floats?|falls?|fallen|drops?|dropped|snapped|wet|dry|coiled|of|on the (?:floor|table|wall"
    r"|ground|shelf"
    r"|carpet|desk|counter|hook|rug|grass|bench|chair|bed|plate|stove|sand|street|roof|sill)|his|her|tape"
    r"|beside|under"
    r"|next to|near|against|is (?:now )?(?!set|used|applied|moved|dragged|at|raised|lowered|pushed|pulled|turned)\w+"
    r"|has (?!been)\w+|have (?!been)\w+|glows?|pops?|burns?|scattered|covers?|sun|moon|mountains?|hills?)\b",
    re.IGNORECASE,
)


_PLACED = re.compile(
    r"\b(?:on|over|at|across|under|beside|near|past|against|behind) (?:the|an?|its) (?:\w+ )?$", re.IGNORECASE
)


def _of_scene(plain: str, match: re.Match[str]) -> bool:
    """Whether a word such as *lasso* is a thing of the scene: somebody owns it, or it lies, hangs or breaks there."""
    before, after = plain[: match.start()], plain[match.end() :]
    if re.match(r" (?:tool|panel|setting|slider|layer|value|effect|mode)s?\b", after):
        return False
    if _PLACED.search(before) and "layer" not in match[0] and not _USED.search(before):
        return True
    return bool(_OWNED.search(before) or (not _USED.search(before) and _SEEN.match(after)))


def _term(instruction: str) -> str | None:
    plain = unquoted(instruction)
    for match in pattern("editing_terms").finditer(plain):
        if not (_AMBIGUOUS.match(match[0]) and _of_scene(plain, match)):
            return match[0]
    return None


_FILTER = re.compile(r"\bfilter(?:s|ed|ing)?\b", re.IGNORECASE)
_STRAINER = re.compile(
    r"\b(?:coffee|paper|air|water|oil|fuel|aquarium|pool|pond|tea|cigarette|dust|vacuum|furnace|engine|faucet"
    r"|tap|tank|sink"
    r"|dryer|lint|pump|hood|car|tractor|machine|kettle|jug|pitcher|mesh|sand|charcoal|carbon|cloth|metal"
    r"|clogged|dirty"
    r"|basket|cartridge|housing|grounds|smoker|mask of|respirator|vent|fan|fish)\b",
    re.IGNORECASE,
)
_SEEPS = re.compile(
    r"\bfilter(?:s|ed|ing)? (?:\w+ly )?(?:softly |gently )?"
    r"(?:through|in|down|into|between|past|from|out|onto|across|by|over|under"
    r"|sunlight|light|daylight|water|rays|sunbeams|beams)\b",
    re.IGNORECASE,
)


def _filter(instruction: str) -> str | None:
    """A filter of a program, not one that coffee runs through, nor light that filters through leaves."""
    plain = unquoted(instruction)
    for match in _FILTER.finditer(plain):
        near = plain[max(0, match.start() - 60) : match.end() + 60]
        applied = re.search(r"\b(?:apply|applying|use|using)\b[^.,;]*$", plain[: match.start()], re.IGNORECASE)
        added = re.search(r"\badd\b[^.,;]*$", plain[: match.start()], re.IGNORECASE)
        if applied or not (
            (not added and _of_scene(plain, match)) or _STRAINER.search(near) or _SEEPS.match(plain, match.start())
        ):
            return match[0]
    return None


def _tool(instruction: str) -> str | None:
    return matching(_TOOLS, instruction) or _filter(instruction)
