"""Search for the likeliest of the answers that a schema allows, as token sequences of a language model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import exp, isfinite
from typing import TypeAlias

from editscope.judges.records import Field, Value

Tokens: TypeAlias = "tuple[int, ...]"


def allowed(field: Field) -> tuple[tuple[Value, str], ...]:
    """Every value that a field may have, and how JSON writes it.

    >>> allowed(Field("answer", "yes_no")), allowed(Field("score", "integer", 1, 3))
    (((True, '"Yes"'), (False, '"No"')), ((1, '1'), (2, '2'), (3, '3')))
    """
    if field.kind == "yes_no":
        return (True, '"Yes"'), (False, '"No"')
    return tuple((number, str(number)) for number in range(field.low, field.high + 1))


@dataclass(frozen=True)
class Answers:
    """The allowed answers as tokens: ``shared`` is how all of them begin, ``rests`` how each goes on from there."""

    shared: Tokens
    rests: tuple[Tokens, ...]

    @classmethod
    def of(cls, texts: Sequence[str], encode: Callable[[str], Sequence[int]]) -> Answers:
        """The tokens of whole texts. Each is encoded as a model would see it, however its letters join.

        >>> Answers.of(['{"n": 1}', '{"n": 10}'], lambda text: [ord(letter) for letter in text[6:]])
        Answers(shared=(49,), rests=((125,), (48, 125)))
        """
        rows = [tuple(encode(text)) for text in texts]
        if len(set(rows)) < len(rows):
            raise ValueError("the tokenizer does not tell the allowed answers apart")
        length = next(
            (at for at, together in enumerate(zip(*rows, strict=False)) if len(set(together)) > 1),
            min(map(len, rows)),
        )
        return cls(rows[0][:length], tuple(row[length:] for row in rows))


@dataclass
class Search:
    """Weighs allowed answers by likelihood, asking for the next token only where that decides something.

    The likelihood of an answer is the product over its tokens up to the one from which on no other answer is left.
    While ``wanted`` is a path, the log-likelihoods of the tokens that may follow it are to be ``told``. With
    ``all_of_them`` every answer is weighed to the end; without it, branches that cannot win are left as they are,
    and ``weights`` has no entry for their answers.

    >>> from math import log
    >>> search = Search(((1, 9), (1, 0, 9), (2, 9)))  # 1, 10 and 2
    >>> search.wanted, search.next_tokens
    ((), (1, 2))
    >>> search.told({1: log(0.6), 2: log(0.4)})
    >>> search.wanted, search.next_tokens
    ((1,), (0, 9))
    >>> search.told({0: log(0.2), 9: log(0.5)})
    >>> search.wanted, search.best, [round(exp(search.weights[n]), 2) for n in range(3)]
    (None, 2, [0.3, 0.12, 0.4])
    """

    rests: tuple[Tokens, ...]
    all_of_them: bool = False
    weights: dict[int, float] = field(default_factory=dict)
    _open: dict[Tokens, float] = field(default_factory=lambda: {(): 0.0})

    @property
    def wanted(self) -> Tokens | None:
        """The path to be told about next; None when the best answer is known."""
        if not self._open:
            return None
        path, mass = max(self._open.items(), key=lambda item: (item[1], item[0]))
        if not self.all_of_them and self.weights and max(self.weights.values()) >= mass:
            return None  # no answer weighs more than the path that leads to it
        return path

    @property
    def next_tokens(self) -> Tokens:
        """The tokens that may follow the wanted path, in order."""
        path = self.wanted
        assert path is not None
        return tuple(sorted({self.rests[number][len(path)] for number in self._below(path)}))

    @property
    def best(self) -> int:
        """The answer of the greatest likelihood; of equal ones the first."""
        return max(self.weights, key=lambda number: (self.weights[number], -number))

    def told(self, log_likelihoods: dict[int, float]) -> None:
        """The log-likelihood of each of ``next_tokens`` after the wanted path. ArithmeticError where one is NaN."""
        path = self.wanted
        assert path is not None
        mass = self._open.pop(path)
        for token, weight in log_likelihoods.items():
            if weight != weight or weight == float("inf"):
                raise ArithmeticError("the model gave a likelihood that is not a number")
            longer = (*path, token)
            below = self._below(longer)
            if len(below) == 1:
                self.weights[below[0]] = mass + weight
            else:
                self._open[longer] = mass + weight

    def drawn(self, at: float, temperature: float) -> int:
        """The answer at ``at`` in 0 … 1 of all laid side by side, each as wide as its likelihood^(1/temperature).

        >>> from math import log
        >>> search = Search(((1,), (2,)))
        >>> search.told({1: log(0.8), 2: log(0.2)})
        >>> [search.drawn(at, 1.0) for at in (0.1, 0.79, 0.81)]
        [0, 0, 1]
        """
        top = max(self.weights.values())
        wide = {
            number: exp((weight - top) / temperature) if isfinite(weight) else 0.0
            for number, weight in sorted(self.weights.items())
        }
        left = at * sum(wide.values())
        for number, width in wide.items():
            left -= width
            if left < 0:
                return number
        return self.best

    def shares(self) -> tuple[dict[int, float], float]:
        """The share of each answer that was weighed in the likelihood of all allowed ones, and that of the others.

        >>> from math import log
        >>> search = Search(((1, 9), (1, 0, 9), (2, 9)))
        >>> search.told({1: log(0.1), 2: log(0.3)})
        >>> search.wanted, search.shares()
        (None, ({2: 0.75}, 0.25))
        """
        likelihoods = {number: exp(weight) for number, weight in sorted(self.weights.items())}
        others = sum(map(exp, self._open.values()))
        total = sum(likelihoods.values()) + others
        if not total:  # too small for a float, all of them
            return dict.fromkeys(likelihoods, 0.0), 0.0
        return {number: round(one / total, 6) for number, one in likelihoods.items()}, round(others / total, 6)

    def _below(self, path: Tokens) -> list[int]:
        return [number for number, rest in enumerate(self.rests) if rest[: len(path)] == path]
