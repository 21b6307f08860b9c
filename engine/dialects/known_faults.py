"""Detection of a foreign system's known faults in a log, and replay despite them.

The dialect declares a known fault as data: a title, the rules that forbid the behaviour, an overlay that permits it,
and the options that the overlay adds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from rulespec.diagnostics.diagnostic import Diagnostic, Severity
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.dialects.dialect import Dialect
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Option, TakenBack


class PassedFault(Struct, frozen=True):
    """An entry that shows a known fault of the recording system.

    `move` is the number of the decision among the moves of the replay.
    """

    foreign_index: int
    move: int
    option: str
    title: str

    def to_json(self) -> dict[str, Any]:
        """The object printed by `replay --format json`."""
        return {"foreign_index": self.foreign_index, "move": self.move, "option": self.option, "title": self.title}


def fault_title(dialect: Dialect, rules: Sequence[str]) -> str | None:
    """The title of the known fault that the rules with these ids forbid; None if there is none."""
    for fault in dialect.known_faults:
        if not fault.rules.isdisjoint(rules):
            return fault.title
    return None


def past_faults(dialect: Dialect, ref: str) -> str:
    """The reference to the rules that permit a dialect's known faults.

    Raises:
        DiagnosticsError: RS630 if the dialect has no known faults.
    """
    if not dialect.known_faults:
        message = f"the dialect `{dialect.id}` lists no known faults"
        _refuse(message, dialect, "replay without `--past-known-faults`")
    overlays = dict.fromkeys(fault.overlay for fault in dialect.known_faults)
    return "+".join([ref, *overlays])


def check_options(dialect: Dialect, game: Game) -> None:
    """Checks that the rules in use have the options that permit known faults.

    Raises:
        DiagnosticsError: RS630 if an option is missing.
    """
    known = {f"{d.name}.{c.name}" for d in game.omniscient.program.decisions for c in d.choices}
    for fault in dialect.known_faults:
        for option in sorted(fault.options - known):
            message = f"`{dialect.id}` gets past its known fault `{fault.title}` with the option `{option}`"
            _refuse(f"{message}, but `{game.ruleset.ref}` has no such option", dialect, "add the option in its overlay")


def passed_faults(dialect: Dialect, moves: Sequence[Option | TakenBack], entries: Sequence[int]) -> list[PassedFault]:
    """The entries that were replayed with an option that permits a known fault."""
    titles = {option: fault.title for fault in dialect.known_faults for option in fault.options}
    return [
        PassedFault(entry, number, str(move), title)
        for number, (move, entry) in enumerate(zip(moves, entries, strict=True), 1)
        if isinstance(move, Option) and (title := titles.get(f"{move.decision}.{move.name}")) is not None
    ]


def _refuse(message: str, dialect: Dialect, help_: str) -> None:
    raise DiagnosticsError(
        [Diagnostic("RS630", Severity.ERROR, message, dialect.spans.get("known_faults"), help=help_)]
    )
