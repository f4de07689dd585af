"""What a suite is: an ordered, lazy collection of cases with tags, and how its tables average."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from editscope.cases import NOTHING, Aggregation, Case
from editscope.errors import BadInput, unknown
from editscope.images import ImageLike

if TYPE_CHECKING:
    from editscope.scoring.offsets import AskedChange

Where: TypeAlias = "Mapping[str, tuple[str, ...]]"
"""A filter: for each tag, the values that pass."""


class Suite(ABC):
    """An ordered, lazy collection of cases.

    Ids and tags are known at once; pictures are made or read when a case is asked for.
    ``load_suite(suite.name, **suite.options)`` makes an equal suite, in another process or a year later.
    """

    name: str
    scoring: Literal["pixels", "judged"] = "pixels"
    aggregation: Aggregation
    options: Mapping[str, Any]
    default_protocol: str = ""
    """The rubric of a judged suite, where no other is asked for."""
    rubric_options: Mapping[str, Any] = NOTHING
    """What that rubric has to know about the suite; empty for the published ones."""
    compiled_in: tuple[str, ...] = ()
    """Modules with compiled functions that making a case needs; they are compiled before the first case is made."""
    protocol_options: Mapping[str, Any] = NOTHING
    """Options of that rubric that were given with the suite, as in ``picabench?region=whole``."""

    @property
    @abstractmethod
    def ids(self) -> tuple[str, ...]:
        """The ids of all cases, in order."""

    @abstractmethod
    def tags(self, case_id: str) -> Mapping[str, str]:
        """The tags of one case, without making its pictures."""

    @abstractmethod
    def case(self, case_id: str) -> Case:
        """Make or read one case that is known to exist."""

    @property
    def fingerprint(self) -> str:
        """A short hash of everything that decides what the cases are.

        Here it is made of all cases with their pictures. Override it where that takes long and less says the same.
        """
        return short_hash(self.name, *(case.fingerprint for case in self))

    def variants(self, case_id: str) -> tuple[str, ...]:
        """The names of the edits that a case asks for, without reading its pictures; "" where it asks for one."""
        return ("",)

    def inputs(self, case: Case) -> tuple[ImageLike, ...]:
        """What the editor sees of a case: its images, scaled down where the benchmark says so."""
        return case.images

    def output_names(self, case_id: str, variant: str = "") -> tuple[str, ...]:
        """Where an edit that was made elsewhere may lie in a folder of edits: paths without suffix, best first."""
        return (f"{case_id}_{variant}" if variant else case_id,)

    def change(self, case: Case) -> AskedChange | None:
        """What a case asks for, where its error can be measured in pixels, degrees, percent or color; else None."""
        return None

    def check(self) -> None:  # noqa: B027 - a made suite has nothing to check
        """Raise BadInput for files that cannot be used, before anything is spent. Made suites have none."""

    def notes(self) -> tuple[str, ...]:
        """What a user should know about these cases before a run, in sentences."""
        return ()

    def label(self) -> str:
        """Where the cases come from, in a word or two, for the first line of a run."""
        return "made in memory"

    def __getitem__(self, case_id: str) -> Case:
        if case_id not in self:
            raise unknown(f"case in {self.name}", case_id, self.ids)
        return self.case(case_id)

    def __contains__(self, case_id: object) -> bool:
        return case_id in set(self.ids)

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[Case]:
        return (self.case(case_id) for case_id in self.ids)

    def select(self, where: Where | None = None, limit: int | None = None, *, spread: bool = True) -> tuple[str, ...]:
        """Ids of the cases that pass ``where``; at most ``limit`` of them, spread over the rows of the suite's tables.

        A higher limit only adds cases. ``spread=False`` takes every so many-th case, as version 0.1 did.
        """
        ids = self.ids
        if where:
            known = self._tag_values()
            for tag, wanted in where.items():
                if tag not in known:
                    raise unknown(f"tag in {self.name}", tag, known)
                for value in wanted:
                    if value not in known[tag]:
                        raise unknown(f"{tag} in {self.name}", value, known[tag])
            ids = tuple(i for i in ids if all(self.tags(i).get(t) in wanted for t, wanted in where.items()))
            if not ids:
                raise BadInput(f"no case of {self.name} has {describe_where(where)}")
        if limit is not None and limit < len(ids):
            if limit < 1:
                raise BadInput(f"--limit must be at least 1, not {limit}")
            from editscope.suites.spread import evenly_spaced, spread_over

            ids = spread_over(ids, self.tags, self.aggregation, limit) if spread else evenly_spaced(ids, limit)
        return ids

    def _tag_values(self) -> dict[str, set[str]]:
        values: dict[str, set[str]] = {}
        for case_id in self.ids:
            for tag, value in self.tags(case_id).items():
                values.setdefault(tag, set()).add(value)
        return values


def parse_where(filters: Iterable[str]) -> Where:
    """Read ``tag=value`` filters; several values of one tag are separated by commas or given again.

    >>> parse_where(["task=border,removal", "condition=striped"])
    {'task': ('border', 'removal'), 'condition': ('striped',)}
    """
    where: dict[str, tuple[str, ...]] = {}
    for text in filters:
        tag, equals, values = text.partition("=")
        wanted = tuple(v.strip() for v in values.split(",") if v.strip())
        if not equals or not tag.strip() or not wanted:
            raise BadInput(f"--where {text!r} is not of the form tag=value, such as --where task=border")
        where[tag.strip()] = where.get(tag.strip(), ()) + wanted
    return where


def describe_where(where: Where) -> str:
    """A filter in words, for messages."""
    return " and ".join(f"{tag}={','.join(values)}" for tag, values in where.items())


def short_hash(*parts: object) -> str:
    """A stable short hash of values that have a stable ``str``."""
    return sha256("\x1f".join(str(part) for part in parts).encode()).hexdigest()[:16]
