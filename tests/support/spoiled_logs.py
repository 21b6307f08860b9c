"""Pairs of native logs with secrets that a seat cannot distinguish, and damage applied to both in the same way."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec import Struct

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.game.game import Game
from rulespec.engine.logs.native import LogHeader, entry_json
from rulespec.engine.logs.seat_log import seat_log
from rulespec.engine.replay.replay import replay_log
from rulespec.load import load_ruleset


class Twins(Struct, frozen=True):
    """Two games indistinguishable for a seat, except for a last line with a secret of another seat.

    Attributes:
        seat: the viewer; "public" for the public.
        ref: the ruleset.
        settings: the settings of the game.
        seats: the players.
        before: the decisions of both games before the last line.
        secret: the last line in each game.
    """

    seat: str
    ref: str
    seats: tuple[str, ...]
    settings: dict[str, str]
    before: tuple[str, ...]
    secret: tuple[str, str]

    def words(self) -> tuple[str, ...]:
        """The secret texts that must not appear in output: the secrets and their parts."""
        return (*self.secret, *({"king", "jack"} if self.ref == "kuhn_poker" else ()))

    def logs(self) -> tuple[list[str], list[str]]:
        """The complete lines of both logs."""
        one, other = (self._log((*self.before, last)) for last in self.secret)
        return one, other

    def _log(self, texts: tuple[str, ...]) -> list[str]:
        game = Game(load_ruleset(self.ref), self.seats, self.settings)
        for text in texts:
            game.apply(game.parse(text))
        return [json.dumps(each) for each in (LogHeader.of(game).to_json(), *map(entry_json, game.history))]


TWO = ("Ann", "Bob")
TWINS = [
    Twins("Ann", "kuhn_poker", TWO, {}, ("deal(queen)",), ("deal(king)", "deal(jack)")),
    Twins("Bob", "kuhn_poker", TWO, {}, (), ("deal(king)", "deal(jack)")),
    Twins("public", "kuhn_poker", TWO, {}, ("deal(queen)",), ("deal(king)", "deal(jack)")),
    Twins("Bob", "wager", TWO, {}, ("roll(star)",), ("bid(3)", "bid(0)")),
    Twins("public", "wager", TWO, {}, ("roll(star)",), ("bid(4)", "bid(1)")),
    Twins("Bob", "orders", TWO, {}, (), ("write(sail, south)", "write(stay, north)")),
]

Spoil = Callable[[list[str], str], str]
"""A function from the lines of a log and the secret's text to a damaged log."""


def _with(line: Callable[[dict[str, object], str], object]) -> Spoil:
    """A damage of the last line, computed from its content; the log ends normally."""

    def spoil(lines: list[str], secret: str) -> str:
        result = line(json.loads(lines[-1]), secret)
        text = result if isinstance(result, str) else json.dumps(result)
        return "\n".join([*lines[:-1], text]) + "\n"

    return spoil


SPOILED: dict[str, Spoil] = {
    "torn in the option": lambda lines, secret: "\n".join(lines)[:-4],
    "torn before the option": lambda lines, secret: "\n".join([*lines[:-1], lines[-1].partition('"option"')[0]]),
    "torn after the option": lambda lines, secret: "\n".join(lines)[:-1],
    "cut, with a line end": lambda lines, secret: "\n".join(lines)[:-3] + "\n",
    "cut in the middle of the log": lambda lines, secret: "\n".join([*lines[:-1], lines[-1][:-2], lines[1]]) + "\n",
    "more behind the line": lambda lines, secret: "\n".join(lines) + lines[-1] + "\n",
    "bytes that are no text": lambda lines, secret: "\n".join(lines)[:-3] + '\udcff"}\n',
    "no header": lambda lines, secret: "\n".join(lines[1:]) + "\n",
    "no end of the header": lambda lines, secret: lines[0] + "".join(lines[1:]) + "\n",
    "the header last": lambda lines, secret: "\n".join([*lines[1:], lines[0]]) + "\n",
    "the line alone": lambda lines, secret: lines[-1],
    "no header and torn": lambda lines, secret: lines[-1][:-4],
    "a list": _with(lambda line, secret: [line]),
    "a text": _with(lambda line, secret: json.dumps(secret)),
    "the option a list": _with(lambda line, secret: line | {"option": [secret]}),
    "the option an object": _with(lambda line, secret: line | {"option": {secret: secret}}),
    "the option a number": _with(lambda line, secret: line | {"option": len(secret)}),
    "the option twice": _with(lambda line, secret: line | {"option": f"{secret} {secret}"}),
    "no option": _with(lambda line, secret: {k: v for k, v in line.items() if k != "option"} | {secret: 1}),
    "the option a key": _with(lambda line, secret: line | {secret: 1}),
    "a key that is nearly one": _with(lambda line, secret: line | {"optoin": secret}),
    "a salt that is none": _with(lambda line, secret: line | {"salt": secret}),
    "the option the decision": _with(lambda line, secret: line | {"decision": secret}),
    "the option the seat": _with(lambda line, secret: line | {"by": secret}),
    "misspelt": _with(lambda line, secret: line | {"option": f"{secret[:-2]}x)"}),
    "an unknown argument": _with(lambda line, secret: line | {"option": secret.replace("(", "(x, ")}),
    "of another seat": _with(lambda line, secret: line | {"by": "Cid"}),
    "not an option": _with(lambda line, secret: line | {"option": secret.partition("(")[2]}),
    "a text without end": _with(lambda line, secret: json.dumps(line)[:-2]),
    "deep": _with(lambda line, secret: json.dumps(line)[:-1] + ', "x": ' + "[" * 9000),
    "a number too large": _with(lambda line, secret: line | {"option": 10**30, "by": secret}),
    "an undo of a text": _with(lambda line, secret: {"undo": secret}),
    "an undo that keeps it": _with(lambda line, secret: {"undo": 1, "keep": [secret]}),
    "an undo that sets it": _with(lambda line, secret: {"undo": 0, "set": {"round": secret}}),
    "an undo of too much": _with(lambda line, secret: {"undo": 99 + len(secret)}),
    "a long line": _with(lambda line, secret: line | {"option": secret * 20_000}),
}


def flipped(lines: list[str], rng: random.Random) -> str:
    """A log with changed bytes in some lines of decisions, possibly without one line or its end."""
    data = bytearray("\n".join([*lines, ""]).encode())
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(lines[0]) + 1, len(data))
        if data[at] != 10:
            data[at] = rng.choice((data[at] ^ 1 << rng.randrange(8), rng.randrange(256), 34, 125))
    return data.decode("utf-8", "surrogateescape")


def write(path: Path, text: str) -> None:
    path.write_bytes(text.encode("utf-8", "surrogateescape"))


def good_part(path: Path, seat: str) -> tuple[object, ...]:
    """The part of a log known to a seat, up to the first invalid line, and whether there is one."""
    try:
        result = replay_log(path, lenient=True)
    except DiagnosticsError:
        return ("unreadable",)
    lines = list(seat_log(result.game, None if seat == "public" else seat))
    seen = [{k: v for k, v in line.items() if k not in ("salt", "sealed")} for line in lines]
    return (seen, result.divergence is not None)


def pairs(number: int) -> Iterator[tuple[str, str, str]]:
    """The name of each damage, with the texts of both damaged logs; for some games, only every third damage."""
    one, other = TWINS[number].logs()
    for at, (name, spoil) in enumerate(SPOILED.items()):
        if number in (0, 3) or at % 3 == number % 3:
            yield name, spoil(one, TWINS[number].secret[0]), spoil(other, TWINS[number].secret[1])
