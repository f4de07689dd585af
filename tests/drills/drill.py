"""A drill: a site, the run that nobody disturbed in it, and runs that are killed and must end the same."""

from __future__ import annotations

import random
import shutil

from drills import counts
from drills.checks import SUMMARY, differences, raw_lines
from drills.life import Blow, Life
from drills.moments import EVERYTHING, HEAD, Moment
from drills.site import Site
from drills.tally import Tally


class Drill:
    """One site and what it has seen; the undisturbed run is done when this is made."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.courses = Life(site, "whole", Tally(site.name)).undisturbed()

    def life(self, number: int) -> None:
        """Kill a run again and again, at the moments that belong to this number, and fail for what is found."""
        tally, rng = Tally(self.site.name), random.Random(f"{counts.SEED} {self.site.name} {number}")
        life = Life(self.site, f"life-{number}", tally, rng, self.courses)
        life.killed(counts.PER_LIFE)
        for whole, run in zip(self._runs("whole"), self._runs(life.place), strict=True):
            if not (self.site.folder / run / SUMMARY).exists():
                tally.add("lost", f"{run} has no result in the end")
                continue
            found = differences(self.site.folder / whole, self.site.folder / run)
            tally.add("other", f"{run} is not the run that nobody disturbed: {found[:6]}", len(found))
        closed(tally)

    def _runs(self, place: str) -> list[str]:
        """The folders of the runs that a life in this place makes."""
        return list(dict.fromkeys(leg.run for leg in self.site.legs(place) if leg.steps))

    def ends(self, way: str, times: int) -> None:
        """Kill a leg between the last line of the journal and its end, at so many moments; then go on as usual."""
        tally, rng = Tally("tables"), random.Random(f"{counts.SEED} {way}")
        base = Life(self.site, f"before {way}".replace(" ", "-"), Tally(""))
        base.until(way)
        for number in range(times):
            life = Life(self.site, f"{base.place}-{number}", tally, rng, self.courses)
            shutil.copytree(base.folder, life.folder)
            leg = next(leg for leg in self.site.legs(life.place) if leg.name == way)
            tally.runs += 1
            blow = Blow(Moment("last line", number / times), rng.choice([EVERYTHING, HEAD]))
            life.struck(leg, blow)
            code = life.resumed(leg)
            tally.add("other", f"exit code {code} of resume after {blow} of {way}", code != leg.code)
            tally.steps += len(raw_lines(self.site.folder / leg.run))
        closed(tally)


def closed(tally: Tally) -> None:
    """The end of a drill: what it found is kept for the table, and is a failure."""
    tally.keep()
    assert not tally.faults, "\n".join(map(str, tally.faults))
