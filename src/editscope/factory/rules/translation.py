"""The language of a translation, told by its script."""

from __future__ import annotations

import unicodedata

from editscope.errors import unknown
from editscope.factory.rules.records import Translation
from editscope.suites.annotation.questions.english import QUOTED, unquoted

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
        return None if latin else f"it should be {name}, but has no words."
    if not chinese:
        return f"it should be {name}, but has no Chinese characters."
    if chinese < CHARACTERS_PER_WORD * latin:
        return f"it should be {name}, but has {latin} words in Latin letters for {chinese} Chinese characters."
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
