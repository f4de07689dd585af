"""Benchmarks of your own: a folder with ``suite.toml`` and ``cases.jsonl``, no code.

``load_suite(DIR)``, ``load_suite("own", root=DIR)`` and ``load_suite(NAME, root=DIR)`` are the same, NAME being the one
in ``suite.toml``; docs/own-benchmark.md explains both files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from editscope.cases import Aggregation, Group, Instruction, Question
from editscope.errors import BadInput
from editscope.suites.datafolder.edit_area import SIDE, EditArea, edit_area
from editscope.suites.datafolder.questions import read_questions
from editscope.suites.datafolder.rows import DataRow, json_lines, kind
from editscope.suites.datafolder.suite import FiledCase, JudgedSuite, basis
from editscope.suites.own.manifest import FILE, RESERVED, Manifest, read_manifest
from editscope.suites.registry import suite_names

RUBRIC = "own"
"""The rubric that asks the metrics of a suite.toml."""
KNOWN = (
    *("id", "image", "images", "instruction", "instructions", "tags", "answer", "references", "hint", "checklist"),
    *("questions", "edit_area"),
)
"""Fields of a case that mean something; every other one is kept in ``details`` and can stand in a prompt."""


class OwnSuite(JudgedSuite):
    """The cases of a folder with a ``suite.toml``.

    ``rubric_options`` is what the rubric ``own`` has to know: ``metrics``, a list of objects with name, label, prompt
    (a path, or ``pack/name`` of a prompt that ships), field, reply, images, only and right; and ``averages``, a list of
    objects with name, label, metrics and of. Empty where ``suite.toml`` names a protocol.
    """

    home = f"A benchmark of your own is a folder with a {FILE}; `editscope suite new DIR` makes one to start from"

    def __init__(self, root: str | Path | None, skip_bad: bool) -> None:
        self.name = RUBRIC
        folder, _ = self.find_root(root)
        self.manifest = read_manifest(folder)
        self.name = self.manifest.name
        if self.name in suite_names():
            raise BadInput(f"{folder / FILE}: the name {self.name!r} belongs to an installed suite; choose another")
        self.scoring = self.manifest.scoring
        self.default_protocol = self.manifest.protocol or (RUBRIC if self.manifest.metrics else "")
        self.aggregation = _aggregation(self.manifest)
        if self.manifest.metrics:
            self.rubric_options = self.manifest.rubric(folder)
        super().__init__(root, skip_bad=skip_bad)

    def rows(self) -> Iterator[DataRow]:
        """The lines of ``cases.jsonl``."""
        return json_lines(self.root / self.manifest.cases, self.root)

    def case_of(self, row: DataRow) -> FiledCase:
        """The case of one line."""
        case_id, (images, sizes) = row.identifier("id"), _listed(row, "images" if row.has("images") else "image")
        if row.has("image") and row.has("images"):
            row.flaw("give 'image' or 'images', not both")
        references = _listed(row, "references")[0] if row.has("references") else ()
        answer = self._answer(row, sizes)
        details = {name: value for name, value in row.fields.items() if name not in KNOWN}
        hint, checklist = row.text("hint", ""), row.text("checklist", "")
        questions, area = ((), None) if row.flaws else _marked(row, sizes[0])
        regions = area.regions if area else ()
        instructions, tags = self._instructions(row), self._tags(row)
        return FiledCase(
            id=case_id,
            suite=self.name,
            images=images,
            instructions=instructions,
            tags=tags,
            answer=answer,
            references=references,
            hint=hint or None,
            checklist=checklist or None,
            questions=questions,
            regions=regions,
            details={**details, **({"edit_area": area.readings} if area and regions else {})},
            basis=basis(
                instructions=[[instruction.variant, instruction.text] for instruction in instructions],
                pictures=[len(images), answer is not None, len(references)],
                texts=[hint, checklist],
                questions=[repr(question) for question in questions],
                regions=[region.box for region in regions],
                details=details,
                tags=tags,
            ),
            files=(*images, *((answer,) if answer else ()), *references),
        )

    def _answer(self, row: DataRow, sizes: tuple[tuple[int, int], ...]) -> Path | None:
        """The right edit, where there is one; a suite scored by pixels has it for every case, of the input's size."""
        if self.scoring != "pixels" and not row.has("answer"):
            return None
        answer, size = row.measured("answer")
        if self.scoring == "pixels" and not row.flaws and size != sizes[0]:
            row.flaw(
                f"field 'answer': the picture is {size[0]}×{size[1]} but its input is {sizes[0][0]}×{sizes[0][1]}; "
                "an answer must have the size of its input"
            )
        return answer

    def _instructions(self, row: DataRow) -> tuple[Instruction, ...]:
        """``instruction``, or ``instructions`` by the name of the edit that comes of each."""
        if not row.has("instructions"):
            return (Instruction(row.text("instruction")),)
        given = row.fields["instructions"]
        if self.scoring == "pixels":
            row.flaw("field 'instructions': a suite scored by pixels has one 'instruction' a case")
        elif not isinstance(given, dict) or not given:
            row.flaw(f"field 'instructions' is a {kind(given)}, not an object of texts by name")
        else:
            named = DataRow(row.where, given, row.root, row.flaws)
            return tuple(Instruction(named.text(name), variant=named_variant(row, name)) for name in given)
        return ()

    def _tags(self, row: DataRow) -> dict[str, str]:
        """The tags that suite.toml names, which every case has, and whatever else stands under ``tags``."""
        given = row.fields.get("tags", {})
        if not isinstance(given, dict):
            row.flaw(f"field 'tags' is a {kind(given)}, not an object of texts by name")
            return {}
        values = {**{tag: row.fields[tag] for tag in self.manifest.tags if tag in row.fields}, **given}
        tags = {}
        metrics = {metric.name for metric in self.manifest.metrics}
        for tag, value in values.items():
            if tag in RESERVED or tag in metrics:
                row.flaw(f"tag {tag!r} has the name of a column of the tables; give it another name")
            if isinstance(value, bool) or not isinstance(value, str | int | float) or not str(value).strip():
                row.flaw(
                    f"tag {tag!r} is a {kind(value)}, not a text" if str(value).strip() else f"tag {tag!r} is empty"
                )
            tags[tag] = str(value).strip()
        for tag in self.manifest.tags:
            if tag not in tags:
                row.flaw(f"tag {tag!r} is missing; {FILE} says that every case has it")
        return tags


