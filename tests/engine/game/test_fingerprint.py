"""The fingerprint of a position weighs what there is by its name: no order and no lowering changes it."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest
import yaml
from folders import ROOT, RULESETS, SHIPPED

from rulespec.engine.game.fingerprint import fingerprint
from rulespec.engine.game.game import Game
from rulespec.engine.game.numbered import every_option
from rulespec.engine.game.option import Labels
from rulespec.engine.game.seating import seat_names
from rulespec.engine.program.draws import Draws
from rulespec.engine.simulate.checked_playouts import choose
from rulespec.load import load_ruleset

GALLERY = ROOT / "games" / "gallery"


def played(ref: object, decisions: int, seats: str = "AB", backend: Any = "python") -> Game:
    game, dice = Game(load_ruleset(str(ref)), list(seats), backend=backend), random.Random(1)
    while not game.is_over and game.ply < decisions:
        game.apply(dice.choice(list(every_option(game))))
    return game


def again(game: Game, ref: object, seats: str = "AB", backend: Any = "python") -> Game:
    """The same decisions at another table, by their texts."""
    other = Game(load_ruleset(str(ref)), list(seats), backend=backend)
    names = dict(zip(game.seats, other.seats, strict=True))
    for option in game.history:
        other.apply(other.parse(str(option), names.get(option.by or "")))
    return other


def backwards(value: dict[str, Any]) -> dict[str, Any]:
    return dict(reversed(value.items()))


REORDERED: dict[str, tuple[Path, str, Callable[[dict[str, Any]], object]]] = {
    "entities": (GALLERY / "nim", "kinds.yaml", lambda y: {**y, "kinds": {"heap": reordered(y["kinds"]["heap"])}}),
    "places": (
        GALLERY / "nim",
        "kinds.yaml",
        lambda y: {**y, "pieces": {"match": {"each": ["heap"], "places": backwards(y["pieces"]["match"]["places"])}}},
    ),
    "kinds": (RULESETS / "errands", "kinds.yaml", lambda y: {**y, "kinds": backwards(y["kinds"])}),
    "sections": (RULESETS / "errands", "kinds.yaml", backwards),
}
"""Declarations in another order: the ruleset, its file, and the file as it is then."""


def reordered(kind: dict[str, Any]) -> dict[str, Any]:
    return {**kind, "entities": backwards(kind["entities"])}


@pytest.mark.parametrize("what", REORDERED)
def test_the_order_of_declarations_makes_no_odds(tmp_path: Path, what: str) -> None:
    original, name, change = REORDERED[what]
    folder = Path(shutil.copytree(original, tmp_path / original.name))
    file = folder / name
    file.write_text(yaml.safe_dump(change(yaml.safe_load(file.read_text("utf-8"))), sort_keys=False), "utf-8")
    for decisions in (0, 1, 4, 60):
        game = played(original, decisions)
        assert fingerprint(again(game, folder)) == fingerprint(game)


def test_the_hash_for_search_does_change_with_the_order(tmp_path: Path) -> None:
    """So the test above tests something."""
    original, name, change = REORDERED["entities"]
    folder = Path(shutil.copytree(original, tmp_path / original.name))
    file = folder / name
    file.write_text(yaml.safe_dump(change(yaml.safe_load(file.read_text("utf-8"))), sort_keys=False), "utf-8")
    assert played(original, 0).hash != played(folder, 0).hash


@pytest.mark.parametrize("name", ["nim", "kuhn_poker", "connect_four", "leduc_poker"])
@pytest.mark.parametrize("decisions", [0, 3, 100])
def test_machines_and_names_of_players_make_no_odds(name: str, decisions: int) -> None:
    game = played(GALLERY / name, decisions)
    for backend, seats in (("interpreter", "AB"), ("python", ["Zoë", "A"])):
        other = again(game, GALLERY / name, seats, backend)  # type: ignore[arg-type]
        assert fingerprint(other) == fingerprint(game)
        for seat, its in zip((*game.seats, None), (*other.seats, None), strict=True):
            assert fingerprint(other, its) == fingerprint(game, seat)


@pytest.mark.parametrize("name", ["nim", "connect_four", "kuhn_poker", "backgammon", "chess"])
@pytest.mark.sampled(3)
def test_positions_with_other_states_have_other_fingerprints(name: str) -> None:
    seen: dict[str, str] = {}
    for decisions in range(30):
        game = played(GALLERY / name, decisions)
        if game.ply < decisions:
            break
        assert seen.setdefault(fingerprint(game), game.hash) == game.hash
    assert len(seen) == len(set(seen.values())) > 1


def test_what_a_seat_does_not_see_makes_no_odds() -> None:
    deals = [Game(load_ruleset(str(GALLERY / "kuhn_poker")), ["Ann", "Bob"]) for _ in range(2)]
    first = list(every_option(deals[0]))
    deals[0].apply(first[0])
    deals[1].apply(first[0])
    for game, number in zip(deals, (0, 1), strict=True):
        game.apply(list(every_option(game))[number])
    one, other = deals
    assert fingerprint(one) != fingerprint(other)
    differing = [seat for seat in ("Ann", "Bob", None) if fingerprint(one, seat) != fingerprint(other, seat)]
    assert len(differing) == 1 and differing != [None]


def test_a_fingerprint_stays_what_it_is() -> None:
    """Logs hold it: another algorithm needs another version of the format."""
    game = Game(load_ruleset(str(GALLERY / "nim")), ["Ann", "Bob"])
    assert fingerprint(game) == "73fa70d46571ed14782c950a2cdc9925"
    assert fingerprint(game, "Ann") == "73fa70d46571ed14782c950a2cdc9925"


def plainly(game: Game) -> str:
    """The fingerprint of all of a game, from the lines of `reference/formats`, one by one."""
    position, at_table = game.omniscient.numbers, [str(i) for i in range(len(game.seats))]
    labels = Labels(game.ruleset.declarations.kinds, position.program, at_table)
    lines: list[list[Any]] = []
    if (number := position.asked) >= 0:
        chosen = game.omniscient.visibility.chosen(position.state, number)
        decider, deciders = game._position.decider(), game._position.deciders()
        lines.append(["asked", position.program.decisions[number].name, decider, deciders, chosen])
    for cell, value in zip(position.program.cells, position.state, strict=False):
        held = labels.plain(cell.type, value)
        held = sorted(held) if cell.type.startswith("set ") else held
        if cell.group == "rules" or (held is None if cell.type == "int?" else not held):
            continue
        index = labels.names[cell.index_kind][cell.index] if cell.index_kind else ""
        lines.append(["cell", cell.group, cell.owner, cell.name, cell.place, index, held])
    texts = sorted(json.dumps(line, ensure_ascii=False, sort_keys=True) for line in lines)
    return blake2b("\n".join(texts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


@pytest.mark.parametrize("folder", SHIPPED, ids=lambda folder: folder.name)
@pytest.mark.sampled(2)
def test_what_is_kept_with_a_program_changes_no_fingerprint(folder: Path) -> None:
    ruleset = load_ruleset(str(folder))
    game, draws = Game(ruleset, seat_names(max(ruleset.players), ruleset.seats)), Draws(9)
    while not game.is_over and game.ply < 25:
        assert fingerprint(game) == plainly(game)
        option = choose(game, draws)
        assert option is not None
        game.apply(option)
