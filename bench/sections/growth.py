"""Growth of the cost per decision with the length of a game, the size of a map, and the number of overlays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from statistics import mean

from bench.big_maps import write_big_map
from bench.figures import Bench, Figure, Target
from bench.pairs import alternate, once, timed
from bench.play import ENDLESS, move, played, playouts
from bench.sections.loading import lowering
from rulespec.diagnostics.report import Report
from rulespec.engine.game.game import Game
from rulespec.engine.program.draws import Draws
from rulespec.load import load_ruleset

SHORT, LONG = 500, 5_000
COPIES = (1, 4, 16)
OVERLAYS = ("cheap_factories", "end_at_30", "stricter_import", "reverse_order")


def length(bench: Bench) -> Iterator[Figure]:
    """Figures of Imperial played without an end: whole games, and one position with and without its history."""
    bench.folder.mkdir(parents=True, exist_ok=True)
    overlay = bench.folder / "endless.yaml"
    overlay.write_text(ENDLESS, "utf-8")
    ruleset = load_ruleset(f"imperial+{overlay}")
    slices = [
        timed(playouts(ruleset, 4, [], most=SHORT), bench.seconds),
        timed(playouts(ruleset, 4, [], most=LONG), bench.seconds),
    ]
    chess = bench.yardstick.slice("playouts", bench.seconds)
    short, long, moves = alternate([*slices, chess], bench.runs, turns=bench.turns)
    yield bench.figure(f"a game of {SHORT:,} decisions: each", short, moves, unit="µs", beside="chess move")
    yield bench.figure(f"a game of {LONG:,} decisions: each", long, moves, unit="µs", beside="chess move")
    target = Target(1.1, at_least=False)
    name = f"a decision of {LONG:,} beside one of {SHORT:,}"
    yield bench.figure(name, long, short, unit="µs", beside="short game", target=target)
    after = [played(ruleset, 4, seed, most=LONG) for seed in range(1, 2 if bench.quick else 4)]
    slices = [timed(_on(after, True), bench.seconds), timed(_on(after, False), bench.seconds)]
    old, new = alternate(slices, bench.runs, turns=bench.turns)
    name = f"after {LONG:,} decisions, beside the same position without them"
    yield bench.figure(name, old, new, unit="µs", beside="without history", target=target)
    slices = [timed(_clones(after, True), bench.seconds), timed(_clones(after, False), bench.seconds)]
    copies, fresh = alternate(slices, bench.runs, turns=bench.turns)
    yield bench.figure(f"clone after {LONG:,} decisions", copies, fresh, unit="µs", beside="without history")


def _on(games: list[Game], history: bool) -> Callable[[], int]:
    def work() -> int:
        draws = Draws(1)
        for game in games:
            twin = game.copy()
            if not history:
                twin._position.steps = []
            for _ in range(SHORT):
                move(twin, draws)
        return SHORT * len(games)

    return work


def _clones(games: list[Game], history: bool) -> Callable[[], int]:
    twins = [game.copy() for game in games]
    for twin in twins:
        if not history:
            twin._position.steps = []

    def work() -> int:
        for twin in twins:
            for _ in range(50):
                twin.copy()
        return 50 * len(twins)

    return work


def maps(bench: Bench) -> Iterator[Figure]:
    """Figures of maps made of several copies of Imperial's."""
    rulesets = {}
    warned: dict[int, str] = {}
    for copies in COPIES[:2] if bench.quick else COPIES:
        ref = str(write_big_map(copies, bench.folder / "maps"))
        report = Report()
        rulesets[copies] = load_ruleset(ref, report)
        warned[copies] = ", ".join(sorted({d.code for d in report.diagnostics if d.code == "RS411"}))
    lengths: dict[int, list[int]] = {copies: [] for copies in rulesets}
    slices = [timed(playouts(r, 4, lengths[copies]), bench.seconds) for copies, r in rulesets.items()]
    result = alternate([*slices, bench.yardstick.slice("playouts", bench.seconds)], bench.runs, turns=bench.turns)
    for (copies, ruleset), samples in zip(rulesets.items(), result, strict=False):
        more: dict[str, object] = {"decisions each": float(mean(lengths[copies]))}
        if warned[copies]:
            more["checker"] = f"warns of it: {warned[copies]}"
        name = f"map x{copies}: each decision"
        yield bench.figure(name, samples, result[-1], unit="µs", beside="chess move", more=more)
        if copies > 1:
            target = Target(copies, at_least=False)
            name = f"map x{copies} beside x1: each decision"
            yield bench.figure(name, samples, result[0], unit="µs", beside="map x1", target=target)
        yield from lowering(bench, f"map x{copies}", ruleset)


def overlays(bench: Bench) -> Iterator[Figure]:
    """Figures of Imperial with up to four overlays: loading, and random games."""
    numbers = (0, 4) if bench.quick else (0, 1, 2, 4)
    refs = ["+".join(["imperial", *OVERLAYS[:n]]) for n in numbers]
    loads = alternate([once(partial(load_ruleset, ref)) for ref in refs], bench.runs)
    slices = [timed(playouts(load_ruleset(ref), 4, []), bench.seconds) for ref in refs]
    games = alternate(slices, bench.runs, turns=bench.turns)
    for number, load, play in zip(numbers, loads, games, strict=True):
        yield bench.figure(f"overlays: {number}, load", load, loads[0], unit="ms", beside="no overlay")
        yield bench.figure(f"overlays: {number}, each decision", play, games[0], unit="µs", beside="no overlay")
