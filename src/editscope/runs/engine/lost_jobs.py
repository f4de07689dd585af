"""Jobs of a lost worker: which are done again, which are suspects, and which have failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from editscope.runfolder.journal import Step
from editscope.runs.engine.worker_process import Job
from editscope.runs.engine.workers import OpenRequest, Worker

MOST_DEATHS = 2
ALL = "*"
"""Stands for all variants of a case; no variant has this name."""


@dataclass
class LostJobs:
    """The jobs of a lost worker, sorted.

    ``again`` are edited as if nothing had been, ``suspects`` with nothing beside them; ``failed`` names for each job
    the edits that get the status error. ``unscored`` have their edits and want their score. ``fatal`` were there each
    time that a worker died without its editor being at anything: no edit is to blame for that, and the run stops.
    """

    again: list[Job] = field(default_factory=list)
    suspects: list[Job] = field(default_factory=list)
    failed: list[tuple[Job, tuple[str, ...]]] = field(default_factory=list)
    unscored: list[Job] = field(default_factory=list)
    fatal: list[Job] = field(default_factory=list)


def after_death(worker: Worker, deaths: Counter[Step], *, free: bool) -> LostJobs:
    """Sort the jobs of a worker that died; ``deaths`` counts how often that happened to each edit, and to each case.

    An edit that the editor was at alone has killed its worker: it fails, unless it is free and this was the first
    time. Of several any may have done it: each is made once more with nothing beside it. Where the editor was at
    nothing, one of the jobs did it that were made ready or scored. Where the machine was lost, nobody is at fault.
    """
    begun = set() if worker.lost else {step for request in worker.open_requests.values() for step in request.edits}
    lost = LostJobs()
    for job in worker.jobs.values():
        own = tuple(variant for variant in job.make if (job.case_id, variant) in begun)
        deaths.update((job.case_id, variant) for variant in own)
        if not begun and not worker.lost:
            deaths[job.case_id, ALL] += 1
            lost.fatal += [job] if deaths[job.case_id, ALL] >= MOST_DEATHS else []
        if not job.make:
            lost.unscored.append(replace(job, alone=not worker.lost))
        elif worker.lost or (begun and not own):
            lost.again.append(job)
        elif len(begun) == 1 and not (free and deaths[job.case_id, own[0]] < MOST_DEATHS):
            lost.failed.append((job, own))
        else:
            lost.suspects.append(replace(job, alone=True))
    return lost


def after_timeout(worker: Worker, late: Sequence[OpenRequest]) -> LostJobs:
    """Sort the jobs of a worker that was killed since some edits took too long.

    A late edit that was asked for alone fails; of several that were asked for in one go it cannot be told which hung:
    each is made once more with nothing beside it. All others have done nothing.
    """
    failed = {request.edits[0] for request in late if len(request.edits) == 1}
    suspected = {step for request in late if len(request.edits) > 1 for step in request.edits}
    lost = LostJobs()
    for job in worker.jobs.values():
        own = tuple(variant for variant in job.make if (job.case_id, variant) in failed)
        if not job.make:
            lost.unscored.append(job)
        elif own:
            lost.failed.append((job, own))
        elif any((job.case_id, variant) in suspected for variant in job.make):
            lost.suspects.append(replace(job, alone=True))
        else:
            lost.again.append(job)
    return lost
