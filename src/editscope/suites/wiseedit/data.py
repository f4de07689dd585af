"""WiseEdit and WiseEdit-Complex: edits that need knowledge and imagination, one to five pictures, two languages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from editscope.cases import Aggregation, Group, Instruction
from editscope.documents import Malformed, read_json
from editscope.errors import BadInput
from editscope.suites.datafolder.rows import DataRow, csv_rows, tag_name
from editscope.suites.datafolder.suite import FiledCase, JudgedSuite, basis
from editscope.suites.generated.suite import chosen_names

TASKS = ("awareness", "interpretation", "imagination")
LANGUAGES = ("en", "cn")
PROMPTS = {"en": "prompt", "cn": "promptcn"}
MAIN, COMPLEX = "WiseEdit", "WiseEdit-Complex"
TAGS = "tags.csv"
UNTAGGED = "untagged"
"""The value of a tag that tags.csv gives to other cases and not to this one."""
MOST_INPUTS = 5
NOTHING_SAID = ("", "nan", "none", "null")
"""What stands in a cell that is empty, in lower case."""
KNOWLEDGE = ("declarative", "procedural", "metacognitive")


class WiseEditSuite(JudgedSuite):
    """The CSV files under ``WiseEdit/<Task>/<Task>_<n>``; a case has an edit for each language, "en" and "cn".

    ``hint`` and ``references`` are for the judge, who reads the English instruction for both languages
    (``details["english"]``). Tags: task, subset, images (how many inputs), inputs (single or multi), and those of
    ``tags.csv`` where there is one.
    """

    name = "wiseedit"
    default_protocol = "wiseedit"
    home = (
        "Get it from the authors' page (github.com/beepkh/WiseEdit) and give the folder that holds WiseEdit and "
        "WiseEdit-Complex; see docs/wiseedit.md"
    )
    aggregation = Aggregation(
        overall=Group("overall", (), ("task",)),
        groups=(
            Group("task", ("task",)),
            Group("inputs", ("inputs",), ("task",)),
            Group("inputs/task", ("inputs", "task")),
            Group("images", ("images",), ("task",)),
        ),
        strata=("task",),
        headline="average",
        orders={"task": TASKS, "inputs": ("single", "multi"), "language": LANGUAGES, "knowledge": KNOWLEDGE},
    )

    def __init__(self, root: str | Path | None, languages: tuple[str, ...] | None, skip_bad: bool) -> None:
        self._languages = languages or LANGUAGES
        self._extra: dict[tuple[str, str], dict[str, str]] = {}
        self._extra_names: tuple[str, ...] = ()
        super().__init__(root, skip_bad=skip_bad, options={"languages": list(languages) if languages else None})
        self.aggregation = self._with_extra_groups(self.aggregation)

    def find_root(self, root: str | Path | None) -> tuple[Path, str]:
        """The folder that holds ``WiseEdit``; its paths are relative to it, so the inner folder will do too."""
        folder, source = super().find_root(root)
        if not (folder / self._part()).is_dir() and folder.resolve().name == self._part():
            folder = folder.resolve().parent
        if not (folder / self._part()).is_dir():
            raise BadInput(f"{folder} holds no folder {self._part()}. {self.home}")
        return folder, source

    def rows(self) -> Iterator[DataRow]:
        """The rows of ``tags.csv`` (which make no cases), then those of every CSV file, tasks in order."""
        if (self.root / TAGS).is_file():
            yield from self._read_tags()
        subsets = list(self._subsets())
        if not subsets:
            raise BadInput(f"{self.root / self._part()} holds no CSV file of {self.name}. {self.home}")
        for folder, count in subsets:
            columns = ["idx", *(f"input_{n}" for n in range(1, count + 1)), "prompt", "promptcn", "hint", "ref"]
            for row in csv_rows(folder / f"{folder.name}.csv", self.root, columns):
                yield DataRow(row.where, {**row.fields, _SUBSET: folder.name, _COUNT: count}, row.root, row.flaws)

    def case_of(self, row: DataRow) -> FiledCase:
        """The case of one row."""
        subset, count = str(row.fields[_SUBSET]), int(row.fields[_COUNT])
        index = row.identifier("idx")
        images = tuple(row.picture(f"input_{n}") for n in range(1, count + 1))
        if row.has(f"input_{count + 1}"):
            row.flaw(f"there is an input_{count + 1}, but {subset} has cases of {count}; move the row or the folder")
        references = tuple(row.picture("ref", path) for path in listed(row.fields.get("ref")))
        texts = {lang: row.text(PROMPTS[lang], None if lang in (*self._languages, "en") else "") for lang in LANGUAGES}
        hint = row.text("hint", "")
        extra = self._extra.get((tag_name(subset), index), {})
        return FiledCase(
            id=f"{subset}/{index}",
            suite=self.name,
            images=images,
            instructions=tuple(Instruction(texts[lang], language=lang, variant=lang) for lang in self._languages),
            tags={
                "task": tag_name(subset.rpartition("_")[0]).removeprefix("wiseedit_"),
                "subset": subset,
                "images": str(count),
                "inputs": "single" if count == 1 else "multi",
                **{name: extra.get(name, UNTAGGED) for name in self._extra_names},
            },
            hint=hint or None,
            references=references,
            details={"english": texts["en"], "subset": subset, "idx": index},
            basis=basis(hint=hint, inputs=len(images), **texts),
            files=(*images, *references),
        )

    def output_names(self, case_id: str, variant: str = "") -> tuple[str, ...]:
        """``<Task>_<n>/<en|cn>/<idx>``."""
        subset, _, index = case_id.rpartition("/")
        return (f"{subset}/{variant}/{index}",)

    def notes(self) -> tuple[str, ...]:
        """As for every judged suite, and which rows of ``tags.csv`` belong to no case."""
        ours = {tag_name(folder.name) for folder, _ in self._subsets()}
        cases = {(tag_name(case.details["subset"]), case.details["idx"]) for case in self._cases.values()}
        stray = [
            f"{subset} {index}" for subset, index in self._extra if subset in ours and (subset, index) not in cases
        ]
        if not stray:
            return super().notes()
        shown = ", ".join(stray[:10]) + (" …" if len(stray) > 10 else "")
        return (*super().notes(), f"{self.root / TAGS} has rows that belong to no case: {shown}")

    def _part(self) -> str:
        return MAIN

    def _subsets(self) -> Iterator[tuple[Path, int]]:
        """The folders of CSV files and how many inputs a case of each has."""
        for task in TASKS:
            yield from numbered(self.root / MAIN / task.capitalize(), task.capitalize())

    def _read_tags(self) -> Iterator[DataRow]:
        """Take in ``tags.csv``: columns subset and idx, every other one a tag. Yields the rows that have flaws."""
        path = self.root / TAGS
        for row in csv_rows(path, self.root, ("subset", "idx")):
            if not row.flaws:
                names = [name for name in row.fields if name not in ("subset", "idx") and name]
                taken = [name for name in names if tag_name(name) in ("task", "subset", "images", "inputs", "language")]
                if taken:
                    raise BadInput(f"{path}: column {taken[0]!r} has the name of a tag of {self.name}; rename it")
                self._extra_names = tuple(tag_name(name) for name in names)
                key = (tag_name(row.text("subset")), row.identifier("idx"))
                if not row.flaws and key in self._extra:
                    row.flaw(f"{key[0]} {key[1]} stands in {TAGS} twice; keep one of the rows")
                self._extra[key] = {tag_name(n): tag_name(str(row.fields[n])) or UNTAGGED for n in names}
            if row.flaws:
                yield row

    def _with_extra_groups(self, aggregation: Aggregation) -> Aggregation:
        from dataclasses import replace

        over = aggregation.overall.over
        return replace(
            aggregation,
            groups=(*aggregation.groups, *(Group(name, (name,), over) for name in self._extra_names)),
        )


class WiseEditComplexSuite(WiseEditSuite):
    """The CSV files under ``WiseEdit-Complex``: cases that need all three steps at once."""

    name = "wiseedit-complex"
    aggregation = Aggregation(
        overall=Group("overall", ()),
        groups=(Group("images", ("images",)),),
        strata=(),
        headline="average",
        orders={"language": LANGUAGES, "knowledge": KNOWLEDGE},
    )

    def _part(self) -> str:
        return COMPLEX

    def _subsets(self) -> Iterator[tuple[Path, int]]:
        yield from numbered(self.root / COMPLEX, "WiseEdit_Complex")


def load(
    root: str | Path | None = None, languages: str | Iterable[str] | None = None, skip_bad: bool = False
) -> WiseEditSuite:
    """WiseEdit's three tasks from a folder; ``languages`` chooses en, cn, or both (the default)."""
    return WiseEditSuite(root, _languages(languages), skip_bad)


