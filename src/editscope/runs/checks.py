"""Checks of the cases and files of a run, made before anything is spent."""

from __future__ import annotations

from editscope.editors import Inventory
from editscope.errors import BadInput
from editscope.outside import required
from editscope.plugins import one_sentence
from editscope.runs.judging.settings import Judging
from editscope.suites import Suite


def check_all_there(inventory: Inventory) -> None:
    """Raise BadInput where a file of an edit is missing or cannot be read: known now, before anything is spent."""
    gaps = [f"that of {edit}" for edit in inventory.missing] + list(inventory.unreadable)
    if gaps:
        count = "1 edit is" if len(gaps) == 1 else f"{len(gaps):,} edits are"
        raise BadInput(f"{count} missing or unreadable, and --missing is fail; the first is {gaps[0]}")


def check_texts(suite: Suite, ids: tuple[str, ...]) -> None:
    """Raise BadInput for an id or a tag that no file can hold; a suite of files has looked at all its texts itself."""
    for case_id in ids:
        required(f"suite {suite.name}: the id of a case", case_id)
        for tag, value in suite.tags(case_id).items():
            required(f"suite {suite.name}, case {case_id}: tag {tag!a}", f"{tag}={value}")


def check_units(suite: Suite, ids: tuple[str, ...], judging: Judging) -> None:
    """Raise BadInput where the protocol has nothing to ask about a case, before any edit is made.

    Of a suite that draws its cases only the first is looked at: they are all alike.
    """
    if suite.scoring == "judged":
        with one_sentence(f"protocol {judging.rubric.name}: check_prompts failed"):
            judging.rubric.check_prompts(map(suite.case, suite.ids))
    for case_id in ids if suite.scoring == "judged" else ids[:1]:
        case = suite.case(case_id)
        with one_sentence(f"protocol {judging.rubric.name}, case {case_id}: units failed"):
            judging.rubric.units(case)
