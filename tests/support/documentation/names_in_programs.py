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
        from pathlib import Path
        picture = es.Picture(Path("input.png").read_bytes())
    """,
    "rubrics.md": """
        from support.judged_data import make_worldedit

        make_worldedit(__import__("pathlib").Path("WorldEdit"))
        suite = es.load_suite("worldedit", root="WorldEdit")
        case = next(iter(suite))
        pixels = es.to_array(case.images[0])
        verdict = es.Verdict("ok", {"score": 4})
    """,
    "traces.md": """
        from pathlib import Path

        code = (
            "import editscope as es\\n\\n\\n"
            "class Thinker(es.Editor):\\n"
            "    def edit(self, case):\\n"
            "        return es.Edit(case.case_id, image=case.images[0], trace='The shape has to move.')\\n"
        )
        Path("thinker.py").write_text(code)
        from thinker import Thinker

        es.run(es.load_suite("paintbench"), Thinker(), out="runs/mine")
    """,
}
"""Programs to run before those of a page, by its file name."""


def before_the_page(name: str) -> str:
    """A program that makes the names which a page takes as given."""
    return textwrap.dedent(BEFORE.get(name, ""))
