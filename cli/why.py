"""`rulespec why`: explanations of a position as trees of conditions with their values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click
from msgspec import Struct

from rulespec.cli import output
from rulespec.cli.position_argument import Where, position_flags
from rulespec.engine.game.game import Game
from rulespec.engine.game.omniscient import OMNISCIENT
from rulespec.engine.game.option import Option
from rulespec.engine.why.answer_output import Printer, whole
from rulespec.engine.why.position_reader import Answer
from rulespec.engine.why.why import Why


class Steps:
    """Prints the effects of moves during a game, statement by statement.

    Args:
        read: the function that reads a line after a prompt; it returns None at the end of input.
    """

    def __init__(self, read: Callable[[str], str | None]) -> None:
        self._read = read
        self._on = True

    def show(self, game: Game, seat: str | None) -> None:
        """Prints the effects of the last move that a seat can see, and pauses after each statement."""
        if not self._on:
            return
        answer = whole(Why(game, seat).effects(), fold=True)
        printer, waits = Printer(game.ruleset, game.omniscient.labels), True
        output.echo(f"  {answer.subject}")
        for each in answer.answers:
            for line in printer.lines(each, 4):
                output.echo(output.style(line, dim=True))
            said = self._read("  step (Enter: next, a: all, off) ") if waits else ""
            waits = waits and said not in (None, "a", "off")
            self._on = self._on and said != "off"

    @staticmethod
    def explain(game: Game, option: Option, seat: str | None) -> None:
        """Prints the reason why an option is refused, without information hidden from the seat."""
        asked = game.omniscient.numbers.asked
        printer = Printer(game.ruleset, game.omniscient.labels)
        for line in printer.lines(whole(Why(game, seat).of(option, asked), fold=True)):
            output.echo(f"    {line}")


class _Request(Struct, frozen=True):
    """The question asked on the command line."""

    subject: str | None
    value: str | None
    asked: bool
    not_asked: str | None
    nothing: bool
    effects: bool
    of: str
    end: bool
    invariant: str | None
    folded: bool | None
    format_: str


@click.command("why")
@position_flags
@click.argument("subject", metavar="[OPTION]", required=False)
@click.option("--value", metavar="EXPR", help="Explain the value of an expression of the rules language.")
@click.option("--asked", is_flag=True, help="Explain the decider of the open decision.")
@click.option("--not-asked", metavar="SEAT", help="Explain why a seat is not asked.")
@click.option("--nothing", is_flag=True, help="Explain why nothing is legal: each option, and each reason once.")
@click.option(
    "--effects",
    is_flag=True,
    help="Explain the effects of the last decision before the position, statement by statement.",
)
@click.option("--of", default="", metavar="NAME", help="With --effects: only cells whose names contain this.")
@click.option("--end", is_flag=True, help="Explain the ending and the winner.")
@click.option("--invariant", metavar="NAME", help="Explain why an invariant is true or false.")
@click.option("--folded/--whole", default=None, help="Show only the decisive parts, or all; default: folded as text.")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", help="Output format.")
@click.pass_context
def command(ctx: click.Context, /, **values: Any) -> None:
    """Explain why OPTION is legal or refused: at the start of REF, at the end of LOG, or after N of its decisions.

    Each condition is printed with its values, down to facts and state, with its place and its overlay. Without OPTION
    or a flag, it explains why the current decider is asked or, if the game is over, why the winner won. Only public
    information is printed: the first hidden value is `?`, and nothing follows it.

    Exit code: 0 answered, 1 the rules are at fault, 2 there is no answer, such as for an unknown option.

    Example: rulespec why game.jsonl@12 "buy(oak)"

    Example: rulespec why game.jsonl@13 --effects --of cash

    Example: rulespec why game.jsonl --value "sum(p.cash for p in player)" --format json
    """
    where = Where.taken(values)
    r = _Request(**values)
    if r.of and not r.effects:
        raise click.UsageError("--of needs --effects")
    _check_single(r)
    game = where.game()
    seat = where.viewer.seat(game.names)
    answer = whole(_answer(r, game, seat), fold=r.format_ == "text" if r.folded is None else r.folded)
    printer = Printer(game.ruleset, game.omniscient.labels)
    if r.format_ == "json":
        audience = "everything" if seat == OMNISCIENT else "all" if seat is None else f"seat {seat}"
        head = {"ruleset": game.ruleset.ref, **output.hashes(game.ruleset), "ply": game.ply, "for": audience}
        output.echo_json(head | printer.json(answer))
    else:
        for line in printer.lines(answer):
            output.echo(line)
    ctx.exit(output.OK)


def _check_single(r: _Request) -> None:
    """Rejects several questions at once."""
    asked = {"OPTION": r.subject, "--value": r.value, "--asked": r.asked, "--not-asked": r.not_asked}
    asked |= {"--nothing": r.nothing, "--effects": r.effects, "--end": r.end, "--invariant": r.invariant}
    named = [name for name, value in asked.items() if value is not None and value is not False]
    if len(named) > 1:
        raise click.UsageError(f"{' and '.join(named)} are several questions: ask only one")


def _answer(r: _Request, game: Game, seat: str | None) -> Answer:
    """The answer to the question."""
    why = Why(game, seat)
    if r.subject is not None:
        return why.option(r.subject)
    if r.value is not None:
        return why.value(r.value)
    if r.not_asked is not None:
        return why.not_asked(r.not_asked)
    if r.invariant is not None:
        return why.invariant(r.invariant)
    if r.nothing:
        return why.nothing()
    if r.effects:
        return why.effects(r.of)
    return why.end() if r.end or (game.is_over and not r.asked) else why.asked()
