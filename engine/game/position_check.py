"""Checks of a position for faults in the rules, each reported with its place in the source."""

from __future__ import annotations

from itertools import islice

from msgspec.structs import replace

from rulespec.diagnostics.diagnostic import Diagnostic, Severity
from rulespec.engine.game.game import Game
from rulespec.engine.game.numbered import every_option
from rulespec.engine.game.option import Option, RulesetFaultError
from rulespec.engine.program import ir
from rulespec.engine.program.interpreter import Interpreter
from rulespec.typed import nodes as typed

MAX_OPTIONS = 2_000
"""Maximum number of options to check per position."""
_REASONS = 12
"""Maximum number of reasons in a message about a position without legal options."""


def look(game: Game) -> tuple[list[Option], Diagnostic | None]:
    """The options of a position (up to `MAX_OPTIONS`; none if there is a fault), and the diagnostic for the fault, or
    None if there is no fault.

    RS712 means that an invariant is broken, RS711 that no option is legal, RS703 and RS704 that the rules fault.
    """
    try:
        for text in game.omniscient.broken_invariants():
            return [], broken(invariant_of(game, text))
        if game.is_over:
            _ = game.result  # rules compute the score as well
            return [], None
        options = list(islice(every_option(game), MAX_OPTIONS))
    except RulesetFaultError as fault:
        return [], fault.diagnostic
    if not options or options[0].interrupt:
        return [], no_option(game)
    return options, None


def invariant_of(game: Game, text: str) -> typed.Invariant:
    """The invariant named by an entry of `Omniscient.broken_invariants`."""
    return game.ruleset.rules.invariants[text.partition(":")[0]]


def broken(invariant: typed.Invariant) -> Diagnostic:
    """The diagnostic RS712 for a broken invariant."""
    message = f"the rules can break the invariant `{invariant.name}`"
    return Diagnostic("RS712", Severity.ERROR, message, invariant.span, invariant.doc)


def no_option(game: Game) -> Diagnostic:
    """The diagnostic RS711 for the open decision."""
    decision = asked(game)
    message = f"the decision `{decision.name}` can come up without a legal option"
    help_ = "ask only if there is a choice, add an option that is always legal, or declare it under `dead_ends`"
    return Diagnostic("RS711", Severity.ERROR, message, decision.span, help=help_)


def meant(game: Game, wrong: Diagnostic) -> bool:
    """Whether a fault is a dead end declared by the ruleset."""
    declared = game.ruleset.declarations.dead_ends
    if wrong.code != "RS711" or not declared:
        return False
    return any(d.name in declared and d.span == wrong.span for d in game._position.program.decisions)


def explained(game: Game, wrong: Diagnostic) -> Diagnostic:
    """A position's fault with the reasons for it: the entities for which an invariant fails, or the refusal of each
    option.

    Args:
        game: the game at that position.
        wrong: the fault, as returned by `look` or `take`.
    """
    lines = [wrong.help] if wrong.help else []
    if wrong.code == "RS712":
        names = (i.name for i in game.ruleset.rules.invariants.values() if i.span == wrong.span)
        lines += [why for name in names if (why := game.omniscient.why_broken(name))]
    elif wrong.code == "RS711" and not game.is_over:
        try:
            why_none = game.omniscient.why_none()
        except RulesetFaultError:
            why_none = []
        lines += why_none[:_REASONS]
        lines += [f"and {len(why_none) - _REASONS} more reasons"] if len(why_none) > _REASONS else []
    return replace(wrong, help="\n".join(lines))


def take(game: Game, option: Option) -> tuple[list[Option], Diagnostic | None]:
    """Takes an option and checks the next position; returns the same pair as `look`."""
    try:
        game.apply(option)
    except RulesetFaultError as fault:
        return [], fault.diagnostic
    return look(game)


def asked(game: Game) -> ir.Decision:
    """The open decision as in the program; the game must not be over."""
    return game._position.program.decisions[game._position.asked]


def same_option(game: Game, option: Option) -> Option | None:
    """The equivalent option in another game; None if it is illegal in that game."""
    try:
        if game.is_over or asked(game).name != option.decision:
            return None
        result = game.parse(str(option))
        return result if game.is_legal(result) else None
    except (ValueError, RulesetFaultError):
        return None


def interpreted(game: Game) -> int:
    """The number of steps taken by a game's interpreter; 0 if its machine is not an interpreter."""
    machine = game.omniscient.numbers.machine
    return machine.taken if isinstance(machine, Interpreter) else 0
