"""Mechanics as a suite and as a stream."""

from __future__ import annotations

from collections.abc import Mapping

from editscope.suites.mechanics.catalog import CATALOG, SIMULATED
from editscope.suites.physics.suite import SceneEditStream, SceneEditSuite


class MechanicsSuite(SceneEditSuite):
    """A set of mechanics problems."""

    name = "mechanics"
    generator = "2"
    catalog = CATALOG

    def environment(self) -> Mapping[str, str]:
        """The version of MuJoCo, where a task needs it: with another one, things may come to rest elsewhere."""
        if not any(slot.task in SIMULATED for slot in self.slots.values()):
            return {}
        from editscope.suites.mechanics.settling import simulator

        return {"mujoco": str(simulator().__version__)}


class MechanicsStream(SceneEditStream):
    """Mechanics problems without end."""

    name = "mechanics"
    suite = MechanicsSuite


load = MechanicsSuite.load
write_set = MechanicsSuite.write_set
