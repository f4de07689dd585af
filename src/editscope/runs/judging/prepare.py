"""Preparation for judges, in workers: from a case and its edits to the calls about them, each picture made once."""

from __future__ import annotations

import io
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from editscope.cases import Case, Edit, Question, Status
from editscope.editors import Editor, Request
from editscope.errors import BadImage
from editscope.images import THUMB_SIDE, THUMB_SUFFIX, ImageLike, Pixels, load, thumbnail
from editscope.judges import Call, Schema
from editscope.runfolder.files import THUMBS, make_below, safe_path, thumb_name, writing
from editscope.runfolder.journal import Line
from editscope.runfolder.repeats import plain, repeated
from editscope.runfolder.stored_edits import HASH, file_hash
from editscope.runs.engine.case_steps import CaseSteps, EditLostError, FinishedEdit, edit_line
from editscope.runs.engine.worker_process import Job, WorkerReport
from editscope.runs.judging.prepared_cache import PreparedCache, cache_key
from editscope.scoring.rubrics import Prompts, Rubric, Unit
from editscope.suites import Suite
from editscope.suites.protocol import Protocol, code_digest, rubric_digest

CANVAS = 1024
CROP_SUFFIX = ".jpg"
PADDING = 20
"""Regions of questions are on a canvas of this longer side, and are shown with so much around them."""


@dataclass(frozen=True, eq=False)
class LookupCall(Call):
    """A call without its texts and pictures: enough to look for verdicts on it, not to ask for one."""

    told: str = ""

    @property
    def digest(self) -> str:
        """The digest that the whole call had."""
        return self.told


@dataclass(frozen=True, eq=False)
class PreparedUnit:
    """What a judge is to be asked about one unit of a case, and all that its score needs besides the verdicts.

    ``case`` has paths of pictures and no pixels; ``place`` is the number of the unit among the ``units`` of its case;
    ``missing`` is the status of the edit where there is none, and ``applicable`` says whether that counts against the
    editor; its ``calls``, if any, are about a white picture. Remembered ``calls`` can only be looked up.
    """

    case: Case
    unit: Unit
    place: int
    units: int
    missing: Status | None
    applicable: bool
    pixels: Mapping[str, float | None]
    calls: tuple[Call, ...]
    instruction: str
    fingerprint: str
    repeat: int = 0
    """Of which repeat of the case; variants in ``unit`` are plain, as the rubric knows them."""

    @property
    def name(self) -> str:
        """The unit within its case, with the repeat where it is not the first: the variant of its lines."""
        return repeated(self.unit.name, self.repeat)

    @property
    def variants(self) -> list[str]:
        """The names of its edits in the journal."""
        return [repeated(variant, self.repeat) for variant in self.unit.variants]

    @property
    def lookup_only(self) -> bool:
        """Whether its calls can be looked up and not asked."""
        return any(isinstance(call, LookupCall) for call in self.calls)


