"""Knowledge of a dialect, shared by games with the same rules, number of seats and settings.

It does not depend on seat names, unless an expression of the dialect uses one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from rulespec.diagnostics.diagnostic import Diagnostic, Severity
from rulespec.engine.dialects.dialect import Dialect
from rulespec.engine.dialects.forms import Form, ListedForms
from rulespec.engine.dialects.unknown import unknown_names
from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import MEMO_SIZE
from rulespec.engine.program.budget import Budget, BudgetUse
from rulespec.engine.program.execution import Execution

if TYPE_CHECKING:
    from rulespec.engine.game.query import Value
    from rulespec.engine.python.code_memo import Fragments

FinderMaker = tuple[Callable[..., Any], list[Any], list[tuple[int, Callable[..., Any]]]]
"""The factory of a finder, its tables, and the builders of those that differ between games; see `finder_source`."""

_MEMO_LIMIT = 24
"""Maximum number of dialects in the memo."""


class DialectKnowledge(Struct):
    """Cached knowledge of a dialect for games with the same rules, number of seats and settings.

    Attributes:
        ruleset: the ruleset of the games, referenced so that its id is not reused.
        games: the number of games read.
        forms: the verified forms of each option.
        listed: the forms of each decision, by number.
        makers: by decision number and entry type, the factory of a finder.
        read: by decision number and entry type, the number of entries read without a finder.
        fragments: the compiler of finders.
        budget: the step budget, per log, for expressions of the dialect.
    """

    ruleset: object
    games: int = 0
    forms: Mapping[tuple[str, str], list[Form]] | None = None
    listed: dict[int, ListedForms] = {}
    makers: dict[tuple[int, str], FinderMaker | None] = {}
    read: Counter[tuple[int, str]] = Counter()
    fragments: Fragments | None = None
    budget: Budget = field(default_factory=Budget)

    def counted(self, value: Value, meter: Execution, use: BudgetUse) -> Value:
        """The given expression, wrapped so that its steps count against the budget."""

        def counted(state: list[int], args: Sequence[int]) -> int:
            return self.budget.spend(meter, use, lambda: value(state, args))

        return counted


class _OfDialect(Struct):
    """Cached facts about one dialect.

    Attributes:
        words: the words of its expressions, among which are any seat names.
        warnings: warnings about unknown names in it; None before the first request.
    """

    dialect: Dialect
    words: frozenset[str]
    warnings: tuple[Diagnostic, ...] | None = None
    games: dict[tuple[object, ...], DialectKnowledge] = {}


_memo: dict[int, _OfDialect] = {}
"""Cache keyed by the id of the dialect."""


def unknown(dialect: Dialect, game: Game) -> tuple[Diagnostic, ...]:
    """Warnings about names in a dialect that exist in none of its rulesets; `game` may be a game of one of them."""
    of = _of(dialect)
    if of.warnings is None:
        there = set[str]()
        if game.ruleset.ref in dialect.rulesets:
            there = {f"{d.name}.{c.name}" for d in game.omniscient.program.decisions for c in d.choices}
            there |= game.ruleset.settings.keys()
        of.warnings = tuple(unknown_names(dialect, Severity.WARNING, there))
    return of.warnings


def _of(dialect: Dialect) -> _OfDialect:
    of = _memo.get(id(dialect))
    if of is None:
        if len(_memo) >= _MEMO_LIMIT:
            _memo.clear()
        of = _memo[id(dialect)] = _OfDialect(dialect, _words(dialect))
    return of


def known(game: Game, dialect: Dialect, values: Mapping[str, int]) -> DialectKnowledge:
    """The cached knowledge of a dialect for games like this one. `values` come from the first entry of the log."""
    of = _of(dialect)
    named = tuple((number, seat) for number, seat in enumerate(game.seats) if seat in of.words)
    key = (id(game.ruleset), len(game.seats), tuple(sorted(game.settings.items())), named, *values.items())
    if key not in of.games:
        if len(of.games) >= MEMO_SIZE:
            of.games.clear()
        of.games[key] = DialectKnowledge(game.ruleset)
    result = of.games[key]
    result.games += 1
    result.budget = Budget()
    return result


def _words(dialect: Dialect) -> frozenset[str]:
    """The words of a dialect's expressions."""
    forms = [form for of in dialect.decisions.values() for form in of]
    texts = [text for form in forms for text in (form.when, *(expression for _, expression, _ in form.match))]
    return frozenset(word for text in texts for word in re.findall(r"\w+", text))
