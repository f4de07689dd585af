"""Loader of pipelines: precision, device, offloading, LoRA weights, compiling."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from editscope.editors.diffusion.families import PipelineFamily, family_of
from editscope.editors.diffusion.finding import local_folder, need_libraries, need_weights, not_here, offline, shortly
from editscope.editors.diffusion.memory import out_of_memory
from editscope.editors.diffusion.options import Lora, PipelineOptions
from editscope.editors.diffusion.processors import for_pictures, has_torchvision
from editscope.editors.diffusion.quiet import no_bars, quiet
from editscope.errors import BadInput

NETWORKS = ("transformer", "transformer_2", "unet")
"""The parts of a pipeline that do most of the work."""


@dataclass(frozen=True, eq=False)
class LoadedPipeline:
    """A pipeline that is ready; ``notes`` are what a user should know about its weights."""

    pipe: Any
    torch: Any
    device: str
    notes: tuple[str, ...]


def load_pipeline(
    target: str, options: PipelineOptions, index: Mapping[str, Any], *, exact: Sequence[str] = ()
) -> LoadedPipeline:
    """Load a pipeline as ``DiffusionPipeline.from_pretrained`` does, and put it where the options say.

    The parts in ``exact`` are kept in full precision, unless the user names one. Raises BadInput with one sentence for
    whatever keeps it from being loaded.
    """
    need_libraries(target)
    with quiet():
        torch, diffusers = _libraries(target)
    with quiet() as warned:  # again, now that the libraries have made their loggers
        need_packages(target, family_of(index["_class_name"]))
        device = chosen_device(torch, target, options)
        pipe = _from_pretrained(diffusers, torch, target, options, index, device, exact)
        pipe.set_progress_bar_config(disable=True)
        if not options.device_map:
            _need_all_weights(pipe, target)
        _add_loras(pipe, target, options)
        _save_memory(pipe, target, options)
        _place(pipe, torch, target, options, device)
        if options.compile:
            _compile(pipe, torch)
    return LoadedPipeline(pipe, torch, device, drawn_at_random(warned))


def drawn_at_random(warned: Sequence[str]) -> tuple[str, ...]:
    """Which parts lack weights in the checkpoint and got random ones instead, from what transformers says of it.

    >>> drawn_at_random(["BertModel LOAD REPORT from: x Key | Status | --- a.bias | UNEXPECTED | b.bias | MISSING |"])
    ('BertModel lacks weights in the checkpoint and got random ones for them (b.bias)',)
    """
    notes = []
    for warning in warned:
        warning = re.sub(r"\x1b\[\d+m", "", warning)
        part = re.search(r"(\w+) LOAD REPORT", warning)
        names = re.findall(r"(\S+) \| MISSING", warning)
        if part and names:
            more = f" and {len(names) - 1} more" if len(names) > 1 else ""
            notes.append(f"{part[1]} lacks weights in the checkpoint and got random ones for them ({names[0]}{more})")
    return tuple(notes)


def _libraries(target: str) -> tuple[Any, Any]:
    try:
        torch: Any = import_module("torch")
        transformers: Any = import_module("transformers")
        diffusers: Any = import_module("diffusers")
    except ImportError as error:
        raise BadInput(
            f"editor diffusers:{target} needs PyTorch, diffusers and transformers, but they cannot be imported "
            f"({shortly(error)}): pip install 'editscope[local]'"
        ) from error
    no_bars(diffusers, transformers)
    return torch, diffusers


def chosen_device(torch: Any, target: str, options: PipelineOptions) -> str:
    """The device that the options name, or the best there is; BadInput where it cannot be used."""
    wanted = options.device
    if wanted == "auto":
        if torch.cuda.is_available():
            return "cuda"
        return "mps" if torch.backends.mps.is_available() else "cpu"
    try:
        torch.empty(0, device=wanted)
    except (RuntimeError, AssertionError, ValueError, NotImplementedError) as error:
        raise BadInput(
            f"editor diffusers:{target} cannot use the device {wanted!r} ({shortly(error, 200)}); write ?device=cpu, "
            "or install PyTorch for that device"
        ) from error
    return wanted


def _from_pretrained(
    diffusers: Any,
    torch: Any,
    target: str,
    options: PipelineOptions,
    index: Mapping[str, Any],
    device: str,
    exact: Sequence[str] = (),
) -> Any:
    dtype = options.dtype if options.dtype != "auto" else ("float32" if device == "cpu" else "bfloat16")
    folder = local_folder(target)
    wanted: dict[str, Any] = {"torch_dtype": getattr(torch, dtype), "variant": options.variant}
    if exact and options.dtype == "auto" and dtype != "float32":
        wanted["torch_dtype"] = {"default": getattr(torch, dtype), **dict.fromkeys(exact, torch.float32)}
    if folder is None:
        wanted["revision"] = options.revision
    if options.device_map:
        wanted["device_map"] = options.device_map
    if not options.safety and index.get("safety_checker"):
        wanted |= {"safety_checker": None, "requires_safety_checker": False}
    try:
        wanted |= for_pictures(target, folder, options.revision, index)
        if options.network is not None:
            wanted |= _other_network(diffusers, target, options.network, index, getattr(torch, dtype))
        return diffusers.DiffusionPipeline.from_pretrained(folder or target, **wanted)
    except BadInput:
        raise
    except Exception as error:
        raise _cannot_load(target, folder, error) from error


def _other_network(diffusers: Any, target: str, network: str, index: Mapping[str, Any], dtype: Any) -> dict[str, Any]:
    """The transformer or UNet of a folder, as a training run saves it, in place of the model's own."""
    name = next((one for one in NETWORKS if index.get(one)), None)
    if name is None:
        raise BadInput(
            f"editor diffusers:{target}: {index['_class_name']} has no {' or '.join(NETWORKS)}; leave out network"
        )
    folder = Path(network).expanduser()
    folder = folder / name if (folder / name / "config.json").is_file() else folder
    if not (folder / "config.json").is_file():
        raise BadInput(
            f"editor diffusers:{target}, option network: {network} has no config.json; give a folder that the {name} "
            "was saved to with save_pretrained"
        )
    wanted = index[name][1]
    try:
        kind = getattr(diffusers, wanted)
        class_name = kind.load_config(folder).get("_class_name", wanted)
        if class_name != wanted:
            raise BadInput(f"editor diffusers:{target}, option network: {network} is a {class_name}; give a {wanted}")
        return {name: kind.from_pretrained(folder, torch_dtype=dtype)}
    except BadInput:
        raise
    except Exception as error:
        raise BadInput(
            f"editor diffusers:{target}, option network: {network} cannot be loaded ({shortly(error)}); save it again"
        ) from error


