"""A benchmark as the registry knows it: what people read about it, its options, and where its parts are."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from editscope.errors import BadInput
from editscope.judges.prompts.packs import FOLDER as PROMPTS
from editscope.outside import one_line
from editscope.plugins import TEXT, Wanted, instance_of, wrong_attribute
from editscope.scoring.rubrics.accounting import Release

OptionType: TypeAlias = Literal["text", "names", "number", "size", "flag"]
PartName: TypeAlias = Literal[
    "load", "write_set", "write_judged", "stream", "rubric", "tables", "studies", "annotation", "questions"
]

MOST_DIGITS = 18


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a benchmark, which you write into its spec: ``picabench?region=whole``.

    ``values`` are those it takes; empty where it takes any. ``default`` is what lists show as its default; without it
    they show the first value. An option of ``cases`` decides which cases there are; an option of the ``protocol``
    decides how they are judged.
    """

    name: str
    help: str
    type: OptionType = "text"
    values: tuple[str, ...] = ()
    of: Literal["cases", "protocol"] = "cases"
    default: str = ""
    limits: tuple[int, int] | None = None
    """The least and the largest number; 0 and none where nothing is said. Whoever makes the cases checks them."""

    @property
    def shown_default(self) -> str:
        """What holds where the option is not given, for people; "" where nobody says.

        >>> Option("mode", "How.", values=("fast", "exact")).shown_default
        'fast'
        >>> Option("languages", "Which.", "names", ("en", "cn"), default="en,cn").shown_default
        'en,cn'
        """
        return self.default or (self.values[0] if self.values else "")

    def read(self, text: str) -> Any:
        """The value of the option as its benchmark wants it; BadInput for one that it does not take.

        >>> Option("tasks", "Only these tasks.", "names").read("border,removal")
        ('border', 'removal')
        >>> Option("canvas", "Size of the canvas.", "size").read("1024x576")
        (1024, 576)
        >>> Option("per_task", "Problems per task.", "number", limits=(1, 10_000)).read("-3")
        Traceback (most recent call last):
        editscope.errors.BadInput: per_task='-3' is not a whole number from 1 to 10,000
        """
        if self.type == "names":
            return tuple(self.known(name.strip()) for name in text.split(",") if name.strip())
        if self.type == "number":
            if not text.strip().isdecimal() or len(text) > MOST_DIGITS:
                within = f"from {self.limits[0]:,} to {self.limits[1]:,}" if self.limits else "of 0 or more"
                raise BadInput(f"{self.name}={text[:40]!r} is not a whole number {within}")
            return int(text)
        if self.type == "size":
            width, _, height = text.lower().replace("×", "x").partition("x")
            if not (width.isdecimal() and height.isdecimal() and int(width) and int(height)):
                raise BadInput(f"{self.name}={text!r} is not of the form WxH, such as 1024x576")
            return int(width), int(height)
        if self.type == "flag":
            if text.strip().lower() not in FLAGS:
                raise BadInput(f"{self.name}={text!r} is neither on nor off; give 1 or 0")
            return FLAGS[text.strip().lower()]
        return self.known(text)

    def check(self, value: Any) -> Any:
        """A value from Python as its benchmark wants it; BadInput where ``values`` does not have it.

        >>> Option("kinds", "Which signs.", "names", ("neon", "wood")).check(["neon", "stone"])
        Traceback (most recent call last):
        editscope.errors.BadInput: option kinds is 'stone'; choose from neon, wood
        """
        if not self.values or value is None:
            return value
        if isinstance(value, str):
            return self.read(value)
        if self.type == "names" and isinstance(value, list | tuple):
            return tuple(self.known(str(name)) for name in value)
        return self.known(str(value)) if self.type == "text" else value

    def known(self, value: str, of: str = "") -> str:
        """The value as ``values`` has it, in capitals or not; BadInput where it is none of them.

        >>> Option("kinds", "Which signs.", "names", ("neon", "wood")).known("stone")
        Traceback (most recent call last):
        editscope.errors.BadInput: option kinds is 'stone'; choose from neon, wood
        """
        if not self.values:
            return value
        spelled = {known.lower(): known for known in self.values}
        if value.strip().lower() not in spelled:
            near = difflib.get_close_matches(value.strip().lower(), spelled, n=1)
            hint = f"did you mean {spelled[near[0]]!r}? Choose" if near else "choose"
            raise BadInput(f"option {self.name}{of} is {value!r}; {hint} from {', '.join(self.values)}")
        return spelled[value.strip().lower()]

    def wrong_field(self) -> str:
        """What is wrong with the first field that a benchmark cannot have; "" where nothing is.

        >>> Option("mode", "How.", values="fast").wrong_field()
        "values is 'fast', not a tuple of texts"
        """
        if wrong := wrong_attribute(self, dict.fromkeys(("name", "help", "default"), TEXT)):
            return wrong
        if self.type not in get_args(OptionType):
            return f"type is {self.type!r}, which is none of {', '.join(get_args(OptionType))}"
        if self.of not in ("cases", "protocol"):
            return f"of is {self.of!r}, which is neither cases nor protocol"
        if self.name in SHARED:
            return f"the name is taken by the flag --{self.name.replace('_', '-')}; choose another"
        if self.limits is not None and not _range(self.limits):
            return f"limits is {self.limits!r}, not the least and the largest of its whole numbers"
        return "" if _texts(self.values) else f"values is {self.values!r}, not a tuple of texts"