def load(root: str | Path | None = None, skip_bad: bool = False) -> OwnSuite:
    """The benchmark in a folder with a ``suite.toml``."""
    return OwnSuite(root, skip_bad)


def named_variant(row: DataRow, name: str) -> str:
    """The name of an edit, which stands in the name of its file."""
    if not name or not name.replace("-", "").replace("_", "").isalnum():
        row.flaw(f"field 'instructions': the name {name!r} has other signs than letters, digits, '-' and '_'")
    return name


def _listed(row: DataRow, name: str) -> tuple[tuple[Path, ...], tuple[tuple[int, int], ...]]:
    """The picture or the list of pictures of a field, and their sizes."""
    given = row.fields.get(name)
    paths = given if isinstance(given, list) else [given]
    if not paths:
        row.flaw(f"field {name!r} is an empty list; give at least one path")
    measured = [row.measured(name, path) for path in paths]
    return tuple(path for path, _ in measured), tuple(size for _, size in measured)


def _marked(row: DataRow, size: tuple[int, int]) -> tuple[tuple[Question, ...], EditArea]:
    """Questions with boxes and the edited area, written and read as in PICABench."""
    same = DataRow(row.where, {**row.fields, "annotated_qa_pairs": row.fields.get("questions")}, row.root, row.flaws)
    questions = tuple(read_questions(same, size)) if row.has("questions") else ()
    row.oddities.extend(same.oddities)
    area = edit_area(row, size)
    if area.on_canvas:
        row.odd(
            f"edit_area reaches over the source and fits the canvas of {SIDE}, so it is read as pixels of that canvas"
        )
    return questions, area


def _aggregation(manifest: Manifest) -> Aggregation:
    """The tables of ``suite.toml``: by every tag that it names, unless it says otherwise."""
    tables: Mapping[str, Any] = manifest.tables or dict.fromkeys(manifest.tags, ())
    return Aggregation(
        overall=Group("overall", (), tuple(tables.get("overall", ()))),
        groups=tuple(Group(name, (name,), tuple(over)) for name, over in tables.items() if name != "overall"),
        strata=tuple(tables.get("overall", ())),
        exclude={},  # plain, and so are the orders, so that a suite can be sent to workers
        orders={},
        headline=manifest.first,
    )
