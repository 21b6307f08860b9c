"""Position fingerprint: a digest of cell names and values.

The hash of a position, which search uses, weighs cells by their numbers. A fingerprint is stored. It must therefore not
depend on anything that can change while the rules stay the same, such as the order of declarations and entities, the
variables of the rules and their layout, or the players' names. Empty cells do not affect it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from rulespec.engine.game.named_state import counts
from rulespec.engine.game.omniscient import OMNISCIENT
from rulespec.engine.game.option import Labels
from rulespec.engine.game.secrets import PUBLIC
from rulespec.engine.program import ir
from rulespec.engine.program.faults import ProgramFaultError
from rulespec.engine.program.machine import Machine

if TYPE_CHECKING:
    from rulespec.engine.game.game import Game

_MOST_TEXTS = 10_000
"""Maximum number of memoised value texts per program."""


def fingerprint(game: Game, seat: str | None = OMNISCIENT) -> str:
    """The fingerprint of a game's position: 32 hex digits computed from its cells and its open decision.

    Args:
        game: the game.
        seat: the viewer whose view is hashed (None for the public); by default, the whole position is hashed.

    Raises:
        RulesetFaultError: if the visibility rules fault.
    """
    position = game._position
    if position.machine not in _known:
        labels = Labels(game.ruleset.declarations.kinds, position.program, [str(i) for i in range(len(game.seats))])
        _known[position.machine] = _Lines(position.program, labels)
    try:
        texts = [*map(_text, _asked(game)), *_known[position.machine].of(game, seat)]
    except ProgramFaultError as fault:
        raise position.fault(fault) from None
    return blake2b("\n".join(sorted(texts)).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


class _Lines:
    """Memoised lines of a program's cells: the head of each line, and the texts of values.

    Args:
        program: the program.
        labels: names of entities, with seats as numbers.
    """

    def __init__(self, program: ir.Program, labels: Labels) -> None:
        cells = [(at, cell) for at, cell in enumerate(program.cells) if cell.group != "rules"]
        heads = [["cell", cell.group, cell.owner, cell.name, *_place(labels, cell)] for _, cell in cells]
        self._cells = [(at, cell.type, f"{_text(h)[:-1]}, ") for (at, cell), h in zip(cells, heads, strict=True)]
        self._program = program
        self._labels = labels
        self._texts: dict[tuple[str, int], str] = {}

    def of(self, game: Game, seat: str | None) -> Iterator[str]:
        """The lines to hash: one for each visible, non-empty cell and, for a seat's view, one for each public count."""
        state = game._position.state
        unseen: Mapping[int, ir.Secret] = {}
        if seat != OMNISCIENT:
            unseen = game.omniscient.visibility.unseen(state, PUBLIC if seat is None else game.seats.index(seat))
            public = counts(self._program, self._labels, state).items()
            yield from (_text(["counts", path, number]) for path, number in public if number)
        if len(self._texts) > _MOST_TEXTS:
            self._texts.clear()
        texts, held = self._texts, self._held
        for at, type_, head in self._cells:
            key = type_, state[at]
            text = texts[key] if key in texts else held(*key)
            if text and at not in unseen:
                yield head + text

    def _held(self, type_: str, value: int) -> str:
        """The named content of a cell, with the end of its line; "" for 0, false, none and empty sets."""
        held = self._labels.plain(type_, value)
        if type_.startswith("set "):
            held = sorted(held)
        is_something = held is not None if type_ == "int?" else held  # an optional number: 0 is a value
        text = self._texts[type_, value] = f"{_text(held)}]" if is_something else ""
        return text


_known: WeakKeyDictionary[Machine, _Lines] = WeakKeyDictionary()


def _text(line: Any) -> str:
    return json.dumps(line, ensure_ascii=False, sort_keys=True)


def _place(labels: Labels, cell: ir.CellName) -> list[str]:
    """The place of pieces, and the name of its index."""
    return [cell.place, labels.names[cell.index_kind][cell.index] if cell.index_kind else ""]


def _asked(game: Game) -> Iterator[list[Any]]:
    """A line for the open decision: its name, its decider, and the seats that have chosen; none after the end."""
    position = game._position
    if (number := position.asked) >= 0:
        chosen = game.omniscient.visibility.chosen(position.state, number)
        yield ["asked", position.program.decisions[number].name, position.decider(), position.deciders(), chosen]
