"""Failing games: reducing them to short games, and writing them as text and as scenarios."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from rulespec.diagnostics.diagnostic import Diagnostic
from rulespec.documents.json_text import to_json_text
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Option, RulesetFaultError, TakenBack
from rulespec.engine.game.position_check import explained
from rulespec.engine.game.state_json import changes, state_json
from rulespec.engine.logs.end_line import end_json
from rulespec.engine.logs.native import LogHeader, entry_json
from rulespec.typed import nodes as typed

MAX_TRIES = 2_000
_SHOWN = 12  # the maximum number of decisions, and of changes, in a text

Move = Option | TakenBack
Run = Callable[[Sequence[Move], int], tuple[list[Move], Diagnostic] | None]
"""A function that plays moves from the start of a game, skipping impossible ones, and then a number of random moves.

It returns the moves up to the mistake, and its diagnostic; None if the game reveals no mistake, or a different one.
"""
SHORT_CUTS = 30
"""The number of shortcuts tried before a game counts as shortest."""

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class FailingGame:
    """A game that reveals a mistake after its last move, or whose last move makes the rules fault.

    Attributes:
        header: the seats and settings.
        moves: the moves of the game.
        wrong: the diagnostic.
        changed: the changes that the last move made, one line per field and pile.
        scenario: the game as a scenario file that fails in the same way; "" if no scenario can fail in this way.
        lines: the game as the lines of a native log.
    """

    header: LogHeader
    moves: tuple[Move, ...]
    wrong: Diagnostic
    changed: tuple[str, ...]
    scenario: str = ""
    lines: tuple[dict[str, Any], ...] = ()

    @classmethod
    def of(cls, ruleset: typed.Ruleset, header: LogHeader, moves: Sequence[Move], wrong: Diagnostic) -> FailingGame:
        """A failing game with all details filled in.

        Args:
            ruleset: the ruleset.
            header: the seats and settings.
            moves: the moves; the mistake appears after the last one, or in it.
            wrong: the mistake.
        """
        end = replayed(ruleset, header, moves)
        rest = any(isinstance(move, TakenBack) and move.keep for move in moves)  # decisions alone cannot reproduce it
        scenario = "" if rest else failing_scenario(end.game, header, end.fault, wrong)
        wrong = explained(end.game, wrong)
        return cls(header, tuple(moves), wrong, end.changed, scenario, tuple(end.lines(header, moves)))

    def log(self) -> str:
        """The game as a native log."""
        lines = self.lines or [self.header.to_json(), *map(entry_json, self.moves)]
        return "".join(to_json_text(line, plain=True) + "\n" for line in lines)

    def story(self) -> list[str]:
        """The game as text: its last decisions, including the failing one, and the changes that the last one made."""
        lines = [f"… {len(self.moves) - _SHOWN} before"] if len(self.moves) > _SHOWN else []
        lines += [move_text(move) for move in self.moves[-_SHOWN:]] or ["before the first decision"]
        more = len(self.changed) - _SHOWN
        return lines + [f"    {c}" for c in self.changed[:_SHOWN]] + ([f"    … and {more} more"] if more > 0 else [])


def move_text(move: Move) -> str:
    """A move as text."""
    return f"{move.by or 'chance'}: {move}" if isinstance(move, Option) else f"taken back: {move.decisions}"


def shortest(
    ruleset: typed.Ruleset,
    header: LogHeader,
    moves: Sequence[Move],
    wrong: Diagnostic,
    run: Run,
    *,
    tries: int = MAX_TRIES,
) -> FailingGame:
    """The shortest game found with the same mistake.

    Args:
        ruleset: the ruleset.
        header: the seats and settings.
        moves: the failing game.
        wrong: the diagnostic.
        run: the function that plays the moves of a shorter game.
        tries: the maximum number of calls.
    """

    def again(fewer: list[Move], more: int = 0) -> list[Move] | None:
        nonlocal tries, wrong
        tries -= 1
        result = run(fewer, more) if tries >= 0 else None
        if result is None:
            return None
        wrong = result[1]
        return result[0]

    best, before = list(moves), len(moves) + 1
    while 0 < len(best) < before:
        before = len(best)
        best = leave_out(best, again)
        for number in range(SHORT_CUTS):
            at = number * len(best) // SHORT_CUTS
            if (result := again(best[:at], len(best) - at - 1)) is not None:
                best = result
                break
    return FailingGame.of(ruleset, header, best, wrong)


def leave_out(moves: list[_T], again: Callable[[list[_T]], list[_T] | None]) -> list[_T]:
    """A list without its dispensable elements, which are removed in runs, the longest runs first.

    Args:
        moves: the list.
        again: a function called with a shorter list; returns the part of this list that is needed, or None if the
            result differs.
    """
    size = len(moves) // 2
    while size:
        at = 0
        while at < len(moves):
            result = again(moves[:at] + moves[at + size :])
            if result is None:
                at += size
            else:
                moves = result
        size //= 2
    return moves


@dataclass(frozen=True, slots=True)
class LegalPart:
    """The legal part of a replayed game.

    Attributes:
        game: the game.
        fault: the option that faulted, which is not in the game; None if no option faulted.
        changed: the changes that the last move made, as texts; empty after a fault.
    """

    game: Game
    fault: Option | None = None
    changed: tuple[str, ...] = ()

    def lines(self, header: LogHeader, moves: Sequence[Move]) -> list[dict[str, Any]]:
        """The native log of the moves, followed by the option that faulted, if any."""
        entries = [*map(entry_json, moves)]
        legal = len(entries) - (self.fault is not None)
        return [header.to_json(), *entries[:legal], *end_json(self.game), *entries[legal:]]


def replayed(ruleset: typed.Ruleset, header: LogHeader, moves: Sequence[Move]) -> LegalPart:
    """The legal part of a game, found by replaying its moves."""
    game = Game(ruleset, header.seats, header.settings)
    move: Move | None = None
    try:
        game.omniscient.numbers.begin()
        for number, move in enumerate(moves):
            before = state_json(game) if number == len(moves) - 1 else None
            game.apply(move) if isinstance(move, Option) else game.omniscient.take_back(move)
            if before is not None:
                return LegalPart(game, None, tuple(changes(before, state_json(game))))
    except RulesetFaultError:
        return LegalPart(game, move if isinstance(move, Option) else None)
    return LegalPart(game)


SHOWN_BY = frozenset(["RS703", "RS704", "RS711", "RS712"])
"""The codes of mistakes that a scenario can reveal, either at a position or in the decision that leads to it."""
_STEP = 1_000
"""Decisions per step; a scenario file may have at most twice as many in a step."""


def failing_scenario(game: Game, header: LogHeader, fault: Option | None, wrong: Diagnostic) -> str:
    """A scenario that fails with a mistake, as a YAML file; "" if no scenario can reveal the mistake.

    Args:
        game: the game, up to the mistake.
        header: the seats and settings.
        fault: the option that faults, if the mistake is a fault.
        wrong: the mistake.
    """
    if wrong.code not in SHOWN_BY:
        return ""
    ruleset = game.ruleset
    defaults = {s.name: s.default for s in ruleset.settings.values()}
    settings = {name: value for name, value in header.settings.items() if value != defaults[name]}
    moves = [f"{o.by or 'chance'}: {o}" for o in [*game.history, *([fault] if fault is not None else [])]]
    id_ = f"{wrong.code}-{wrong.span.line}" if wrong.span is not None else wrong.code
    folder = f"scenarios/{ruleset.overlays[-1]}" if ruleset.overlays else "scenarios"
    lines = [
        f"# in {folder}/{id_.lower()}.yaml: `rulespec test {ruleset.ref}` fails until it is fixed",
        "scenarios:",
        f"  - id: {id_}",
        f"    title: {_text(wrong.message)}",
        f"    seats: [{', '.join(map(_text, header.seats))}]",
    ]
    if settings:
        lines.append(f"    settings: {{{', '.join(f'{name}: {_text(value)}' for name, value in settings.items())}}}")
    first, *more = [moves[at : at + _STEP] for at in range(0, len(moves), _STEP)] or [[]]
    lines += _when("    ", first)
    if more:
        lines.append("    steps:")
    for part in more:
        head, *rest = _when("        ", part)
        lines += [f"      - {head.lstrip()}", *rest]
    return "\n".join(lines) + "\n"


def _when(indent: str, moves: Sequence[str]) -> list[str]:
    return [f"{indent}when:", *(f"{indent}  - {_text(move)}" for move in moves)] if moves else []


def _text(text: str) -> str:
    """A text in quotes, valid in JSON and YAML."""
    return json.dumps(text, ensure_ascii=False)


_IN_MESSAGE = 8
"""The maximum number of decisions, and of changes, in a message."""


def example(ruleset: typed.Ruleset, header: LogHeader, moves: Sequence[Move], changed: Sequence[str]) -> str:
    """A game as text: players and settings, the last decisions, and the changes that the last one made.

    Args:
        ruleset: the game's ruleset.
        header: the seats and settings.
        moves: the game's moves.
        changed: the changes that the last move made; empty if they do not matter.
    """
    defaults = {s.name: s.default for s in ruleset.settings.values()}
    chosen = [f"{k}={v}" for k, v in header.settings.items() if v != defaults[k]]
    seats = len(header.seats)
    text = f"with {seats} player{'s' if seats != 1 else ''}" + (f" and {', '.join(chosen)}" if chosen else "")
    last = " · ".join(map(move_text, moves[-_IN_MESSAGE:]))
    if not moves:
        text += ", before the first decision"
    elif len(moves) <= _IN_MESSAGE:
        text += f": {last}"
    else:
        text += f", after {len(moves)} decisions, the last of them: {last}"
    if changed:
        more = f" · and {len(changed) - _IN_MESSAGE} more" if len(changed) > _IN_MESSAGE else ""
        text += f"\nthe last decision changes {' · '.join(changed[:_IN_MESSAGE])}{more}"
    return text
