"""Finders: generated functions that map an entry directly to its option, in the form described in `finder_source`.

A finder is compiled once enough entries of its type have been read at its decision, and serves all later games with
the same rules, seats and settings in the process. Nothing is stored on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from rulespec.engine.dialects.forms import Form, is_silent
from rulespec.engine.dialects.known import FinderMaker
from rulespec.engine.dialects.projection import Projections
from rulespec.engine.game.game import Game
from rulespec.engine.program.cost import Costs
from rulespec.engine.program.faults import ProgramFaultError

MADE_AFTER = 12
"""Break-even: the number of entries of a type read at a decision before a finder is compiled, which takes as long as
reading a dozen.
"""
MADE_AT_ONCE = 400
"""The value used instead of `MADE_AFTER` in the first game, as finders rarely pay if a process reads one log."""

MAX_UNCOUNTED = 20_000
"""Maximum estimated steps of an expression in a finder, since finders do not count steps."""

Match = tuple[int, tuple[int, ...], int, int]
"""A match: choice number, arguments, seat number, and the number of the list element or -1."""
Finder = Callable[[Any, frozenset[int], Sequence[int], int], Match | Literal[0] | None]
"""A function of an entry's payload, the matched elements of its list, the state, and the number of matches to skip. It
returns the next legal option that matches, None if there is none, or 0 if it cannot decide.
"""


class Finders:
    """The finders for one game: generated functions that map an entry directly to its option.

    Args:
        game: the game.
        projections: the forms of the game's options in the dialect.
    """

    def __init__(self, game: Game, projections: Projections) -> None:
        self._game = game
        self._projections = projections

    def finder(self, decision: int, type_: str, forms: Mapping[int, Sequence[Form]]) -> tuple[Finder | None, bool]:
        """The finder for entries of a type at a decision (None if there is none yet), and whether the answer is final.

        Args:
            decision: the number of the decision.
            type_: the type of the entries.
            forms: the forms of each choice, in the order in which options are listed.
        """
        known, key = self._projections.known, (decision, type_)
        if key not in known.makers:
            known.read[key] += 1
            if known.read[key] <= (MADE_AFTER if known.games > 1 else MADE_AT_ONCE):
                return None, False
            known.makers[key] = self._compiled(decision, type_, forms)
        result = known.makers[key]
        if result is None:
            return None, True
        make, tables, by_seat = result
        if by_seat:
            tables = [*tables]
            for number, table in by_seat:
                tables[number] = table(self._projections)
        lookups = self._game.omniscient.lookups(decision)
        return make(*lookups, tuple(self._projections.names.values()), *tables), True

    def _compiled(self, decision: int, type_: str, forms: Mapping[int, Sequence[Form]]) -> FinderMaker | None:
        """The compiled factory of a finder; None if a form is not supported."""
        from rulespec.engine.dialects.finder_source import (
            FinderSource,
            UnwrittenError,
        )  # lazily: a short log needs none
        from rulespec.engine.python.code_memo import Fragments, code_memo

        known, program = self._projections.known, self._projections.program
        fragments = known.fragments
        if fragments is None or fragments.program is not program:
            codes = code_memo(self._game.ruleset.ref)
            fragments = known.fragments = Fragments(program, _NAMES, codes)
        source = FinderSource(fragments.x, self._projections)
        of_type = {k: [f for f in of if f.projection.type == type_ and not is_silent(f)] for k, of in forms.items()}
        chosen = [form for of in of_type.values() for form in of]
        if self._projections.variables.used:
            return None
        exprs = [f.lowered for form in chosen for f in form.fields]
        exprs += [form.condition for form in chosen if form.condition is not None]
        several = len(self._projections.shared.get(type_, ())) > 1
        if several or any(form.projection.part or form.projection.ordered for form in chosen):
            return None
        costs = Costs(program)
        if not fragments.can_write(exprs) or any(costs.of(e) > MAX_UNCOUNTED for e in exprs):
            return None
        choices = self._game.omniscient.program.decisions[decision].choices
        try:
            for number, of in of_type.items():
                if of:
                    source.choice(number, choices[number], of)
            name = f"make{len(known.makers):d}"
            make = fragments.function(name, source.params(), source.source(), source.uses)
            return make, source.tables, source.by_seat
        except UnwrittenError:
            return None
        except (RecursionError, SyntaxError, MemoryError):  # Python's own limits
            known.fragments = None  # some functions recorded as defined may not be
            return None


def _undecided() -> Any:
    """Raises LookupError, which leaves an entry undecided."""
    raise LookupError


def _is_number(value: Any) -> bool:
    """False, unless the value is a number, which may be a name and leaves the entry undecided."""
    if type(value) is int:
        raise LookupError
    return False


_NAMES = {
    "unsure": (ProgramFaultError, LookupError, TypeError, AttributeError),
    "undecided": _undecided,
    "is_number": _is_number,
    "sorted": sorted,
    "enumerate": enumerate,
    "list": list,
    "int": int,
}
"""Globals of generated finders."""
