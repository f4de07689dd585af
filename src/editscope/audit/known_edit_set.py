"""A set of known edits on disk: problems with edits of known truth, the same bytes for every judge and year."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from editscope.audit.known_edits import KnownEdit, graded_edits
from editscope.audit.known_questions import KnownQuestion, questioned_edits
from editscope.cases import Case
from editscope.documents import read_json
from editscope.errors import BadInput
from editscope.files import DOCUMENT, lies_in, read_file
from editscope.images import decode, encode_png, load
from editscope.judges import Picture
from editscope.runfolder.files import safe_path, write_whole
from editscope.suites import Suite, load_suite
from editscope.suites.registry import known_benchmark, split_spec

FILE = "exhibits.json"
PICTURES = "pictures"
VERSION = 1


@dataclass(frozen=True, slots=True)
class StoredKnownEdit:
    """One edit of a problem: its level, its truth, and the file (relative to the set) with the hash of its bytes."""

    level: str
    miou: float
    file: str
    sha256: str


@dataclass(frozen=True, slots=True)
class AuditProblem:
    """One problem of a set: what was asked, the picture before the edit, and the edits from the best to the worst.

    A problem with ``questions`` is judged by them, one without by scores and pairs.
    """

    id: str
    instruction: str
    tags: Mapping[str, str]
    damage: str
    source: StoredKnownEdit
    edits: tuple[StoredKnownEdit, ...]
    questions: tuple[KnownQuestion, ...] = ()


@dataclass(frozen=True)
class KnownEditSet:
    """Problems with their pictures, in a folder."""

    folder: Path
    suite: str
    fingerprint: str
    seed: int
    problems: tuple[AuditProblem, ...]

    @property
    def asks(self) -> bool:
        """Whether judges are asked questions about it, in place of scores and pairs."""
        return any(one.questions for one in self.problems)

    @property
    def digest(self) -> str:
        """A hash of all that a judge is shown of it."""
        shown = [
            [
                *(one.id, one.instruction, one.source.sha256, *(edit.sha256 for edit in one.edits)),
                *([question.text, *question.box] for question in one.questions),
            ]
            for one in self.problems
        ]
        return sha256(json.dumps(shown).encode()).hexdigest()[:16]

    def picture(self, shown: StoredKnownEdit) -> Picture:
        """The picture of an edit; BadInput where the file is not the one that the set was made with."""
        path = self.folder / shown.file
        try:
            data = read_file(path, DOCUMENT)
        except OSError as error:
            raise BadInput(f"{path} cannot be read ({error.strerror}); the set of known edits needs it") from None
        if sha256(data).hexdigest() != shown.sha256:
            raise BadInput(f"{path} has changed since the set was created; restore the folder, or create a new set")
        decode(data, name=str(path))
        return Picture(data, "image/png")


def suite_to_audit(spec: str) -> Suite:
    """The suite whose problems a judge is shown; BadInput, before any data is asked for, where it has no answers."""
    record = known_benchmark(split_spec(spec)[0])
    if record is not None and record.scoring != "pixels":
        raise _without_answers(record.name)
    return load_suite(spec)


def _without_answers(name: str) -> BadInput:
    return BadInput(
        f"suite {name} has no right answers, so it cannot show whether a judge is right; audit the judge with "
        "--suite paintbench, tinygrafix, optics or mechanics"
    )


def make_set(
    folder: Path,
    suite: Suite,
    n: int,
    *,
    seed: int = 0,
    on_progress: Callable[[int, int], None] | None = None,
) -> KnownEditSet:
    """Write a set of ``n`` problems, spread over the suite. Equal suites and seeds give equal bytes."""
    if suite.scoring != "pixels":
        raise _without_answers(suite.name)
    ids = _spread(suite, n)
    problems = []
    for number, case_id in enumerate(ids):
        if (problem := _problem(folder, suite, case_id, seed)) is not None:
            problems.append(problem)
        if on_progress is not None:
            on_progress(number + 1, len(ids))
    if not problems:
        raise BadInput(f"no problem of {suite.name} changes anything, so there is nothing to audit a judge on")
    made_set = KnownEditSet(folder, suite.name, suite.fingerprint, seed, tuple(problems))
    header = {"version": VERSION, "suite": suite.name, "fingerprint": suite.fingerprint, "seed": seed}
    text = json.dumps({**header, "problems": [_written_out(one) for one in problems]}, ensure_ascii=False, indent=1)
    write_whole(folder / FILE, text.encode())
    return made_set


def read_set(folder: Path) -> KnownEditSet:
    """The set in a folder; BadInput where there is none, or one that we did not write."""
    path = folder / FILE
    try:
        document = read_json(read_file(path, DOCUMENT))
        if document["version"] != VERSION:
            raise BadInput(f"{path} is of version {document['version']}, which this Editscope does not read")
        problems = tuple(
            AuditProblem(
                **{
                    **one,
                    "source": _shown(folder, one["source"]),
                    "edits": tuple(_shown(folder, edit) for edit in one["edits"]),
                    "questions": tuple(_question(asked) for asked in one.get("questions", ())),
                }
            )
            for one in document["problems"]
        )
        return KnownEditSet(folder, document["suite"], document["fingerprint"], int(document["seed"]), problems)
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError) as error:
        raise BadInput(f"{path} is not a set of known edits ({error!r}); use a new folder to create one") from None


def read_own(path: Path) -> dict[str, Any]:
    """A JSON object that an audit wrote; BadInput where the file is something else now."""
    try:
        document = read_json(read_file(path, DOCUMENT))
    except FileNotFoundError:
        raise BadInput(f"{path.parent} holds no audit: there is no {path.name}") from None
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise BadInput(f"{path} cannot be read ({why}); move it away to continue without it") from None
    if not isinstance(document, dict):
        raise BadInput(f"{path} holds no JSON object; move it away to continue without it")
    return document


def _shown(folder: Path, said: Mapping[str, Any]) -> StoredKnownEdit:
    shown = StoredKnownEdit(**said)
    if not lies_in(folder / shown.file, folder):
        raise BadInput(f"{folder / FILE} names the picture {shown.file!r}, which is outside its folder")
    return StoredKnownEdit(str(shown.level), float(shown.miou), str(shown.file), str(shown.sha256))


def _spread(suite: Suite, n: int) -> tuple[str, ...]:
    """Ids spread over the suite, without the cases that are diagnostics."""
    left_out = suite.aggregation.exclude.items()
    ids: Sequence[str] = [i for i in suite.ids if not any(suite.tags(i).get(tag) == value for tag, value in left_out)]
    return tuple(ids[k * len(ids) // n] for k in range(n)) if n < len(ids) else tuple(ids)


def _problem(folder: Path, suite: Suite, case_id: str, seed: int) -> AuditProblem | None:
    case = suite[case_id]
    if case.answer is None:
        raise BadInput(f"case {case_id} of {suite.name} has no answer to damage")
    before = load(case.images[0])
    if (before == load(case.answer)).all():
        return None
    # Of the id, so that a problem looks the same in a set of any size.
    own_seed = int.from_bytes(sha256(f"{seed}|{case_id}".encode()).digest()[:4])
    damage, made, questions = _known(case, own_seed)
    if not made:
        return None
    home = Path(PICTURES) / safe_path(case_id)
    source = _written(folder, home / "source.png", "source", before, 0.0)
    edits = tuple(
        _written(folder, home / f"{one.level}.png", one.level, one.pixels, round(one.miou, 6)) for one in made
    )
    return AuditProblem(case_id, case.instruction, dict(case.tags), damage, source, edits, questions)


def asks_questions(suite: Suite) -> bool:
    """Whether judges are asked about the effects of a suite's cases, in place of scores and pairs."""
    record = known_benchmark(suite.name)
    return record is not None and bool(record.questions)


