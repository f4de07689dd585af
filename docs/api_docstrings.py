"""Doctests of docstrings as code blocks of the documentation site; mkdocs.yml names this file as a Griffe extension."""

from __future__ import annotations

import re
from typing import Any

import griffe

DOCTEST = re.compile(r"(?:^>>> .*\n(?:(?!>>> )\S.*\n?| .*\n?)*)+", re.MULTILINE)


def fenced(docstring: str) -> str:
    """A docstring whose doctests stand between fences.

    >>> fenced("Adds.\\n\\n>>> 1 + 1\\n2")
    'Adds.\\n\\n```pycon\\n>>> 1 + 1\\n2\\n```\\n'
    """
    return DOCTEST.sub(lambda test: f"```pycon\n{test[0].rstrip()}\n```\n", docstring)


class FencedDoctests(griffe.Extension):
    """Markdown would take the prompt of a doctest for a quotation, and a list that it prints for a link."""

    def on_instance(self, *, obj: griffe.Object, **given: Any) -> None:
        """Fence the doctests of a module, class, function or attribute."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)
