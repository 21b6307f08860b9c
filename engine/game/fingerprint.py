"""Position fingerprint: a digest of cell names and values.

The hash of a position weighs cells by number, for search. A fingerprint is stored, so nothing counts in it that may
change while the rules stay the same: neither the order of declarations and of entities, nor the variables of the rules
and where they lie, nor the names of players. Cells that hold nothing count for nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from rulespec.engine.game.named_state import counts
from rulespec.engine.game.omniscient import OMNISCIENT
from rulespec.engine.game.option import Labels
from rulespec.engine.game.secrets import PUBLIC
from rulespec.engine.program import ir
from rulespec.engine.program.faults import ProgramFaultError

if TYPE_CHECKING:
    from rulespec.engine.game.game import Game


def fingerprint(game: Game, seat: str | None = OMNISCIENT) -> str:
    """The fingerprint of a game's position, 32 hex digits, from its cells and open decision.

    Args:
        game: the game.
        seat: the viewer whose view counts (None: the public); left out, the whole position.

    Raises:
        RulesetFaultError: if the rules of visibility are at fault.
    """
    position = game._position
    labels = Labels(game.ruleset.declarations.kinds, position.program, [str(i) for i in range(len(game.seats))])
    try:
        lines = [*_asked(game), *_lines(game, labels, seat)]
    except ProgramFaultError as fault:
        raise position.fault(fault) from None
    texts = sorted(json.dumps(line, ensure_ascii=False, sort_keys=True) for line in lines)
    return blake2b("\n".join(texts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _lines(game: Game, labels: Labels, seat: str | None) -> Iterator[list[Any]]:
    """A line for each visible, non-empty cell; for a seat, also the public counts."""
    program, state = game._position.program, game._position.state
    unseen: Mapping[int, ir.Secret] = {}
    if seat != OMNISCIENT:
        unseen = game.omniscient.visibility.unseen(state, PUBLIC if seat is None else game.seats.index(seat))
        yield from (["counts", path, number] for path, number in counts(program, labels, state).items() if number)
    for at, (cell, value) in enumerate(zip(program.cells, state, strict=False)):
        if cell.group != "rules" and at not in unseen and (held := _held(labels, cell.type, value)) is not None:
            yield ["cell", cell.group, cell.owner, cell.name, *_place(labels, cell), held]


def _held(labels: Labels, type_: str, value: int) -> Any:
    """The content of a cell by names; None if it holds nothing: 0, false, none, or no member."""
    held = labels.plain(type_, value)
    if type_.startswith("set "):
        held = sorted(held)
    if type_ == "int?":  # a number that may be none: 0 is something
        return held
    return held or None


def _place(labels: Labels, cell: ir.CellName) -> list[str]:
    """The place of pieces, with the name of its index."""
    return [cell.place, labels.names[cell.index_kind][cell.index] if cell.index_kind else ""]


def _asked(game: Game) -> Iterator[list[Any]]:
    """A line for the open decision: its name, its decider, and the seats that have chosen; none after the end."""
    position = game._position
    if (number := position.asked) >= 0:
        chosen = game.omniscient.visibility.chosen(position.state, number)
        yield ["asked", position.program.decisions[number].name, position.decider(), position.deciders(), chosen]
