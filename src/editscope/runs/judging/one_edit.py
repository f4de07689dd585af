"""One edit, judged by any rubric without a run folder: what is asked, what comes back, and what it cost."""

from __future__ import annotations

import select
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from editscope.cases import NOTHING, Case, Instruction, Question, Status
from editscope.errors import BadInput, unknown
from editscope.images import ImageLike, load
from editscope.judges import Call, Judge, Verdict
from editscope.judges.prompts.packs import examine, load_pack, pack_names
from editscope.plugins import one_sentence
from editscope.runs.judging.judge_queue import JudgeQueue, QueuedCall
from editscope.runs.judging.settings import Judges, Limits, load_judges
from editscope.runs.judging.unit_verdicts import gravest, spent_on
from editscope.scoring.rubrics import Measure, Prompts, Rubric, ScoreRow, Unit
from editscope.suites import load_suite
from editscope.suites.own.manifest import FILE, read_manifest
from editscope.suites.registry import OWN
from editscope.suites.rubrics import load_rubric, rubric_names
from editscope.transport.forecast import Forecast

BASIC = "basic"
"""The rubric that is used unless another is named: the two questions that `editscope suite new` writes."""
CASE = "edit"
OPTIONS = "--answer, --reference, --hint, --checklist, --question or --field NAME=TEXT"


@dataclass(frozen=True, eq=False)
class OneEditPlan:
    """What judges would be asked about one edit. Nothing has been asked yet."""

    rubric_name: str
    rubric: Rubric
    case: Case
    unit: Unit
    calls: tuple[Call, ...]
    pixels: Mapping[str, float | None]
    judges: tuple[Judge, ...]
    samples: int = 1

    def forecast(self) -> Forecast:
        """What the calls will cost; what the cache has costs nothing."""
        estimates = [(judge, judge.estimate(self.calls, self.samples)) for judge in self.judges]
        cached = sum(len(self.calls) * self.samples - estimate.calls for _, estimate in estimates)
        return Forecast(tuple(judge.paid_calls(estimate) for judge, estimate in estimates), cached)


@dataclass(frozen=True, eq=False)
class JudgedEdit:
    """The verdicts on one edit, and the scores that follow from them.

    ``scores`` holds every measure that applies, as tables show it; None where a verdict is missing. ``rows`` are the
    scores on their natural scale, ``verdicts`` what each judge said to each call, by the call's key.
    """

    rubric: str
    judges: tuple[str, ...]
    headline: str
    measures: tuple[Measure, ...]
    rows: tuple[ScoreRow, ...]
    verdicts: Mapping[str, tuple[Verdict, ...]]
    calls: tuple[Call, ...] = ()

    @property
    def scores(self) -> dict[str, float | None]:
        """Every measure that applies, the headline first."""
        ordered = sorted(self.measures, key=lambda measure: measure.name != self.headline)
        scores: dict[str, float | None] = {}
        for measure in ordered:
            rows = [row.value for row in self.rows if row.metric in measure.metrics]
            values = [value for value in rows if value is not None]
            if rows:
                complete = len(values) == len(rows)
                scores[measure.name] = measure.shown(sum(values) / len(values)) if complete else None
        return scores

    @property
    def score(self) -> float | None:
        """The headline."""
        return self.scores.get(self.headline)

    @property
    def status(self) -> Status:
        """``ok`` where every score has its verdict, else the gravest reason why one has not."""
        return gravest(self.rows)

    @property
    def spent(self) -> dict[str, Any]:
        """Calls, tokens and dollars; verdicts from the cache took nothing."""
        return spent_on([verdict for verdicts in self.verdicts.values() for verdict in verdicts])

    def to_json(self) -> dict[str, Any]:
        """All of it as JSON has it."""
        prompts = {call.key: {"prompt": call.prompt, "prompt_hash": call.prompt_hash} for call in self.calls}
        return {
            "rubric": self.rubric,
            "judges": list(self.judges),
            "status": self.status,
            "headline": self.headline,
            "scores": self.scores,
            "rows": [{"metric": row.metric, "value": row.value, "status": row.status} for row in self.rows],
            "verdicts": [
                {"key": key, **prompts.get(key, {}), **verdict.to_json()}
                for key, verdicts in self.verdicts.items()
                for verdict in verdicts
            ],
            "spent": self.spent,
        }


