"""Steps and sources by name: those of Editscope, those of other packages, and classes in files of yours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any, TypeVar

from editscope.errors import BadInput, unknown
from editscope.factory.sources.base import RecordSource
from editscope.factory.steps.base import KINDS, PipelineStep, RecordStep
from editscope.factory.steps.conditions import check_conditions
from editscope.plugins import load_registered, registered
from editscope.python_class import KIND, find_object, source_hash

STEPS = {
    "template": "editscope.factory.steps.texts:TemplateStep",
    "expand": "editscope.factory.steps.texts:ExpandStep",
    "where": "editscope.factory.steps.texts:WhereStep",
    "accept": "editscope.factory.steps.conditions:AcceptStep",
    "spread": "editscope.factory.steps.lists:SpreadStep",
    "gather": "editscope.factory.steps.lists:GatherStep",
    "sample": "editscope.factory.steps.sampling:SampleStep",
    "quota": "editscope.factory.steps.quotas:QuotaStep",
    "distinct": "editscope.factory.steps.sampling:DistinctStep",
    "review": "editscope.factory.steps.review:ReviewStep",
    "pair_modes": "editscope.factory.pipelines.worldedit.steps:PairModesStep",
    "process_kind": "editscope.factory.pipelines.inedit.steps:ProcessKindStep",
    "drawn_regions": "editscope.factory.pipelines.picabench.steps:DrawnRegionsStep",
    "place_regions": "editscope.factory.pipelines.picabench.steps:PlaceRegionsStep",
    "bind_questions": "editscope.factory.pipelines.picabench.steps:BindQuestionsStep",
    "join": "editscope.factory.pipelines.inedit.steps:JoinStep",
    "process_case": "editscope.factory.pipelines.inedit.steps:ProcessCaseStep",
    "read_checklist": "editscope.factory.pipelines.inedit.steps:ReadChecklistStep",
    "assign_subtask": "editscope.factory.pipelines.wiseedit.steps:AssignSubtaskStep",
    "choose_variant": "editscope.factory.pipelines.wiseedit.steps:ChooseVariantStep",
    "ordinals": "editscope.factory.pipelines.wiseedit.steps:OrdinalsStep",
    "check_tags": "editscope.factory.pipelines.wiseedit.steps:CheckTagsStep",
    "ask": "editscope.factory.steps.asking:AskStep",
    "lint": "editscope.factory.steps.linting:LintStep",
    "draw": "editscope.factory.steps.making:DrawStep",
    "animate": "editscope.factory.steps.making:AnimateStep",
    "edit": "editscope.factory.steps.editing:EditStep",
    "call": "editscope.factory.steps.functions:FunctionStep",
    "no_leak": "editscope.factory.leaks.step:NoLeakStep",
    "frames": "editscope.factory.steps.pixels.frames:FramesStep",
    "shots": "editscope.factory.steps.pixels.shots:ShotsStep",
    "pairs": "editscope.factory.steps.pixels.shots:PairsStep",
    "static_pair": "editscope.factory.steps.pixels.checks:StaticPairStep",
    "camera_motion": "editscope.factory.steps.pixels.checks:CameraMotionStep",
    "blank_frame": "editscope.factory.steps.pixels.checks:BlankFrameStep",
    "stable_outside": "editscope.factory.steps.pixels.checks:StableOutsideStep",
    "fingerprint": "editscope.factory.steps.pixels.pictures:FingerprintStep",
    "near_duplicates": "editscope.factory.steps.pixels.pictures:NearDuplicatesStep",
    "crop": "editscope.factory.steps.pixels.pictures:CropStep",
    "resolution": "editscope.factory.steps.pixels.pictures:ResolutionStep",
}
LONGEST_NAME = 100
"""Bytes of the name of a step, which is also that of a folder."""
SOURCES = {
    "list": "editscope.factory.sources.manifest:ListSource",
    "folder": "editscope.factory.sources.pictures:FolderSource",
    "videos": "editscope.factory.sources.videos:VideoFolderSource",
    "law_words": "editscope.factory.sources.words:LawWordsSource",
    "law_keywords": "editscope.factory.sources.words:LawKeywordsSource",
    "candidates": "editscope.factory.sources.candidates.source:CandidatesSource",
    "mix": "editscope.factory.sources.mixing:MixedSource",
    "start_end": "editscope.factory.sources.start_end:StartEndSource",
    "causes": "editscope.factory.sources.word_tasks:CauseSource",
    "processes": "editscope.factory.sources.word_tasks:ProcessSource",
    "ideas": "editscope.factory.sources.word_tasks:IdeaSource",
}
STEP_GROUP, SOURCE_GROUP = "editscope.factory_steps", "editscope.factory_sources"
T = TypeVar("T")


def step_class(use: str) -> type[PipelineStep]:
    """The class of a step by what a plan says that it uses."""
    return _class("step", use, STEPS, STEP_GROUP, PipelineStep)


def source_class(use: str) -> type[RecordSource]:
    """The class of a source by what a plan says that it uses."""
    return _class("source", use, SOURCES, SOURCE_GROUP, RecordSource)  # type: ignore[type-abstract]


def make_step(entry: Mapping[str, Any], where: str) -> PipelineStep:
    """The step that an entry of a plan describes."""
    name, use = entry.get("name"), entry.get("use")
    if not isinstance(name, str) or not name:
        raise BadInput(f"{where} has no name; write: name = 'write-questions'")
    if not name.isprintable() or {*name} & {*"/\\"} or name.startswith("."):
        raise BadInput(f"{where}: {name!r} cannot name a folder of a queue; use letters, digits, '-' and '_'")
    if len(name.encode()) > LONGEST_NAME:
        raise BadInput(f"{where}: the name {name[:20]}… is too long; use at most {LONGEST_NAME} letters")
    where = f"{where.rpartition(', step')[0]}, step {name!r}" if ", step" in where else where
    if not isinstance(use, str) or not use:
        raise BadInput(f"{where} does not say what it uses; write, for example: use = 'template'")
    with _told(where):
        made = step_class(use)
    settings = {key: value for key, value in entry.items() if key not in ("name", "use", "reads", "at_once", "when")}
    _check_settings(settings, made.settings_of, f"{where} ({use})", open_ended=getattr(made, "open_settings", False))
    reads = entry.get("reads", [])
    if not isinstance(reads, list) or not all(isinstance(one, str) for one in reads):
        raise BadInput(f"{where}: reads is a list of names of fields; write: reads = ['law', 'subject']")
    with _told(where):
        step = made(name, settings, reads)
    step.code = _own_code(use, made)
    if step.kind not in KINDS:
        raise BadInput(f"{where}: its kind is {step.kind!r}; choose from {', '.join(KINDS)}")
    if (at_once := entry.get("at_once")) is not None:
        if not isinstance(at_once, int) or at_once < 1:
            raise BadInput(f"{where}: at_once is {at_once!r}; write a whole number from 1")
        step.at_once = at_once  # type: ignore[attr-defined]
    if "when" in entry:
        if not isinstance(step, RecordStep):
            raise BadInput(f"{where}: a step that looks at all records has no when; put a where before it")
        step.when = check_conditions(entry["when"], where)
    return step


def make_source(entry: Mapping[str, Any], where: str) -> RecordSource:
    """The source that an entry of a plan describes."""
    use = entry.get("use")
    if not isinstance(use, str) or not use:
        raise BadInput(f"{where}: the source does not say what it uses; choose from {', '.join(SOURCES)}")
    with _told(f"{where}, source"):
        made = source_class(use)
    settings = {key: value for key, value in entry.items() if key != "use"}
    _check_settings(settings, made.settings_of, f"{where}, source ({use})")
    with _told(f"{where}, source"):
        source = made(settings)
    source.code = _own_code(use, made)
    return source


def _own_code(use: str, made: type) -> str:
    """What stands for the code of a class in a file of the user's; "" for other classes, which have versions."""
    return source_hash(made) if use.startswith(f"{KIND}:") else ""