def _known(case: Case, seed: int) -> tuple[str, tuple[KnownEdit, ...], tuple[KnownQuestion, ...]]:
    """The kind of damage of a case, its edits, and the questions about them; no edits where nothing can be asked."""
    record = known_benchmark(case.suite)
    if record is None or not record.questions:
        assert case.answer is not None
        graded = graded_edits(case.images[0], case.answer, seed)
        return graded.damage, graded.edits, ()
    edits, questions = questioned_edits(case, seed)
    return "effects", edits if questions else (), questions


def _written_out(problem: AuditProblem) -> dict[str, Any]:
    """A problem as plain values; sets without questions look as they always did."""
    fields = asdict(problem)
    return fields if problem.questions else {name: value for name, value in fields.items() if name != "questions"}


def _question(said: Mapping[str, Any]) -> KnownQuestion:
    left, top, right, bottom = map(int, said["box"])
    answers = {str(level): str(answer) for level, answer in said["answers"].items()}
    if not set(answers.values()) <= {"Yes", "No"}:
        raise ValueError(f"the answers {sorted(set(answers.values()))} are not Yes and No")
    box = (left, top, right, bottom)
    return KnownQuestion(str(said["text"]), str(said["effect"]), float(said["area"]), box, answers)


def _written(folder: Path, file: Path, level: str, pixels: Any, miou: float) -> StoredKnownEdit:
    data = encode_png(pixels, fixed_bytes=True)  # verdicts about it are found by these bytes
    write_whole(folder / file, data)
    return StoredKnownEdit(level, miou, file.as_posix(), sha256(data).hexdigest())
