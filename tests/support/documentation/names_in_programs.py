"""Names that the programs of a page use and that its reader has: a picture, a case, a suite."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping

BEFORE: Mapping[str, str] = {
    "CONTRIBUTING.md": """
        import pytest
        from drills import counts
    """,
    "arrays.md": """
        import torch

        case = es.load_suite("paintbench")["border/000"]
        answer_array = es.to_array("input.png")
        model_output_tensor = torch.from_numpy(answer_array)
        list_of_pictures = inputs = answers = outputs = [answer_array, answer_array]
    """,
    "classic-measures.md": """
        source = edited = es.to_array("input.png")
        boxes = [(2, 2, 10, 10)]
    """,
    "judged-runs.md": """
        from my_model import MyEditor
    """,
    "own-editor.md": """
        case = es.Request("border/000", (es.to_array("input.png"),), "Make it red.", seed=0)
        picture = es.to_array("input.png")
        make_generator = None
    """,
    "prompts.md": """
        picture = es.Picture(open("input.png", "rb").read())
    """,
    "rubrics.md": """
        from support.judged_data import make_worldedit

        make_worldedit(__import__("pathlib").Path("WorldEdit"))
        suite = es.load_suite("worldedit", root="WorldEdit")
        case = next(iter(suite))
        pixels = es.to_array(case.images[0])
        verdict = es.Verdict("ok", {"score": 4})
    """,
}
"""Programs to run before those of a page, by its file name."""


def before_the_page(name: str) -> str:
    """A program that makes the names which a page takes as given."""
    return textwrap.dedent(BEFORE.get(name, ""))