SHARED = (
    *("data", "root", "help", "config", "dry_run", "editor", "engine", "jobs", "limit", "out", "quiet", "ray_address"),
    *("repeats", "seed", "timeout", "where", "edit_concurrency", "edit_retries", "edit_rpm", "max_edit_cost"),
    *("max_edits", "judge", "protocol", "prompts", "accounting", "missing", "samples", "cache", "concurrency", "rpm"),
    *("tpm", "judge_timeout", "retries", "max_calls", "max_cost", "prices", "outputs", "suite"),
    *("html", "format", "yes", "budget", "keep_going", "batch", "log"),
)
"""Names that no option of a benchmark may have: flags that commands share, and ``root``, which is ``--data``."""

FLAGS = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper whose tables lie in the folder ``published/`` of its benchmark; ``source`` names that benchmark."""

    source: str
    name: str
    title: str


@dataclass(frozen=True, slots=True)
class Headline:
    """Where the results of a suite are printed, and which of them its models are ranked by.

    ``cases`` is how many cases the printed averages are over; 0 where a run of ours cannot be held against it yet.
    ``secondhand`` marks results that the authors of another benchmark report.
    """

    source: str
    metric: str
    cases: int = 0
    judge: str = ""
    level: str = ""
    language: str = ""
    secondhand: bool = False


@dataclass(frozen=True, slots=True)
class JudgeWork:
    """What a full run with the usual options asks one judge: calls, and the pictures in all of them.

    ``side`` is that of a usual picture, in pixels. The figures are for an estimate; a run counts its own.
    """

    calls: int
    images: int
    side: int = 1024


@dataclass(frozen=True, slots=True)
class PaperFigures:
    """What the figures of a benchmark's paper show beyond the rows of its main table.

    ``spokes`` are groups whose rows stand beside the metrics in the metric radar, such as kinds of knowledge. ``split``
    is the group that divides each row of the main table into bars side by side, such as single and multi-image inputs.
    ``changes`` are the metrics that a before/after figure has a panel for; without any it is the headline.
    """

    spokes: tuple[str, ...] = ()
    split: str = ""
    changes: tuple[str, ...] = ()

    def wrong_field(self) -> str:
        """What is wrong with the first field that Editscope cannot use; "" where nothing is.

        >>> PaperFigures(spokes="knowledge").wrong_field()
        "spokes is 'knowledge', not a tuple of texts"
        """
        if wrong := wrong_attribute(self, {"split": TEXT}):
            return wrong
        for field in ("spokes", "changes"):
            if not _texts(getattr(self, field)):
                return f"{field} is {getattr(self, field)!r}, not a tuple of texts"
        return ""


@dataclass(frozen=True, kw_only=True)
class Benchmark:
    """All that Editscope knows about a benchmark. Its entry point, or ``python:module:NAME``, leads here.

    ``load``, ``write_set``, ``stream``, ``rubric``, ``tables``, ``studies``, ``annotation``, ``questions`` and
    ``write_judged`` are "module:name" and imported when they are needed. Prompts lie in the folder ``prompts/`` beside
    the rubric, published results in ``published/`` beside ``load``.
    """

    name: str
    title: str
    """The name as its authors write it."""
    about: str
    """What it tests, in one sentence."""
    load: str
    """The function that makes or reads its suite: ``load(root=None, **options)``."""
    scoring: Literal["pixels", "judged"] = "judged"
    cases: int | None = None
    """The number of cases of the published set."""
    data: str = ""
    """Where you download its data, as an address; "" where the cases are made here."""
    judging: JudgeWork | None = None
    """What a full run asks a judge; None where pixels are compared."""
    options: tuple[Option, ...] = ()
    write_set: str = ""
    """The function that writes a set to disk, where cases are made from seeds."""
    stream: str = ""
    """The class of its problems without end, for training: a ``ProblemStream``; "" where cases are not made."""
    rubric: str = ""
    """The class of its rubric; "" where pixels are compared, or where the rubric of another benchmark is used."""
    protocol: str = ""
    """The name of the protocol it is judged by; its own where it has a rubric."""
    tables: str = ""
    """The function that lays out its tables as its paper does; general tables where there is none."""
    studies: str = ""
    """Its paper's studies with people: a tuple of ``StudyPreset``; "" where there is none."""
    annotation: str = ""
    """The layout by which people annotate its cases in the studio; "" where they cannot."""
    questions: str = ""
    """The function that asks about the effects of a case, ``questions(case)``; "" where cases have no effects."""
    write_judged: str = ""
    """The function that writes cases of another suite, with their questions, in the layout of this one."""
    main_groups: tuple[str, str] | None = None
    """The coarser and the finer group of its main table; "" for one that it does not have."""
    figures: PaperFigures = PaperFigures()
    """What the figures of its paper show beyond its main table."""
    paper: Paper | None = None
    headline: Headline | None = None
    remark: str = ""
    """What a reader must know to set published numbers beside others."""
    release: Release | None = None
    """How the authors' released tool counts failed calls and missing edits."""
    beside: str = ""
    """Another benchmark whose scores are shown against these."""
    citation: str = ""
    listed: bool = True
    place: int = 100
    """Where it stands in lists: lower numbers first, then by name."""

    @property
    def judged_by(self) -> str:
        """The protocol of its cases where no other is asked for; "" where pixels are compared."""
        return self.protocol or (self.name if self.rubric else "")

    @property
    def folder(self) -> Path:
        """The folder of its code and data."""
        return self._folder_of(self.load)

    @property
    def prompts(self) -> Path | None:
        """The folder of its prompts, beside its rubric; None where it has no rubric of its own."""
        return self._folder_of(self.rubric) / PROMPTS if self.rubric else None

    def _folder_of(self, place: str) -> Path:
        """The folder of the module of a part, which is not imported."""
        try:
            spec = find_spec(place.partition(":")[0])
        except (Exception, SystemExit):  # the package around it is not there, or cannot be imported
            spec = None
        if spec is None or spec.origin is None:
            raise BadInput(f"the module of {self.name} ({place}) cannot be found; install its package again")
        return Path(spec.origin).parent

    def part(self, name: PartName) -> Any:
        """One of its parts, imported now."""
        where = str(getattr(self, name))
        module, _, attribute = where.partition(":")
        try:
            return getattr(import_module(module), attribute)
        except (Exception, SystemExit) as error:  # a module may do anything at import
            raise BadInput(f"{name} of {self.name} is {where}, which cannot be imported ({one_line(error)})") from error

    def wrong_field(self) -> str:
        """What is wrong with the first field that Editscope cannot use; "" where nothing is."""
        if wrong := wrong_attribute(self, FIELDS):
            return wrong
        for field in get_args(PartName):
            place = getattr(self, field)
            if (place or field == "load") and not all(place.partition(":")):
                return f'{field} is {place!r}, not of the form "module:name"'
        if self.scoring not in ("pixels", "judged"):
            return f"scoring is {self.scoring!r}, which is neither pixels nor judged"
        if self.main_groups is not None and not (_texts(self.main_groups) and len(self.main_groups) == 2):
            return f"main_groups is {self.main_groups!r}, not a tuple of two texts"
        if wrong := self.figures.wrong_field():
            return f"in figures, {wrong}"
        for option in self.options:
            if not isinstance(option, Option):
                return f"options has {option!r}, not an editscope.Option"
            if wrong := option.wrong_field():
                return f"in option {option.name!r}, {wrong}"
        names = [option.name for option in self.options]
        twice = [name for name in names if names.count(name) > 1]
        return f"options has {twice[0]!r} twice" if twice else ""

    def read_options(self, texts: Mapping[str, str]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Options of its cases and of its protocol, from texts that a person wrote."""
        known = {option.name: option for option in self.options}
        cases: dict[str, Any] = {}
        protocol: dict[str, Any] = {}
        for name, text in texts.items():
            if name not in known:
                raise self.unknown_option(name)
            option = known[name]
            try:
                (cases if option.of == "cases" else protocol)[name] = option.read(text)
            except BadInput as error:
                raise BadInput(f"{self.name}: {error}") from error
        return cases, protocol

    def checked(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Options from Python, with values that its declared options take."""
        known = {option.name: option for option in self.options}
        try:
            return {name: known[name].check(value) if name in known else value for name, value in options.items()}
        except BadInput as error:
            raise BadInput(f"{self.name}: {error}") from error

    def unknown_option(self, name: str) -> BadInput:
        """The error for an option that it does not have."""
        flag = name.replace("_", "-")
        if name in SHARED:
            return BadInput(f"{name} is not an option of suite {self.name!r}; give it as a flag, --{flag} …")
        names = [option.name for option in self.options]
        near = get_close_matches(name, names, n=1, cutoff=0.6)
        return BadInput(
            f"suite {self.name!r} has no option {name!r}"
            + (f"; did you mean {near[0]!r}?" if near else f"; it has {', '.join(names)}" if names else "")
            + f" (`editscope suites {self.name}` explains them)"
        )


FIELDS: Mapping[str, Wanted] = {
    **dict.fromkeys(("title", "about", "load", "write_set", "rubric", "protocol", "tables", "studies"), TEXT),
    **dict.fromkeys(("remark", "beside", "citation", "data", "annotation", "stream"), TEXT),
    **dict.fromkeys(("questions", "write_judged"), TEXT),
    "cases": instance_of(int | None, "a whole number"),
    "judging": instance_of(JudgeWork | None, "a JudgeWork"),
    "options": instance_of(tuple, "a tuple of editscope.Option"),
    "paper": instance_of(Paper | None, "an editscope.Paper"),
    "headline": instance_of(Headline | None, "an editscope.Headline"),
    "figures": instance_of(PaperFigures, "an editscope.PaperFigures"),
    "release": instance_of(Release | None, "a Release"),
    "place": instance_of(int, "a whole number"),
}
"""What the fields of a benchmark must be."""


def _range(limits: Any) -> bool:
    whole = isinstance(limits, tuple) and len(limits) == 2 and all(type(one) is int for one in limits)
    return whole and limits[0] <= limits[1]


def _texts(value: Any) -> bool:
    return isinstance(value, tuple) and all(isinstance(one, str) for one in value)
