"""Editor for ``diffusers:REPO_OR_DIR``: requests in, edits out, several at a time where the pipeline can."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from editscope.cases import Edit
from editscope.editors.base import Editor, Request
from editscope.editors.diffusion import memory
from editscope.editors.diffusion.calling import CallPlan, PipelineInput, call_plan, limits_of
from editscope.editors.diffusion.families import family_of
from editscope.editors.diffusion.finding import (
    fetched_index,
    index_at_hand,
    need_libraries,
    need_weights,
    shortly,
    weights_identity,
)
from editscope.editors.diffusion.loading import NETWORKS, LoadedPipeline, load_pipeline, need_packages
from editscope.editors.diffusion.options import PipelineOptions
from editscope.editors.diffusion.outputs import Given, looked_at, read_output
from editscope.editors.diffusion.quiet import quiet
from editscope.editors.gpus import gpu_count
from editscope.editors.joined_pictures import join_pictures, which_is_which
from editscope.editors.sizing import SizeMapping
from editscope.errors import BadInput
from editscope.images import Pixels

MULTIPLE = 16


@dataclass(frozen=True, eq=False)
class _Prepared:
    """A request with its pictures joined and fitted."""

    request: Request
    source: Pixels
    asked: PipelineInput
    fit: SizeMapping
    said: str | None

    @property
    def group(self) -> tuple[Any, ...]:
        """What has to agree for edits to be made in one call."""
        return self.fit.source, self.fit.sent, len(self.asked.pictures)


class DiffusersEditor(Editor):
    """A diffusers pipeline in this process.

    ``batch`` edits of the same size are made in one call; noise comes from a generator for each edit, on the CPU, so
    that a seed gives the same noise on every device and in every batch.
    """

    def __init__(self, target: str, options: PipelineOptions) -> None:
        self.target = target
        self.options = options
        self.name = _name(target, options)
        self.batch = options.batch
        spread = options.device_map is not None
        self.gpu = not spread and (options.device.startswith("cuda") or (options.device == "auto" and gpu_count() > 0))
        self.workers = None if self.gpu else 1  # with a GPU each there are as many as GPUs, here or in a cluster
        self._index: Mapping[str, Any] | None = None
        self._most = options.batch
        self._loaded: LoadedPipeline | None = None
        self._plan: CallPlan | None = None
        self._model = ""
        self._know(index_at_hand(target, options.revision))

    @property
    def free(self) -> bool:
        """Edits cost nothing but time: one whose worker died may be made again."""
        return True

    def check(self) -> None:
        """Packages, the pipeline's index and what its family cannot do; loads no weights."""
        need_libraries(self.target)
        index = fetched_index(self.target, self.options.revision)
        self._know(index)
        need_packages(self.target, family_of(str(index["_class_name"])))
        for option, sources in (
            ("network", [self.options.network]),
            ("lora", [one.source for one in self.options.loras]),
        ):
            for source in sources:
                if source is not None:
                    need_weights(self.target, option, source)

    def load(self) -> None:
        """Load the pipeline and find out how it is asked."""
        need_libraries(self.target)
        index = self._index or fetched_index(self.target, self.options.revision)
        self._know(index)
        loaded = load_pipeline(self.target, self.options, index)
        multiple = 2 * int(getattr(loaded.pipe, "vae_scale_factor", MULTIPLE // 2) or MULTIPLE // 2)
        self._plan = call_plan(self.target, type(loaded.pipe), self.options, multiple)
        limits_of(self.target, self._plan.family, self.options)
        self._limit_pictures(self._plan.family.pictures)
        self._loaded = loaded
        self._model = f"{self.name}@{weights_identity(self.target, _others(self.options), self.options.revision)}"

    def edit(self, case: Request) -> Edit:
        """One edit; what the pipeline raises goes to the caller, except that memory was not enough."""
        too_many = self._too_many(case)
        if too_many is not None:
            return too_many
        (made,) = self._made([self._prepared(case)], alone=True)
        return made

    def edit_batch(self, cases: Sequence[Request]) -> list[Edit]:
        """Edits in the order of their requests; those of one size are made together."""
        edits: dict[int, Edit] = {}
        groups: dict[tuple[Any, ...], list[tuple[int, _Prepared]]] = {}
        for number, case in enumerate(cases):
            too_many = self._too_many(case)
            if too_many is not None:
                edits[number] = too_many
                continue
            prepared = self._prepared(case)
            groups.setdefault(prepared.group, []).append((number, prepared))
        for group in groups.values():
            batch = self._made([prepared for _, prepared in group], alone=False)
            edits.update(zip((number for number, _ in group), batch, strict=True))
        return [edits[number] for number in range(len(cases))]

    def close(self) -> None:
        """Release the weights."""
        loaded, self._loaded, self._plan = self._loaded, None, None
        if loaded is not None:
            torch = loaded.torch
            del loaded
            memory.let_go(torch)

    # --- one group of requests --------------------------------------------------------------------

    def _made(self, group: Sequence[_Prepared], *, alone: bool) -> list[Edit]:
        """The edits of one group, at most so many in a call as memory has borne so far."""
        edits: list[Edit] = []
        at = 0
        while at < len(group):
            part = group[at : at + max(1, self._most)]
            try:
                edits += self._called(part)
            except Exception as error:
                if not memory.out_of_memory(error):
                    if alone:
                        raise
                    edits += self._one_by_one(part, error)
                else:
                    error.__traceback__ = None  # it holds on to the tensors of the call that failed
                    memory.let_go(self._ready[0].torch)
                    if len(part) > 1:
                        self._most = len(part) // 2
                        continue
                    edits += [Edit(one.request.case_id, status="error", reason=memory.TRY) for one in part]
            at += len(part)
        if self._most < self.options.batch:
            note = f"memory was not enough for {self.options.batch} edits at a time; made {self._most} at a time"
            edits = [replace(one, notes=(*one.notes, note)) for one in edits]
        return edits

    def _one_by_one(self, part: Sequence[_Prepared], error: Exception) -> list[Edit]:
        """After a call for several failed: each alone, so that one that the pipeline cannot take spoils no other."""
        if len(part) > 1:
            return [edit for one in part for edit in self._made([one], alone=False)]
        reason = f"{type(error).__name__}: {shortly(error, 500)}"
        return [Edit(part[0].request.case_id, status="error", reason=reason)]

    def _called(self, part: Sequence[_Prepared]) -> list[Edit]:
        loaded, plan = self._ready
        torch = loaded.torch
        generators = [torch.Generator("cpu").manual_seed(one.request.seed) for one in part]
        arguments = plan.arguments([one.asked for one in part], part[0].fit.sent, generators)
        memory.begin(torch)
        torch.manual_seed(part[0].request.seed)  # for pipelines that draw somewhere without their generator
        began = time.perf_counter()
        with quiet():
            given = read_output(loaded.pipe(**arguments), len(part))
        took = time.perf_counter() - began
        used = memory.most_mb(torch)
        return [self._edit(one, each, took, used) for one, each in zip(part, given, strict=True)]

    def _edit(self, one: _Prepared, given: Given, took: float, used: float | None) -> Edit:
        given = looked_at(given, one.source, one.request.instruction)
        pixels = given.pixels
        if pixels is not None and self.options.back:
            pixels = one.fit.back(pixels)
        return Edit(
            one.request.case_id,
            one.request.variant,
            image=pixels,
            status=given.status,
            reason=given.reason,
            latency_s=took,
            memory_mb=used,
            asked=one.said,
            notes=(*self._ready[0].notes, *self._unread(one.asked.instruction)),
            model=self._model,
        )

    def _too_many(self, case: Request) -> Edit | None:
        family = self._ready[1].family
        if self.max_images is None or len(case.arrays) <= self.max_images:
            return None
        most = f"{self.max_images} picture{'s' if self.max_images > 1 else ''}"
        reason = f"{family.name} takes at most {most} and this case has {len(case.arrays)}; ?join=row makes them one"
        return Edit(case.case_id, case.variant, status="no_output", reason=reason)

    def _unread(self, instruction: str) -> tuple[str, ...]:
        """The note on an instruction that is longer than what the model reads of it."""
        loaded, plan = self._ready
        if not plan.family.clip:
            return ()
        tokenizer = loaded.pipe.tokenizer
        with quiet():
            length = len(tokenizer(instruction)["input_ids"])
        most = tokenizer.model_max_length
        return (f"the model read the first {most} of the instruction's {length} tokens",) if length > most else ()

    def _prepared(self, request: Request) -> _Prepared:
        from PIL import Image

        plan = self._ready[1]
        arrays, prompt = request.arrays, None
        if self.options.join and len(arrays) > 1:
            how: Any = self.options.join
            prompt = f"{which_is_which(len(arrays), how)} {request.instruction}"
            arrays = (join_pictures(arrays, how),)
        source = arrays[0]
        fit = plan.sizing.fit((source.shape[1], source.shape[0]))
        shown = (plan.sizing.shown(pixels, first=number == 0) for number, pixels in enumerate(arrays))
        pictures = tuple(Image.fromarray(pixels) for pixels in shown)
        return _Prepared(
            request, source, PipelineInput(pictures, prompt or request.instruction, request.seed), fit, prompt
        )

    # --- what is known ----------------------------------------------------------------------------

    @property
    def _ready(self) -> tuple[LoadedPipeline, CallPlan]:
        if self._loaded is None or self._plan is None:
            self.load()
        assert self._loaded is not None and self._plan is not None
        return self._loaded, self._plan

    def _know(self, index: Mapping[str, Any] | None) -> None:
        """Take what the index of a pipeline says about its family."""
        if index is None:
            return
        self._index = index
        family = family_of(str(index["_class_name"]))
        if family is not None:
            limits_of(self.target, family, self.options)
        self._limit_pictures(family.pictures if family else 1)

    def _limit_pictures(self, pictures: int | None) -> None:
        self.max_images = None if self.options.join else pictures


def _name(target: str, options: PipelineOptions) -> str:
    name = Path(target).expanduser().resolve().name if Path(target).expanduser().is_dir() else target.split("/")[-1]
    return "+".join([name, *map(_called, _others(options))])


def _called(weights: str) -> str:
    """The name of weights in tables: of a checkpoint's ``transformer`` folder that of the checkpoint."""
    path = Path(weights)
    return path.parent.name if path.name in NETWORKS and path.parent.name else path.name.removesuffix(".safetensors")


def _others(options: PipelineOptions) -> list[str]:
    """Weights that do not come with the model."""
    return [*([options.network] if options.network else []), *(lora.source for lora in options.loras)]


def load(target: str, **options: Any) -> Editor:
    """The editor for ``diffusers:REPO_OR_DIR?option=value``. Nothing is loaded yet."""
    from editscope.editors.diffusion.options import read_options

    if not target:
        raise BadInput(
            "editor diffusers: has no target; use a folder or a repository such as Qwen/Qwen-Image-Edit-2511"
        )
    return DiffusersEditor(target, read_options(target, options))
