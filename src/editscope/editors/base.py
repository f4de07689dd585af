"""Editors: the base class, the request that an editor gets, and the limits it keeps."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from editscope.cases import NOTHING, Edit, Effect
from editscope.errors import BadInput
from editscope.images import ImageLike, Pixels
from editscope.plugins import FLAG, TEXT, Wanted, one_sentence, whole_number, wrong_attribute

if TYPE_CHECKING:
    import PIL.Image

    from editscope.transport.account import Account
    from editscope.transport.forecast import PaidCalls

OutputNames: TypeAlias = "Mapping[str, Mapping[str, tuple[str, ...]]]"
"""Where edits lie in a folder of edits: for each case and each variant of it, paths without suffix, best first."""


@dataclass(frozen=True, eq=False)
class Request:
    """One edit that is asked for: the pictures, the instruction and the seed.

    ``arrays`` are uint8 arrays (height × width × 3), ``images`` the same as PIL images. ``answer`` and ``effects`` are
    there only for editors that say ``needs_answer``: reference editors, never a model.
    """

    case_id: str
    arrays: tuple[Pixels, ...]
    instruction: str
    seed: int
    tags: Mapping[str, str] = field(default_factory=dict)
    variant: str = ""
    answer: Pixels | None = None
    outputs: tuple[str, ...] = ()
    """Where the suite says that this edit lies in a folder of edits: paths without suffix, best first."""
    hint: str = ""
    """What the suite tells the judge about the right result; only for a wrapper that says ``wants_hint``."""
    repeat: int = 0
    """Which of several edits of the same case it is, counted from 0; ``seed`` differs with it."""
    effects: tuple[Effect, ...] = ()

    @cached_property
    def images(self) -> tuple[PIL.Image.Image, ...]:
        """The input pictures as PIL images, in order."""
        from PIL import Image

        return tuple(Image.fromarray(pixels) for pixels in self.arrays)


@dataclass(frozen=True, slots=True)
class EditLimits:
    """How fast an editor may be asked and what it may spend. None of it decides what an edit looks like.

    ``timeout_s`` is the time for one edit (one request, for an editor behind HTTP); ``max_cost`` and ``max_calls`` are
    for one call of ``run`` or ``resume``; ``prices`` is a TOML file over the prices that ship.
    """

    concurrency: int | None = None
    rpm: float | None = None
    retries: int | None = None
    timeout_s: float | None = None
    max_cost: float | None = None
    max_calls: int | None = None
    prices: str | None = None


class Editor:
    """Base class of all editors: override ``edit``, and ``load`` where there is a model to load.

    ``workers`` says how many processes may hold one of these at the same time: 1 for a model that fills
    the machine, None for as many as there are jobs. ``at_once`` is how many calls of ``edit`` one of them bears at a
    time, from as many threads; ``batch`` how many requests ``edit_batch`` takes in one call. ``gpu`` gives each worker
    a GPU of its own. ``in_place`` says that the pictures it returns are files
    which stay where they are, so that a run refers to them and makes no copy. ``sees_images`` is false for one that
    looks at no input picture, so that none is read for it. ``max_images`` is for a model that
    takes only so many pictures: cases with more are not applicable to it, which is not the same as failed.
    ``own_clock`` is for an editor that ends a late edit itself, so that nobody has to kill its process for that.
    ``wants_answer`` is for a wrapper that chooses by the score: it gets the answer, the editor inside it does not.
    ``wants_hint`` is for one that rewrites instructions with what the suite tells its judge.
    ``trained_on`` names the benchmark on whose kind of problems it was trained, and what was held out ("paintbench
    without striped"): tables and leaderboards say so.
    """

    name: str = ""
    workers: int | None = 1
    at_once: int = 1
    batch: int = 1
    gpu: bool = False
    needs_answer: bool = False
    wants_answer: bool = False
    wants_hint: bool = False
    in_place: bool = False
    sees_images: bool = True
    own_clock: bool = False
    max_images: int | None = None
    trained_on: str = ""
    budget_account: Account | None = None
    """The budget of the run, where it has one; see ``use_account``."""
    last_cost: float = 0.0
    """Dollars that it reported for an edit last, as far as the run counts them."""
    reserves: bool = False
    """Whether it reserves money from ``budget_account`` itself, by request; for others the run does, edit by edit."""

    @property
    def free(self) -> bool:
        """Whether an edit costs nothing and may be made again when its worker died: files and reference editors."""
        return self.needs_answer or self.in_place

    def not_applicable(self, case_id: str, variant: str, images: int) -> str:
        """Why it is not asked for an edit of so many pictures at all; "" where it is."""
        most = self.max_images
        if most is None or images <= most:
            return ""
        takes = f"the editor takes {most} image{'s' if most > 1 else ''}, not {images}"
        return f"not applicable: {takes}; join(row):EDITOR makes them one"

    def limit(self, limits: EditLimits) -> None:
        """Take limits, before ``check`` and ``load``; for editors that wait for others or cost money."""

    def use_account(self, account: Account | None) -> None:
        """Spend no more than the budget of the run allows, edits and judges together; called before ``load``."""
        self.budget_account = account

    def check(self) -> None:
        """Raise BadInput for what would make every edit fail: a missing key or package, a wrong address.

        Called once, where the run was started, before anything is spent. Loads no model.
        """

    def load(self) -> None:
        """Get ready; called once in each process before the first edit."""

    def edit(self, case: Request) -> ImageLike | Edit | None:
        """The edited picture; or an ``Edit`` with a status; or None when there is no output.

        A picture is a PIL image, an array or a tensor (uint8, or floats of 0 to 1), or a path.
        Raises Stopped when it can make no more edits in this run, such as for a spent budget: the run then ends,
        resumable, without a line for this edit. Any other exception is the status ``error`` of this edit.
        """
        raise NotImplementedError(f"{type(self).__name__} has no edit method")

    def edit_batch(self, cases: Sequence[Request]) -> Sequence[ImageLike | Edit | None]:
        """The edits of up to ``batch`` requests, in their order; equal to asking for them one by one."""
        return [self.edit(case) for case in cases]

    def estimate(self, edits: int, images: int = 1) -> float | None:
        """Dollars for so many edits of so many pictures each: 0 for an editor at home, None where nobody knows."""
        return 0.0

    def paid_calls(self, edits: int, images: int = 1) -> tuple[PaidCalls, ...]:
        """Who will be asked and paid for so many edits; nobody for an editor at home."""
        cost = self.estimate(edits, images)
        if cost == 0:
            return ()
        from editscope.transport.forecast import PaidCalls

        return (PaidCalls(f"editor {self.name or type(self).__name__}", edits, "edit", cost_usd=cost),)

    def close(self) -> None:
        """Release what ``load`` took; called once at the end."""

    def source_files(self) -> Sequence[str | Path]:
        """The files whose content is its code: that of its class, none for the classes of Editscope.

        A run records their hash, and says so where edits were made by different versions. Override it to add files
        that the class imports.
        """
        module = type(self).__module__
        file = None if module.partition(".")[0] == "editscope" else getattr(sys.modules.get(module), "__file__", None)
        return (file,) if file else ()

    def inventory(self, selected: Sequence[str], known: Sequence[str], names: OutputNames = NOTHING) -> Inventory:
        """What is wrong with the files this editor relies on, looked at before a run starts.

        ``selected`` are the ids of the run, ``known`` all ids of the suite, ``names`` where the suite's edits may lie,
        for all known ids; empty where the suite does not say.
        """
        return Inventory()


ATTRIBUTES: Mapping[str, Wanted] = {
    **dict.fromkeys(("name", "trained_on"), TEXT),
    "workers": whole_number(1, or_none=True),
    **dict.fromkeys(("at_once", "batch"), whole_number(1)),
    "max_images": whole_number(1, or_none=True),
    **dict.fromkeys(("gpu", "needs_answer", "wants_answer", "wants_hint"), FLAG),
    **dict.fromkeys(("in_place", "sees_images", "own_clock"), FLAG),
}


def check_attributes(editor: Editor, where: str) -> None:
    """Raise BadInput for an attribute that a run cannot use, or no method that edits; ``where`` begins the sentence."""
    if wrong := wrong_attribute(editor, ATTRIBUTES):
        raise BadInput(f"{where}: {wrong}")
    methods = {name: getattr(getattr(editor, name), "__func__", None) for name in ("edit", "edit_batch")}
    if all(method is getattr(Editor, name) for name, method in methods.items()):
        raise BadInput(
            f"{where}: class {type(editor).__name__} has no edit method; write `def edit(self, case):`, which returns "
            "the edited picture"
        )


def check_editor(editor: Editor) -> None:
    """Raise BadInput for what would make every edit fail, or where the check itself fails."""
    with one_sentence(f"editor {editor.name}: its check failed"):
        editor.check()


@dataclass(frozen=True, slots=True)
class Inventory:
    """The files an editor relies on: how many edits have one, and which files are in the way.

    ``missing`` are ids of cases, or ``id [variant]`` where a case has several edits. ``outputs`` is None for an
    editor that uses no files; ``digest`` changes when the files do; ``expected`` is the name that the file of the first
    missing edit would have.
    """

    outputs: int | None = None
    missing: tuple[str, ...] = ()
    unmatched: tuple[str, ...] = ()
    unreadable: tuple[str, ...] = ()
    digest: str = ""
    expected: str = ""


def request_seed(run_seed: int, case_id: str, variant: str = "") -> int:
    """The seed of one edit, below 2³²: the first 8 hex digits of SHA-256 of ``seed|case|variant``.

    >>> request_seed(0, "border/000")
    1551017121
    """
    return int(sha256(f"{run_seed}|{case_id}|{variant}".encode()).hexdigest()[:8], 16)
