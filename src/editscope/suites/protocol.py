"""By what a run is judged: a rubric with its options and prompts, as run.json names it and workers load it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from hashlib import sha256
from inspect import getfile
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from editscope.cases import NOTHING
from editscope.errors import BadInput
from editscope.plugins import one_sentence
from editscope.scoring.rubrics import Measure, PixelCheck, Prompts, Rubric
from editscope.suites import Suite
from editscope.suites.rubrics import load_rubric


@dataclass(frozen=True)
class Protocol:
    """A rubric by name and options; ``prompts`` is the folder that replaces its own, "" where none does.

    ``white`` says that a white picture is judged where an edit is missing, as a released tool does.
    """

    name: str
    options: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    prompts: str = ""
    white: bool = False

    def rubric(self) -> Rubric:
        """The rubric, made again in this process."""
        return load_rubric(self.name, **self.options)

    def pack(self, rubric: Rubric) -> Prompts:
        """The prompts that the rubric asks with."""
        with one_sentence(f"protocol {self.name}: prompts failed"):
            return rubric.prompts(self.prompts or None)

    def __str__(self) -> str:
        """As --protocol takes it: the name, with options where there are any."""
        return self.name + (f"?{urlencode(dict(self.options), quote_via=quote, safe=',')}" if self.options else "")

    def __reduce__(self) -> tuple[Any, ...]:
        return Protocol, (self.name, dict(self.options), self.prompts, self.white)


def protocol_for(
    suite: Suite, name: str | None = None, options: Mapping[str, Any] = NOTHING, prompts: str | Path | None = None
) -> Protocol:
    """The protocol that a suite is judged by: the one that is asked for, else its own."""
    wanted = name or suite.default_protocol
    if not wanted:
        raise BadInput(f"suite {suite.name} has no protocol of its own; choose one with --protocol, such as kris")
    given = dict(options)
    if wanted.partition("?")[0] == suite.default_protocol:
        given = {**suite.rubric_options, **suite.protocol_options, **given}
    elif suite.protocol_options:
        names = ", ".join(suite.protocol_options)
        raise BadInput(
            f"{names} of {suite.name} is for the protocol {suite.default_protocol}; with --protocol {wanted} "
            f"write --protocol '{wanted.partition('?')[0]}?option=value'"
        )
    rubric = load_rubric(wanted, **given)
    folder = "" if prompts is None else str(Path(prompts).resolve())
    return Protocol(rubric.name, rubric.options, folder)


def described(protocol: Protocol, rubric: Rubric) -> dict[str, Any]:
    """What run.json says of a protocol: name, options, prompts with their hashes, and the measures."""
    pack: Any = protocol.pack(rubric)
    prompts = getattr(pack, "prompts", {})
    with one_sentence(f"protocol {protocol.name}: sending failed"):
        sent = rubric.sending()
    return {
        "protocol": {"name": protocol.name, "options": dict(protocol.options)},
        "prompts": {
            "folder": protocol.prompts,
            "version": getattr(pack, "version", ""),
            "hash": getattr(pack, "hash", ""),
            "files": {name: prompts[name].hash for name in sorted(prompts)},
        },
        "sent": sent,
        "measures": [asdict(measure) for measure in rubric.measures],
        "headline": rubric.headline,
        **({"steps": steps} if (steps := _steps(rubric, prompts)) else {}),
        **({"checks": [asdict(check) for check in rubric.checks]} if rubric.checks else {}),
    }


def _steps(rubric: Rubric, prompts: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """What the marks of each metric mean, in the words of its prompt, where the prompt says so for one metric only."""
    from editscope.judges.prompts.packs import meaning_of_marks

    steps = {}
    for name in dict.fromkeys(metric for measure in rubric.measures for metric in measure.metrics):
        named = [prompt for key, prompt in prompts.items() if key == name or key.startswith(f"{name}_")]
        if named and (meaning := meaning_of_marks(named[0])):
            steps[name] = meaning
    return steps


def protocol_from(said: Mapping[str, Any]) -> Protocol:
    """The protocol that ``described`` wrote."""
    return Protocol(said["protocol"]["name"], said["protocol"]["options"], said["prompts"]["folder"])


def measures_from(said: Mapping[str, Any]) -> tuple[Measure, ...]:
    """The measures that ``described`` wrote."""
    try:
        return tuple(Measure(**{**fields, "metrics": tuple(fields["metrics"])}) for fields in said["measures"])
    except TypeError as error:
        raise BadInput(f"run.json has a measure that this version does not know ({error})") from error


def checks_from(said: Mapping[str, Any]) -> tuple[PixelCheck, ...]:
    """The checks that ``described`` wrote; none for a run that was started before there were any."""
    try:
        return tuple(PixelCheck(**fields) for fields in said.get("checks", ()))
    except TypeError as error:
        raise BadInput(f"run.json has a check that this version does not know ({error})") from error


@lru_cache(maxsize=1)
def code_digest() -> str:
    """Hash of the code that decides what a judge gets and what pixels score.

    What was prepared for a judge is kept between runs under this hash, so that nothing of older code is used again.
    """
    import PIL

    digest = sha256(PIL.__version__.encode())
    for path in deciding_files():
        digest.update(path.read_bytes())
    return digest.hexdigest()


def rubric_digest(rubric: Rubric) -> str:
    """Hash of the code of a rubric that another package brings, and of all code in its folder; "" for one of ours."""
    files = _other_code(type(rubric))
    return sha256(b"".join(path.read_bytes() for path in files)).hexdigest() if files else ""


def _other_code(kind: type[Rubric]) -> list[Path]:
    """The files that may decide what a rubric does, besides ours: of a package its folder, else the module alone."""
    files: set[Path] = set()
    for parent in kind.__mro__:
        name, _, inner = parent.__module__.partition(".")
        if name == "editscope" or not issubclass(parent, Rubric):
            continue
        path = Path(getfile(parent))
        files.update(path.parent.glob("*.py") if inner else (path,))
    return sorted(files)


def deciding_files() -> tuple[Path, ...]:
    """The files of ours that decide which pictures and words a judge gets, and the numbers that pixels give."""
    from editscope import images, judges, scoring, suites
    from editscope.judges import prompts
    from editscope.scoring import rubrics

    rooms = (
        (images, "*.py"),
        (scoring, "*.py"),
        (rubrics, "*.py"),
        (suites, "*/rubric.py"),
        (suites, "*/panels.py"),
        (suites, "*/joining.py"),
        (prompts, "*.py"),
        (judges, "p*.py"),
        (judges, "records.py"),
    )
    return tuple(path for room, names in rooms for path in sorted(Path(str(room.__file__)).parent.glob(names)))
