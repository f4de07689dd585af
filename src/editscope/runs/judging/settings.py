"""Settings of judging: judges, protocol, samples and limits, checked before anything is spent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, TypeAlias, cast, get_args

from editscope.cases import NOTHING, Aggregation
from editscope.errors import BadInput, unknown
from editscope.judges import Call, Judge, Verdict
from editscope.judges.records import check_attributes
from editscope.outside import kind_of
from editscope.plugins import one_sentence
from editscope.runs.judging.loop import Missing
from editscope.scoring.rubrics import Rubric
from editscope.scoring.rubrics.accounting import ACCOUNTINGS, Accounting
from editscope.suites import Suite
from editscope.suites.protocol import Protocol, described, protocol_for, protocol_from
from editscope.suites.rubrics import released_tool

Judges: TypeAlias = "str | Judge | Sequence[str | Judge]"
OFF = "off"


@dataclass(frozen=True)
class Limits:
    """How much may be asked and spent, and how fast. They decide no verdict, and may differ when a run is resumed.

    ``cache`` is a folder, "off", or "" for the shared cache of the user; ``max_cost`` and ``max_calls`` are for one
    call of ``run`` or ``resume``, all judges together.
    """

    concurrency: int | None = None
    rpm: float | None = None
    tpm: float | None = None
    judge_timeout: float | None = None
    retries: int | None = None
    max_cost: float | None = None
    max_calls: int | None = None
    prices: str | None = None
    cache: str = ""
    batch: bool | None = None
    """Whether calls go through the vendors' batch APIs."""

    def folder(self) -> Path | None:
        """The folder of the cache; None where none is kept."""
        from editscope.cachefolder import cache_folder

        if self.cache == OFF:
            return None
        return Path(self.cache) if self.cache else cache_folder()

    def over(self, other: Limits) -> Limits:
        """These limits, and the other's where none is given."""
        return replace(other, **{name: value for name, value in asdict(self).items() if value not in (None, "")})


def read_limits(given: Mapping[str, Any]) -> Limits:
    """The limits that a caller in Python has given by name; BadInput for a name that is none of them.

    >>> read_limits({"cache": None, "max_calls": 3}) == Limits(max_calls=3)
    True
    """
    known = [field.name for field in fields(Limits)]
    for name in given:
        if name not in known:
            raise unknown("argument of run", name, known)
    texts = ("cache", "prices")
    limits: dict[str, Any] = {n: str(value) if n in texts else value for n, value in given.items() if value is not None}
    return Limits(**limits)


@dataclass(frozen=True, eq=False)
class Judging:
    """The judging of one run; ``rubric`` and ``judges`` are loaded, and nothing has been asked yet."""

    judges: tuple[Judge, ...]
    protocol: Protocol
    rubric: Rubric
    samples: int = 1
    missing: Missing = "worst"
    accounting: Accounting = "ours"
    limits: Limits = field(default_factory=Limits)
    again: bool = False
    """Whether calls that ended without a verdict are asked once more."""
    named: bool = False
    """Whether every judge was named by a spec, so that another process can make the same."""

    @property
    def label(self) -> str:
        """The judges in a word or two."""
        return " + ".join(judge.spec for judge in self.judges)

    def described(self) -> dict[str, Any]:
        """What run.json says of it. No key is in a spec, and none is written here."""
        limits = asdict(self.limits)
        for name in ("prices", "cache"):  # so that the run can be resumed from anywhere
            limits[name] = limits[name] if limits[name] in (None, "", OFF) else str(Path(limits[name]).resolve())
        return {
            "judges": [judge.spec for judge in self.judges],
            **described(self.protocol, self.rubric),
            "samples": self.samples,
            "missing": self.missing,
            "accounting": self.accounting,
            "limits": {name: value for name, value in limits.items() if value not in (None, "")},
        }

    @property
    def prepared_folder(self) -> Path | None:
        """The folder of ``PreparedCache``; None where a judge has no cache to look verdicts up in."""
        return self.limits.folder() if all(judge.has_cache for judge in self.judges) else None

    def aggregation(self, suite: Suite) -> Aggregation:
        """How its tables average."""
        with one_sentence(f"protocol {self.rubric.name}: aggregation failed"):
            aggregation = self.rubric.aggregation(suite.aggregation)
        if not isinstance(aggregation, Aggregation):
            raise BadInput(
                f"protocol {self.rubric.name}: aggregation returned {kind_of(aggregation)}, not an Aggregation"
            )
        return aggregation


