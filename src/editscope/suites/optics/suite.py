"""Optics as a suite and as a stream."""

from __future__ import annotations

from editscope.suites.optics.catalog import CATALOG
from editscope.suites.physics.suite import SceneEditStream, SceneEditSuite


class OpticsSuite(SceneEditSuite):
    """A set of optics problems."""

    name = "optics"
    generator = "4"
    catalog = CATALOG


class OpticsStream(SceneEditStream):
    """Optics problems without end."""

    name = "optics"
    suite = OpticsSuite


load = OpticsSuite.load
write_set = OpticsSuite.write_set
