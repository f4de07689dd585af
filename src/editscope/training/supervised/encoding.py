"""Embeddings and latents of examples, kept on disk so that each is made once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path

import torch

from editscope.errors import EditscopeError
from editscope.images import Pixels
from editscope.runfolder.files import DiskError, write_whole
from editscope.training.data.examples import EditExample
from editscope.training.models.base import Condition, FlowEditor
from editscope.training.models.conditions import moved, together

LATENTS = "latents"
IN_MEMORY = 256 << 20
"""Bytes of the entries used last that stay in memory."""


class ExampleEncoder:
    """The encodings of examples by a flow editor, from a cache if there is one.

    The name of a file is a hash of ``identity`` (the weights, and every setting that encoding depends on) and of
    pixels and text, so that a file is never used for something else. A file that is damaged is made again; a disk
    that is full ends the writing, not the training.
    """

    def __init__(
        self,
        editor: FlowEditor,
        folder: Path | None = None,
        identity: str = "",
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._editor, self._folder, self._identity, self._say = editor, folder, identity, say
        self._recent: OrderedDict[str, Condition] = OrderedDict()
        self._bytes = 0
        self.made = 0
        self.read = 0

    def answers(self, pictures: Sequence[Pixels]) -> torch.Tensor:
        """The clean latents of pictures of one size; without a cache they are made together."""
        if self._folder is None:
            self.made += len(pictures)
            return self._editor.latents(pictures)
        return torch.cat([self.latents(picture) for picture in pictures])

    def conditions(self, examples: Sequence[EditExample], without: Sequence[bool]) -> Condition:
        """The conditions of examples as one; without a cache those with a text are made together.

        ``without`` says for each example whether its text is left out.
        """
        shapes = {tuple(picture.shape for picture in example.pictures) for example in examples}
        if self._folder is not None or any(without) or len(shapes) > 1 or len(set(next(iter(shapes)))) > 1:
            return together(
                [self.condition(example, without=left) for example, left in zip(examples, without, strict=True)]
            )
        self.made += len(examples)
        return self._editor.condition(
            [example.instruction for example in examples], [list(example.pictures) for example in examples]
        )

    def latents(self, picture: Pixels) -> torch.Tensor:
        """The clean latents of a picture: 1 × channels × height × width."""
        key = self._key("latents", "", [picture])
        return self._kept(key, lambda: {LATENTS: self._editor.latents([picture])})[LATENTS]

    def condition(self, example: EditExample, *, without: bool = False) -> Condition:
        """The condition of an example, or the one without its text."""
        pictures = [list(example.pictures)]
        if without:
            key = self._key("without", "", example.pictures)
            return self._kept(key, lambda: self._editor.no_instruction(pictures))
        key = self._key("condition", example.instruction, example.pictures)
        return self._kept(key, lambda: self._editor.condition([example.instruction], pictures))

    def _kept(self, key: str, make: Callable[[], Condition]) -> Condition:
        if self._folder is None:
            self.made += 1
            return make()
        known = self._recent.get(key)
        if known is not None:
            self._recent.move_to_end(key)
        else:
            path = self._folder / key[:2] / f"{key}.safetensors"
            known = _read(path)
            if known is None:
                known = moved(make(), "cpu")
                self.made += 1
                self._write(path, known)
            else:
                self.read += 1
            self._remember(key, known)
        return moved(known, next(self._editor.network.parameters()).device)

    def _remember(self, key: str, value: Condition) -> None:
        self._recent[key] = value
        self._bytes += _size(value)
        while self._bytes > IN_MEMORY:
            _, old = self._recent.popitem(last=False)
            self._bytes -= _size(old)

    def _write(self, path: Path, made: Condition) -> None:
        from safetensors.torch import save

        try:
            data = save({name: value.detach().cpu().contiguous() for name, value in made.items()})
            write_whole(path, data, sync=False)
        except DiskError as error:
            self._say(f"{error}; training continues without writing to the cache")
            self._folder = None

    def _key(self, kind: str, text: str, pictures: Sequence[Pixels]) -> str:
        hashed = sha256(f"{self._identity}\x1f{kind}\x1f{len(text)}\x1f{text}".encode("utf-8", "surrogatepass"))
        for picture in pictures:
            hashed.update(f"\x1e{picture.shape}".encode())
            hashed.update(picture.tobytes())
        return hashed.hexdigest()


def _size(value: Condition) -> int:
    return sum(one.nbytes for one in value.values())


def _read(path: Path) -> Condition | None:
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        values: Condition = load_file(path)
    except (OSError, SafetensorError, EditscopeError):
        return None
    return values
