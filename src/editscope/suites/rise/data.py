"""RISEBench: edits that need temporal, causal, spatial or logical reasoning."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from editscope.cases import Aggregation, Group, Instruction
from editscope.suites.datafolder.finding import list_of_cases
from editscope.suites.datafolder.rows import DataRow, json_list, tag_name
from editscope.suites.datafolder.suite import FiledCase, JudgedSuite, basis

CATEGORIES = ("temporal", "causal", "spatial", "logical")
FILE = "data_total.json"
FLAGS = ("consistency_free", "reasoning_img", "reasoning_wo_ins")
"""Marks of a case: consistency is not judged; reasoning is judged with the source in view; without the instruction."""
TEXTS = ("reference", "reference_txt")

_FOLDERS = {f"{category}_reasoning": category for category in CATEGORIES}


class RiseSuite(JudgedSuite):
    """The cases of a ``data_total.json`` or another file of that form.

    ``references`` holds the picture of ``reference_img``, which replaces the source in the judge's calls about spatial
    cases and about logical ones without ``reference_txt``. ``details`` has the texts ``reference`` and
    ``reference_txt`` (empty where there is none) and the marks ``consistency_free``, ``reasoning_img`` and
    ``reasoning_wo_ins`` as truth values.
    """

    name = "rise"
    default_protocol = "rise"
    home = (
        "Get the 360 cases with `huggingface-cli download PhoenixZ/RISEBench --repo-type dataset --local-dir DIR`, "
        "unpack what is packed, and give the folder of data_total.json; see docs/rise.md"
    )
    aggregation = Aggregation(
        overall=Group("overall", ()),
        groups=(Group("category", ("category",)),),
        strata=("category",),
        headline="accuracy",
        orders={"category": CATEGORIES},
    )

    def __init__(self, root: str | Path | None, file: str | None, skip_bad: bool) -> None:
        self._file = file
        super().__init__(root, skip_bad=skip_bad, options={"file": file})
        if any("subtask" in case.tags for case in self._cases.values()):
            groups = (*self.aggregation.groups, Group("subtask", ("subtask",)))
            self.aggregation = replace(self.aggregation, groups=groups, exclude={})  # plain, so that it can be pickled

    def find_root(self, root: str | Path | None) -> tuple[Path, str]:
        """The folder of the list of cases: the one given, or ``data`` in it."""
        folder, source = super().find_root(root)
        self._list = list_of_cases(folder, self._file or FILE, self.home)
        return self._list.parent, source

    def rows(self) -> Iterator[DataRow]:
        """The entries of the file; their paths are relative to its folder."""
        return json_list(self._list, self.root)

    def case_of(self, row: DataRow) -> FiledCase:
        """The case of one entry."""
        index, category = row.identifier("index"), row.choice("category", CATEGORIES, _FOLDERS)
        image = row.picture("image")
        references = (row.picture("reference_img"),) if row.has("reference_img") else ()
        instruction, subtask = row.text("instruction"), tag_name(row.text("subtask", ""))
        details = {name: row.text(name, "") for name in TEXTS} | {name: marked(row, name) for name in FLAGS}
        if category == "logical" and not references and not details["reference_txt"]:
            row.flaw("a logical case needs reference_txt or reference_img: the judge compares the edit with it")
        return FiledCase(
            id=index,
            suite=self.name,
            images=(image,),
            instructions=(Instruction(instruction),),
            tags={"category": category, **({"subtask": subtask} if subtask else {})},
            references=references,
            details={**details, "category": category},
            basis=basis(category=category, instruction=instruction, references=len(references), **details),
            files=(image, *references),
        )

    def output_names(self, case_id: str, variant: str = "") -> tuple[str, ...]:
        """``images/<category>_reasoning/<index>``; also without the outer folders."""
        folder = f"{self._cases[case_id].tags['category']}_reasoning"
        return (f"images/{folder}/{case_id}", f"{folder}/{case_id}", case_id)


def load(root: str | Path | None = None, file: str | None = None, skip_bad: bool = False) -> RiseSuite:
    """RISEBench from a folder; ``file`` names the list of cases where it is not data_total.json."""
    return RiseSuite(root, file, skip_bad)


def marked(row: DataRow, name: str) -> bool:
    """Whether a mark is set: anything but nothing, false, 0 or "no". Tables write NaN where there is none."""
    value = row.fields.get(name)
    if isinstance(value, str):
        return value.strip().lower() not in ("", "no", "false", "0", "nan", "none")
    return bool(value) and not (isinstance(value, float) and math.isnan(value))