def make_judging(
    suite: Suite,
    judge: Judges,
    *,
    protocol: str | None = None,
    options: Mapping[str, Any] = NOTHING,
    prompts: str | Path | None = None,
    samples: int = 1,
    missing: str | None = None,
    accounting: str = "ours",
    limits: Limits | None = None,
    again: bool = False,
) -> Judging:
    """Load and check all that judging needs; BadInput for what is wrong with it. Asks nobody."""
    if samples < 1:
        raise BadInput(f"--samples must be at least 1, not {samples}")
    counts = check_accounting(accounting, missing)
    limits = limits or Limits()
    chosen = protocol_for(suite, protocol, options, prompts)
    chosen = replace(chosen, white=judges_white(chosen.name, counts))
    rubric = chosen.rubric()
    chosen.pack(rubric)
    listed = [judge] if isinstance(judge, str | Judge) else list(judge)
    if not listed:
        raise BadInput(f"suite {suite.name} is scored by a judge; choose one with --judge, such as openai:gpt-4o")
    judges = load_judges(listed, limits)
    named = all(isinstance(one, str) for one in listed)
    return Judging(judges, chosen, rubric, samples, cast("Missing", missing or "worst"), counts, limits, again, named)


class RecordedJudge(Judge):
    """A judge whose verdicts are all there: it has a name, and nobody can ask it."""

    def __init__(self, spec: str) -> None:
        self.spec = spec

    async def ask(self, call: Call, sample: int = 0) -> Verdict:
        """Raises: this judge is only a name."""
        raise BadInput(f"{self.spec} is not available, and a verdict is missing; judge again with --judge {self.spec}")


def recorded_judging(suite: Suite, info: Mapping[str, Any], limits: Limits | None = None) -> Judging:
    """The judging of a finished run for who asks nothing more: no key, weights or server are needed."""
    judging = judging_again(suite, info, limits, judges=[RecordedJudge(spec) for spec in info["judging"]["judges"]])
    return replace(judging, limits=replace(judging.limits, batch=None))


def check_accounting(accounting: str, missing: str | None) -> Accounting:
    """An accounting that there is, and that goes with what was said of missing edits; BadInput otherwise."""
    if missing is not None and missing not in get_args(Missing):
        raise unknown("way with missing edits for --missing", missing, get_args(Missing))
    if accounting not in ACCOUNTINGS:
        raise unknown("way to count for --accounting", accounting, ACCOUNTINGS)
    if accounting == "released" and missing is not None:
        raise BadInput(
            f"--accounting released counts missing edits as the authors' tool does, and --missing {missing} says "
            "otherwise; give one of the two"
        )
    return accounting


def judges_white(protocol: str, accounting: Accounting) -> bool:
    """Whether a white picture is judged where an edit is missing."""
    tool = released_tool(protocol)
    return accounting == "released" and tool is not None and tool.missing == "white"


def judging_again(
    suite: Suite,
    info: Mapping[str, Any],
    limits: Limits | None = None,
    missing: str | None = None,
    again: bool = False,
    judges: Judges | None = None,
) -> Judging:
    """The judging of a run that was started before, from its run.json; ``limits`` over those it had, and ``judges``
    in place of those that it names."""
    settings = info["judging"]
    protocol = protocol_from(settings)
    accounting = settings.get("accounting", "ours")
    try:
        before = Limits(**settings["limits"])
    except TypeError as error:
        raise BadInput(f"run.json has a limit that this version does not know ({error})") from error
    judging = make_judging(
        suite,
        settings["judges"] if judges is None else judges,
        protocol=protocol.name,
        options=protocol.options,
        prompts=protocol.prompts or None,
        samples=settings["samples"],
        missing=missing or (settings["missing"] if accounting == "ours" else None),
        accounting=accounting,
        limits=limits.over(before) if limits else before,
        again=again,
    )
    now = described(judging.protocol, judging.rubric)
    if now["prompts"]["hash"] != settings["prompts"]["hash"]:
        raise BadInput(
            f"the prompts of {protocol.name} are not those that the run was started with (hash "
            f"{now['prompts']['hash']}, was {settings['prompts']['hash']}); start a new run, or give the old ones back"
        )
    return judging


def load_judges(judges: Sequence[str | Judge], limits: Limits) -> tuple[Judge, ...]:
    """The judges in the order in which they were named; those with a spec share one budget."""
    from editscope.judges.panel import load_panel

    values = asdict(limits)
    given = {name: values[name] for name in values if name != "cache" and values[name] is not None}
    if "judge_timeout" in given:
        given["timeout"] = given.pop("judge_timeout")
    specs = [judge for judge in judges if isinstance(judge, str)]
    named = iter(load_panel(specs, cache=limits.folder(), **given) if specs else ())
    loaded = tuple(judge if isinstance(judge, Judge) else next(named) for judge in judges)
    for judge in loaded:
        judge.spec = judge.spec or f"object {type(judge).__name__}"
        check_attributes(judge, f"the judge {judge.spec}")
    if len({judge.spec for judge in loaded}) < len(loaded):
        raise BadInput("two judges have the same name; give each object a spec of its own")
    return loaded
