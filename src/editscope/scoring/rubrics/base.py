"""The base class of rubrics: the calls about the edits of a case, and the score rows that follow from the verdicts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from inspect import getfile
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar

from editscope.cases import NOTHING, Aggregation, Case, Instruction, Status
from editscope.errors import BadInput, unknown
from editscope.images import Pixels
from editscope.judges import Call, Picture, Verdict

T = TypeVar("T")


class Prompts(Protocol):
    """A prompt pack: texts by name, with places for words and pictures, and the shape of the reply."""

    def call(
        self, name: str, key: str, pictures: Mapping[str, Sequence[Picture]], words: Mapping[str, str] = NOTHING
    ) -> Call:
        """The call that a prompt makes of these words and pictures; ``key`` names it within its case."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A column of the tables: the rows whose metric is one of ``metrics``, averaged by the rubric's aggregation.

    Row values are kept on their natural scale; ``worst`` and ``best`` are its ends (for bounds and missing outputs),
    and a value v is shown as ``(v - zero) * scale``: a 1-10 score as (v - 1) * 100/9, a share as v * 100.
    """

    name: str
    metrics: tuple[str, ...]
    label: str
    worst: float = 0.0
    best: float = 1.0
    zero: float = 0.0
    scale: float = 100.0
    note: str = ""

    def shown(self, value: float) -> float:
        """A value of the natural scale, or a mean of such values, as tables show it.

        >>> Measure("vq", ("vq",), "Visual quality", worst=1, best=10, zero=1, scale=100 / 9).shown(5.5)
        50.0
        """
        return (value - self.zero) * self.scale


@dataclass(frozen=True, slots=True)
class PixelCheck:
    """A number of ``from_pixels`` that is not a score: what to look at first, found without a judge.

    It is as it should be from ``least`` to ``most``, None where there is no such end; ``fault`` says in a few words
    what is wrong otherwise. Of a unit with several edits, the number of each is called "name@variant".
    """

    name: str
    label: str
    fault: str
    least: float | None = None
    most: float | None = None

    def fails(self, value: float) -> bool:
        """Whether a number is not as it should be.

        >>> PixelCheck("panels", "Panels", "one panel only", least=2).fails(1)
        True
        """
        return (self.least is not None and value < self.least) or (self.most is not None and value > self.most)


@dataclass(frozen=True, slots=True)
class Unit:
    """What is judged together: one edit of a case, or several that one call compares (InEdit's path pairs)."""

    case_id: str
    variants: tuple[str, ...]

    @property
    def name(self) -> str:
        """The unit within its case, and the variant of its rows: "", "cn", "A+B"."""
        return "+".join(self.variants)


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """One number of one case, or the status that says why there is none; one row of scores.parquet.

    ``key`` is the call it came from ("" for what is computed from several); ``tags`` are added to the case's own, and
    a tag that a row does not have is none in its column. ``value`` is what counts: none where there was no verdict,
    and the worst of the scale, with a status that is not ``ok``, where there was no edit to judge.

    Of ``asked`` verdicts ``answered`` are ok; ``agreement`` is the share of their pairs that say the same, none for
    fewer than two. Where verdicts are missing, ``low`` and ``high`` are the ends between which the number lies
    whatever they would have been; both are none where the value is certain.
    """

    metric: str
    value: float | None
    status: Status = "ok"
    variant: str = ""
    key: str = ""
    tags: Mapping[str, str] = field(default_factory=dict)
    asked: int = 0
    answered: int = 0
    agreement: float | None = None
    low: float | None = None
    high: float | None = None


class Rubric(ABC):
    """Base class of rubrics: how one benchmark judges, apart from its cases, so that it works on others too.

    ``--protocol NAME`` does that. Override ``keys``, ``calls`` and ``rows``; where every answer is a score on a scale,
    derive from ``ScaleRubric``, which needs ``asks`` alone.

    ``load_rubric(rubric.name, **rubric.options)`` makes an equal one, in another process or a year later.
    """

    name: str = ""
    """The name that it is found by, which is that of its benchmark; set when it is loaded."""
    measures: tuple[Measure, ...]
    """The columns of its tables, in order."""
    headline: str
    """The measure that comes first, by name."""
    fold: ClassVar[tuple[str, ...]] = ()
    """What is averaged before the suite's own tags: nothing, ``metric`` (means of metric means) or ``case_id``."""

    reads_traces: ClassVar[bool] = False
    """Whether it asks about what editors said or thought, with ``calls_about``."""
    checks: ClassVar[tuple[PixelCheck, ...]] = ()
    """What of ``from_pixels`` is shown beside the scores and is part of none."""

    detail: ClassVar[str] = ""
    """How closely the judge is told to look at pictures, unless its spec says so; "" where it is not told."""
    temperature: ClassVar[float | None] = 0.0
    """The temperature that is asked for, unless the judge's spec has one; None where the server decides."""

    def __init__(self, **options: Any) -> None:
        self.options: dict[str, Any] = {}
        """The options that differ from the defaults."""
        self._given = {name.replace("-", "_"): value for name, value in options.items() if value is not None}
        self._known: list[str] = []
        self.configure()
        if self._given:
            raise unknown("option", next(iter(self._given)), self._known, of=f"protocol {self._title}")

    def configure(self) -> None:  # noqa: B027 - a rubric may have no options
        """Read the options, with ``choice``, ``number`` and ``flag``; what is left over is an error."""

    @abstractmethod
    def keys(self, case: Case, unit: Unit) -> tuple[str, ...]:
        """The keys of all calls about a unit, in order, without looking at any picture."""

    @abstractmethod
    def calls(self, case: Case, unit: Unit, edits: Mapping[str, Pixels], prompts: Prompts) -> tuple[Call, ...]:
        """The questions about a unit whose edits (by variant) are all there."""

    def calls_about(
        self, case: Case, unit: Unit, edits: Mapping[str, Pixels], traces: Mapping[str, str], prompts: Prompts
    ) -> tuple[Call, ...]:
        """The same for who also knows the ``traces`` of the edits, by variant, where there are any."""
        return self.calls(case, unit, edits, prompts)

    @abstractmethod
    def rows(
        self,
        case: Case,
        unit: Unit,
        verdicts: Mapping[str, Sequence[Verdict]],
        pixels: Mapping[str, float | None],
        missing: Status | None = None,
    ) -> tuple[ScoreRow, ...]:
        """The scores of a unit: ``verdicts`` by call key (several where the judge was asked several times or a panel
        judged), ``pixels`` what ``from_pixels`` gave, ``missing`` the status of the edit where there is none."""

    def units(self, case: Case) -> tuple[Unit, ...]:
        """What of a case is judged together; one unit for each variant unless a rubric says otherwise.

        Raises BadInput for a case that this rubric has nothing to ask about.
        """
        return tuple(Unit(case.id, (instruction.variant,)) for instruction in case.instructions)

    def check_prompts(self, cases: Iterable[Case]) -> None:  # noqa: B027 - a rubric's own prompts fit its cases
        """Raise BadInput where a prompt has a place that no case of a suite fills, before anything is spent."""

    def white_calls(self, case: Case, unit: Unit, prompts: Prompts) -> tuple[Call, ...]:
        """The questions about a white picture in place of an edit that is missing, for a release that asks them."""
        return ()

    def from_pixels(self, case: Case, unit: Unit, edits: Mapping[str, Pixels]) -> dict[str, float | None]:
        """Numbers that need no judge, such as PSNR outside the edited area."""
        return {}

    def sending(self) -> dict[str, Any]:
        """How calls go to a judge whose spec says nothing else, for run.json."""
        return {"detail": self.detail or None, "temperature": self.temperature}

    def sent(self, call: Call) -> Call:
        """A call with what this protocol asks of the judge besides."""
        return replace(call, detail=self.detail, temperature=self.temperature)

    def prompts(self, folder: str | Path | None = None) -> Prompts:
        """The prompts of this rubric, which lie in ``prompts/`` beside its module, or those that replace them."""
        from editscope.judges.prompts.packs import FOLDER, load_pack

        return load_pack(self.name, folder, Path(getfile(type(self))).with_name(FOLDER))

    def measure(self, name: str) -> Measure:
        """One of its measures, by name."""
        for measure in self.measures:
            if measure.name == name:
                return measure
        raise unknown(f"measure of protocol {self.name}", name, [measure.name for measure in self.measures])

    def aggregation(self, suite: Aggregation) -> Aggregation:
        """How the rows of this rubric are averaged over the cases of a suite: first its ``fold``, then as the suite.

        The suite's groups come first, then the same by ``level`` and by ``language``, which are tags of rows of cases
        that have several instructions; a table of a tag that no row has is empty.
        """
        overall, *groups = (replace(g, over=(*self.fold, *g.over)) for g in (suite.overall, *suite.groups))
        apart = [
            replace(g, name="/".join((tag, *g.by)), by=(tag, *g.by)) for tag in VARIANT_TAGS for g in (overall, *groups)
        ]
        orders = {"metric": self.measures_order(), "language": ("en", "cn"), **suite.orders}
        return replace(suite, overall=overall, groups=(*groups, *apart), headline=self.headline, orders=orders)

    def measures_order(self) -> tuple[str, ...]:
        """All metrics that rows may have, in the order of the measures."""
        return tuple(dict.fromkeys(metric for measure in self.measures for metric in measure.metrics))

    # --- options ----------------------------------------------------------------------------------

    def choice(self, name: str, default: str) -> str:
        """An option that is a text. Its ``Option`` has the values, which are checked before the rubric is made."""
        return self._record_option(name, str(self._take(name, default)), default)

    def number(self, name: str, default: int, least: int = 0, most: int | None = None) -> int:
        """An option that is a whole number."""
        given = self._take(name, default)
        try:
            value = int(str(given))
        except ValueError:
            value = least - 1
        if value < least or (most is not None and value > most):
            ends = f"from {least}" + ("" if most is None else f" to {most}")
            raise BadInput(f"option {name} of protocol {self._title} is {given!r}; give a whole number {ends}")
        return self._record_option(name, value, default)

    def flag(self, name: str) -> bool:
        """An option that is on or off, and off unless given."""
        value = str(self._take(name, False)).strip().lower()
        if value not in _ON + _OFF:
            raise BadInput(f"option {name} of protocol {self._title} is {value!r}; give 1 or 0")
        return self._record_option(name, value in _ON, False)

    @property
    def _title(self) -> str:
        """What messages call it, also before it has a name."""
        return self.name or type(self).__name__

    def _take(self, name: str, default: Any) -> Any:
        self._known.append(name)
        return self._given.pop(name, default)

    def _record_option(self, name: str, value: T, default: T) -> T:
        if value != default:
            self.options[name] = value
        return value


_ON, _OFF = ("1", "true", "yes", "on"), ("0", "false", "no", "off")

VARIANT_TAGS = ("level", "language")


def instruction_of(case: Case, variant: str) -> Instruction:
    """The instruction that a variant of a case was made of."""
    for instruction in case.instructions:
        if instruction.variant == variant:
            return instruction
    raise unknown(f"variant of case {case.id!r}", variant, [i.variant for i in case.instructions])


def variant_tags(case: Case, unit: Unit) -> dict[str, str]:
    """The tags that set the variants of a case apart: ``level`` where it has levels, ``language`` where it has those.

    >>> case = Case("1", "s", (), (Instruction("Wet it.", "explicit", variant="explicit"),), {})
    >>> variant_tags(case, Unit("1", ("explicit",)))
    {'level': 'explicit'}
    """
    if len(unit.variants) > 1:
        return {}
    instruction = instruction_of(case, unit.variants[0])
    tags = {} if instruction.level == "default" else {"level": instruction.level}
    # A suite of one language names no variant after it.
    return {**tags, "language": instruction.language} if instruction.variant == instruction.language else tags
