"""PICABench: edits whose physics is checked, question by question, in regions of the picture."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from editscope.cases import Aggregation, Case, Group, Instruction
from editscope.errors import BadInput
from editscope.images import ImageLike, thumbnail
from editscope.images import load as pixels_of
from editscope.suites.datafolder.edit_area import SIDE, edit_area
from editscope.suites.datafolder.questions import read_questions
from editscope.suites.datafolder.rows import DataRow, json_list, tag_name
from editscope.suites.datafolder.suite import FiledCase, JudgedSuite, basis
from editscope.suites.generated.suite import chosen_names
from editscope.suites.generated.whole import AGAIN, UNFINISHED

LAWS = {
    "light_propagation": "optics",
    "light_source_effects": "optics",
    "reflection": "optics",
    "refraction": "optics",
    "deformation": "mechanics",
    "causality": "mechanics",
    "global": "state_transition",
    "local": "state_transition",
}
"""The eight laws, in the order of the paper's tables, and the dimension of each."""
DIMENSIONS = tuple(dict.fromkeys(LAWS.values()))
LEVELS = ("superficial", "intermediate", "explicit")
FILE = "meta_info.json"
MOST_NAMED = 5

OTHER_LAWS = {
    "light_source_effect": "light_source_effects",
    "light_source": "light_source_effects",
    "global_state": "global",
    "local_state": "local",
    "global_state_transition": "global",
    "local_state_transition": "local",
}
_OTHER_DIMENSIONS = {"state": "state_transition", "state_transitions": "state_transition"}


class PicaBenchSuite(JudgedSuite):
    """The cases of a ``meta_info.json``, or of the Hugging Face dataset in Parquet.

    A case has one instruction for each level that was asked for; the variant of *superficial*, the default, is "",
    that of the others their name. ``questions`` have their boxes as regions on the canvas whose longer side is 1024:
    ``x, y, x + width, y + height``, each rounded, which is the crop of the released tool. ``regions`` are the
    ``edit_area`` boxes in pixels of the source. In the data their edges are inclusive, and the released tool cuts
    fractions off; so column c is inside when ⌊x⌋ ≤ c ≤ ⌊x + width⌋, and the region's exclusive right is
    ⌊x + width⌋ + 1. None where the area is "unknown" or the list is empty.

    The released tool takes ``edit_area`` for pixels of the source. Where a box reaches over the source and all boxes of
    the case fit the canvas, it can only be pixels of the canvas, and is read so; ``details["edit_area"]`` has the boxes
    in both readings.
    """

    name = "picabench"
    default_protocol = "picabench"
    home = (
        "Get it with `huggingface-cli download Andrew613/PICABench --repo-type dataset --local-dir DIR`, "
        "or give --data hf:Andrew613/PICABench; see docs/picabench.md"
    )
    aggregation = Aggregation(
        overall=Group("overall", ()),
        groups=(
            Group("law", ("law",)),
            Group("dimension", ("dimension",)),
            Group("operation", ("operation",)),
        ),
        strata=("law",),
        headline="accuracy",
        orders={"law": tuple(LAWS), "dimension": DIMENSIONS},
    )

    def __init__(self, root: str | Path | None, levels: tuple[str, ...] | None, skip_bad: bool) -> None:
        self._levels = levels
        self._sizes: dict[Path, tuple[int, int]] = {}
        self._on_canvas: set[str] = set()
        super().__init__(root, skip_bad=skip_bad, options={"levels": list(levels) if levels else None})

    def find_root(self, root: str | Path | None) -> tuple[Path, str]:
        """The folder with ``meta_info.json``; a folder of Parquet files is unpacked into the cache first."""
        folder, source = super().find_root(root)
        if (folder / FILE).is_file():
            return folder, source
        if (folder / UNFINISHED).is_file():
            raise BadInput(f"{folder} is unfinished: it has no {FILE} yet; {AGAIN} to finish it")
        from editscope.suites.datafolder.hub import parquet_files, unpack

        files = parquet_files(folder)
        if not files:
            raise BadInput(f"{folder} holds no {FILE} and no Parquet file of {self.name}. {self.home}")
        return unpack(files, FILE), source

    def rows(self) -> Iterator[DataRow]:
        """The entries of ``meta_info.json``."""
        return json_list(self.root / FILE, self.root)

    def case_of(self, row: DataRow) -> FiledCase:
        """The case of one entry, in either form."""
        number = row.identifier("index")
        case_id = number.zfill(5) if number.isdigit() else number
        image, size = row.measured("input_path")
        self._sizes[image] = size
        law = row.choice("physics_law", tuple(LAWS), OTHER_LAWS)
        texts = _instructions(row)
        questions = tuple(read_questions(row, size))
        area = edit_area(row, size)
        regions = area.regions
        if area.on_canvas:
            self._on_canvas.add(case_id)
        return FiledCase(
            id=case_id,
            suite=self.name,
            images=(image,),
            instructions=self._chosen(row, texts),
            tags={
                "dimension": _dimension(row, law),
                "law": law,
                "operation": tag_name(row.text("edit_operation", "unknown")),
            },
            questions=questions,
            regions=regions,
            details={
                "index": row.fields.get("index"),
                "difficulty": row.text("difficulty", ""),
                **({"source_case": row.text("source_case")} if row.has("source_case") else {}),
                **({"edit_area": area.readings} if regions else {}),
            },
            basis=basis(texts=texts, questions=[repr(q) for q in questions], regions=[r.box for r in regions]),
            files=(image,),
        )

    def inputs(self, case: Case) -> tuple[ImageLike, ...]:
        """The source with its longer side at most 1024, by averaging areas; itself where it is no larger."""
        large = self._side(case) > SIDE if isinstance(case, FiledCase) else True
        return tuple(thumbnail(pixels_of(image), SIDE) for image in case.images) if large else case.images

    def output_names(self, case_id: str, variant: str = "") -> tuple[str, ...]:
        """``00012``, ``0012`` or ``12``, for other levels than superficial in a folder of that name.

        A case that was written from another suite is also found where an edit of that suite lies.
        """
        number = case_id.lstrip("0") or "0"
        names = dict.fromkeys((case_id, number.zfill(4), number)) if case_id.isdigit() else {case_id: None}
        level = variant or LEVELS[0]
        inner = tuple(f"{level}/{name}" for name in names)
        if not case_id.isdigit() and (source := self._cases[case_id].details.get("source_case")):
            return (*names, *inner, str(source), f"{source}_output")
        return inner if variant else (*names, *inner)

    def notes(self) -> tuple[str, ...]:
        """Also how many cases have an edit area that was read as pixels of the canvas."""
        with_area = [case for case in self._cases.values() if "edit_area" in case.details]
        ids = [case.id for case in with_area if case.id in self._on_canvas]
        if not ids:
            return super().notes()
        others = [case for case in with_area if case.id not in self._on_canvas and self._side(case) != SIDE]
        cases = f"{len(ids):,} case{'' if len(ids) == 1 else 's'}"
        shown = ", ".join(ids[:MOST_NAMED]) + (" …" if len(ids) > MOST_NAMED else "")
        rest = f" ({len(others):,} other cases: as pixels of the source)" if others else ""
        note = (
            f"the edit areas of {cases} ({shown}) reach over the source and fit the canvas whose longer side is "
            f"{SIDE}: they are read as pixels of that canvas{rest}, unless --edit-area source or canvas says otherwise"
        )
        return (*super().notes(), note)

    def _side(self, case: FiledCase) -> int:
        return max(self._sizes[case.files[0]])

    def _chosen(self, row: DataRow, texts: Mapping[str, str]) -> tuple[Instruction, ...]:
        """An instruction for each level asked for; where none was, superficial, or the one that there is."""
        wanted = self._levels or tuple(texts)[:1]
        for level in wanted:
            if level not in texts:
                row.flaw(
                    f"there is no {level} instruction (there is {', '.join(texts) or 'none'}); choose other --levels"
                )
        return tuple(Instruction(texts[v], level=v, variant=variant_of(v)) for v in wanted if v in texts)


