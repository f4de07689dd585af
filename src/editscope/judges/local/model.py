"""Vision-language model in a folder on this machine: it reads a call and says how likely each next token is."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from importlib import import_module
from json import loads
from pathlib import Path
from typing import Any

from editscope.errors import BadInput
from editscope.images import decode
from editscope.judges.local.likelihood import Tokens
from editscope.judges.records import Call, Picture

PIECES = 64
PIECE = 1 << 16
"""Of a large file so many pieces of so many bytes are hashed, spread over all of it: training changes every one."""

LEFT_ALONE = ("README.md", ".gitattributes", "LICENSE")
SPREAD = "spread"


@dataclass(frozen=True)
class ModelPlacement:
    """Where the weights go: ``device`` is "auto", a device of PyTorch, or "spread" for all that there are."""

    dtype: str = "auto"
    device: str = "auto"
    side: int = 0


@dataclass(frozen=True, eq=False)
class ChatPrompt:
    """A call as the model gets it: the chat up to where the answer begins, and its pictures."""

    text: str
    pictures: tuple[Any, ...]


def fingerprint(folder: Path, only: str | None = None) -> str:
    """Sixteen hexadecimal digits of what is in a model's folder, or of one file in it, the same wherever that lies.

    Files up to 4 MiB are hashed whole, of larger ones the size and pieces from all over.
    """
    hashed = sha256()
    for path in sorted(folder.iterdir()) if only is None else [folder / only]:
        if not path.is_file() or path.name in LEFT_ALONE or path.name.startswith("."):
            continue
        size = path.stat().st_size
        hashed.update(f"{path.name}\x1f{size}\x1e".encode())
        with path.open("rb") as file:
            if size <= PIECES * PIECE:
                hashed.update(file.read())
                continue
            for number in range(PIECES):
                file.seek(number * (size - PIECE) // (PIECES - 1))
                hashed.update(file.read(PIECE))
    return hashed.hexdigest()[:16]


class LocalModel:
    """The weights of a folder and the processor that goes with them."""

    def __init__(self, folder: Path, placement: ModelPlacement) -> None:
        self._torch, self._transformers = _libraries(folder)
        transformers = self._transformers
        self._side = placement.side
        self.device = _device(self._torch, placement.device)
        dtype = _dtype(self._torch, placement.dtype, self.device)
        try:
            with _quiet(transformers.utils.logging):
                self._processor = load_processor(transformers, folder)
                self._model = _model(transformers, folder, dtype, self.device)
        except (OSError, ValueError, ImportError, KeyError, TypeError, RuntimeError) as error:
            reason = " ".join(str(error).split()).split(". ")[0][:300]
            raise BadInput(
                f"the judge local:{folder} cannot be loaded ({reason}); it has to be a folder that "
                "AutoModelForImageTextToText can read, with its tokenizer and image processor"
            ) from error
        self.tokenizer = self._processor.tokenizer
        self.tokenizer.padding_side = "left"
        if self.tokenizer.pad_token_id is None:
            self.tokenizer.pad_token = self.tokenizer.eos_token
        if not self._template:
            raise BadInput(f"the judge local:{folder} has no chat template; use a model that was trained to answer")

    def encode(self, text: str) -> Tokens:
        """The tokens of a text, with nothing before or after."""
        return tuple(self.tokenizer(text, add_special_tokens=False)["input_ids"])

    def shown(self, call: Call) -> ChatPrompt:
        """A call as a chat of one turn, in the model's own template."""
        parts = [
            {"type": "text", "text": self._plain(part)} if isinstance(part, str) else {"type": "image"}
            for part in call.parts
        ]
        chat: list[dict[str, Any]] = [{"role": "user", "content": parts}]
        if call.system:
            chat.insert(0, {"role": "system", "content": [{"type": "text", "text": self._plain(call.system)}]})
        text = self.tokenizer.apply_chat_template(
            chat, chat_template=self._template, add_generation_prompt=True, tokenize=False
        )
        return ChatPrompt(str(text), tuple(self._picture(picture) for picture in call.pictures))

    def log_likelihoods(self, rows: Sequence[ChatPrompt], begun: Sequence[Tokens]) -> tuple[Any, list[int]]:
        """For each row, whose answer has begun with some tokens: the log-likelihood of every next token.

        Gives rows x vocabulary as float32 on the CPU, and the number of tokens that each row had.
        """
        torch = self._torch
        inputs, lengths = self._inputs(rows, begun)
        with torch.inference_mode():
            logits = self._model(**inputs, **self._last_only, use_cache=False).logits[:, -1]
            return torch.log_softmax(logits.float(), dim=-1).cpu(), lengths

    def continued(self, rows: Sequence[ChatPrompt], begun: Sequence[Tokens], most: int) -> list[str]:
        """What the model itself would write next, at most so many tokens, always the likeliest."""
        inputs, _ = self._inputs(rows, begun)
        own = self._model.generation_config
        ways = self._transformers.GenerationConfig(
            max_new_tokens=most,
            do_sample=False,
            eos_token_id=own.eos_token_id if own.eos_token_id is not None else self.tokenizer.eos_token_id,
            pad_token_id=self.tokenizer.pad_token_id,
        )
        with self._torch.inference_mode():
            tokens = self._model.generate(**inputs, generation_config=ways)
        new = tokens[:, inputs["input_ids"].shape[1] :]
        return [str(text) for text in self.tokenizer.batch_decode(new, skip_special_tokens=True)]

    @cached_property
    def _template(self) -> str:
        return str(getattr(self._processor, "chat_template", None) or self.tokenizer.chat_template or "")

    @cached_property
    def _last_only(self) -> dict[str, int]:
        """Logits of the last token alone, where the model can: those of a long prompt take gigabytes."""
        known = inspect.signature(self._model.forward).parameters
        return {"logits_to_keep": 1} if "logits_to_keep" in known else {}

    @cached_property
    def _marks(self) -> tuple[str, ...]:
        added = {str(token) for token in self.tokenizer.get_added_vocab()}
        return tuple(sorted(added | set(self.tokenizer.all_special_tokens), key=lambda mark: (-len(mark), mark)))

    def _plain(self, text: str) -> str:
        """A text in which no mark of the chat stands: an instruction must not end its own turn or show a picture."""
        for mark in self._marks:
            if len(mark) > 1 and mark in text:
                text = text.replace(mark, f"{mark[0]} {mark[1:]}")
        return text

    def _picture(self, picture: Picture) -> Any:
        from PIL import Image

        image = Image.fromarray(decode(picture.data, name="a picture for the judge").pixels)
        longest = max(image.size)
        if not 0 < self._side < longest:
            return image
        size = tuple(max(1, round(one * self._side / longest)) for one in image.size)
        return image.resize((size[0], size[1]), Image.Resampling.LANCZOS)

    def _inputs(self, rows: Sequence[ChatPrompt], begun: Sequence[Tokens]) -> tuple[dict[str, Any], list[int]]:
        """Tensors for the rows, each with the beginning of its answer behind it and padding before it."""
        torch = self._torch
        pictures = {"images": [list(row.pictures) for row in rows]} if any(row.pictures for row in rows) else {}
        encoded = self._processor(text=[row.text for row in rows], padding=True, return_tensors="pt", **pictures)
        ids, mask = encoded["input_ids"], encoded["attention_mask"].bool()
        lengths = [int(mask[i].sum()) + len(begun[i]) for i in range(len(rows))]
        inputs: dict[str, Any] = {}
        for name, value in encoded.items():
            if not hasattr(value, "to"):
                continue
            if value.shape == ids.shape and not name.startswith(("pixel", "image")):
                value = self._longer(name, value, mask, begun, max(lengths))
            kind = self._model.dtype if torch.is_floating_point(value) else value.dtype
            inputs[name] = value.to(self._model.device, kind)
        return inputs, lengths

    def _longer(self, name: str, value: Any, mask: Any, begun: Sequence[Tokens], length: int) -> Any:
        torch = self._torch
        out = torch.full((len(value), length), self.tokenizer.pad_token_id if name == "input_ids" else 0)
        for i, tokens in enumerate(begun):
            ends = {"input_ids": list(tokens), "attention_mask": [1] * len(tokens)}.get(name, [0] * len(tokens))
            row = torch.cat([value[i][mask[i]], torch.tensor(ends, dtype=value.dtype)])
            out[i, length - len(row) :] = row
        return out.to(value.dtype)


