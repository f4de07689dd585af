"""Text fine-tuning of a planner from its experiment, with the loop and the checkpoints of all training."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import torch

from editscope.editors.diffusion.quiet import quiet
from editscope.errors import BadInput, unknown
from editscope.runfolder.files import write_whole
from editscope.training.log.training_log import locked_folder
from editscope.training.models.lora import ADAPTER, target_modules
from editscope.training.models.settings import LoraSettings
from editscope.training.places import full_place
from editscope.training.planner.folders import find_planner, put_layers, readable
from editscope.training.planner.objective import PlannerObjective
from editscope.training.planner.pairs import PairLoader, read_pairs
from editscope.training.planner.prompts import PlannerPrompt, save_prompt
from editscope.training.planner.settings import PlannerSettings
from editscope.training.settings import FREE, TABLES, flattened, read_document, read_table, run_name
from editscope.training.supervised.averaging import in_place
from editscope.training.supervised.export import FINAL
from editscope.training.supervised.loop import LoopSettings, TrainingLoop
from editscope.training.supervised.parallel import Processes, whole
from editscope.training.supervised.settings import ScheduleSettings, TrainingSettings
from editscope.training.supervised.start import (
    EXPERIMENT,
    check_folder,
    named_in_full,
    seed_generators,
    warm_up_note,
)

ATTENTION = ("q_proj", "k_proj", "v_proj", "o_proj")
USED = ("lora", "training", "optimizer", "schedule", "ema", "checkpoints")


def train_planner(
    file: Path, folder: Path, *, resume: bool = False, say: Callable[[str], None] = lambda _: None
) -> Path:
    """Train the planner of an experiment; returns the folder of its weights.

    ``[data] pairs`` names a JSON Lines file of instructions and plans.
    """
    planner, tables, pairs = _read(file)
    check_folder(folder, resume)
    training: TrainingSettings = tables["training"]
    lora: LoraSettings | None = tables.get("lora")
    examples = read_pairs(file.parent / pairs)
    processes = Processes(training.parallel, cpu=planner.device == "cpu")
    processes.need(planner.device, f"{file.name}, [planner]")
    tell = say if processes.first else lambda _: None
    with locked_folder(folder if processes.first else None) as journal:
        seed_generators(training.seed)
        for note in warm_up_note(tables.get("schedule", ScheduleSettings()), training.steps):
            tell(note)
        tell(f"loading {planner.model}")
        network, tokenizer = load_language_model(planner, lora, str(processes.device))
        objective = PlannerObjective(network, tokenizer, planner, bf16=planner.precision == "bf16")
        loader = PairLoader(
            examples,
            training.batch,
            seed=training.seed,
            rank=processes.number,
            world=processes.count,
        )
        decides = {name: value for name, value in flattened({"planner": planner, **tables}).items() if _decides(name)}
        decides["planner.model"] = full_place(planner.model)
        loop = TrainingLoop(
            objective,
            loader,
            LoopSettings(**{name: value for name, value in tables.items() if name != "lora"}, decides=decides),
            folder,
            processes=processes,
            say=tell,
            journal=journal,
        )
        with quiet():
            if resume:
                tell(f"going on from step {loop.resume()} of {training.steps}")
            elif processes.first:
                _keep_copy(file, planner, pairs, folder)
            loop.run()
            values = {name: whole(v) for name, v in (loop.average.values if loop.average else loop.trained).items()}
            if processes.first:
                with in_place(loop.trained, values):
                    processes.unwrapped(objective.network).save_pretrained(folder / FINAL)  # type: ignore[operator]
                tokenizer.save_pretrained(folder / FINAL)
                save_prompt(folder / FINAL, PlannerPrompt(planner.prompt, text_only=True))
            processes.wait()
    return folder / FINAL


def load_language_model(settings: PlannerSettings, lora: LoraSettings | None, device: str = "cpu") -> tuple[Any, Any]:
    """A language model and its tokenizer, with LoRA layers if ``lora`` is given.

    LoRA layers of an earlier training continue, or are merged if all weights are trained.
    """
    transformers: Any = import_module("transformers")
    exact = lora is None or settings.precision == "fp32"
    weights = find_planner(settings.model, "[planner]", settings.revision)
    weights.check_rank(None if lora is None else lora.rank, "[lora]")
    tokens, revision = weights.tokenizer
    with readable(weights, "[planner]"), quiet():
        tokenizer = transformers.AutoTokenizer.from_pretrained(tokens, revision=revision)
        network = transformers.AutoModelForCausalLM.from_pretrained(
            weights.model, revision=weights.revision, dtype=torch.float32 if exact else torch.bfloat16
        ).to(device)
        network = put_layers(network, weights, trained=True, merged=lora is None)
    if lora is not None and weights.layers is None:
        add_planner_lora(network, lora)
    return network, tokenizer


def add_planner_lora(network: Any, lora: LoraSettings) -> None:
    """Put LoRA layers, in float32, into a language model and freeze the rest."""
    peft: Any = import_module("peft")
    targets = ",".join(ATTENTION) if lora.targets == "attention" else lora.targets
    network.requires_grad_(False)
    config = peft.LoraConfig(
        r=lora.rank,
        lora_alpha=lora.rank if lora.alpha is None else lora.alpha,
        target_modules=target_modules(network, targets),
        lora_dropout=lora.dropout,
    )
    with quiet():
        network.add_adapter(config, adapter_name=ADAPTER)
    for value in network.parameters():
        if value.requires_grad:
            value.data = value.data.float()


def _keep_copy(file: Path, planner: PlannerSettings, pairs: str, folder: Path) -> None:
    """Copy the file of an experiment to the folder of its run; a model in a folder and the pairs are named in full."""
    text = named_in_full(file.read_text(encoding="utf-8"), "data", "pairs", file.parent / pairs)
    if Path(planner.model).is_dir():
        text = named_in_full(text, "planner", "model", Path(planner.model))
    write_whole(folder / EXPERIMENT, text.encode())


def planner_name(file: Path) -> str:
    """The name of a planner's experiment: its entry ``name``, or the name of the file."""
    return run_name(read_document(file).get("name", file.stem), file.name)


