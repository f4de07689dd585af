"""Judging in a run on Ray: the judges sit in an asynchronous actor, and who asks them asks it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from editscope.errors import BadInput, EditscopeError, Stopped
from editscope.judges import Call, Judge, Verdict
from editscope.runs.judging.judge_queue import Asking
from editscope.runs.judging.settings import OFF, Judging, Limits, load_judges
from editscope.runs.progress import at_once
from editscope.runs.ray.cluster import Cluster, joined, keys_for

SPARE = 8
"""Calls of the actor beside questions: those that open, check and close."""


@dataclass(frozen=True, eq=False)
class Said:
    """What a judge said: a verdict or an error of ours, and how many calls it bears at the moment.

    Errors travel as values: an exception that Ray carries has a remote traceback for a text.
    """

    verdict: Verdict | None = None
    error: EditscopeError | None = None
    at_once: int = 1


class Jury:
    """All judges of a run in one actor: they spend from one purse, and each has one rate and one cache."""

    def __init__(self) -> None:
        self._judges: tuple[Judge, ...] = ()

    async def open(self, specs: Sequence[str], limits: Limits, cwd: str, keys: Mapping[str, str]) -> Said:
        """Load the judges as the process would that asks, from its folder and with its ``keys``, which come in this
        call so that they are in no setting and no log of Ray's."""
        os.environ.update(keys)
        try:
            os.chdir(cwd)
            self._judges = load_judges(specs, limits)
        except (EditscopeError, OSError) as error:
            return Said(error=error if isinstance(error, EditscopeError) else BadInput(str(error)))
        return Said()

    async def check(self, number: int) -> Said:
        """Whether a judge can be asked; the error says why not."""
        try:
            await self._judges[number].check()
        except EditscopeError as error:
            return Said(error=error)
        return Said()

    async def ask(self, number: int, call: Call, sample: int) -> Said:
        """What a judge says to one call."""
        judge = self._judges[number]
        try:
            verdict = await judge.ask(call, sample)
        except EditscopeError as error:
            return Said(error=error)
        return Said(verdict, at_once=at_once(judge))

    async def close(self, number: int) -> None:
        """Let go of a judge's connections."""
        await self._judges[number].close()


class SeatedJudge(Judge):
    """A judge of this process that has its seat in the actor: asked as ever, it passes the question on."""

    def __init__(self, judge: Judge, number: int, jury: Any) -> None:
        self.spec, self.concurrency = judge.spec, judge.concurrency
        self.control = SimpleNamespace(limit=at_once(judge))
        self._judge, self._number, self._jury = judge, number, jury

    @property
    def identity(self) -> Mapping[str, Any]:
        """The identity of the judge itself."""
        return self._judge.identity

    async def check(self) -> None:
        """Raise BadInput where the judge cannot be asked."""
        await self._heard(self._jury.check.remote(self._number))

    async def ask(self, call: Call, sample: int = 0) -> Verdict:
        """What the judge says to one call."""
        said = await self._heard(self._jury.ask.remote(self._number, call, sample))
        assert said.verdict is not None
        self.control.limit = said.at_once
        return said.verdict

    async def close(self) -> None:
        """Let go of the judge, there and here."""
        with suppress(Exception):  # an actor that is gone holds nothing
            await self._jury.close.remote(self._number)
        await self._judge.close()

    async def _heard(self, ref: Any) -> Said:
        from ray.exceptions import RayActorError

        try:
            said: Said = await ref
        except RayActorError as error:
            how = " ".join(str(error).split())[:300]
            raise Stopped(f"the process that asks the judges was lost ({how}); the verdicts so far are kept") from error
        if said.error is not None:
            raise said.error
        return said


@contextmanager
def ray_asking(judging: Judging, address: str | None = None, *, jobs: int | None = None) -> Iterator[Asking]:
    """How a run on Ray asks its judges: through an actor on this node, where their cache is.

    Judges that are objects of the caller's stay in this process. ``address`` and ``jobs`` are those of ``ray_crew``.
    """
    with joined(address, jobs=jobs) as cluster:
        if not judging.named:
            with Asking(judging.judges) as asking:
                yield asking
            return
        jury = _jury(cluster, judging)
        try:
            _open(cluster, jury, judging)
            judges = [SeatedJudge(judge, number, jury) for number, judge in enumerate(judging.judges)]
            with Asking(judges) as asking:
                yield asking
        finally:
            cluster.ray.kill(jury)


def _jury(cluster: Cluster, judging: Judging) -> Any:
    """The actor for the judges, on the node of this process; with a GPU where a judge has a model of its own."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    at_home = any(judge.spec.startswith("local:") for judge in judging.judges)
    ray: Any = cluster.ray
    return (
        ray.remote(Jury)
        .options(
            num_cpus=0,
            enable_task_events=False,
            num_gpus=1 if at_home and cluster.gpus_here else 0,
            max_concurrency=sum(judge.concurrency for judge in judging.judges) + SPARE,
            scheduling_strategy=NodeAffinitySchedulingStrategy(cluster.node_id, soft=False),
        )
        .remote()
    )


def _open(cluster: Cluster, jury: Any, judging: Judging) -> None:
    """Load the judges there; raises what is wrong with them."""
    specs = [judge.spec for judge in judging.judges]
    cache = judging.limits.folder()  # decided here, where the user's environment is
    limits = replace(judging.limits, cache=OFF if cache is None else str(cache.absolute()))
    said: Said = cluster.ray.get(jury.open.remote(specs, limits, str(Path.cwd()), keys_for(*specs)))
    if said.error is not None:
        raise said.error