@dataclass(frozen=True, eq=False)
class JudgedCaseSteps(CaseSteps):
    """Everything that a worker needs to edit cases and to prepare what is asked about the edits."""

    rubric: Rubric
    prompts: Prompts
    cache: PreparedCache | None
    about: str
    """Hash of all that decides what is made of an edit: code, protocol, options and prompts."""
    white: bool = False
    """Whether a white picture is judged where an edit is missing."""

    @property
    def compiled_in(self) -> tuple[str, ...]:
        """Those of the suite; what pictures for a judge need depends on rubric and files, and is compiled then."""
        return self.suite.compiled_in

    def case(self, case_id: str) -> Case:
        """The case as the suite gives it, its pictures still files where they are."""
        return self.suite.case(case_id)

    def before(self, case: Case, index: int, variant: str = "") -> Request | FinishedEdit:
        """What the editor is to be asked; the end of it where the case has more pictures than it takes."""
        assert self.editor is not None
        reason = self.editor.not_applicable(case.id, variant, len(case.images))
        if reason:
            edit = Edit(case.id, variant, status="no_output", reason=reason)
            return FinishedEdit({**edit_line(edit, index), "applicable": False}, None)
        return super().before(case, index, variant)

    def after(self, edit: Edit, trace: str | None, index: int, variant: str) -> FinishedEdit:
        """What an editor gave, kept. A file that was looked at before is not decoded to know that it is a picture."""
        assert self.editor is not None
        edit = replace(edit, variant=variant)
        if self.cache is None or not self.editor.in_place:
            return self.kept(edit, trace, index)
        stored = _file_digest(edit.image) if edit.status == "ok" else ""
        key = cache_key("picture", code_digest(), stored) if stored else ""
        known = self.cache.get(key) if key and trace is None else None
        if known is not None:
            line = edit_line(edit, index, {"source": str(edit.image)}, None, tuple(known["notes"]))
            return FinishedEdit({**line, "size": known["size"], HASH: stored}, None)
        finished = self.kept(edit, trace, index)
        if finished.pixels is not None:
            self.cache.put(key, {"size": finished.line["size"], "notes": finished.line["notes"]})
        return finished

    def finish(self, case: Case, job: Job, pictures: Mapping[str, Pixels | None]) -> WorkerReport:
        """The report that ends a job: what to ask about each unit of the case that has no score yet."""
        units = self.rubric.units(case)
        key = self._key(case, units, job)
        known = self.cache.get(key) if self.cache is not None and key and not job.fresh else None
        if known is not None and self._thumbs_from(case, known):
            prepared = self._remembered(case, units, known)
        else:
            prepared, thumbs = self._made(case, units, job, pictures)
            if self.cache is not None and key:
                self.cache.put(key, self._to_remember(case, prepared, thumbs))
        prepared = [replace(unit, repeat=job.repeat) for unit in prepared]
        return WorkerReport("prepared", prepared=tuple(unit for unit in prepared if unit.name not in job.done))

    # --- making -----------------------------------------------------------------------------------

    def _made(
        self, case: Case, units: tuple[Unit, ...], job: Job, pictures: Mapping[str, Pixels | None]
    ) -> tuple[list[PreparedUnit], list[str]]:
        """What to ask about each unit, and the names of the thumbnails that were written."""
        edits = {
            plain(name)[0]: pixels if (pixels := pictures.get(name)) is not None else self.find(line)
            for name, line in job.edits.items()
        }
        there = {variant: pixels for variant, pixels in edits.items() if pixels is not None}
        loaded = replace(case, images=tuple(load(image) for image in case.images))
        thumbs = {} if job.repeat else dict(_thumbs(loaded))  # what goes in is the same for all repeats
        for variant, pixels in there.items():
            thumbs[thumb_name("edit", repeated(variant, job.repeat)) + THUMB_SUFFIX] = _small(thumbnail(pixels), "WEBP")
        prepared = []
        for place, unit in enumerate(units):
            missing = next((job.edits[repeated(v, job.repeat)] for v in unit.variants if v not in there), None)
            if missing is not None:
                ask_white = self.white and missing.get("applicable", True)
                white = self.rubric.white_calls(case, unit, self.prompts) if ask_white else ()
                prepared.append(self._prepared(case, unit, place, len(units), missing=missing, calls=white))
                continue
            own = {variant: there[variant] for variant in unit.variants}
            calls = self.rubric.calls_about(case, unit, own, _traces(job, unit), self.prompts)
            numbers = self.rubric.from_pixels(loaded, unit, own)
            prepared.append(self._prepared(case, unit, place, len(units), calls=calls, pixels=numbers))
            if self.rubric.options.get("region", "crop") == "crop":
                thumbs |= _crops(case, calls, own[unit.variants[0]], repeated(unit.name, job.repeat))
        self.keep_thumbs(case.id, thumbs)
        return prepared, list(thumbs)

    def _prepared(
        self,
        case: Case,
        unit: Unit,
        place: int,
        units: int,
        *,
        missing: Line | None = None,
        calls: tuple[Call, ...] = (),
        pixels: Mapping[str, float | None] | None = None,
    ) -> PreparedUnit:
        for call in calls:
            _ = call.digest  # here, where there are several processes
        texts = [instruction.text for instruction in case.instructions if instruction.variant in unit.variants]
        return PreparedUnit(
            case=_light(case),
            unit=unit,
            place=place,
            units=units,
            missing=None if missing is None else missing["status"],
            applicable=missing is None or missing.get("applicable", True),
            pixels=pixels or {},
            calls=calls,
            instruction="\n".join(texts or [case.instruction]),
            fingerprint=case.fingerprint,
        )

    # --- remembering ------------------------------------------------------------------------------

    def _key(self, case: Case, units: tuple[Unit, ...], job: Job) -> str:
        """What the preparation of a case is filed under; "" where nothing is remembered or an edit is missing.

        Names of variants say the repeat: two repeats with the same picture have thumbnails of different names.
        """
        if self.cache is None or any(line["status"] != "ok" for line in job.edits.values()):
            return ""
        digests = {}
        for variant, line in job.edits.items():
            try:
                digests[variant] = _file_digest(self.place(line))
                self.check(line, digests[variant])
            except OSError as error:
                raise EditLostError(f"{self.place(line)} cannot be read ({error.strerror})", line) from error
        instructions = [[instruction.variant, instruction.text] for instruction in case.instructions]
        traces = [[_traces(job, unit) for unit in units]] if self.rubric.reads_traces else []
        names = [unit.variants for unit in units]
        return cache_key(self.about, case.fingerprint, instructions, names, digests, *traces)

    def _to_remember(self, case: Case, found: list[PreparedUnit], thumbs: list[str]) -> dict[str, Any]:
        units = [
            {
                "pixels": dict(one.pixels),
                "calls": [
                    {"key": call.key, "prompt": call.prompt, "prompt_hash": call.prompt_hash, "told": call.digest}
                    for call in one.calls
                ],
            }
            for one in found
        ]
        return {"thumbs": str(self._thumb_folder(case.id).absolute()), "files": thumbs, "units": units}

    def _remembered(self, case: Case, units: tuple[Unit, ...], known: Mapping[str, Any]) -> list[PreparedUnit]:
        return [
            self._prepared(
                case,
                unit,
                place,
                len(units),
                calls=tuple(LookupCall(parts=(), schema=Schema(()), **fields) for fields in said["calls"]),
                pixels=said["pixels"],
            )
            for place, (unit, said) in enumerate(zip(units, known["units"], strict=True))
        ]

    def _thumbs_from(self, case: Case, known: Mapping[str, Any]) -> bool:
        """Copy the thumbnails of an earlier run; False where they are no longer there.

        Only those that were made with what is remembered: the folder of a case holds those of all its repeats.
        """
        theirs, ours = Path(known["thumbs"]), self._thumb_folder(case.id)
        with writing(ours):
            try:
                files = [theirs / name for name in known["files"]] if "files" in known else list(theirs.iterdir())
                if theirs == ours.absolute():
                    return bool(files) and all(file.is_file() for file in files)
                make_below(self.folder, ours)
                for file in files:
                    shutil.copyfile(file, ours / file.name)
            except FileNotFoundError:
                return False
        return bool(files)

    def _thumb_folder(self, case_id: str) -> Path:
        return self.folder / THUMBS / safe_path(case_id)