def _read(file: Path) -> tuple[PlannerSettings, dict[str, Any], str]:
    document = read_document(file)
    for name in document:
        if name not in ("name", "planner", "data", *USED):
            raise BadInput(f"{file.name}: {unknown('table', name, ('planner', 'data', *USED))}")
    for name in ("planner", "training", "data"):
        if name not in document and name == "planner":
            raise BadInput(f"{file.name} has no table [planner]; give the file of a planner, or use `train run`")
        if name not in document:
            raise BadInput(f"{file.name} has no table [{name}]; add it")
    data: Any = document["data"]
    if not isinstance(data, Mapping) or set(data) != {"pairs"} or not isinstance(data["pairs"], str):
        raise BadInput(f'{file.name}, [data]: write pairs = "FILE.jsonl" and nothing else')
    tables = {
        name: read_table(TABLES[name], document[name], f"{file.name}, [{name}]") for name in USED if name in document
    }
    if "lora" in tables and tables["lora"].start is not None:
        raise BadInput(
            f"{file.name}, [lora] start: a planner continues from the folder that [planner] model names; write "
            "its folder there"
        )
    planner = read_table(PlannerSettings, document["planner"], f"{file.name}, [planner]")
    if not Path(planner.model).is_dir() and (file.parent / planner.model).is_dir():  # beside the file
        planner = replace(planner, model=str(file.parent / planner.model))
    return planner, tables, data["pairs"]


def _decides(name: str) -> bool:
    return name not in (*FREE, "planner.device", "lora.start") and not name.startswith("checkpoints.")