@contextmanager
def _told(where: str) -> Iterator[None]:
    """What a step or a source says against its settings, with the file and the step in front of it."""
    try:
        yield
    except BadInput as error:
        _, comma, step = where.rpartition(", ")
        said = str(error).removeprefix(f"{step}: ") if comma else str(error)
        raise BadInput(said if said.startswith(where) else f"{where}: {said}") from error


def _class(what: str, use: str, ours: Mapping[str, str], group: str, base: type[T]) -> type[T]:
    if use.startswith(f"{KIND}:"):
        found = find_object(what, use.removeprefix(f"{KIND}:"))
    elif use in ours:
        module, _, name = ours[use].partition(":")
        found = getattr(import_module(module), name)
    else:
        points = registered(group, ours)
        if use not in points:
            raise unknown(what, use, [*ours, *points])
        found = load_registered(what, points[use])
    if not (isinstance(found, type) and issubclass(found, base)):
        raise BadInput(f"the {what} {use} is not a class that derives from {base.__module__}.{base.__name__}")
    return found


def _check_settings(
    settings: Mapping[str, Any], known: Mapping[str, Any], where: str, *, open_ended: bool = False
) -> None:
    for name, value in settings.items():
        if name not in known:
            if open_ended:
                continue
            raise unknown("setting", name, known, of=where)
        default = known[name]
        if default is not None and not _same_type(value, default):
            raise BadInput(f"{where}: {name} is {value!r}, not {_called(default)}")


def _same_type(value: Any, default: Any) -> bool:
    if isinstance(default, bool) or isinstance(value, bool):
        return isinstance(value, bool) and isinstance(default, bool)
    if isinstance(default, float):
        return isinstance(value, int | float)
    return isinstance(value, type(default))


def _called(default: Any) -> str:
    kinds = {bool: "true or false", int: "a whole number", float: "a number", str: "a text", list: "a list"}
    return kinds.get(type(default), "a table")
