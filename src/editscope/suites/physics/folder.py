"""A set of scene edits that was written to a folder; its descriptions hold the masks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from editscope.cases import Case
from editscope.errors import BadInput
from editscope.suites.generated.released import ReleasedFolder, Sidecar
from editscope.suites.physics.catalog import LEVELS, PhysicsCatalog
from editscope.suites.physics.described import check_change, check_description
from editscope.suites.physics.masks import with_effects


class SceneEditFolder(ReleasedFolder):
    """A written set."""

    def __init__(self, catalog: PhysicsCatalog, root: str | Path) -> None:
        def tags(folder: str, fields: Sidecar) -> Mapping[str, str]:
            if fields.task not in catalog.tasks or fields.mode not in LEVELS:
                raise BadInput(
                    f"{folder} holds the task {fields.task!r} at the level {fields.mode!r}, which {catalog.name} does "
                    "not have; write the set again"
                )
            number = (fields.model_extra or {}).get("problem_id")
            if not isinstance(number, int) or number < 0:
                raise BadInput(f"{folder}: the field 'problem_id' is {number!r}, not a number; write the set again")
            try:
                check_description(fields.model_extra or {})
            except ValueError as error:
                damaged = self.root / folder / f"{number:03d}.json"
                raise BadInput(f"{damaged}: {error}; remove it and write the set again") from error
            return catalog.tags_of(fields.task, fields.mode, number)

        super().__init__(
            catalog.name,
            root,
            lambda strata: catalog.aggregation,
            tags,
            folders="<task>_<level>",
            only_ours=True,
        )
        # What load takes for a folder: there are no splits, and one way of resampling.
        self.options = {"root": self.options["root"]}

    def case(self, case_id: str) -> Case:
        """One problem with its effects; BadInput where they cannot be those of its pictures."""
        case = super().case(case_id)
        try:
            case = with_effects(case)
            check_change(case)
        except ValueError as error:
            sidecar = self._entries[case_id].sidecar
            raise BadInput(f"{sidecar}: {error}; remove it and write the set again") from error
        return case
