"""Previews of options, and the reasons why a place has no option, from a seat's own view."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rulespec.engine.game.ahead import Ahead, ahead, unseen_after
from rulespec.engine.game.game import Game, asked_of, waiting
from rulespec.engine.game.option import Option, RulesetFaultError
from rulespec.engine.game.refusal import Value, why_not_with
from rulespec.engine.game.secrets import NOT_NOW, GuardedState, HiddenError
from rulespec.engine.program import ir
from rulespec.engine.program.evaluator import evaluate
from rulespec.engine.table.messages import Message, MessageRefusal
from rulespec.engine.table.telling import said
from rulespec.engine.words.changes import Change, Changes, Snapshot
from rulespec.engine.words.narrator import Narrator
from rulespec.engine.words.words import Words

_REASONS = 4
"""The maximum number of reasons per place."""


def answer_about(words: Words, game: Game, seat: str, message: Message) -> dict[str, Any]:
    """The answer to a message: the preview of an option, the reasons why a place has no option, or nothing."""
    try:
        if message.do == "why":
            reasons = why_no_option(game, seat, message.place)
            return {"reasons": [{"text": reason.text, "values": reason.values} for reason in reasons]}
        result = preview(words, game, seat, message.option)
    except (ValueError, RulesetFaultError):
        return {}
    return {} if isinstance(result, MessageRefusal) else result


def preview(words: Words, game: Game, seat: str, text: str) -> dict[str, Any] | MessageRefusal:
    """The predictable changes that a seat's option makes until the next question, in words.

    The key `until` gives the reason why the preview ends: `hidden` cells, `chance`, the choices of `others`, or the end
    of the game (`over`).

    Args:
        words: the words of the ruleset.
        game: a game in which the option is legal; it remains unchanged.
        seat: the seat.
        text: the option.

    Raises:
        ValueError: if the text names no option.
        RulesetFaultError: if the rules fault.
    """
    asked = game
    if game.decision is not None and game.decision.together and seat in waiting(game):
        asked = asked_of(game, seat) or game
    option = asked.parse(text)
    if (refusal := asked.why_not(option, seat)) is not None:
        return MessageRefusal(refusal.reason, refusal.values)
    result, seen = _walked(asked, option, seat)
    until = _until(asked, option, result, seen[1])
    changes = _changes(words, asked, option, seat, result, seen[0])
    return said({"option": text, "changes": [change.text for change in changes], "until": until})


def _walked(game: Game, option: Option, seat: str) -> tuple[Ahead, tuple[frozenset[int], bool]]:
    """The result of an option on a copy, with guarded reads if anything is hidden, and the cells hidden after it."""
    if game.omniscient.secretive:
        result = ahead(game, option, seat)
        return result, unseen_after(game, result, seat)
    twin, size = game.copy(), len(game.omniscient.program.cells)
    before = tuple(game.omniscient.numbers.state[:size])
    twin.apply(option)
    nothing = frozenset[int]()
    return Ahead(before, tuple(twin.omniscient.numbers.state[:size]), nothing, nothing, whole=True), (nothing, False)


def _until(game: Game, option: Option, result: Ahead, opens: bool) -> str:
    if not result.whole or opens:
        return "hidden"
    program = game.omniscient.program
    asked = program.asked_in(result.after[ir.PC])
    if asked < 0:
        return "over"
    if program.decisions[asked].held and asked == game.omniscient.numbers.asked and not option.interrupt:
        return "others"
    return "chance" if program.decisions[asked].by is None else ""


def _changes(
    words: Words, game: Game, option: Option, seat: str, result: Ahead, unseen: frozenset[int]
) -> list[Change]:
    """The changes by a seat's option that it will see and can already know."""
    narrator = Narrator(words, game, seat)
    before = Snapshot(result.before, result.unseen, GuardedState(result.before, result.unseen))
    now = Snapshot(result.after, unseen, GuardedState(result.after, unseen))
    return Changes(narrator).between(before, now, result.written, option)


def why_no_option(game: Game, seat: str, place: str) -> list[MessageRefusal]:
    """The reasons why a place has no option, one per kind of option, limited to information that the seat may have.

    Args:
        game: a game with this decision open; it remains unchanged.
        seat: the seat asked.
        place: an entity, as `kind.name`.
    """
    kind, _, name = place.partition(".")
    labels, numbers = game.omniscient.labels, game.omniscient.numbers
    names = labels.names.get(kind, ())
    if seat not in waiting(game) or name not in names or numbers.asked < 0:
        return []
    state = game.omniscient.visibility.guarded(numbers.state, game.seats.index(seat))
    program, number = numbers.program, list(names).index(name)
    slots = program.slots + 1

    def value(e: ir.Expr, known: tuple[int, ...]) -> int:
        return evaluate(program, e, state, [*known, *[0] * (slots + 1 - len(known))])

    def reasons(choice: ir.Choice) -> Iterator[MessageRefusal]:
        for at, param in enumerate(choice.params):
            if param.type.removesuffix("?") == kind and (refusal := _why_not(value, choice, at, number)) is not None:
                yield refusal

    def _why_not(value: Value, choice: ir.Choice, at: int, number: int) -> MessageRefusal | None:
        try:
            refusal = why_not_with(value, labels, choice, at, number, slots)
        except HiddenError:
            return MessageRefusal(NOT_NOW)
        return None if refusal is None else MessageRefusal(refusal[1].reason, refusal[1].values)

    choices = [choice for choice in program.decisions[numbers.asked].choices if choice.by is None]
    results = [reason for choice in choices for reason in reasons(choice)]
    return [reason for at, reason in enumerate(results) if reason not in results[:at]][:_REASONS]
