"""KRIS-Bench: edits that need factual, conceptual or procedural knowledge, in twenty categories."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from editscope.cases import Aggregation, Group, Instruction
from editscope.documents import Malformed, check_depth, unique
from editscope.errors import BadInput, unknown
from editscope.suites.datafolder.rows import DataRow, broken, kind, read_text
from editscope.suites.datafolder.suite import FiledCase, JudgedSuite, basis

GROUPS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "factual": {
        "attribute": ("count_change", "color_change", "size_adjustment", "part_completion", "anomaly_correction"),
        "spatial": ("position_movement", "viewpoint_change"),
        "temporal": ("temporal_prediction",),
    },
    "conceptual": {
        "social": ("practical_knowledge", "humanities"),
        "natural": ("biology", "chemistry", "geography", "mathematics", "medicine", "physics"),
    },
    "procedural": {
        "logical": ("abstract_reasoning", "rule-based_reasoning"),
        "decomposition": ("multi-instruction_execution", "multi-element_composition"),
    },
}
"""Kinds of knowledge, their dimensions, and the categories of each, in the order of the tables."""
DIMENSIONS = tuple(dimension for dimensions in GROUPS.values() for dimension in dimensions)
CATEGORIES: Mapping[str, tuple[str, str]] = {
    category: (knowledge, dimension)
    for knowledge, dimensions in GROUPS.items()
    for dimension, categories in dimensions.items()
    for category in categories
}
"""The twenty categories, named as their folders, with the knowledge and the dimension of each."""
FOLDER, FILE = "KRIS_Bench", "annotation.json"


class KrisSuite(JudgedSuite):
    """The cases of ``KRIS_Bench/<category>/annotation.json``; the id of a case is ``<category>/<id>``.

    ``answer`` is the picture of ``gt_img`` where there is one. ``details`` has category, explanation and, for temporal
    prediction, ``source_numbers``: which frames of the sequence the sources are ("2,3,4"), and ``frame``: which one is
    to be predicted ("1"), both from the files' names.
    """

    name = "kris"
    default_protocol = "kris"
    home = (
        "Get it with `huggingface-cli download Liang0223/KRIS_Bench --repo-type dataset --local-dir DIR`, "
        "or give --data hf:Liang0223/KRIS_Bench; see docs/kris.md"
    )
    aggregation = Aggregation(
        overall=Group("overall", ()),
        groups=(
            Group("knowledge", ("knowledge",)),
            Group("dimension", ("dimension",)),
            Group("category", ("category",)),
        ),
        strata=("category",),
        headline="average",
        orders={"knowledge": tuple(GROUPS), "dimension": DIMENSIONS, "category": tuple(CATEGORIES)},
    )

    def __init__(self, root: str | Path | None, skip_bad: bool) -> None:
        super().__init__(root, skip_bad=skip_bad)

    def find_root(self, root: str | Path | None) -> tuple[Path, str]:
        """The folder of category folders: ``KRIS_Bench``, or the one given."""
        folder, source = super().find_root(root)
        folder = folder / FOLDER if (folder / FOLDER).is_dir() else folder
        if not any(folder.glob(f"*/{FILE}")):
            raise BadInput(f"{folder} holds no <category>/{FILE} of {self.name}. {self.home}")
        return folder, source

    def rows(self) -> Iterator[DataRow]:
        """The entries of every annotation.json, categories in the order of the tables; paths stay beside the file."""
        folders = {path.parent.name: path for path in sorted(self.root.glob(f"*/{FILE}"))}
        for category in sorted(folders, key=lambda name: list(CATEGORIES).index(name) if name in CATEGORIES else 99):
            if category in CATEGORIES:
                yield from _entries(folders[category], category)
            else:
                yield broken(str(folders[category]), str(unknown("category", category, CATEGORIES)), self.root)

    def case_of(self, row: DataRow) -> FiledCase:
        """The case of one entry."""
        category = str(row.fields[_CATEGORY])
        knowledge, dimension = CATEGORIES[category]
        number, images = row.identifier(_ID), _sources(row)
        answer = row.picture("gt_img") if row.has("gt_img") else None
        instruction, explanation = row.text("ins_en"), row.text("explain_en", "")
        numbers = frames(images) if category == "temporal_prediction" else ""
        frame = predicted(numbers, frames((answer,)) if answer else "")
        extra = {} if frame == predicted(numbers) else {"frame": frame}
        return FiledCase(
            id=f"{category}/{number}",
            suite=self.name,
            images=images,
            instructions=(Instruction(instruction),),
            tags={"knowledge": knowledge, "dimension": dimension, "category": category},
            answer=answer,
            details={"category": category, "explanation": explanation, "source_numbers": numbers, "frame": frame},
            basis=basis(instruction=instruction, explanation=explanation, sources=len(images), frames=numbers, **extra),
            files=(*images, *((answer,) if answer else ())),
        )

    def output_names(self, case_id: str, variant: str = "") -> tuple[str, ...]:
        """``<category>/<id>``."""
        return (case_id,)

    def notes(self) -> tuple[str, ...]:
        """Also which of the twenty categories are not there."""
        there = {case.tags["category"] for case in self._cases.values()}
        gone = [category for category in CATEGORIES if category not in there]
        note = f"{len(gone)} of {len(CATEGORIES)} categories have no case here: {', '.join(gone)}"
        return (*super().notes(), *((note,) if gone else ()))


def load(root: str | Path | None = None, skip_bad: bool = False) -> KrisSuite:
    """KRIS-Bench from a folder."""
    return KrisSuite(root, skip_bad)


def frames(paths: tuple[Path, ...]) -> str:
    """The numbers that files named ``<id>-<frame>`` have in their sequence; "" where a name has none.

    >>> frames((Path("7-2.jpg"), Path("7-3.jpg"), Path("7-4.jpg")))
    '2,3,4'
    """
    matches = [re.fullmatch(r".*-(\d+)", path.stem) for path in paths]
    return ",".join(str(int(match[1])) for match in matches if match) if all(matches) else ""


def predicted(known: str, truth: str = "") -> str:
    """The number of the frame that is to be predicted, from those of the known ones; "" where they have none.

    It is the one that is missing between 1 and one more than there are known frames. Where several are missing, the
    number of the true frame decides, and without it the frame is the one after the last.

    >>> predicted("2,3,4"), predicted("1,3,4"), predicted("1,2,3"), predicted("2,3,5", truth="4"), predicted("2,3,5")
    ('1', '2', '4', '4', '6')
    """
    numbers = [int(number) for number in known.split(",") if number]
    if not numbers:
        return ""
    missing = set(range(1, len(numbers) + 2)) - set(numbers)
    if len(missing) == 1:
        return str(missing.pop())
    return truth if truth and int(truth) not in numbers else str(max(numbers) + 1)


_ID, _CATEGORY = "id", "\x00category"  # no field of the data has the second name


class _Entries(list[tuple[str, Any]]):
    """The members of a JSON object in order, those with the same name too."""


def _entries(path: Path, category: str) -> Iterator[DataRow]:
    """The entries of one annotation.json. An id that stands there twice makes two rows, so that it is noticed."""
    try:
        content = json.loads(read_text(path), object_pairs_hook=_Entries)
    except (ValueError, RecursionError) as error:
        yield broken(str(path), f"the file is not JSON ({error}); write it again", path.parent)
        return
    except BadInput as error:
        yield broken(str(path), str(error), path.parent)
        return
    if not isinstance(content, _Entries):
        yield broken(str(path), f"the file holds a {kind(content)}, not an object of cases by id", path.parent)
        return
    for number, (name, fields) in enumerate(content, start=1):
        where = f"{path} row {number}, id {name[:60]}"
        if not isinstance(fields, _Entries):
            yield broken(where, f"the entry is a {kind(fields)}, not an object", path.parent)
            continue
        try:
            entry = _object(fields)
            check_depth(entry)
        except (Malformed, RecursionError) as error:
            yield broken(where, f"the entry cannot be used ({error}); write it again", path.parent)
            continue
        yield DataRow(where, {**entry, _ID: name, _CATEGORY: category}, path.parent)


def _object(entries: _Entries) -> dict[str, Any]:
    """An entry as it is meant: of the objects inside it, too, none has a key twice."""
    return unique([(name, _object(value) if isinstance(value, _Entries) else value) for name, value in entries])


def _sources(row: DataRow) -> tuple[Path, ...]:
    """The picture or pictures of ``ori_img``."""
    given = row.fields.get("ori_img")
    if not isinstance(given, list):
        return (row.picture("ori_img"),)
    if not given:
        row.flaw("field 'ori_img' is an empty list; give the name of a picture, or several")
    return tuple(row.picture("ori_img", name) for name in given)
