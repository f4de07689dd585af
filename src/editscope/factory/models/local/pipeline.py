"""A pipeline of diffusers that draws or animates: found, checked, loaded and called, one record at a time."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from editscope.editors.diffusion import memory
from editscope.editors.diffusion.finding import fetched_index, index_at_hand, need_libraries, weights_identity
from editscope.editors.diffusion.loading import LoadedPipeline, load_pipeline
from editscope.editors.diffusion.options import PipelineOptions, read_options
from editscope.editors.diffusion.quiet import quiet
from editscope.errors import BadInput, unknown
from editscope.factory.models.local.families import GenerationFamily, generation_family

FOR_EDITS = ("batch", "join", "back", "image_guidance")
"""Options of editors that mean nothing here."""
GUIDANCE = ("guidance_scale", "true_cfg_scale")
OURS = ("prompt", "image", "generator", "output_type", "return_dict", "height", "width", "num_frames", "latents")
"""Arguments that are set for each record; ``call.NAME`` may not set them."""
MULTIPLE = 16


class LocalPipeline:
    """A pipeline in this process; ``role`` begins its messages, ``takes`` are arguments that its call must have."""

    def __init__(
        self,
        role: str,
        target: str,
        given: Mapping[str, Any],
        families: Sequence[GenerationFamily],
        takes: Sequence[str],
    ) -> None:
        self.role, self.target = role, target
        self._families, self._takes = families, takes
        for name in FOR_EDITS:
            if name in given:
                raise BadInput(f"{role} diffusers:{target}: {name} is an option of editors; remove it")
        with self.named():
            self.options: PipelineOptions = read_options(target, given)
            self._index = index_at_hand(target, self.options.revision)
        self._loaded: LoadedPipeline | None = None
        self.accepts: frozenset[str] = frozenset()
        self.snapshot = ""

    @contextmanager
    def named(self) -> Iterator[None]:
        """Let messages of the code that editors share begin with what this is."""
        try:
            yield
        except BadInput as error:
            raise BadInput(str(error).replace("editor diffusers:", f"{self.role} diffusers:", 1)) from error

    @property
    def family(self) -> GenerationFamily:
        """The family of the pipeline."""
        assert self._index is not None
        names = [self.target, str(self._index.get("_name_or_path", ""))]
        return generation_family(str(self._index["_class_name"]), names, self._families)

    def check(self) -> None:
        """Packages and the pipeline's index; loads no weights."""
        with self.named():
            need_libraries(self.target)
            self._index = fetched_index(self.target, self.options.revision)
        if missing := [name for name in self.family.needs if find_spec(name) is None]:
            raise BadInput(
                f"{self.role} diffusers:{self.target}: {self.family.name} needs {' and '.join(missing)}, which is not "
                f"installed: pip install {' '.join(missing)}"
            )

    def load(self) -> None:
        """Load the pipeline, and see whether it can do what is wanted of it."""
        self.check()
        assert self._index is not None
        with self.named():
            loaded = load_pipeline(self.target, self.options, self._index, exact=self.family.exact)
        known = inspect.signature(type(loaded.pipe).__call__).parameters
        self.accepts = frozenset(name for name, one in known.items() if one.kind is not one.VAR_KEYWORD) - {"self"}
        if missing := [name for name in self._takes if name not in self.accepts]:
            raise self._wrong(f"{type(loaded.pipe).__name__} takes no {' and no '.join(missing)}; use another model")
        others = [
            *([self.options.network] if self.options.network else []),
            *(one.source for one in self.options.loras),
        ]
        name = (
            Path(self.target).expanduser().resolve().name if Path(self.target).is_dir() else self.target.split("/")[-1]
        )
        self.snapshot = f"{name}@{weights_identity(self.target, others, self.options.revision)}"
        self._loaded = loaded
        self._constant = self._settings()

    @property
    def loaded(self) -> LoadedPipeline:
        """The pipeline with its weights."""
        if self._loaded is None:
            self.load()
        assert self._loaded is not None
        return self._loaded

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user should know about its weights."""
        return self.loaded.notes

    def call(self, seed: int, arguments: Mapping[str, Any]) -> Any:
        """The output of one call; noise comes from a generator on the CPU, so that a seed means the same anywhere."""
        loaded = self.loaded
        torch = loaded.torch
        torch.manual_seed(seed)  # for pipelines that draw somewhere without their generator
        generator = torch.Generator("cpu").manual_seed(seed)
        with quiet():
            return loaded.pipe(**{**self._constant, **arguments, "generator": generator})

    def multiple(self) -> int:
        """What the sides of a picture have to be a multiple of."""
        pipe = self.loaded.pipe
        scale = getattr(pipe, "vae_scale_factor_spatial", None) or getattr(pipe, "vae_scale_factor", None)
        network = getattr(pipe, "transformer", None) or getattr(pipe, "transformer_2", None)
        patch = getattr(getattr(network, "config", None), "patch_size", None)
        if isinstance(patch, list | tuple):
            patch = patch[-1]
        # Networks without a patch of their own pack two latents a side.
        return int(scale or MULTIPLE // 2) * max(2, int(patch or 2))

    def close(self) -> None:
        """Release the weights."""
        loaded, self._loaded = self._loaded, None
        if loaded is not None:
            torch = loaded.torch
            del loaded
            memory.let_go(torch)

    def _settings(self) -> dict[str, Any]:
        """The arguments that are the same for every record: published settings, and the user's over them."""
        family, options = self.family, self.options
        call: dict[str, Any] = {"output_type": "np"} if "output_type" in self.accepts else {}
        if family.steps is not None:
            call["num_inference_steps"] = family.steps
        call |= family.guidance
        call |= {name: value for name, value in family.call.items() if name in self.accepts}
        if options.steps is not None:
            call["num_inference_steps"] = options.steps
        if options.guidance is not None:
            wanted = (*family.guidance, *GUIDANCE)
            name = next((name for name in wanted if name in self.accepts), "")
            if not name:
                raise self._wrong("this pipeline has no guidance; leave out guidance")
            call[name] = options.guidance
        negative = family.negative if options.negative_prompt is None else options.negative_prompt
        if negative is not None:
            if "negative_prompt" not in self.accepts:
                raise self._wrong("this pipeline has no negative prompt; leave out negative_prompt")
            call["negative_prompt"] = negative
        for name, value in options.call.items():
            if name in OURS:
                raise self._wrong(f"call.{name} is set for each record; leave it out")
            if name not in self.accepts:
                raise unknown(f"argument of {family.name}'s call", name, self.accepts - set(OURS))
            call[name] = value
        return call

    def _wrong(self, why: str) -> BadInput:
        return BadInput(f"{self.role} diffusers:{self.target}: {why}")
