"""Steps of a case: make the edit and store it; score it and make its thumbnails."""

from __future__ import annotations

import time
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Literal

from editscope.cases import Case, Edit
from editscope.editors import Editor, Request, request_seed
from editscope.editors.make_edits import as_edit, failed, reserved, settled
from editscope.errors import BadImage, BadInput, Stopped
from editscope.images import (
    THUMB_SUFFIX,
    ImageLike,
    Pixels,
    decode,
    encode_codes,
    encode_png,
    encode_thumbnail,
    load,
    read_picture,
    thumbnail,
)
from editscope.outside import received
from editscope.runfolder.files import IMAGES, THUMBS, make_below, safe_path, thumb_name, write_whole, writing
from editscope.runfolder.journal import Line
from editscope.runfolder.repeats import file_names, plain
from editscope.runfolder.stored_edits import HASH, content_hash, damaged, file_hash, stored_at
from editscope.runs.engine.worker_process import Job, WorkerReport
from editscope.scoring import grader_for, level_map_within
from editscope.scoring.effect_overlay import effect_overlay
from editscope.suites import Suite

NO_OUTPUT: Literal["no_output"] = "no_output"


class EditLostError(Exception):
    """The picture of a finished edit is no longer there; the edit has to be made again."""

    def __init__(self, said: str, line: Line) -> None:
        super().__init__(said)
        self.line = line


@dataclass(frozen=True, eq=False)
class FinishedEdit:
    """An edit in memory, the journal line that says so, and what the editor raised if it did."""

    line: Line
    pixels: Pixels | None
    trace: str | None = None