def judged_case_steps(
    suite: Suite, editor: Editor | None, folder: Path, seed: int, *, protocol: Protocol, cache_folder: Path | None
) -> JudgedCaseSteps:
    """The steps of a worker of a run with judges; ``cache_folder`` is that of ``PreparedCache``, None for no cache."""
    rubric = protocol.rubric()
    prompts = protocol.pack(rubric)
    cache = None if cache_folder is None else PreparedCache(cache_folder)
    code = code_digest() + rubric_digest(rubric)
    about = cache_key(code, protocol.name, dict(protocol.options), getattr(prompts, "hash", ""))
    return JudgedCaseSteps(suite, editor, folder, seed, rubric, prompts, cache, about, protocol.white)


def _traces(job: Job, unit: Unit) -> dict[str, str]:
    """What the editor said or thought when it made the edits of a unit, by variant as the rubric knows it."""
    lines = {variant: job.edits.get(repeated(variant, job.repeat)) or {} for variant in unit.variants}
    return {variant: str(line["trace"]) for variant, line in lines.items() if line.get("trace")}


def questions_of(case: Case, calls: tuple[Call, ...] | list[Any]) -> tuple[Question | None, ...]:
    """For each call the question of the case that it asks; None where calls are not its questions."""
    return case.questions if len(case.questions) == len(calls) else (None,) * len(calls)


def _thumbs(case: Case) -> Iterator[tuple[str, bytes]]:
    """Inputs, answer and references of a case, small."""
    shown: list[tuple[str, ImageLike]] = [(_numbered("input", i), image) for i, image in enumerate(case.images)]
    shown += [("answer", case.answer)] if case.answer is not None else []
    shown += [(_numbered("reference", i), image) for i, image in enumerate(case.references)]
    for name, image in shown:
        yield name + THUMB_SUFFIX, _small(thumbnail(load(image)), "WEBP")


def _crops(case: Case, calls: tuple[Call, ...], pixels: Pixels, name: str) -> dict[str, bytes]:
    """What the judge saw of an edit for each question about a region, small: cut out of the edit, which is there,
    since decoding what was just encoded would take longer than all else that is done for a question."""
    crops = {}
    for call, question in zip(calls, questions_of(case, calls), strict=True):
        if question is not None and question.region is not None:
            scale = max(pixels.shape[:2]) / CANVAS
            left, top, right, bottom = question.region.box
            x, y = (max(0, round((edge - PADDING) * scale)) for edge in (left, top))
            part = pixels[y : round((bottom + PADDING) * scale), x : round((right + PADDING) * scale)]
            if part.size:
                crops[thumb_name(call.key, name) + CROP_SUFFIX] = _small(thumbnail(part, THUMB_SIDE), "JPEG")
    return crops


def _small(pixels: Pixels, kind: str) -> bytes:
    """A thumbnail of a photograph. JPEG is a little larger than WebP and takes a fifth of the time, which counts where
    a case has many."""
    from PIL import Image

    target = io.BytesIO()
    options = {"quality": 80} if kind == "JPEG" else {"quality": 70, "method": 0}
    Image.fromarray(pixels).save(target, kind, **options)
    return target.getvalue()


def _numbered(kind: str, number: int) -> str:
    return kind if number == 0 else f"{kind}{number + 1}"


def _light(case: Case) -> Case:
    """The case as it travels to the parent: pictures as paths, or as one pixel where they are in cache_folder."""
    import numpy as np

    def light(image: ImageLike) -> ImageLike:
        return image if isinstance(image, str | Path) else np.zeros((1, 1, 3), np.uint8)

    return replace(
        case,
        images=tuple(map(light, case.images)),
        references=tuple(map(light, case.references)),
        answer=None if case.answer is None else light(case.answer),
    )


def _file_digest(path: Any) -> str:
    try:
        return file_hash(Path(path))
    except TypeError as error:
        raise BadImage(f"{path!r} is not a path") from error