def load_complex(
    root: str | Path | None = None, languages: str | Iterable[str] | None = None, skip_bad: bool = False
) -> WiseEditComplexSuite:
    """WiseEdit-Complex from the same folder."""
    return WiseEditComplexSuite(root, _languages(languages), skip_bad)


def listed(cell: Any) -> list[str]:
    """The paths in a cell: a JSON list, a JSON string, or a text that is split by ``|``, or without one by ``;``.

    Empty entries are no paths, and neither are null, none and NaN, which tables write where there is nothing.

    >>> listed('["a.png", "b.png"]'), listed("a.png; b.png"), listed("a.png|b.png"), listed(" ")
    (['a.png', 'b.png'], ['a.png', 'b.png'], ['a.png', 'b.png'], [])
    >>> listed('"a;b.png"'), listed('["a.png", "", null]'), listed("null"), listed("NaN"), listed("[1].png")
    (['a;b.png'], ['a.png'], [], [], ['[1].png'])
    """
    text = "" if cell is None else str(cell).strip()
    try:
        entries = read_json(text)
    except Malformed:
        entries = text.split("|" if "|" in text else ";")  # also a name that begins with a bracket
    else:
        # A number or an object is not a path; as text it is one that is not there, and is named as a flaw.
        entries = entries if isinstance(entries, list) else [entries if isinstance(entries, str | None) else text]
    paths = (one.strip() if isinstance(one, str) else "" if one is None else repr(one) for one in entries)
    return [path for path in paths if path.lower() not in NOTHING_SAID]


_SUBSET, _COUNT = "\x00subset", "\x00count"  # no column of a CSV file has these names


def _languages(given: str | Iterable[str] | None) -> tuple[str, ...] | None:
    return None if given is None else chosen_names("language", given, LANGUAGES)


def numbered(folder: Path, name: str) -> Iterator[tuple[Path, int]]:
    """The folders ``<name>_<n>`` that there are, with n."""
    for count in range(1, MOST_INPUTS + 1):
        if (folder / f"{name}_{count}").is_dir():
            yield folder / f"{name}_{count}", count