@dataclass(frozen=True, eq=False)
class CaseSteps:
    """Everything that a worker needs for the steps of a run."""

    suite: Suite
    editor: Editor | None
    folder: Path
    seed: int

    @property
    def compiled_in(self) -> tuple[str, ...]:
        """Modules with compiled functions that the steps need."""
        pictures = ("editscope.images._kernels", "editscope.images._thumbnail_kernels")
        return (*self.suite.compiled_in, *pictures, "editscope.scoring._kernels")

    def case(self, case_id: str) -> Case:
        """The case with its pictures decoded, each once."""
        case = self.suite.case(case_id)
        if case.answer is None:
            raise BadInput(f"case {case_id} of {self.suite.name} has no answer to score pixels against")
        return replace(case, images=tuple(load(image) for image in case.images), answer=load(case.answer))

    def edit(self, case: Case, index: int, variant: str = "") -> FinishedEdit:
        """Ask the editor for one edit and put it on disk. Whatever the editor does wrong becomes a status."""
        request = self.before(case, index, variant)
        if isinstance(request, FinishedEdit):
            return request
        assert self.editor is not None
        return self.after(*request_edit(self.editor, request), index, variant)

    def before(self, case: Case, index: int, variant: str = "") -> Request | FinishedEdit:
        """What the editor is to be asked; or the end of it, where it need not be asked at all."""
        return self._request(case, variant)

    def after(self, edit: Edit, trace: str | None, index: int, variant: str) -> FinishedEdit:
        """What an editor gave, decoded and on disk, with the line that says so."""
        return self.kept(replace(edit, variant=variant), trace, index)

    def kept(self, edit: Edit, trace: str | None, index: int) -> FinishedEdit:
        """An edit, decoded and on disk, with its line."""
        assert self.editor is not None
        pixels, notes, edit, stored = _decoded(edit, hashed=self.editor.in_place)
        if pixels is None:
            return FinishedEdit(edit_line(edit, index, notes=notes), None, trace)
        place = {"source": str(edit.image)}
        if not self.editor.in_place:
            place, stored = self._keep(edit, pixels)
        return FinishedEdit({**edit_line(edit, index, place, pixels, notes), HASH: stored}, pixels, trace)

    def find(self, line: Line) -> Pixels | None:
        """The picture that an edit line speaks of, from disk."""
        if line["status"] != "ok":
            return None
        path = self.place(line)
        try:
            self.check(line, file_hash(path))
            return decode(path).pixels
        except (BadImage, OSError) as error:
            if isinstance(error, BadImage) and path.is_file() and isinstance(line["image"], str):
                raise Stopped(damaged(path, self.folder, str(error))) from error
            raise EditLostError(f"{path} cannot be read ({error})", line) from error

    def check(self, line: Line, found: str) -> None:
        """Raise where the file of an edit has another hash than it had: Stopped for one that the run stored.

        One that was made elsewhere is taken anew, as a resumed run goes on with the files of today.
        """
        if found == (line.get(HASH) or found):
            return
        if isinstance(line["image"], str):
            raise Stopped(damaged(self.place(line), self.folder))
        raise EditLostError(f"{self.place(line)} was changed", line)

    def place(self, line: Line) -> Path:
        """Where the picture of an edit lies."""
        return stored_at(self.folder, line)

    def finish(self, case: Case, job: Job, pictures: Mapping[str, Pixels | None]) -> WorkerReport:
        """The report that ends a job: the score line of its edit."""
        (line,) = job.edits.values()
        pixels = pictures[line["variant"]] if line["variant"] in pictures else self.find(line)
        return WorkerReport("scored", self.score(case, line, pixels))

    def score(self, case: Case, line: Line, pixels: Pixels | None) -> Line:
        """The score line of one edit; thumbnails are on disk when it is returned."""
        source, answer = load(case.images[0]), load(case.answer)  # type: ignore[arg-type]
        variant = line["variant"]
        thumbs = {}
        if not plain(variant)[1]:  # what goes in is the same for all repeats
            thumbs = {"input": encode_thumbnail(thumbnail(source)), "answer": encode_thumbnail(thumbnail(answer))}
            if case.effects:
                thumbs["effects"] = encode_thumbnail(thumbnail(effect_overlay(answer, case.effects)))
        grader = grader_for(case)
        if pixels is None:
            score, floor = grader.missing(source, answer)
        else:
            score, levels, floor = grader.graded(source, answer, pixels)
            thumbs[thumb_name("edit", variant)] = encode_thumbnail(thumbnail(pixels))
            thumbs[thumb_name("levels", variant)] = encode_codes(partial(level_map_within, levels))
        self.keep_thumbs(case.id, {f"{name}{THUMB_SUFFIX}": data for name, data in thumbs.items()})
        return {
            "step": "score",
            "case": case.id,
            "variant": variant,
            "index": line["index"],
            "status": line["status"],
            "metrics": {name: value for name, value in score.metrics().items() if value is not None},
            "evidence": {**score.to_json(), "floor_miou": floor},
            "failure": NO_OUTPUT if pixels is None else score.failure,
            "tags": dict(case.tags),
            "instruction": case.instruction,
            "fingerprint": case.fingerprint,
            "at": now(),
        }

    def _request(self, case: Case, name: str) -> Request:
        assert self.editor is not None
        variant, repeat = plain(name)
        judged = self.suite.scoring == "judged"
        instruction = next((entry for entry in case.instructions if entry.variant == variant), case.instructions[0])
        return Request(
            case_id=case.id,
            arrays=tuple(load(image) for image in self.suite.inputs(case)) if self.editor.sees_images else (),
            instruction=instruction.text,
            seed=request_seed(self.seed, case.id, name),
            tags=case.tags,
            variant=variant,
            outputs=file_names(self.suite, case.id, variant, repeat) if judged else (),
            repeat=repeat,
            answer=load(case.answer) if case.answer is not None and self._shows_answer else None,
            effects=case.effects if self._shows_answer else (),
            hint=case.hint or "" if self.editor.wants_hint else "",
        )

    @property
    def _shows_answer(self) -> bool:
        assert self.editor is not None
        return self.editor.needs_answer or self.editor.wants_answer

    def _keep(self, edit: Edit, pixels: Pixels) -> tuple[Any, str]:
        """Put an edit on disk: its place, and the hash of its file."""
        variant = f"@{safe_path(edit.variant)}" if edit.variant else ""  # no case id has an @ when it is quoted
        relative = f"{IMAGES}/{safe_path(edit.case_id)}{variant}_output.png"
        path, data = self.folder / relative, encode_png(pixels)
        with writing(path):
            make_below(self.folder, path.parent)
        write_whole(path, data, make_folder=False, sync=False)
        return relative, content_hash(data)

    def keep_thumbs(self, case_id: str, thumbs: Mapping[str, bytes]) -> None:
        """Write thumbnails, by file name."""
        folder = self.folder / THUMBS / safe_path(case_id)
        with writing(folder):
            make_below(self.folder, folder)
            for name, data in thumbs.items():
                (folder / name).write_bytes(data)


