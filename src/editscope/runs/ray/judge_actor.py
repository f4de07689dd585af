"""Judges of a run on Ray: they live in one asynchronous actor, and this process sends its calls there."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from editscope.errors import BadInput, EditscopeError, Stopped
from editscope.judges import Call, Judge, Verdict
from editscope.judges.records import check_judge
from editscope.runs.judging.judge_queue import JudgeQueue
from editscope.runs.judging.settings import OFF, Judging, Limits, load_judges
from editscope.runs.ray.cluster import Cluster, joined, keys_for
from editscope.transport.account import Account

SPARE = 8
"""Calls of the actor beside questions: those that open, check and close."""


@dataclass(frozen=True, eq=False)
class ActorReply:
    """What a judge said: a verdict or an error of ours, and how many calls it bears at the moment.

    Errors travel as values: an exception that Ray carries has a remote traceback for a text.
    """

    verdict: Verdict | None = None
    error: EditscopeError | None = None
    at_once: int = 1


class JudgeActor:
    """All judges of a run in one actor: they share one budget, and each has one rate and one cache."""

    def __init__(self) -> None:
        self._judges: tuple[Judge, ...] = ()

    async def open(
        self, specs: Sequence[str], limits: Limits, cwd: str, keys: Mapping[str, str], account: Account | None = None
    ) -> ActorReply:
        """Load the judges as the process would that asks, from its folder and with its ``keys``, which come in this
        call so that they are in no setting and no log of Ray's."""
        os.environ.update(keys)
        try:
            os.chdir(cwd)
            self._judges = load_judges(specs, limits)
            for judge in self._judges:
                judge.use_account(account)
        except (EditscopeError, OSError) as error:
            return ActorReply(error=error if isinstance(error, EditscopeError) else BadInput(str(error)))
        return ActorReply()

    async def check(self, number: int) -> ActorReply:
        """Whether a judge can be asked; the error says why not."""
        try:
            await check_judge(self._judges[number])
        except EditscopeError as error:
            return ActorReply(error=error)
        return ActorReply()

    async def ask(self, number: int, call: Call, sample: int) -> ActorReply:
        """What a judge says to one call."""
        judge = self._judges[number]
        try:
            verdict = await judge.ask(call, sample)
        except EditscopeError as error:
            return ActorReply(error=error)
        return ActorReply(verdict, at_once=judge.at_once)

    async def close(self, number: int) -> None:
        """Release a judge's connections."""
        await self._judges[number].close()


class RemoteJudge(Judge):
    """A judge whose calls are answered by the actor; you use it like any other judge."""

    def __init__(self, judge: Judge, number: int, actor: Any) -> None:
        self.spec, self.concurrency, self.reserves = judge.spec, judge.concurrency, judge.reserves
        self._at_once = judge.at_once
        self._judge, self._number, self._actor = judge, number, actor

    @property
    def identity(self) -> Mapping[str, Any]:
        """The identity of the judge itself."""
        return self._judge.identity

    @property
    def at_once(self) -> int:
        """What the actor said last."""
        return self._at_once

    async def check(self) -> None:
        """Raise BadInput where the judge cannot be asked."""
        await self._reply(self._actor.check.remote(self._number))

    async def ask(self, call: Call, sample: int = 0) -> Verdict:
        """What the judge says to one call."""
        reply = await self._reply(self._actor.ask.remote(self._number, call, sample))
        assert reply.verdict is not None
        self._at_once = reply.at_once
        return reply.verdict

    async def close(self) -> None:
        """Release the judge, there and here."""
        with suppress(Exception):  # an actor that is gone holds nothing
            await self._actor.close.remote(self._number)
        await self._judge.close()

    async def _reply(self, ref: Any) -> ActorReply:
        from ray.exceptions import RayActorError

        try:
            reply: ActorReply = await ref
        except RayActorError as error:
            how = " ".join(str(error).split())[:300]
            raise Stopped(f"the process that asks the judges was lost ({how}); the verdicts so far are kept") from error
        if reply.error is not None:
            raise reply.error
        return reply


@contextmanager
def ray_judge_queue(
    judging: Judging, address: str | None = None, *, jobs: int | None = None, account: Account | None = None
) -> Iterator[JudgeQueue]:
    """The judge queue of a run on Ray: calls go through an actor on this node, where the cache is.

    Judges that are objects stay in this process. ``address`` and ``jobs`` are those of ``ray_worker_plan``.
    """
    with joined(address, jobs=jobs) as cluster:
        if not judging.named:
            with JudgeQueue(judging.judges, account) as queue:
                yield queue
            return
        actor = _judge_actor(cluster, judging)
        try:
            _open(cluster, actor, judging, account)
            judges = [RemoteJudge(judge, number, actor) for number, judge in enumerate(judging.judges)]
            with JudgeQueue(judges, account) as queue:
                yield queue
        finally:
            cluster.ray.kill(actor)


def _judge_actor(cluster: Cluster, judging: Judging) -> Any:
    """The actor for the judges, on the node of this process; with a GPU where a judge has a model of its own."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    has_local_model = any(judge.spec.startswith("local:") for judge in judging.judges)
    ray: Any = cluster.ray
    return (
        ray.remote(JudgeActor)
        .options(
            num_cpus=0,
            enable_task_events=False,
            num_gpus=1 if has_local_model and cluster.gpus_here else 0,
            max_concurrency=sum(judge.concurrency for judge in judging.judges) + SPARE,
            scheduling_strategy=NodeAffinitySchedulingStrategy(cluster.node_id, soft=False),
        )
        .remote()
    )


def _open(cluster: Cluster, actor: Any, judging: Judging, account: Account | None) -> None:
    """Load the judges there; raises what is wrong with them."""
    specs = [judge.spec for judge in judging.judges]
    cache = judging.limits.folder()  # decided here, where the user's environment is
    limits = replace(judging.limits, cache=OFF if cache is None else str(cache.absolute()))
    # The actor is on this node, where the file of the account is.
    opening = actor.open.remote(specs, limits, str(Path.cwd()), keys_for(*specs), account)
    reply: ActorReply = cluster.ray.get(opening)
    if reply.error is not None:
        raise reply.error
