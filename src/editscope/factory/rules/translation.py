"""The language of a translation, told by its script and by its small words."""

from __future__ import annotations

import re
import unicodedata

from editscope.errors import unknown
from editscope.factory.rules.records import Translation
from editscope.suites.annotation.questions.english import QUOTED, unquoted, word_set

LANGUAGES = {"en": "English", "zh": "Chinese"}
CHARACTERS_PER_WORD = 2
"""Chinese characters that a Chinese text has at least for each word in Latin letters, such as a brand."""


def language(text: Translation) -> str | None:
    """The script of the language, apart from quotations."""
    if text.language not in LANGUAGES:
        raise unknown("language", text.language, LANGUAGES)
    chinese, latin, other = _counted(text.text)
    if other:
        return f"{other!r} belongs neither to English nor to Chinese."
    name = LANGUAGES[text.language]
    if text.language == "en":
        if chinese:
            return f"it should be {name}, but has {chinese} Chinese characters outside quotations."
        if not latin:
            return f"it should be {name}, but has no words."
        return _not_english(text.text)
    if not chinese:
        return f"it should be {name}, but has no Chinese characters."
    if chinese < CHARACTERS_PER_WORD * latin:
        return f"it should be {name}, but has {latin} words in Latin letters for {chinese} Chinese characters."
    return None


_FUNCTION_WORDS = word_set(
    "the a an of to in on at by for from with without and or but if as is are was were be been being it its "
    "this that these "
    "those there their his her your my our they them he she we you i not no do does did has have had will would "
    "can could "
    "should must so then than when while where which who what how into onto over under up down out off all both "
    "each every "
    "some any more most make add remove change turn let keep place put replace show give behind near between "
    "after before "
    "during against across through around along until only one two"
)
_FOREIGN = word_set(
    "le la les un une des du de et est dans sur avec pour qui que sont au aux ce cette el los las una unos unas "
    "y en con por "
    "para del es son al der die das den dem ein eine einen und ist mit auf im zu von nicht il lo gli di che e "
    "per nel della "
    "o os da do na no em com uma dos das het een van op met te niet og och ett som av til på den det w z na się "
    "jest i do"
)
FEWEST_WORDS = 6
"""Words of a text whose language shows by its small words."""


def _not_english(text: str) -> str | None:
    found = [word.lower() for word in re.findall(r"[^\W\d_]+", unquoted(text).replace(QUOTED, " "))]
    ours = sum(word in _FUNCTION_WORDS for word in found)
    foreign = sum(word in _FOREIGN - _FUNCTION_WORDS for word in found)
    if foreign > ours or (len(found) >= FEWEST_WORDS and ours * 10 < len(found)):
        return "it should be English, but its small words, such as the, of and to, are not."
    return None


def _counted(text: str) -> tuple[int, int, str]:
    """The number of Chinese characters and of Latin words, and the first letter of any other script."""
    chinese, latin, other, in_word = 0, 0, "", False
    for character in unquoted(text).replace(QUOTED, " "):
        name = unicodedata.name(character, "") if character.isalpha() else ""
        if name.startswith("CJK"):
            chinese += 1
        elif name.startswith(("LATIN", "FULLWIDTH LATIN")):
            latin += not in_word
        elif name and not name.startswith(("MICRO", "GREEK SMALL LETTER MU")) and not other:
            other = character
        in_word = name.startswith(("LATIN", "FULLWIDTH LATIN"))
    return chinese, latin, other
