"""GEdit-Bench: everyday edits that people asked for, in eleven groups, with English and Chinese instructions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from editscope.cases import Aggregation, Group, Instruction
from editscope.errors import BadInput, unknown
from editscope.suites.datafolder.rows import DataRow, json_lines, json_list, kind, tag_name
from editscope.suites.datafolder.suite import FiledCase, JudgedSuite, basis, file_digest
from editscope.suites.generated.suite import chosen_names

GROUPS = (
    "background_change",
    "color_alter",
    "material_alter",
    "motion_change",
    "ps_human",
    "style_change",
    "subject-add",
    "subject-remove",
    "subject-replace",
    "text_change",
    "tone_transfer",
)
"""The eleven groups, named as in the data."""
LANGUAGES = ("en", "cn")
INTERSECTION = ("all", "only")
FILES = ("cases.json", "cases.jsonl")
PICTURES = ("input_image_raw_path", "input_image_raw", "input_path", "input_image")
"""Fields that may hold the path of the picture, best first: the original, then the one that was scaled down."""
FLAG = "Intersection_exist"

_GROUPS = {tag_name(group): group for group in GROUPS}
_OTHER_LANGUAGES = {"zh": "cn", "english": "en", "chinese": "cn"}
_ID, _EDITS = "\x00id", "\x00edits"  # no field of the data has these names


@dataclass(frozen=True, slots=True)
class RequestedEdit:
    """One row of the data: a picture and what to do to it in one language.

    ``shared`` says whether every model of the paper returned an edit of it; None where the data does not say.
    """

    row: DataRow
    group: str
    key: str
    language: str
    text: str
    image: Path
    shared: bool | None

    def joins(self, other: RequestedEdit) -> bool:
        """Whether both are about the same picture, byte for byte."""
        return file_digest(self.image) == file_digest(other.image)


class GEditSuite(JudgedSuite):
    """The rows of a list of cases, or of the Hugging Face dataset; rows with the same group and key are one case.

    A case has an edit for each language, "en" and "cn". The judge reads the instruction that the editor got.
    ``details["intersection"]`` lists the languages in which every model of the paper returned an edit; it is not there
    where the data does not say.
    """

    name = "gedit"
    default_protocol = "gedit"
    home = (
        "Get it with `huggingface-cli download stepfun-ai/GEdit-Bench --repo-type dataset --local-dir DIR`, "
        "or give --data hf:stepfun-ai/GEdit-Bench; see docs/gedit.md"
    )
    aggregation = Aggregation(
        overall=Group("overall", (), ("group",)),
        groups=(Group("group", ("group",)),),
        strata=("group",),
        headline="overall",
        orders={"group": GROUPS, "language": LANGUAGES},
    )

    def __init__(
        self, root: str | Path | None, languages: tuple[str, ...] | None, intersection: str, skip_bad: bool
    ) -> None:
        self._languages = languages or LANGUAGES
        self._only_shared = intersection == INTERSECTION[1]
        chosen = {
            "languages": list(languages) if languages else None,
            "intersection": intersection if self._only_shared else None,
        }
        super().__init__(root, skip_bad=skip_bad, options=chosen)

    def find_root(self, root: str | Path | None) -> tuple[Path, str]:
        """The folder with the list of cases; Parquet and Arrow files are unpacked into the cache first."""
        from editscope.suites.datafolder.arrow import arrow_files, unpack_arrow
        from editscope.suites.datafolder.hub import parquet_files, unpack

        folder, source = super().find_root(root)
        if any((folder / name).is_file() for name in FILES):
            return folder, source
        if files := parquet_files(folder):
            return unpack(files, FILES[0]), source
        if files := arrow_files(folder):
            return unpack_arrow(files, FILES[0], PICTURES), source
        raise BadInput(f"{folder} holds no {' or '.join(FILES)}, and no Parquet or Arrow file. {self.home}")

    def rows(self) -> Iterator[DataRow]:
        """Rows that cannot be used, then a row for each case, which holds those of its languages."""
        cases: dict[tuple[str, str], list[RequestedEdit]] = {}
        for row in self._listed():
            edit = None if row.flaws else self._edit(row)
            if edit is None:
                yield row
                continue
            edits = cases.setdefault((edit.group, edit.key), [])
            if same := [other for other in edits if other.language == edit.language]:
                row.flaw(
                    f"key {edit.key!r} was used before for {edit.group} in {edit.language}, in {same[0].row.where}; "
                    "give every row a key of its own"
                )
                yield row
                continue
            edits.append(edit)
        for edits in cases.values():
            yield from self._joined(sorted(edits, key=lambda edit: LANGUAGES.index(edit.language)))

    def case_of(self, row: DataRow) -> FiledCase | None:
        """The case of some rows; none where no edit of it is to be run."""
        edits: tuple[RequestedEdit, ...] = row.fields[_EDITS]
        first = edits[0]
        chosen = [edit for edit in edits if edit.language in self._languages and (edit.shared or not self._only_shared)]
        if not chosen:
            return None
        flagged = [edit.language for edit in edits if edit.shared]
        known = any(edit.shared is not None for edit in edits)
        return FiledCase(
            id=row.fields[_ID],
            suite=self.name,
            images=(first.image,),
            instructions=tuple(
                Instruction(edit.text, language=edit.language, variant=edit.language)
                for language in self._languages
                for edit in chosen
                if edit.language == language
            ),
            tags={"group": first.group},
            details={"key": first.key, **({"intersection": flagged} if known else {})},
            basis=basis(group=first.group, **{edit.language: edit.text for edit in edits}),
            files=(first.image,),
        )

    def output_names(self, case_id: str, variant: str = "") -> tuple[str, ...]:
        """``fullset/<group>/<language>/<key>``, as the authors' tool has them; also without ``fullset``."""
        case = self._cases[case_id]
        place = f"{case.tags['group']}/{variant}/{case.details['key']}"
        return (f"fullset/{place}", place)

    def notes(self) -> tuple[str, ...]:
        """Also which of the eleven groups are not there."""
        there = {case.tags["group"] for case in self._cases.values()}
        gone = [group for group in GROUPS if group not in there]
        note = f"{len(gone)} of {len(GROUPS)} groups have no case here: {', '.join(gone)}"
        return (*super().notes(), *((note,) if gone else ()))

    def _listed(self) -> Iterator[DataRow]:
        path = next(self.root / name for name in FILES if (self.root / name).is_file())
        return (json_lines if path.suffix == ".jsonl" else json_list)(path, self.root, "key")

    def _edit(self, row: DataRow) -> RequestedEdit | None:
        """What one row asks for; None, and flaws of the row, where it cannot be used."""
        row.check_texts()
        language = row.choice("instruction_language", LANGUAGES, _OTHER_LANGUAGES)
        # The text of a language that is not run may be missing.
        needed = None if language in self._languages else ""
        picture = next((name for name in PICTURES if row.has(name)), PICTURES[-1])
        edit = RequestedEdit(
            row,
            row.choice("task_type", GROUPS, _GROUPS),
            row.identifier("key"),
            language,
            row.text("instruction", needed),
            row.picture(picture),
            self._shared(row),
        )
        return None if row.flaws else edit

    def _shared(self, row: DataRow) -> bool | None:
        """The flag of a row; a flaw where it is not a truth value, or is needed and not there."""
        value = row.fields.get(FLAG)
        if value is None:
            if self._only_shared:
                row.flaw(f"field {FLAG!r} is missing, and intersection=only goes by it; give it true or false")
            return None
        if not isinstance(value, bool):
            row.flaw(f"field {FLAG!r} is a {kind(value)}; give it true or false")
            return None
        return value

    def _joined(self, edits: list[RequestedEdit]) -> Iterator[DataRow]:
        """One row for edits of the same picture; where the pictures differ, one for each."""
        first, *others = edits
        together = [first, *(other for other in others if first.joins(other))]
        name = f"{first.group}/{first.key}"
        yield _row(name, together)
        for edit in edits:
            if edit not in together:
                row = _row(f"{name}-{edit.language}", [edit])
                row.odd(f"its picture is not that of the row in {first.language}, so it is a case of its own")
                yield row


def _row(name: str, edits: list[RequestedEdit]) -> DataRow:
    """The row of a case."""
    first = edits[0].row
    return DataRow(first.where, {_ID: name, _EDITS: tuple(edits)}, first.root)


def load(
    root: str | Path | None = None,
    languages: str | Iterable[str] | None = None,
    intersection: str = INTERSECTION[0],
    skip_bad: bool = False,
) -> GEditSuite:
    """GEdit-Bench from a folder or the Hugging Face hub.

    ``languages`` chooses en, cn, or both (the default); ``intersection="only"`` leaves out the edits that some model of
    the paper did not return.
    """
    if intersection not in INTERSECTION:
        raise unknown("intersection", intersection, INTERSECTION)
    chosen = None if languages is None else chosen_names("language", languages, LANGUAGES)
    return GEditSuite(root, chosen, intersection, skip_bad)
