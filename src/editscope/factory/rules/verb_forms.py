"""Forms of English verbs, made from the plain one by spelling."""

from __future__ import annotations

import re

_VOWELS = "aeiou"


def ing_forms(verb: str) -> tuple[str, ...]:
    """The forms in -ing: the American spelling, and the British one where it has another.

    >>> ing_forms("melt"), ing_forms("topple"), ing_forms("tip"), ing_forms("travel"), ing_forms("tie")
    (('melting',), ('toppling',), ('tipping',), ('traveling', 'travelling'), ('tying',))
    """
    if verb.endswith("ie"):
        return (f"{verb[:-2]}ying",)
    if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye", "inge")):
        return (f"{verb[:-1]}ing",)
    if _doubles(verb):
        return (f"{verb}{verb[-1]}ing",)
    if re.search(r"[aeiou]l$", verb) and not re.search(r"[aeiou]{2}l$", verb):
        return (f"{verb}ing", f"{verb}ling")
    return (f"{verb}ing",)


def s_form(verb: str) -> str:
    """The form after *it*.

    >>> s_form("fall"), s_form("crash"), s_form("fly")
    ('falls', 'crashes', 'flies')
    """
    if re.search(r"(?:s|x|z|ch|sh|o)$", verb):
        return f"{verb}es"
    if verb.endswith("y") and verb[-2:-1] not in _VOWELS:
        return f"{verb[:-1]}ies"
    return f"{verb}s"


def _doubles(verb: str) -> bool:
    """Whether the last letter is doubled: one syllable that ends with one vowel and one consonant, as *tip*."""
    syllables = re.findall(r"[aeiouy]+", re.sub(r"^y|(?<=q)u", "", verb))
    return len(syllables) == 1 and bool(re.search(r"(?:^|[^aeiou]|qu)[aeiouy][^aeiouwxy]$", verb))
