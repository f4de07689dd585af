"""A set of scene edits that was written to a folder; its descriptions hold the masks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from editscope.cases import Case
from editscope.errors import BadInput
from editscope.suites.generated.released import ReleasedFolder, Sidecar
from editscope.suites.physics.catalog import LEVELS, PhysicsCatalog
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
            return catalog.tags_of(fields.task, fields.mode)

        super().__init__(catalog.name, root, lambda strata: catalog.aggregation, tags)

    def case(self, case_id: str) -> Case:
        """One problem with its effects."""
        case = super().case(case_id)
        try:
            return with_effects(case)
        except (KeyError, TypeError, ValueError) as error:
            raise BadInput(f"the masks of {case_id} do not fit it ({error}); write the set again") from error
