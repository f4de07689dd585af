"""Classic measures of a finished run: its cases are made again and its edits read, a few at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from itertools import islice
from math import isinf, isnan
from pathlib import Path
from threading import Lock
from typing import TypeAlias

from editscope.errors import BadImage, BadInput
from editscope.images import cover, load
from editscope.plugins import one_sentence
from editscope.processes import cores
from editscope.results.classic_measures import Columns, MeasureWriter, Values, key_of, measures
from editscope.results.run import CaseRecord, Run, open_run
from editscope.runfolder.stored_edits import check_stored
from editscope.scoring.classic import (
    METRICS,
    ImagePair,
    Metric,
    MetricSettings,
    edit_region,
    load_metric,
    provenance,
)
from editscope.scoring.classic.metric import as_number
from editscope.suites import Suite, load_suite

CHUNK = 4
"""Cases that are measured together. They are the same ones in every call, so that a model sees the same batches
however often it was stopped."""

Chunk: TypeAlias = Sequence[CaseRecord]
Found: TypeAlias = dict[str, list[Values]]


def measure_run(
    folder: str | Path,
    wanted: Mapping[str, str],
    *,
    jobs: int | None = None,
    device: str = "",
    allow_download: bool = False,
    on_progress: Callable[[int, int], None] | None = None,
) -> Columns:
    """Measure every edit of a finished run and keep the result in it; what is there already is not repeated.

    ``wanted`` maps specs of metrics to models (empty where none is needed). ``jobs`` threads have cases of their
    own (one per core if None); models run on ``device`` (cpu if empty). Measures of earlier calls stay. The columns
    are those of ``read_measures``.
    """
    run = open_run(folder)
    if run.archive is not None:
        raise BadInput(f"{folder} is an archive and cannot be changed; measure the original run")
    if run.judged:
        raise BadInput(f"{folder} was scored by a judge and has no answers to measure its edits against")
    if not run.complete:
        raise BadInput(f"{folder} is not finished; `editscope resume {folder}` first")
    suite = _suite(run)
    loaded = _load(wanted, device, allow_download)
    records = run.records()
    lock = Lock()
    labels = {name: metric.shown for name, metric in loaded.items()}
    with MeasureWriter(run.path, {name: provenance(metric) for name, metric in loaded.items()}, labels) as ledger:
        todo = [
            chunk
            for chunk in (records[start : start + CHUNK] for start in range(0, len(records), CHUNK))
            if not all(ledger.has(name, key_of(record)) for name in loaded for record in chunk)
        ]
        done = len(records) - sum(map(len, todo))
        report = on_progress or (lambda done, total: None)
        report(done, len(records))
        with _one_thread_each(loaded):
            for chunk, values in _work(todo, lambda chunk: _measure(run, suite, lock, chunk, loaded), jobs or cores()):
                ledger.put(values, [key_of(record) for record in chunk])
                done += len(chunk)
                report(done, len(records))
        ledger.finish(records, list(METRICS))
    return measures(run.path)


def _load(wanted: Mapping[str, str], device: str, allow_download: bool) -> dict[str, Metric]:
    """The metrics of some specs by name, ready to use."""
    loaded: dict[str, Metric] = {}
    for spec, model in wanted.items():
        metric = load_metric(spec, MetricSettings(model, device, allow_download))
        if metric.name in loaded:
            raise BadInput(f"two metrics are called {metric.name!r}; measure one after the other, or rename one")
        loaded[metric.name] = metric
    return loaded


def _measure(run: Run, suite: Suite, made: Lock, chunk: Chunk, loaded: Mapping[str, Metric]) -> Found:
    """All measures of some cases, each as one batch."""
    pairs = [_comparisons(run, suite, made, record) for record in chunk]
    batch = [pair for both in pairs for pair in both if pair is not None]
    measured: Found = {}
    for name, metric in loaded.items():
        values = iter(_values(metric, batch, chunk) if batch else [])
        measured[name] = [(_next(values, whole), _next(values, outside)) for whole, outside in pairs]
    return measured


def _values(metric: Metric, batch: Sequence[ImagePair], chunk: Chunk) -> list[float]:
    """What a metric says to a batch; BadInput where it raises or gives something else than numbers."""
    where = f"metric {metric.name}, in one of the cases {', '.join(record.case_id for record in chunk)}"
    with one_sentence(f"{where}: it failed"):
        values = [as_number(value) for value in metric.measure_batch(batch)]
    if len(values) != len(batch):
        raise BadInput(f"{where}: measure_batch gave {len(values)} values for {len(batch)} pairs")
    if any(map(isinf, values)):
        raise BadInput(f"{where}: it gave an infinite value; return None where there is no value")
    return values


def _next(values: Iterator[float], pair: ImagePair | None) -> float | None:
    if pair is None:
        return None
    value = next(values)
    return None if isnan(value) else value


def _comparisons(run: Run, suite: Suite, made: Lock, record: CaseRecord) -> tuple[ImagePair | None, ImagePair | None]:
    """The edit against the answer, and against the input outside the edit region; None without an edit."""
    if record.status != "ok" or record.image is None:
        return None, None
    with made:  # what draws a case need not be safe with threads
        case = suite.case(record.case_id)
        source = load(case.images[0])
        answer = None if case.answer is None else load(case.answer)
        change = suite.change(case)
    check_stored(record.image, record.hashes, run.path)
    try:
        edit = cover(load(record.image), source.shape[1], source.shape[0])
    except BadImage as error:
        raise BadInput(f"the edit of case {record.case_id} cannot be read: {error}") from error
    keep = ~edit_region(source, answer, case.regions)
    whole = None if answer is None else ImagePair(edit, answer, source=source, change=change)
    return whole, ImagePair(edit, source, keep)


def _suite(run: Run) -> Suite:
    """The suite of a run, made again, if it still has the same cases."""
    settings = run.info["suite"]
    suite = load_suite(settings["name"], **settings["options"])
    if suite.fingerprint != settings["fingerprint"]:
        raise BadInput(
            f"the cases of {suite.name} ({suite.label()}) are not those of {run.path} "
            f"(fingerprint {suite.fingerprint}, was {settings['fingerprint']}); measuring needs the same"
        )
    return suite


def _work(todo: Sequence[Chunk], do: Callable[[Chunk], Found], jobs: int) -> Iterator[tuple[Chunk, Found]]:
    """Chunks with their values as they get done; only as many at a time as there are jobs, for memory's sake."""
    waiting = iter(todo)
    pool = ThreadPoolExecutor(max(1, jobs))
    try:
        running: dict[Future[Found], Chunk] = {pool.submit(do, chunk): chunk for chunk in islice(waiting, max(1, jobs))}
        while running:
            finished, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                yield running.pop(future), future.result()
                running |= {pool.submit(do, chunk): chunk for chunk in islice(waiting, 1)}
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _one_thread_each(loaded: Mapping[str, Metric]) -> Iterator[None]:
    """One thread of torch for each of ours: sums are then added up alike whatever the number of jobs."""
    if not any("torch" in metric.libraries for metric in loaded.values()):
        yield
        return
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
