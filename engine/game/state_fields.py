"""State fields, looked up by the names used in logs: their cells, and the conversion of their values."""

from __future__ import annotations

from typing import Any

from rulespec.diagnostics.diagnostic import shown
from rulespec.diagnostics.suggestions import did_you_mean
from rulespec.engine.game.option import Labels
from rulespec.engine.program import ir
from rulespec.typed import nodes as typed
from rulespec.types import NO_NUMBER, Bool, Ent, Maybe, Num

MAX_NUMBER = 10**15
"""The largest number in the rules language."""


class StateFields:
    """The state fields of a game.

    Fields are named as in the rules: `card` is a field of the game, `player.points` a field of every player. Accounts
    are excluded, since money is neither created nor destroyed.
    """

    def __init__(self, ruleset: typed.Ruleset, program: ir.Program, labels: Labels) -> None:
        declarations = ruleset.declarations
        groups = [("game", "", declarations.fields)]
        groups += [(kind.name, f"{kind.name}.", kind.state) for kind in declarations.kinds.values()]
        results = {(group, f.name): (prefix + f.name, f) for group, prefix, of in groups for f in of.values()}
        self._labels = labels
        self._fields: dict[str, tuple[typed.FieldDecl, list[int]]] = {name: (f, []) for name, f in results.values()}
        for i, cell in enumerate(program.cells):
            if (cell.group, cell.name) in results:
                self._fields[results[cell.group, cell.name][0]][1].append(i)

    def __contains__(self, name: str) -> bool:
        return name in self._fields and not self._fields[name][0].account

    def cells(self, name: str) -> list[int]:
        """The cells of a field, one per entity.

        Raises:
            ValueError: if there is no such field.
        """
        return self._field(name)[1]

    def filled(self, name: str, value: Any) -> tuple[int, int]:
        """The cell of a field of the game itself, and the number that encodes a value of the field.

        Raises:
            ValueError: if there is no such field, or the field cannot hold the value.
        """
        field, cells = self._field(name)
        if field.kind:
            raise ValueError(f"`{name}` belongs to every {field.kind}; only fields of the game itself can be set")
        number = self._number(field, value)
        if number is None:
            raise ValueError(f"`{name}` is {field.type}, so it cannot be {shown(str(value))}")
        return cells[0], number

    def _number(self, field: typed.FieldDecl, value: Any) -> int | None:
        """The number that encodes a value of a field; None if the field cannot hold the value."""
        if isinstance(field.type, Bool):
            return int(value) if isinstance(value, bool) else None
        if isinstance(field.type, Maybe) and value is None:
            return NO_NUMBER
        if isinstance(field.type, Num | Maybe) and type(value) is int:
            low = -MAX_NUMBER if field.low is None else field.low
            high = MAX_NUMBER if field.high is None else field.high
            return value if low <= value <= high else None
        if isinstance(field.type, Ent):
            number = self._labels.number(field.type.kind, value) if isinstance(value, str) else -1
            return number if number >= 0 or (value is None and field.type.optional) else None
        return None

    def _field(self, name: str) -> tuple[typed.FieldDecl, list[int]]:
        if name not in self._fields:
            hint = did_you_mean(name, self._fields)
            raise ValueError(f"there is no state field `{name[:80]}`" + (f"; {hint}" if hint else ""))
        if self._fields[name][0].account:
            raise ValueError(f"`{name}` is an account, and money can be neither created nor destroyed")
        return self._fields[name]
