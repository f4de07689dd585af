"""Words of English sentences and their kinds, as far as short lists and endings tell them."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

QUOTED = "quotation"
"""The word that stands for a quoted text."""


def word_set(text: str) -> frozenset[str]:
    """The words of a list that is written as one text."""
    return frozenset(text.split())


AUXILIARIES = word_set(
    "is are was were am be does do did has have had can could will would should must may might shall "
    "isn't aren't wasn't weren't doesn't don't didn't hasn't haven't can't couldn't won't wouldn't shouldn't"
)
NUMBERS = word_set(
    "one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty sixty seventy "
    "eighty ninety hundred thousand dozen"
)
DETERMINERS = NUMBERS | word_set(
    "the a an this that these those its his her their my your our each every all any another some no both either "
    "more fewer several many few most exactly only"
)
PRONOUNS = word_set("i you he she it we they there who someone somebody everyone everything it's there's")
PREPOSITIONS = word_set(
    "on in at under over above below beneath underneath behind before beside besides by near inside outside within "
    "between among along across through toward towards against around onto into upon off of from with to for about "
    "beyond past atop amid opposite alongside during after until since without"
)
PLACE = word_set(
    "left right top bottom center centre middle front back foreground background corner edge side end upper lower "
    "leftmost rightmost topmost central nearest closest farthest first second third fourth fifth last"
)
"""Words that say where something is, or which of several it is."""
ATTRIBUTES = word_set(
    "red orange yellow green blue purple violet pink brown black white gray grey beige golden gold silver dark light "
    "pale bright dim big small large tiny huge tall short long thin thick wide narrow round square flat straight "
    "curved "
    "bent broken cracked wet dry clean dirty dusty empty full open closed shut lit unlit hot cold warm cool frozen "
    "melted wooden wood metal glass plastic stone leather paper ceramic striped dotted checkered plain old new young "
    "shiny glossy matte dull smooth rough soft hard sharp blunt clear cloudy opaque transparent translucent visible "
    "present absent missing gone intact whole upright level vertical horizontal tilted torn worn folded dented "
    "swollen "
    "burnt charred rusty moldy wrinkled stained spotless still calm blank bare tight loose taut alive dead "
    "asleep awake "
    "consistent realistic natural correct plausible proper upside inflated deflated bare crooked hollow solid "
    "identical "
    "black-and-white deep shallow high low heavy muddy snowy icy foggy sunny rainy damp steamy foamy fluffy stable"
)
PARTICIPLES = word_set(
    "lit bent broken torn worn frozen fallen hung cast cut split spread shut held kept laid sunk swollen "
    "blown "
    "thrown drawn shown seen built burnt spilt woven written hidden shrunk melted gone made bound wound ridden eaten"
)
ADVERBS = word_set("very quite rather too now then also just still almost nearly fully well upside there here")
_NOT_GERUNDS = word_set(
    "ceiling building painting railing awning string evening morning spring swing bring sting fling wring cling sling"
)
CONNECTORS = word_set("and or nor but while whereas except both either")

_QUOTES = re.compile(r"\"[^\"]*\"|“[^”]*”|«[^»]*»|「[^」]*」|『[^』]*』|《[^》]*》|(?<!\w)['‘][^'’]+['’](?!\w)")
_WORDS = re.compile(r"[a-zà-ÿ]+(?:['’-][a-zà-ÿ]+)*|\d+(?:[.,]\d+)*%?|[,;:?!.]")


def unquoted(text: str) -> str:
    """A text with the word *quotation* in place of everything in quotation marks.

    >>> unquoted('Does the sign read "Fish and Chips"?')
    'Does the sign read quotation?'
    """
    return _QUOTES.sub(QUOTED, text)


def words(text: str) -> list[str]:
    """The words and punctuation marks of a text, in lower case and without quotations.

    >>> words("Isn't the cup red, or blue?")
    ["isn't", 'the', 'cup', 'red', ',', 'or', 'blue', '?']
    """
    return _WORDS.findall(unquoted(text).lower().replace("’", "'"))


def is_mark(word: str) -> bool:
    """Whether it is a punctuation mark."""
    return not word[0].isalnum()


def is_adverb(word: str) -> bool:
    """Whether it says how: *very*, *slowly*."""
    return word in ADVERBS or (word.endswith("ly") and word not in {"fly", "jelly", "lily", "belly", "ugly", "family"})


def is_participle(word: str) -> bool:
    """Whether it is a form such as *melted*, *bent* or *leaning*."""
    if word in PARTICIPLES:
        return True
    if word.endswith("ing"):
        return len(word) > 5 and word not in _NOT_GERUNDS
    return word.endswith("ed") and len(word) > 4 and word not in {"speed", "reed", "weed", "seaweed", "shed", "sled"}


def is_describing(word: str) -> bool:
    """Whether it can be said of a thing after *is*: an attribute or a participle."""
    return word in ATTRIBUTES or is_participle(word)


def noun_phrase(found: Sequence[str]) -> int:
    """How many words at the beginning belong to one noun phrase.

    >>> noun_phrase("the small plate on the tray".split()), noun_phrase("scarf holding a cup".split())
    (3, 1)
    """
    named = False
    for count, word in enumerate(found):
        if is_mark(word) or word in AUXILIARIES or word in PREPOSITIONS or word in CONNECTORS:
            return count
        if word in DETERMINERS and count and named:
            return count
        if named and (is_describing(word) or is_adverb(word)) and not _more_of_it(found[count + 1 :]):
            return count
        named = named or not (word in DETERMINERS or word in ATTRIBUTES or word in PLACE)
    return len(found)


def _more_of_it(rest: Sequence[str]) -> bool:
    """Whether a noun follows, so that the describing word before it belongs to the same phrase."""
    return False if not rest else not _ends_phrase(rest[0])


def _ends_phrase(word: str) -> bool:
    return (
        is_mark(word)
        or word in DETERMINERS | AUXILIARIES | PREPOSITIONS | CONNECTORS
        or is_describing(word)
        or is_adverb(word)
    )


def matching(pattern: re.Pattern[str], text: str) -> str | None:
    """The first words of a text, quotations aside, that a pattern finds."""
    match = pattern.search(unquoted(text))
    return match[0].strip() if match else None


def any_of(found: Sequence[str], listed: Collection[str]) -> str | None:
    """The first word that is listed."""
    return next((word for word in found if word in listed), None)