def _libraries(folder: Path) -> tuple[Any, Any]:
    try:
        import torch
        import transformers
    except ImportError as error:
        raise BadInput(
            f"the judge local:{folder} needs PyTorch and transformers: pip install 'editscope[local]'"
        ) from error
    return torch, transformers


def _device(torch: Any, wanted: str) -> str:
    if wanted == SPREAD:
        return SPREAD
    if wanted == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.empty(0, device=wanted)
    except (RuntimeError, AssertionError, ValueError) as error:
        reason = " ".join(str(error).split()).split(". ")[0][:200]
        raise BadInput(f"the local judge cannot use the device {wanted!r} ({reason}); write ?device=cpu") from error
    return wanted


def _dtype(torch: Any, wanted: str, device: str) -> Any:
    if wanted == "auto":
        return torch.float32 if device == "cpu" else "auto"  # half precision is slow on most processors
    return getattr(torch, wanted)


def _model(transformers: Any, folder: Path, dtype: Any, device: str) -> Any:
    old = transformers.__version__.startswith("4.")
    options: dict[str, Any] = {"torch_dtype" if old else "dtype": dtype, "local_files_only": True}
    if device == SPREAD:
        options["device_map"] = "auto"
    model = transformers.AutoModelForImageTextToText.from_pretrained(folder, **options).eval()
    return model if device == SPREAD else model.to(device)


def load_processor(transformers: Any, folder: Path) -> Any:
    """The processor of the model. Those that can show films too want torchvision; without it they are made for
    pictures alone, which is all that a judge sees."""
    try:
        return transformers.AutoProcessor.from_pretrained(folder, local_files_only=True)
    except ImportError:
        pass
    config = transformers.AutoConfig.from_pretrained(folder, local_files_only=True)
    known = import_module("transformers.models.auto.processing_auto").PROCESSOR_MAPPING_NAMES
    name = known.get(config.model_type)
    if name is None:
        raise ValueError(f"no processor is known for models of the type {config.model_type}")
    kind: Any = getattr(transformers, name)

    class PictureOnlyProcessor(kind):  # type: ignore[misc]
        def check_argument_for_proper_class(self, argument: str, given: Any) -> Any:
            return None if given is None else super().check_argument_for_proper_class(argument, given)

    pillow = {"use_fast": False} if transformers.__version__.startswith("4.") else {"backend": "pil"}
    pictures = transformers.AutoImageProcessor.from_pretrained(folder, local_files_only=True, **pillow)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
    template = folder / "chat_template.json"
    chat_template = loads(template.read_text(encoding="utf-8"))["chat_template"] if template.is_file() else None
    return PictureOnlyProcessor(
        image_processor=pictures, tokenizer=tokenizer, chat_template=chat_template or tokenizer.chat_template
    )


@contextmanager
def _quiet(logging: Any) -> Iterator[None]:
    """Without the library's own bars and remarks, which would tear ours."""
    bars, level = logging.is_progress_bar_enabled(), logging.get_verbosity()
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()
