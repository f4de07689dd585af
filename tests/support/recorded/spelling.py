"""British spellings and their American forms, for comparisons in which spelling makes no difference."""

from __future__ import annotations

import re

AMERICAN = {
    "analyse": "analyze",
    "analysing": "analyzing",
    "artefact": "artifact",
    "behaviour": "behavior",
    "cancelled": "canceled",
    "cancelling": "canceling",
    "catalogue": "catalog",
    "centred": "centered",
    "centre": "center",
    "colour": "color",
    "defence": "defense",
    "favour": "favor",
    "grey": "gray",
    "honour": "honor",
    "judgement": "judgment",
    "labelled": "labeled",
    "labelling": "labeling",
    "licence": "license",
    "modelled": "modeled",
    "modelling": "modeling",
    "neighbour": "neighbor",
    "theatre": "theater",
    "travelled": "traveled",
}
"""Parts of words, written as in lower case."""

STEMS_OF_ISE = (
    *("apolog", "author", "binar", "capital", "categor", "character", "custom", "digit", "equal", "final", "general"),
    *("harmon", "initial", "ital", "local", "maxim", "minim", "normal", "optim", "organ", "penal", "quant", "random"),
    *("raster", "real", "recogn", "serial", "special", "standard", "summar", "synchron", "token", "util", "visual"),
)
"""Verbs in -ise, without that ending."""

_BRITISH = re.compile("|".join(sorted(AMERICAN, key=len, reverse=True)), re.IGNORECASE)
_ISE = re.compile(rf"({'|'.join(STEMS_OF_ISE)})(is)(e|ing|ation|able)", re.IGNORECASE)


def american(text: str) -> str:
    """The text with American spellings, capitals as they were.

    >>> american("Recolour the grey area; Centre it; NORMALISE; normalised; emphasis")
    'Recolor the gray area; Center it; NORMALIZE; normalized; emphasis'
    """
    text = _BRITISH.sub(lambda match: _like(match[0], AMERICAN[match[0].lower()]), text)
    return _ISE.sub(lambda match: match[1] + _like(match[2], "iz") + match[3], text)


def _like(given: str, word: str) -> str:
    """The word with the capitals of what was given."""
    if given.isupper():
        return word.upper()
    return word.capitalize() if given[0].isupper() else word