def load(
    root: str | Path | None = None, levels: str | Iterable[str] | None = None, skip_bad: bool = False
) -> PicaBenchSuite:
    """PICABench from a folder, or from the hub (``root="hf:Andrew613/PICABench"``).

    ``levels`` chooses among superficial, intermediate and explicit instructions; superficial when not given.
    """
    return PicaBenchSuite(root, None if levels is None else chosen_names("level", levels, LEVELS), skip_bad)


def variant_of(level: str) -> str:
    """The variant of a level: its name, and "" for superficial.

    >>> [variant_of(level) for level in LEVELS]
    ['', 'intermediate', 'explicit']
    """
    return "" if level == LEVELS[0] else level


def _instructions(row: DataRow) -> dict[str, str]:
    """The instructions of a row by level: those of the Hugging Face form, or the one of ``meta_info.json``."""
    texts = {level: row.text(f"{level}_prompt") for level in LEVELS if row.has(f"{level}_prompt")}
    if row.has("edit_instruction"):
        written = tag_name(row.text("difficulty", ""))
        texts.setdefault(written if written in LEVELS else LEVELS[0], row.text("edit_instruction"))
    if not texts:
        row.flaw("there is no instruction: give edit_instruction, or superficial_prompt and the other levels")
    return {level: texts[level] for level in LEVELS if level in texts}


def _dimension(row: DataRow, law: str) -> str:
    if not row.has("physics_category"):
        return LAWS.get(law, "")
    dimension = row.choice("physics_category", DIMENSIONS, _OTHER_DIMENSIONS)
    if law in LAWS and dimension in DIMENSIONS and LAWS[law] != dimension:
        row.flaw(f"law {law!r} belongs to {LAWS[law]}, not to {dimension}; correct physics_law or physics_category")
    return dimension