def _cannot_load(target: str, folder: Path | None, error: Exception) -> BadInput:
    reason = shortly(error)
    if out_of_memory(error):
        return BadInput(
            f"editor diffusers:{target} does not fit into memory; try ?offload=model, ?dtype=bf16 or a smaller model"
        )
    if "torchvision" in str(error) and not has_torchvision():
        return BadInput(f"editor diffusers:{target} needs torchvision, which is not installed: pip install torchvision")
    if folder is None and (offline() or type(error).__name__ in ("LocalEntryNotFoundError", "OfflineModeIsEnabled")):
        return BadInput(not_here(target))
    if isinstance(error, AttributeError) and "has no attribute" in str(error):
        return BadInput(
            f"editor diffusers:{target}: the installed diffusers does not know this pipeline ({reason}): "
            "pip install -U diffusers transformers"
        )
    return BadInput(
        f"editor diffusers:{target} cannot be loaded ({type(error).__name__}: {reason}); it has to be a pipeline that "
        "DiffusionPipeline.from_pretrained can read"
    )


def _need_all_weights(pipe: Any, target: str) -> None:
    for name, part in pipe.components.items():
        if not hasattr(part, "named_parameters"):
            continue
        lacking = next((weight for weight, values in part.named_parameters() if values.is_meta), None)
        if lacking is not None:
            raise BadInput(
                f"editor diffusers:{target}: the checkpoint of its {name} lacks {lacking}; save or download it again"
            )


