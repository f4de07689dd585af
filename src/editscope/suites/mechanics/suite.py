"""Mechanics as a suite and as a stream."""

from __future__ import annotations

from editscope.suites.mechanics.catalog import CATALOG
from editscope.suites.physics.suite import SceneEditStream, SceneEditSuite


class MechanicsSuite(SceneEditSuite):
    """A set of mechanics problems."""

    name = "mechanics"
    generator = "1"
    catalog = CATALOG


class MechanicsStream(SceneEditStream):
    """Mechanics problems without end."""

    name = "mechanics"
    suite = MechanicsSuite


load = MechanicsSuite.load
write_set = MechanicsSuite.write_set
