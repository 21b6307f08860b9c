"""Exchanges of hidden cards: swaps of two cards that a seat has not seen."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rulespec.engine.program import ir
from rulespec.engine.program.columns import form_of
from rulespec.engine.program.draws import GAMMA
from rulespec.engine.search.recorded_rows import Coder, Codes
from rulespec.engine.wasm.runtime.program import OPEN
from rulespec.language.bags import counts


class RandomWords:
    """A source of random words: successive outputs of SplitMix64 for one key, as in `engine.program.draws`."""

    def __init__(self, key: int) -> None:
        self._key, self._at = np.uint64(key), 0

    def shares(self, *shape: int) -> NDArray[np.float64]:
        """Random numbers between 0 and 1."""
        count = int(np.prod(shape, dtype=np.int64))
        z = self._key + np.arange(self._at + 1, self._at + count + 1, dtype=np.uint64) * np.uint64(GAMMA)
        self._at += count
        z = (z ^ z >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ z >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
        result: NDArray[np.float64] = ((z ^ z >> np.uint64(31)) >> np.uint64(11)) / 2.0**53
        return result.reshape(shape)

    def one_of(self, flags: NDArray[np.bool_]) -> NDArray[np.int64]:
        """For each row, the index of a random true entry; -1 if there is none."""
        picked = (flags * (self.shares(*flags.shape) + 1)).argmax(axis=1)
        return np.where(flags.any(axis=1), picked, -1)


class Exchange:
    """Exchanges of unseen tokens of one kind: tokens that were drawn, dealt or passed without being seen.

    Args:
        p: the program.
        coder: the numbering of recorded decisions.
        kind: the kind.

    Attributes:
        kind: the kind.
        size: the number of tokens.
        columns: for each token, the columns of the cells for its place or count.
        holders: the private cells that hold a token.
        alike: whether the tokens are counted pieces, in which case drawn pieces are interchangeable.
    """

    def __init__(self, p: ir.Program, coder: Coder, kind: str) -> None:
        self.kind, self.size = kind, p.sizes[kind]
        self._params = np.zeros((len(coder.options), coder.width), np.bool_)
        for number, (d, k) in enumerate(coder.options):
            for at, param in zip(coder.columns[number].firsts, p.decisions[d].choices[k].params, strict=True):
                self._params[number, at] = param.type.removesuffix("?") == kind
        self._several = {
            number: [
                (at, of.type) for at, of in enumerate(p.decisions[d].choices[k].params) if form_of(of.type)[1] == kind
            ]
            for number, (d, k) in enumerate(coder.options)
        }
        self._columns = coder.columns
        self.holders = np.array([at for s in p.secrets for at in s.cells if p.cells[at].type == kind], np.int64)
        results: list[NDArray[np.int64]] = [np.empty((self.size, 0), np.int64)]
        for secret in p.secrets:
            cell, axes = p.cells[secret.cells.start], len(secret.sizes)
            cells = np.arange(secret.cells.start, secret.cells.stop).reshape(secret.sizes)
            if cell.group not in (kind, "pieces"):
                continue
            own = [axis for axis in range(axes - bool(cell.index_kind)) if secret.sizes[axis] == self.size]
            results += [np.moveaxis(cells, axis, 0).reshape(self.size, -1) for axis in own]
        self.columns = np.concatenate(results, axis=1)
        groups = {p.cells[secret.cells.start].group for secret in p.secrets}
        self.alike = "pieces" in groups and kind not in groups

    def places(self, codes: Codes) -> NDArray[np.bool_]:
        """The positions in codes where an argument is a token of the kind."""
        result: NDArray[np.bool_] = self._params[np.maximum(codes[..., 0], 0)]
        return result

    def named(self, code: NDArray[np.int64]) -> NDArray[np.int64]:
        """For each token, how often the visible arguments of a decision name it."""
        result, number = np.zeros(self.size, np.int64), int(code[0])
        for token in code[self.places(code) & (code >= 0)]:
            result[token] += 1
        columns = self._columns[number]
        for at, type_ in self._several[number]:
            first = columns.firsts[at]
            if OPEN in code[first : first + columns.widths[at]]:
                continue
            value = columns.arguments(code.tolist())[at]
            if form_of(type_)[0] == "bag":
                for token, many in counts(value):
                    result[token] += many
            elif form_of(type_)[0] == "set":
                result += [value >> token & 1 for token in range(self.size)]
        return result

    def tokens_in(self, codes: Codes, hidden: NDArray[np.bool_]) -> NDArray[np.int64]:
        """The tokens at the hidden positions of histories; -1 where the value is not a token."""
        steps, columns = hidden.nonzero()
        some = codes[:, steps, columns]
        return np.where(self._params[np.maximum(codes[:, steps, 0], 0), columns], some, -1)

    def tokens_at(self, cells: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """For each row of flags, the tokens that have a flagged cell."""
        if not self.columns.size:
            return np.zeros((len(cells), self.size), np.bool_)
        return np.asarray(cells[:, self.columns].any(axis=2))

    def where(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """For each row and token, the numbers that determine the place of the token."""
        held = rows[:, None, self.holders] == np.arange(self.size)[:, None]
        return np.concatenate([rows[:, self.columns], held], axis=2)

    def swapped(self, codes: Codes, hidden: NDArray[np.bool_], pairs: NDArray[np.int64]) -> Codes:
        """Histories with tokens exchanged at hidden positions.

        Args:
            codes: the codes of each history.
            hidden: the positions in them that the seat has not seen.
            pairs: for each history, the replacement of each token.
        """
        result, steps, columns = codes.copy(), *hidden.nonzero()
        tokens = self.tokens_in(codes, hidden)
        others = pairs[np.arange(len(codes))[:, None], np.maximum(tokens, 0)]
        result[:, steps, columns] = np.where(tokens >= 0, others, codes[:, steps, columns])
        return result


def exchanges(p: ir.Program, coder: Coder) -> list[Exchange]:
    """The exchanges for every kind whose tokens are drawn, dealt or passed unseen."""
    params = [param for d in p.decisions for c in d.choices for param in c.params if param.private]
    kinds = dict.fromkeys(param.type.removesuffix("?") for param in params)
    return [Exchange(p, coder, kind) for kind in kinds if kind in p.sizes]


def swaps(size: int, ones: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each row, the replacement of each token in an exchange of two tokens."""
    result = np.broadcast_to(np.arange(size), (len(ones), size)).copy()
    rows = np.arange(len(ones))
    result[rows, ones], result[rows, others] = others, ones
    return result
