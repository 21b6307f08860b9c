"""Operations on positions: listing, testing, playing and undoing options, explaining, copying, hashing."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from bench.figures import Bench, Figure, Target
from bench.pairs import Sample, Slice, alternate, timed
from bench.play import played, positions
from rulespec.engine.game.game import Game
from rulespec.engine.game.numbered import every_option
from rulespec.engine.game.option import Option
from rulespec.load import load_ruleset

NUMBER = 40


def run(bench: Bench) -> Iterator[Figure]:
    """Figures for positions spread over random four-player games of Imperial."""
    ruleset = load_ruleset("imperial")
    result = positions(ruleset, 4, NUMBER)
    firsts = [(game, game.legal_options[0]) for game in result]
    refused = _refused(result)

    def each(do: Callable[[Game], object]) -> Slice:
        def work() -> int:
            for game in result:
                do(game)
            return len(result)

        return timed(work, bench.seconds)

    def apply_undo() -> int:
        for game in result:
            game.apply(next(every_option(game)))
            game.undo()
        return len(result)

    def legal() -> int:
        for game, option in firsts:
            game.is_legal(option)
        return len(firsts)

    def why() -> int:
        for game, option in refused:
            game.why_not(option)
        return len(refused)

    options = sum(len(game.legal_options) for game in result) / len(result)
    every = sum(len(list(every_option(game))) for game in result) / len(result)
    yield bench.beside_chess(
        "list the decider's options",
        each(lambda game: list(game.legal_options)),
        "µs",
        "legal_moves",
        more={"options": options},
    )
    yield bench.beside_chess(
        "list all options", each(lambda game: list(every_option(game))), "µs", "legal_moves", more={"options": every}
    )
    yield bench.beside_chess("is_legal", timed(legal, bench.seconds), "µs", "legal_moves")
    yield bench.beside_chess("why_not", timed(why, bench.seconds), "µs", "legal_moves")
    game = played(ruleset, 4, 1)
    yield bench.beside_chess("apply, tested first", _again(game, undo=False), "µs", "push")
    yield bench.beside_chess("undo", _again(game, undo=True), "µs", "push")
    yield bench.beside_chess("list one, apply, undo", timed(apply_undo, bench.seconds), "µs", "push_pop")
    at_most_ten = Target(10, at_least=False, of_ratio=False)
    plies = {"decisions": sum(game.ply for game in result) / len(result)}
    yield bench.beside_chess("clone", each(Game.copy), "µs", "copy", target=at_most_ten, more=plies)
    yield bench.beside_chess("hash, of all cells", each(_hash_anew), "µs", "copy", target=at_most_ten)
    yield _kept_hash(bench, result)
    yield bench.beside_chess("hash, asked again", each(lambda game: game.hash), "µs", "zobrist")


def _forget(game: Game) -> None:
    """Clears the cached hashes of the position and of its predecessor."""
    game._position.write({})
    game._position.steps[-1].before = None


def _hash_anew(game: Game) -> str:
    _forget(game)
    return game.hash


def _refused(games: list[Game]) -> list[tuple[Game, Option]]:
    """Options of some positions that are illegal in others with the same decision."""
    results = []
    for game in games:
        for other in games:
            if other.decision is not None and game.decision is not None and other.decision.name == game.decision.name:
                wrong = (option for option in other.legal_options if not game.is_legal(option))
                results += [(game, option) for option, _ in zip(wrong, range(2), strict=False)]
    return results


def _again(game: Game, *, undo: bool) -> Slice:
    """A slice that plays the decisions of a whole game, or undoes them; the rest is not timed."""

    def run() -> Sample:
        again = Game(game.ruleset, game.names)
        again.omniscient.numbers.begin()
        history = game.history
        begun = time.process_time()
        for option in history:
            again.apply(option)
        if undo:
            begun = time.process_time()
            for _ in history:
                again.undo()
        return Sample(len(history), time.process_time() - begun)

    return run


def _kept_hash(bench: Bench, games: list[Game]) -> Figure:
    """The figure of a hash requested after each decision: its extra cost over playing and undoing."""
    plain = [game.copy() for game in games]
    for game in plain:
        _forget(game)

    def without() -> int:
        for game in plain:
            game.apply(next(every_option(game)))
            game.undo()
        return len(plain)

    def hashed() -> int:
        for game in games:
            game.apply(next(every_option(game)))
            _ = game.hash
            game.undo()
        return len(games)

    slices = [timed(without, bench.seconds), timed(hashed, bench.seconds), bench.yardstick.slice("copy", bench.seconds)]
    few, more, copies = alternate(slices, bench.runs, turns=bench.turns)
    added = [Sample(1, b.each - a.each) for a, b in zip(few, more, strict=True)]
    target = Target(10, at_least=False, of_ratio=False)
    return bench.figure("hash, after each decision", added, copies, unit="µs", beside="chess copy", target=target)
