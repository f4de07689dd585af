"""WorldEdit-Test: instructions that name a cause and leave its visible effect to the model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from editscope.cases import Aggregation, Group, Instruction
from editscope.errors import BadInput
from editscope.suites.datafolder.rows import DataRow, json_lines
from editscope.suites.datafolder.suite import FiledCase, JudgedSuite, basis
from editscope.suites.generated.suite import chosen_names

MODES = (
    "time",
    "temperature",
    "humidity",
    "acidity",
    "light",
    "break",
    "inflate",
    "squeeze",
    "twist",
    "stretch",
    "other",
)
"""The eleven modes, in the order of the paper's tables."""
FORMS = ("implicit", "paraphrase")
FILE = "cases.jsonl"

OTHER_MODES = {"others": "other", "inflation": "inflate", "breaking": "break"}


class WorldEditSuite(JudgedSuite):
    """The cases of a ``cases.jsonl``; the variant of the implicit instruction is "", that of the other "paraphrase"."""

    name = "worldedit"
    default_protocol = "worldedit"
    home = (
        "Its authors have not published the set; write it as cases.jsonl with id, image, instruction, paraphrase "
        "and mode on each line, images beside it; see docs/worldedit.md"
    )
    aggregation = Aggregation(
        overall=Group("overall", (), ("mode",)),
        groups=(Group("mode", ("mode",)),),
        strata=("mode",),
        headline="average",
        orders={"mode": MODES},
    )

    def __init__(self, root: str | Path | None, forms: tuple[str, ...] | None, skip_bad: bool) -> None:
        self._forms = forms or FORMS[:1]
        super().__init__(root, skip_bad=skip_bad, options={"forms": list(forms) if forms else None})

    def rows(self) -> Iterator[DataRow]:
        """The lines of ``cases.jsonl``."""
        if not (self.root / FILE).is_file():
            raise BadInput(f"{self.root} holds no {FILE}. {self.home}")
        return json_lines(self.root / FILE, self.root)

    def case_of(self, row: DataRow) -> FiledCase:
        """The case of one line."""
        case_id, image = row.identifier("id"), row.picture("image")
        # A set of implicit instructions alone is a set; the paraphrase is needed where it is run.
        needed = None if "paraphrase" in self._forms else ""
        texts = {"implicit": row.text("instruction"), "paraphrase": row.text("paraphrase", needed)}
        mode, explanation = row.choice("mode", MODES, OTHER_MODES), row.text("explanation", "")
        return FiledCase(
            id=case_id,
            suite=self.name,
            images=(image,),
            instructions=tuple(Instruction(texts[form], level=form, variant=variant_of(form)) for form in self._forms),
            tags={"mode": mode},
            details={"mode": mode, "explanation": explanation, **texts},
            basis=basis(mode=mode, explanation=explanation, **texts),
            files=(image,),
        )

    def output_names(self, case_id: str, variant: str = "") -> tuple[str, ...]:
        """``<id>``; for paraphrased instructions ``paraphrase/<id>`` or ``<id>_paraphrase``."""
        if variant:
            return (f"{variant}/{case_id}", f"{case_id}_{variant}")
        return (case_id, f"implicit/{case_id}")


def load(
    root: str | Path | None = None, forms: str | Iterable[str] | None = None, skip_bad: bool = False
) -> WorldEditSuite:
    """WorldEdit-Test from a folder; ``forms`` chooses implicit (the default), paraphrase, or both."""
    return WorldEditSuite(root, None if forms is None else chosen_names("form", forms, FORMS), skip_bad)


def variant_of(form: str) -> str:
    """The variant of a form: "paraphrase", and "" for the implicit instruction.

    >>> [variant_of(form) for form in FORMS]
    ['', 'paraphrase']
    """
    return "" if form == FORMS[0] else form
