"""Wrong expressions of a dialect, found without a log: they are compiled for a game of its rules."""

from __future__ import annotations

import msgspec

from rulespec import cache
from rulespec.diagnostics.diagnostic import Diagnostic
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.documents.text_files import read_text
from rulespec.engine.dialects.dialect import Dialect
from rulespec.typed import nodes as typed

_TRUTH = msgspec.json.Decoder(bool)
_ANY_NUMBER = 1
"""A number in the place of those that the first entry of a log has."""


def wrong_expressions(dialect: Dialect, ruleset: typed.Ruleset) -> list[Diagnostic]:
    """The mistakes in the expressions of a dialect (RS622), each once; empty if there are none.

    Args:
        dialect: the dialect.
        ruleset: one of its rulesets, of which a game can be started.
    """
    key = cache.key("dialect expressions", ruleset.sources_hash, read_text(dialect.file, dialect.file))
    if cache.read(key, _TRUTH) is True:
        return []
    # Lazily: the cache knows most dialects.
    from rulespec.engine.dialects.first_entry import cut_at
    from rulespec.engine.dialects.known import known
    from rulespec.engine.dialects.projection import Projections
    from rulespec.engine.dialects.take_back import TakeBack
    from rulespec.engine.game.game import Game
    from rulespec.engine.game.seating import seat_names

    game = Game(ruleset, seat_names(ruleset.players[0], ruleset.seats))
    values = dict.fromkeys(dialect.values, _ANY_NUMBER)
    results: list[Diagnostic] = []
    for compiled in (
        lambda: cut_at(dialect, game),
        lambda: Projections(game, dialect, own=True, values=values),
        lambda: TakeBack(game, dialect, own=True, known=known(game, dialect, values)),
    ):
        try:
            compiled()
        except DiagnosticsError as error:
            results += error.diagnostics
    if not results:
        cache.write(key, True)
    return list(dict.fromkeys(results))