def need_packages(target: str, family: PipelineFamily | None) -> None:
    """BadInput where a package that only this family needs is missing."""
    missing = [name for name in family.needs if find_spec(name) is None] if family else []
    if family and missing:
        raise BadInput(
            f"editor diffusers:{target}: {family.name} needs {' and '.join(missing)}, which is not installed: "
            f"pip install {' '.join(missing)}"
        )


def _add_loras(pipe: Any, target: str, options: PipelineOptions) -> None:
    if not options.loras:
        return
    if not hasattr(pipe, "load_lora_weights"):
        raise BadInput(f"editor diffusers:{target}: {type(pipe).__name__} takes no LoRA weights; leave out lora")
    names = []
    for number, lora in enumerate(options.loras):
        name = f"lora{number}"
        _add_lora(pipe, target, lora, name)
        names.append(name)
    pipe.set_adapters(names, [lora.scale for lora in options.loras])
    if options.fuse:
        pipe.fuse_lora(adapter_names=names)
        pipe.unload_lora_weights()


def _add_lora(pipe: Any, target: str, lora: Lora, name: str) -> None:
    need_weights(target, "lora", lora.source)
    path, weight = Path(lora.source).expanduser(), lora.weight
    if path.is_file():
        path, weight = path.parent, weight or path.name
    where = str(path) if path.exists() else lora.source
    try:
        pipe.load_lora_weights(where, weight_name=weight, adapter_name=name)
    except Exception as error:
        if not path.exists():
            raise BadInput(
                f"editor diffusers:{target}, option lora: {lora.source} is not a folder or file here and the hub does "
                f"not give it ({shortly(error)}); check the path, or download it and give its folder"
            ) from error
        raise BadInput(
            f"editor diffusers:{target}, option lora: {lora.source} cannot be loaded ({shortly(error)}); give a folder "
            "or file of LoRA weights for this pipeline, and its file name with lora_weight where there are several"
        ) from error
    if name not in {one for listed in pipe.get_list_adapters().values() for one in listed}:
        raise BadInput(
            f"editor diffusers:{target}, option lora: {lora.source} holds no weights for {type(pipe).__name__}; "
            "give LoRA weights that were trained for this model"
        )


def _save_memory(pipe: Any, target: str, options: PipelineOptions) -> None:
    vae = getattr(pipe, "vae", None)
    for wanted, owner, method, option in (
        (options.vae_tiling, vae, "enable_tiling", "vae_tiling"),
        (options.vae_slicing, vae, "enable_slicing", "vae_slicing"),
        (options.attention_slicing, pipe, "enable_attention_slicing", "attention_slicing"),
    ):
        if not wanted:
            continue
        if not hasattr(owner, method):
            raise BadInput(f"editor diffusers:{target}: {type(pipe).__name__} cannot do that; leave out {option}")
        getattr(owner, method)()


def _place(pipe: Any, torch: Any, target: str, options: PipelineOptions, device: str) -> None:
    if options.device_map:
        return
    if options.offload != "none" and device == "cpu":
        raise BadInput(
            f"editor diffusers:{target}: offload={options.offload} moves weights between memory and a GPU, and there "
            "is none here; leave it out"
        )
    try:
        if options.offload == "model":
            pipe.enable_model_cpu_offload(device=device)
        elif options.offload == "sequential":
            pipe.enable_sequential_cpu_offload(device=device)
        else:
            pipe.to(device)
    except Exception as error:
        if not out_of_memory(error):
            raise
        raise BadInput(
            f"editor diffusers:{target} does not fit into the memory of {device}; try ?offload=model, ?dtype=bf16, or "
            "with several GPUs ?device_map=balanced"
        ) from error


def _compile(pipe: Any, torch: Any) -> None:
    """Compile what does most of the work: where a network has blocks that repeat, one of them, which is faster."""
    for name in NETWORKS:
        network = getattr(pipe, name, None)
        if network is None:
            continue
        if getattr(network, "_repeated_blocks", None):
            network.compile_repeated_blocks()
        else:
            network.compile()
