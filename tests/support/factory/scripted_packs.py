"""A text model on loopback that answers the prompts of a pipeline by name: sensibly, and now and then badly.

It knows a prompt by its first line and reads the words back that were filled in. What it answers depends on these and
on the pictures alone, so that builds that ask in another order get the same.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TypeAlias

from editscope.images import load
from editscope.judges.prompts.packs import load_pack
from editscope.judges.prompts.promptfile import Prompt, read_prompt
from support.servers.judge_server import Asked, Outcome


@dataclass(frozen=True)
class AskedWith:
    """What a prompt was asked with: words by name, and the pictures; and which model was asked."""

    prompt: str
    model: str
    words: Mapping[str, str]
    pictures: tuple[bytes, ...]

    def __getitem__(self, word: str) -> str:
        return self.words[word]

    def lot(self, *words: str) -> int:
        """A number from 0 to 99 that depends on these words, or on all words and pictures."""
        seen = [self.words[word] for word in words] if words else [*sorted(self.words.values())]
        parts = [
            self.prompt,
            self.model,
            *seen,
            *([] if words else [sha256(load(one).tobytes()).hexdigest() for one in self.pictures]),
        ]
        return int.from_bytes(sha256("\n".join(parts).encode()).digest()[:4], "big") % 100

    def one_of(self, fine: str, **others: int) -> str:
        """The word ``fine``, or one of the others, each in so many of a hundred cases."""
        lot = self.lot()
        for word, share in others.items():
            if lot < share:
                return word
            lot -= share
        return fine


Answer: TypeAlias = Callable[[AskedWith], Outcome]


@dataclass
class ScriptedPack:
    """Answers by the name of a prompt; ``asked`` counts them."""

    prompts: Mapping[str, Prompt]
    answers: Mapping[str, Answer]
    asked: Counter[str] = field(default_factory=Counter)

    def __call__(self, asked: Asked) -> Outcome:
        prompt = next((one for one in self.prompts.values() if asked.text.startswith(first_line(one))), None)
        assert prompt is not None, f"no prompt begins like this: {asked.text[:80]!r}"
        self.asked[prompt.name] += 1
        given = AskedWith(prompt.name, asked.model, words_in(prompt, asked.text), asked.pictures)
        return self.answers[prompt.name](given)


def scripted(folder: Path, answers: Mapping[str, Answer], packs: Iterable[str] = ()) -> ScriptedPack:
    """A model for the prompts of a folder, and for those of packs that ship."""
    prompts = {path.stem: read_prompt(path) for path in sorted(folder.glob("*.txt"))}
    for pack in packs:
        prompts |= {name: prompt for name, prompt in load_pack(pack).prompts.items() if name in answers}
    assert set(prompts) == set(answers), set(prompts) ^ set(answers)
    first_lines = [first_line(one) for one in prompts.values()]
    assert len(set(first_lines)) == len(first_lines), "two prompts begin alike"
    return ScriptedPack(prompts, answers)


def first_line(prompt: Prompt) -> str:
    """What a prompt begins with."""
    return prompt.text.partition("\n")[0]


def words_in(prompt: Prompt, text: str) -> dict[str, str]:
    """The words that were filled into a prompt; those of a paragraph that was left out are not there."""
    found: dict[str, str] = {}
    names = {place.written: place.name for place in prompt.words}
    for line in prompt.text.splitlines():
        pieces = re.split(r"\{(\w+)\}", line)
        if not any(name in names for name in pieces[1::2]):
            continue
        pattern = "".join(
            f"(?P<{piece}>.*?)" if number % 2 and piece in names else re.escape(piece)
            for number, piece in enumerate(pieces)
        )
        match = re.search(rf"^{pattern}$", text, re.MULTILINE)
        if match and (pieces[0] or len(pieces) > 3):
            found |= {names[name]: value for name, value in match.groupdict().items()}
        elif not pieces[0] and len(pieces) == 3:  # a word on a line of its own, such as remarks
            before = prompt.text.split(line)[0].rstrip("\n").rpartition("\n")[2]
            if before and before in text:
                found[names[pieces[1]]] = text.partition(f"{before}\n")[2].partition("\n\n")[0]
    return found
