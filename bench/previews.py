"""Accuracy of previews: the previewed changes compared with an option's actual effects, the share cut off, and the
cost.

python -m bench.previews imperial shadow_of_the_emperor --positions 200
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache, cached_property

from msgspec import Struct, field

from rulespec.drawing.board import Board, board_of
from rulespec.engine.game.game import Game, game_at
from rulespec.engine.program.draws import Draws
from rulespec.engine.simulate.checked_playouts import choose
from rulespec.engine.table.messages import Message, MessageRefusal
from rulespec.engine.table.preview import preview
from rulespec.engine.table.seats import Seat, Unlogged
from rulespec.engine.table.table import Table
from rulespec.engine.words.changes import Changes
from rulespec.engine.words.narrator import Narrator
from rulespec.engine.words.words import Words
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed

_TIMED = 3
"""The number of timed options per position."""
_SHOWN = 10
"""The maximum number of wrong previews printed."""


class PreviewTally(Struct):
    """Statistics on the previews of a game's options.

    Attributes:
        ref: the game.
        options: the number of options.
        until: the number of previews for each value of `until`: `hidden`, `chance`, `others`, `over`, or "" for a
            question.
        wrong: the option, the given and the expected changes of each wrong preview.
        undescribed: options with a visible change for which there are no words.
        preview: the processor milliseconds of each preview.
        take: the processor milliseconds of playing the same option at a table and showing the result to its seat.
    """

    ref: str
    options: int = 0
    until: dict[str, int] = field(default_factory=dict)
    wrong: list[tuple[str, list[str], list[str]]] = field(default_factory=list)
    undescribed: list[tuple[str, list[str]]] = field(default_factory=list)
    preview: list[float] = field(default_factory=list)
    take: list[float] = field(default_factory=list)

    @property
    def cost(self) -> float:
        """The cost of a preview relative to playing its option: the ratio of the means."""
        return statistics.fmean(self.preview) / statistics.fmean(self.take) if self.take else 0.0


@cache
def _loaded(ref: str) -> typed.Ruleset:
    return load_ruleset(ref)


def positions(ref: str, count: int, seed: int, settings: Mapping[str, str] | None = None) -> Iterator[Game]:
    """Positions of random games in which a seat decides; when a game is over, another begins.

    Args:
        ref: the game.
        count: the number of positions.
        seed: the seed of the games.
        settings: the settings that differ from the defaults.
    """
    ruleset, draws = _loaded(ref), Draws(seed)
    seats = ruleset.seats or "ABCDEF"[: max(ruleset.players[0], min(4, ruleset.players[1]))]
    game = Game(ruleset, seats, settings)
    while count:
        if game.decision is not None and game.decision.by is not None and game.legal_options:
            yield game.copy()
            count -= 1
        if (option := choose(game, draws)) is None:
            game = Game(ruleset, seats, settings)
        else:
            game.apply(option)


class Outcome:
    """The position after an option, compared with the previous one in the decider's view.

    Args:
        words: the words of the ruleset.
        game: the position before the option; it is not modified.
        option: the text of the option.
    """

    def __init__(self, words: Words, game: Game, option: str) -> None:
        decision = game.decision
        assert decision is not None and decision.by is not None
        self.words, self.before, self.after, self.seat = words, game, game.copy(), decision.by
        narrator = Narrator(words, self.after, self.seat)
        changes = Changes(narrator)
        before = changes.snapshot()
        taken = self.after.parse(option)
        self.after.apply(taken)
        self.changes = [change.text for change in changes.since(before, taken)]

    @cached_property
    def changed(self) -> list[int]:
        """The declared cells whose values differ."""
        old, new = self.before.omniscient.numbers.cells, self.after.omniscient.numbers.cells
        return [at for at in self.after.omniscient.program.declared if old[at] != new[at]]

    @cached_property
    def described(self) -> list[int]:
        """The changed cells that words describe."""
        cells = self.after.omniscient.program.cells
        return [at for at in self.changed if not self.words.internal(*_known_by(cells[at].group, *_names(cells[at])))]

    @property
    def count(self) -> int:
        """The number of changes that describe these cells.

        A move between two places or spaces counts as one; what it takes from its target is another.
        """
        cells, old, new = self.after.omniscient.program.cells, *(g.omniscient.numbers.cells for g in self._both)
        piles: dict[tuple[str, str], list[int]] = {}
        for at in self.described:
            if cells[at].group == "pieces":
                piles.setdefault((cells[at].name, cells[at].owner), []).append(new[at] - old[at])
        fields = sum(cells[at].group != "pieces" for at in self.described) - self._steps
        return fields + sum(map(_moves, piles.values()))

    @property
    def _steps(self) -> int:
        """The number of things that have left one space of a regular board empty and come to another empty one."""
        old, new = (g.omniscient.numbers.cells for g in self._both)
        left, come = dict[tuple[str, str, int], list[int]](), dict[tuple[str, str, int], list[int]]()
        for at in self.described:
            cell = self.after.omniscient.program.cells[at]
            if (cell.group, cell.name) in self._things:
                for values, ends in ((old, left), (new, come)):
                    if values[at] >= 0:
                        ends.setdefault((cell.group, cell.name, values[at]), []).append(at)
        pairs = [(*left[thing], *come.get(thing, ())) for thing in left if len(left[thing]) == 1]
        return sum(new[ends[0]] < 0 > old[ends[1]] for ends in pairs if len(ends) == 2)

    @property
    def _things(self) -> set[tuple[str, str]]:
        """The fields of spaces of regular boards that hold things: entities, and seats if there is no other field."""
        declarations, cells = self.words.ruleset.declarations, self.after.omniscient.program.cells
        fields = {
            (cell.group, cell.name): cell.type.removesuffix("?")
            for cell in (cells[at] for at in self.after.omniscient.program.declared)
            if cell.group in declarations.boards and not self.words.internal(cell.group, cell.name)
        }
        alone = Counter(kind for kind, _ in fields)
        return {
            (kind, name)
            for (kind, name), type_ in fields.items()
            if type_ in declarations.kinds and (type_ != declarations.player_kind or alone[kind] == 1)
        }

    @property
    def _both(self) -> tuple[Game, Game]:
        return self.before, self.after

    def undescribed(self, board: Board) -> list[str]:
        """The changed cells that no words describe, although the change is visible in the drawing or in a measure.

        Words for the arrival of a thing at a place also describe its order there.
        """
        cells, orders = self.after.omniscient.program.cells, board.sheet.style.orders
        described = [cells[at] for at in self.described]
        arrived = {(cell.group, cell.owner, orders.get((cell.group, cell.name))) for cell in described}
        unnamed = ((at, cells[at]) for at in sorted({*self.changed} - {*self.described}))
        rest = [at for at, cell in unnamed if (cell.group, cell.owner, cell.name) not in arrived]
        if not rest:
            return []
        old, after = self.before.omniscient.numbers.cells, self.after.omniscient.numbers.cells
        mixed = [after[at] if at in rest else value for at, value in enumerate(old)]
        before, other = game_at(self.before, old), game_at(self.before, mixed)
        if other.omniscient.measures() == before.omniscient.measures() and board.scene(other) == board.scene(before):
            return []
        return [f"{cells[at].group} {cells[at].owner} {cells[at].name} {cells[at].place}".strip() for at in rest]


def _moves(gains: list[int]) -> int:
    """The number of changes of a pile: moves, if one place has lost all that others have gained, or the reverse."""
    lost = sum(gain < 0 for gain in gains)
    return len(gains) - 1 if not sum(gains) and 1 in (lost, len(gains) - lost) else len(gains)


def _names(cell: object) -> tuple[str, str]:
    return getattr(cell, "name", ""), getattr(cell, "place", "")


def _known_by(group: str, name: str, place: str) -> tuple[str, str]:
    return (name, place) if group == "pieces" else (group, name)


def study(
    ref: str, count: int, seed: int, *, most: int = 40, settings: Mapping[str, str] | None = None, timed: bool = False
) -> PreviewTally:
    """The previews of random options in positions of random games, each compared with the resulting position.

    Args:
        ref: the game.
        count: the number of positions.
        seed: the seed of the games and of the sampled options.
        most: the maximum number of sampled options per position.
        settings: the settings that differ from the defaults.
        timed: whether to time some of the previews.
    """
    tally, rng, words = PreviewTally(ref), random.Random(seed), Words(_loaded(ref))
    board: Board | None = None
    for game in positions(ref, count, seed, settings):
        board = board or board_of(game.ruleset, game.seats, words)
        seat = game.decision.by if game.decision is not None else None
        assert seat is not None
        options = [str(option) for option in game.legal_options]
        for option in rng.sample(options, min(most, len(options))):
            _compare(tally, words, game, option, board)
        if timed:
            for option in rng.sample(options, min(_TIMED, len(options))):
                _time(tally, words, game, seat, option)
    return tally


def _compare(tally: PreviewTally, words: Words, game: Game, option: str, board: Board) -> None:
    outcome = Outcome(words, game, option)
    result = preview(words, game, outcome.seat, option)
    assert not isinstance(result, MessageRefusal), option
    given, until = result.get("changes", []), result.get("until", "")
    tally.options += 1
    tally.until[until] = tally.until.get(until, 0) + 1
    if until in ("hidden", "others"):
        return
    hides = game.omniscient.secretive
    if given != outcome.changes or (not hides and len(given) != outcome.count):
        tally.wrong.append((option, given, outcome.changes))
    if missing := outcome.undescribed(board):
        tally.undescribed.append((option, missing))


def _time(tally: PreviewTally, words: Words, game: Game, seat: str, option: str) -> None:
    table = Table(
        words, game.copy(), Unlogged({each: Seat("person", each) for each in game.seats}, 1, 0), (), time.time
    )
    since = table.say(seat)["serial"]
    begun = time.process_time()
    preview(words, game, seat, option)
    ended = time.process_time()
    tally.preview.append(1000 * (ended - begun))
    begun = time.process_time()
    refusal = table.hear(seat, Message(do="take", serial=since, option=option))
    table.confirm()
    table.say(seat, since)
    tally.take.append(1000 * (time.process_time() - begun))
    assert refusal is None, refusal


def main() -> None:
    """Prints a table in Markdown."""
    parser = argparse.ArgumentParser()
    parser.add_argument("refs", nargs="*", default=["imperial", "shadow_of_the_emperor"])
    parser.add_argument("--positions", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--hidden", action="store_true", help="with cash that is hidden, where that is a setting")
    args = parser.parse_args()
    print("| game | options | wrong | without words | cut off | before chance | cost of taking |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for ref in args.refs:
        settings = {"hide_cash": "true"} if args.hidden and "hide_cash" in _loaded(ref).settings else None
        tally = study(ref, args.positions, args.seed, settings=settings, timed=True)
        cut, chance = (tally.until.get(name, 0) / tally.options for name in ("hidden", "chance"))
        print(
            f"| {ref} | {tally.options} | {len(tally.wrong)} | {len(tally.undescribed)} | {cut:.1%} | {chance:.1%} | "
            f"{tally.cost:.2f} |",
            flush=True,
        )
        for line in [*tally.wrong[:_SHOWN], *tally.undescribed[:_SHOWN]]:
            print(line, file=sys.stderr)


if __name__ == "__main__":
    main()