def edit_line(
    edit: Edit, index: int, place: Any = None, pixels: Pixels | None = None, notes: tuple[str, ...] = ()
) -> Line:
    """The journal line of a finished edit."""
    return {
        "step": "edit",
        "case": edit.case_id,
        "variant": edit.variant,
        "index": index,
        "status": edit.status,
        "image": place,
        "reason": edit.reason,
        "latency_s": None if edit.latency_s is None else round(edit.latency_s, 4),
        "cost_usd": edit.cost_usd,
        "trace": edit.trace,
        **_said_only(edit),
        "size": None if pixels is None else [pixels.shape[1], pixels.shape[0]],
        "notes": [*edit.notes, *notes],
        "at": now(),
    }


def _said_only(edit: Edit) -> Line:
    """What few editors say, and only where they do: a journal of a hundred thousand lines needs no empty fields."""
    extras = {"asked": edit.asked, "memory_mb": edit.memory_mb, "attempts": edit.attempts, "model": edit.model or None}
    extras["charged_usd"] = edit.charged_usd
    return {name: value for name, value in extras.items() if value is not None}


def now() -> str:
    """The time, for the journal."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def request_edit(editor: Editor, request: Request) -> tuple[Edit, str | None]:
    """What the editor says to one request; see ``request_edits``."""
    (found,) = request_edits(editor, [request])
    return found


def request_edits(editor: Editor, requests: Sequence[Request]) -> list[tuple[Edit, str | None]]:
    """What the editor says to requests, as edits with the time they took; and the traceback where it raised.

    Only Stopped passes: by it an editor ends the run.
    """
    held = reserved(editor, requests)
    began, trace = time.perf_counter(), None
    results: list[ImageLike | Edit | None] | None = None
    try:
        results = [editor.edit(requests[0])] if len(requests) == 1 else list(editor.edit_batch(requests))
        if len(results) != len(requests):
            raise ValueError(f"edit_batch gave {len(results)} results for {len(requests)} requests")
    except Stopped:
        raise
    except BaseException as error:  # sys.exit in a plugin is the plugin's failure, not ours
        results, trace = list(failed(error, requests)), traceback.format_exc()
    finally:
        settled(editor, held, results)
    took = time.perf_counter() - began
    return [(as_edit(result, one, took), trace) for result, one in zip(results, requests, strict=True)]


def _decoded(edit: Edit, *, hashed: bool) -> tuple[Pixels | None, tuple[str, ...], Edit, str]:
    """The pixels of an edit; where there are none, the edit with the status that says why.

    The last is the hash of its file, for an edit that is one: of the same bytes, which are read once.
    """
    if edit.status != "ok":
        return None, (), replace(edit, image=None), ""
    if edit.image is None:
        return None, (), replace(edit, status=NO_OUTPUT, reason=edit.reason or "the editor returned nothing"), ""
    try:
        if not hashed:
            decoded, stored = decode(edit.image), ""
        else:
            data = read_picture(str(edit.image))
            decoded, stored = decode(data, name=str(edit.image)), content_hash(data)
    except (BadImage, TypeError) as error:
        return None, (), replace(edit, image=None, status=NO_OUTPUT, reason=received(error)), ""
    return decoded.pixels, decoded.notes, edit, stored