def judge_one(
    source: ImageLike | Sequence[ImageLike],
    edit: ImageLike,
    instruction: str,
    *,
    judge: Judges,
    rubric: str = "",
    answer: ImageLike | None = None,
    references: Sequence[ImageLike] = (),
    hint: str = "",
    checklist: str = "",
    questions: Sequence[str] = (),
    fields: Mapping[str, str] = NOTHING,
    prompts: str | Path | None = None,
    samples: int = 1,
    cache: str | Path | None = None,
    budget: float | None = None,
) -> JudgedEdit:
    """Have one edit judged, without a run.

    ``rubric`` is the name of a judged benchmark (with options, ``"kris?side=512"``), the folder of your own
    benchmark, a folder of prompts, one prompt file, or a prompt that ships (``"audit/fidelity"``); without one, a
    judge says how well the instruction was followed and whether the rest stayed as it was. ``source`` is one picture
    or several. ``answer``, ``references``, ``hint``, ``checklist`` and ``questions`` are for rubrics that use them;
    ``fields`` are tags and other fields of the case. ``judge`` is a spec, a judge, or several of them. ``cache`` is a
    folder, or "off"; without it verdicts come from the cache that runs share. ``budget`` is in dollars.
    """
    limits = Limits(max_cost=budget, cache="" if cache is None else str(cache))
    return ask_one(
        plan_one(
            source,
            edit,
            instruction,
            judge=judge,
            rubric=rubric,
            answer=answer,
            references=references,
            hint=hint,
            checklist=checklist,
            questions=questions,
            fields=fields,
            prompts=prompts,
            samples=samples,
            limits=limits,
        )
    )


def plan_one(
    source: ImageLike | Sequence[ImageLike],
    edit: ImageLike,
    instruction: str,
    *,
    judge: Judges,
    rubric: str = "",
    answer: ImageLike | None = None,
    references: Sequence[ImageLike] = (),
    hint: str = "",
    checklist: str = "",
    questions: Sequence[str] = (),
    fields: Mapping[str, str] = NOTHING,
    prompts: str | Path | None = None,
    samples: int = 1,
    limits: Limits | None = None,
) -> OneEditPlan:
    """Check everything and make the calls; BadInput for what is wrong. Asks nobody."""
    if samples < 1:
        raise BadInput(f"--samples must be at least 1, not {samples}")
    if not instruction.strip():
        raise BadInput("the instruction is empty; say what the editor was asked to do")
    chosen, pack = rubric_for(rubric, prompts)
    images = tuple(source) if isinstance(source, list | tuple) else (source,)
    if not images:
        raise BadInput("there is no source; give the picture that was edited")
    case = Case(
        CASE,
        chosen.name,
        images,
        (Instruction(instruction),),
        dict(fields),
        answer=answer,
        questions=tuple(map(_question, questions)),
        hint=hint or None,
        references=tuple(references),
        checklist=checklist or None,
        details=dict(fields),
    )
    for picture in (*images, *references, *(() if answer is None else (answer,))):
        load(picture)  # a picture that cannot be read fails now, by its name
    edits = {"": load(edit)}
    try:
        if Path(rubric, FILE).is_file():
            chosen.check_prompts(_known_cases(case, rubric))
        (unit,) = chosen.units(case)
        calls = chosen.calls(case, unit, edits, pack)
    except BadInput as error:
        raise BadInput(f"{error} (give it with {OPTIONS})") from error
    if not calls:
        raise BadInput(
            f"the rubric {rubric or BASIC} asks nothing about this edit; its metrics are for cases with certain tags: "
            "give them with --field NAME=TEXT"
        )
    listed = [judge] if isinstance(judge, str | Judge) else list(judge)
    if not listed:
        raise BadInput("nobody is asked; choose a judge with --judge, such as openai:gpt-4o")
    judges = load_judges(listed, limits or Limits())
    pixels = chosen.from_pixels(case, unit, edits)
    return OneEditPlan(rubric or BASIC, chosen, case, unit, calls, pixels, judges, samples)


