"""Reinforcement learning from an experiment: model, planner, data, rewards, monitors, and the weights that come out."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch

from editscope.editors.diffusion.quiet import quiet
from editscope.errors import BadInput
from editscope.training.checkpoints import checkpoints_in
from editscope.training.data.loader import open_loader
from editscope.training.data.settings import data_settings
from editscope.training.log.training_log import TrainingLog
from editscope.training.models.loading import load_trained_editor
from editscope.training.models.pipeline_editor import PipelineFlowEditor
from editscope.training.monitors import read_monitors
from editscope.training.reinforcement.loop import Metrics, reinforce
from editscope.training.reinforcement.planner import Planner, chat_encoder
from editscope.training.reinforcement.policies import trained_parameters
from editscope.training.reinforcement.reward_mix import JudgePatience, RewardMix
from editscope.training.reinforcement.run_folder import FolderCheckpoints
from editscope.training.reinforcement.settings import ReinforcementSettings, read_settings
from editscope.training.rewards.summed import RewardSum
from editscope.training.settings import Experiment
from editscope.training.supervised.evaluation import evaluate
from editscope.training.supervised.export import FINAL, write_values
from editscope.training.supervised.start import EXPERIMENT, check_folder, tracking_of

Say = Callable[[str], None]


def reinforce_experiment(
    experiment: Experiment,
    folder: Path,
    *,
    source: Path | None = None,
    resume: bool = False,
    on_round: Callable[[int, Metrics], None] = lambda number, metrics: None,
    say: Say = lambda _: None,
) -> Path:
    """Train what an experiment describes by its rewards; gives the weights that come out.

    The experiment needs the tables ``[reinforcement]`` and ``[rewards]``; ``[planner]`` and ``[monitors]`` as needed.
    With ``[evaluation]`` the headline metric of that suite is the held-out score.
    """
    check_folder(folder, resume)
    file = source.name if source else "experiment.toml"
    settings = read_settings(_table(experiment, "reinforcement", file), file)
    monitors = read_monitors(experiment.extra.get("monitors", {}), file)
    mix = reward_mix(_table(experiment, "rewards", file), settings, file, say)
    torch.manual_seed(experiment.training.seed)  # for the first weights of LoRA layers
    editor = load_trained_editor(experiment.model, experiment.lora)
    planner = _planner(experiment, settings, file)
    folder.mkdir(parents=True, exist_ok=True)
    if source is not None and not resume:
        shutil.copyfile(source, folder / EXPERIMENT)
    log = TrainingLog(
        folder,
        settings=experiment.decides,
        trackers=tracking_of(experiment, file).trackers,
        start=checkpoints_in(folder)[-1][0] if resume else 0,
    )

    def logged(number: int, metrics: Metrics) -> None:
        log.step(number + 1, metrics)
        on_round(number, metrics)

    places = FolderCheckpoints(folder, experiment.checkpoints.keep, experiment.decides)
    data = data_settings(experiment.data, file, experiment.folder)
    try:
        mix.rewards.prepare()
        with open_loader(data, batch=1, multiple=editor.multiple, answers=False, where=file) as examples, quiet():
            reinforce(
                editor,
                examples,
                mix,
                settings,
                planner=planner,
                monitors=monitors,
                held_out=None if experiment.evaluation is None else HeldOut(experiment, editor, folder),
                checkpoints=places,
                on_round=logged,
            )
    finally:
        mix.rewards.close()
        log.close()
    if planner is not None and settings.plans:
        planner.network.save_pretrained(folder / "planner")  # type: ignore[operator]
    return _export(experiment, editor, folder / FINAL) if settings.paints else folder / "planner"


class HeldOut:
    """The headline metric of the suite of ``[evaluation]``, with the weights of the moment."""

    def __init__(self, experiment: Experiment, editor: PipelineFlowEditor, folder: Path) -> None:
        self._experiment, self._editor, self._folder = experiment, editor, folder / "evaluations"

    def __call__(self) -> float:
        """Write the weights and run the suite."""
        number = len(list(self._folder.glob("weights-*"))) + 1
        weights = _export(self._experiment, self._editor, self._folder / f"weights-{number:08d}")
        scores = evaluate(self._experiment, weights, self._folder / f"held-out-{number:08d}")
        return float(next(iter(scores.values())))


def reward_mix(table: Mapping[str, Any], settings: ReinforcementSettings, file: str, say: Say) -> RewardMix:
    """The rewards of the table ``[rewards]``: ``specs`` by name, their ``weights``, and those that are ``off``."""
    where = f"{file}, [rewards]"
    for entry in table:
        if entry not in ("specs", "weights", "off"):
            raise BadInput(f"{where}: there is no {entry!r}; it has specs, weights and off")
    specs = table.get("specs")
    if not isinstance(specs, Mapping) or not all(isinstance(spec, str) for spec in specs.values()):
        raise BadInput(f'{where}: has no rewards; write [rewards.specs] and a line such as miou = "miou"')
    try:
        summed = RewardSum(specs, table.get("weights"), table.get("off", ()))
    except BadInput as error:
        raise BadInput(f"{where}: {error}") from None
    patience = JudgePatience(settings.first_pause, settings.most_waiting, tell=say)
    return RewardMix(summed, settings.normalize_rewards, patience)


def load_planner(folder: Path, settings: ReinforcementSettings, device: str = "cpu") -> Planner:
    """The planner in a folder: a vision-language model, or a language model that reads the instruction alone."""
    import transformers

    from editscope.judges.local.model import load_processor

    with quiet():
        kinds = transformers.models.auto.modeling_auto.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES
        sees = transformers.AutoConfig.from_pretrained(folder).model_type in kinds
        kind = transformers.AutoModelForImageTextToText if sees else transformers.AutoModelForCausalLM
        network = kind.from_pretrained(folder).to(device)
        processor = load_processor(transformers, folder) if sees else transformers.AutoTokenizer.from_pretrained(folder)
    tokenizer = processor.tokenizer if sees else processor
    encode = chat_encoder(processor, pictures=sees)
    most, temperature = settings.planner_tokens, settings.planner_temperature
    return Planner(network, tokenizer, encode, most_tokens=most, temperature=temperature)


def _planner(experiment: Experiment, settings: ReinforcementSettings, file: str) -> Planner | None:
    table = experiment.extra.get("planner", {})
    model = table.get("model") if isinstance(table, Mapping) else None
    if model is None:
        return None
    folder = experiment.folder / str(model)
    if not folder.is_dir():
        raise BadInput(f"{file}, [planner] model: {folder} is no folder; give that of a model of transformers")
    device = "cuda" if experiment.model.device == "auto" and torch.cuda.is_available() else experiment.model.device
    return load_planner(folder, settings, "cpu" if device == "auto" else device)


def _table(experiment: Experiment, name: str, file: str) -> Mapping[str, Any]:
    table = experiment.extra.get(name)
    if not isinstance(table, Mapping):
        raise BadInput(f"{file} has no table [{name}]; reinforcement learning needs it")
    return table


def _export(experiment: Experiment, editor: PipelineFlowEditor, place: Path) -> Path:
    weights = {name: value.detach() for name, value in trained_parameters(editor.network).items()}
    return write_values(experiment, editor, editor.network, weights, place)