def ask_one(plan: OneEditPlan) -> JudgedEdit:
    """Ask what the cache does not know, all at once. A judge that cannot go on raises; what was answered is cached."""
    answers: dict[tuple[str, int, int], Verdict] = {}
    with JudgeQueue(plan.judges) as queue:
        waiting = []
        for call in plan.calls:
            for place, judge in enumerate(plan.judges):
                for sample in range(plan.samples):
                    known = judge.known(call, sample)
                    if known is None:
                        waiting.append(QueuedCall((plan.case.id, ""), call, place, sample))
                    else:
                        answers[call.key, place, sample] = known
        if waiting:
            queue.check()
            queue.put(waiting)
        while queue.open:
            select.select([queue.fd], [], [])
            for result in queue.take():
                if result.error is not None:
                    raise result.error
                assert result.verdict is not None
                answers[result.queued.call.key, result.queued.judge, result.queued.sample] = result.verdict
    verdicts = {call.key: tuple(answers[key] for key in sorted(answers) if key[0] == call.key) for call in plan.calls}
    with one_sentence(f"protocol {plan.rubric_name}: rows failed"):
        rows = plan.rubric.rows(plan.case, plan.unit, verdicts, plan.pixels)
    return JudgedEdit(
        rubric=plan.rubric_name,
        judges=tuple(judge.spec for judge in plan.judges),
        headline=plan.rubric.headline,
        measures=plan.rubric.measures,
        rows=rows,
        verdicts=verdicts,
        calls=plan.calls,
    )


def rubric_for(name: str, prompts: str | Path | None = None) -> tuple[Rubric, Prompts]:
    """The rubric that a name, a folder or a file stands for, and the prompts that it asks with."""
    path = Path(name)
    if not name or name == BASIC:
        rubric = _basic()
    elif (path / FILE).is_file():
        rubric = _own_folder(path)
    elif name.endswith(".txt"):
        rubric = _one_prompt(path.stem, str(path.resolve()))
    elif path.is_dir():
        if prompts is not None:
            raise BadInput(f"{name} is a folder of prompts already; leave --prompts out")
        rubric, prompts = load_rubric(_pack_of(path)), path
    elif name.partition("/")[0] in pack_names() and "/" in name:
        pack, _, inner = name.partition("/")
        rubric = _one_prompt(inner, f"{pack}/{load_pack(pack)[inner].name}")
    elif name.partition("?")[0] in rubric_names():
        rubric = load_rubric(name)
    else:
        raise unknown("rubric", name.partition("?")[0], {BASIC, *rubric_names()} - {OWN})
    with one_sentence(f"protocol {rubric.name}: prompts failed"):
        return rubric, rubric.prompts(prompts)


def _pack_of(folder: Path) -> str:
    """The protocol whose prompts a folder replaces."""
    try:
        return examine(folder).ours.name
    except BadInput as error:
        fix = f"write --rubric NAME --prompts {folder}, or name a folder with a {FILE}"
        raise BadInput(f"{folder} does not show whose prompts it holds; {fix}") from error


def _known_cases(case: Case, rubric: str) -> Iterator[Case]:
    """The case, then those of the benchmark whose rubric it is: a prompt may name a field that only some have."""
    yield case
    yield from load_suite(rubric, skip_bad=True)


def _basic() -> Rubric:
    folder = files("editscope.suites.own").joinpath("template", "prompts")
    metrics = [
        {"name": name, "label": label, "prompt": str(folder.joinpath(f"{name}.txt"))}
        for name, label in (("following", "Instruction followed"), ("untouched", "Rest untouched"))
    ]
    averages = [{"name": "average", "metrics": [metric["name"] for metric in metrics]}]
    return load_rubric(OWN, metrics=metrics, averages=averages)


def _own_folder(folder: Path) -> Rubric:
    manifest = read_manifest(folder)
    if manifest.scoring == "pixels":
        raise BadInput(f"{folder / FILE} is scored by pixels, so no judge is asked; use `editscope score {folder}`")
    return load_rubric(manifest.protocol) if manifest.protocol else load_rubric(OWN, **manifest.rubric(folder))


def _one_prompt(name: str, origin: str) -> Rubric:
    return load_rubric(OWN, metrics=[{"name": name, "prompt": origin}])


def _question(text: str) -> Question:
    """A question whose right answer is Yes, unless it ends with ``=No``."""
    asked, equals, answer = text.rpartition("=")
    if equals and answer.strip().lower() in ("yes", "no"):
        return Question(asked.strip(), answer.strip().capitalize())
    return Question(text.strip(), "Yes")
