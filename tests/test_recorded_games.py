"""Recorded games: those of playimperial.club after every action, and the publisher's quick-start game."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from engine.dialect import Dialect, ForeignLog, parse_foreign, read_dialect
from engine.game import Backend, Game
from engine.importer import Importer, Stop, seats_and_options
from engine.log import LogHeader, LogWriter, read_log
from engine.option import Option
from engine.replay import replay_file
from rulespec import typed
from rulespec.load import load_ruleset
from rulespec.source import read_yaml, to_plain

IMPERIAL = Path(__file__).parents[1] / "games" / "imperial"
LOGS = IMPERIAL / "logs" / "playimperial"
WHOLE = sorted(p for p in LOGS.glob("*.json") if p.stem != "quickstart")
IMPOSSIBLE = sorted((LOGS / "impossible").glob("*.json"))

TAX_START = 5
INTEREST = {"2": 1, "4": 2, "6": 3, "9": 4, "12": 5, "16": 6, "20": 7, "25": 8, "30": 9}

Position = dict[str, Any]


@cache
def ruleset() -> typed.Ruleset:
    return load_ruleset(f"{IMPERIAL}+playimperial")


@cache
def dialect() -> Dialect:
    return read_dialect(IMPERIAL / "dialects" / "playimperial.yaml")


def opened(path: Path, backend: Backend = "python") -> tuple[Game, Importer, ForeignLog]:
    log = parse_foreign(path.read_text(encoding="utf-8"), str(path))
    seats, options = seats_and_options(dialect(), log, ruleset())
    game = Game(ruleset(), seats, options, backend)
    return game, Importer(game, dialect(), log), log


# --- positions -----------------------------------------------------------------------------


def recorded(path: Path) -> list[Position]:
    """The recorder's position after each action; see games/imperial/logs/README.md."""
    position: Position = {}
    positions = []
    lines = (LOGS / "positions" / f"{path.stem}.jsonl").read_text(encoding="utf-8").splitlines()
    for line in lines:
        changes: dict[str, Any] = json.loads(line)
        gone = {"-": 1}
        for key in (k for k, v in changes.items() if v == gone):
            *parents, last = key.split("/")
            node = position
            for parent in parents:
                node = node.get(parent, {})
            node.pop(last, None)
        for key, value in changes.items():
            if value != gone:
                *parents, last = key.split("/")
                node = position
                for parent in parents:
                    node = node.setdefault(parent, {})
                node[last] = value
        positions.append(json.loads(json.dumps(position)))
    return positions


def position_of(game: Game) -> Position:
    """Our position, in the recorder's terms."""
    state = game.state()
    entities, pieces = state["entities"], state["pieces"]
    regions = {r.name: r for r in ruleset().declarations.kinds["region"].entities}
    nation, region, space = (dialect_names(kind) for kind in ("nation", "region", "space"))
    homes = {r: facts(r, "home") for r in regions}

    def standing(piece: str, owner: str, place: str = "at") -> dict[str, int]:
        piles = pieces.get(piece, {}).get(owner, {})
        return {k[len(place) + 1 : -1]: n for k, n in piles.items() if k.startswith(f"{place}[")}

    nations, units, friendly, flags = {}, {}, {}, {}
    for name, record in entities["nation"].items():
        code = nation(name)
        track = [s.name for s in ruleset().declarations.kinds["tax_space"].entities]
        nations[code] = {
            "treasury": record["treasury"],
            "power": record["power"],
            "tax": TAX_START + track.index(record["tax"]),
            "rondel": record["position"] and space(record["position"]),
            "controller": record["government"],
        }
        armies, fleets = standing("army", name), standing("fleet", name)
        for place, laid_down in standing("army", name, "guest").items():
            armies[place] = armies.get(place, 0) + laid_down
        places = sorted({*armies, *fleets})
        units[code] = {region(r): [armies.get(r, 0), fleets.get(r, 0)] for r in places}
        marks = sorted(region(r) for r in record["friendly"] if r in places and homes[r] != name)
        if marks:
            friendly[code] = marks
        flags.update({region(r): code for r in standing("flag", name)})
    factories = {region(r): facts(r, "city") for owner in pieces["factory"] for r in standing("factory", owner)}
    bonds: dict[str, list[str]] = {seat: [] for seat in game.seats}
    for name in pieces["certificate"]:
        owner, value = name.rsplit("_", 1)
        for seat in standing("certificate", name, "hand"):
            bonds[seat].append(f"{nation(owner)}:{INTEREST[value]}")
    players = entities["player"]
    return {
        "nations": nations,
        "units": units,
        "friendly": friendly,
        "factories": factories,
        "flags": flags,
        "cash": {seat: record["cash"] for seat, record in players.items()},
        "bonds": {seat: sorted(held) for seat, held in bonds.items()},
        "investor_card": entities["game"]["game"]["investor_card"],
        "swiss": sorted(seat for seat, record in players.items() if record["swiss_bank"]),
        "nation": nation(entities["game"]["game"]["active"]),
        "player": game.decision.by if game.decision else None,
    }


def dialect_names(kind: str) -> Any:
    return lambda name: dialect().foreign(kind, name)


@cache
def facts(region: str, fact: str) -> str | None:
    """A fact of a region, as text; None where it has none."""
    value = Game(ruleset(), ["A", "B"]).value(f"{region}.{fact}")
    return None if value == "none" else value


def differences(ours: Any, theirs: Any, path: str = "") -> list[str]:
    if isinstance(ours, dict) and isinstance(theirs, dict):
        keys = sorted({*ours, *theirs})
        return [d for k in keys for d in differences(ours.get(k), theirs.get(k), f"{path}/{k}")]
    return [] if ours == theirs else [f"{path}: ours {ours}, recorded {theirs}"]


def compare(path: Path, backend: Backend = "python", until: int | None = None) -> tuple[Game, int, Stop | None]:
    """Replays a log and compares the position after every action; gives how many were compared."""
    game, importer, log = opened(path, backend)
    expected = recorded(path)
    seen: list[int] = []

    def step(entry: int) -> None:
        theirs = expected[entry]
        if game.is_over:
            theirs = {**theirs, "player": None}  # the recorder keeps naming the last player
        found = differences(position_of(game), theirs)
        assert not found, f"after entry {entry} ({log.entries[entry]}): " + "; ".join(found[:5])
        assert not game.check_invariants()
        seen.append(entry)

    stop = importer.run(until, step)
    assert seen == list(range(len(seen)))
    return game, len(seen), stop


# --- the games -----------------------------------------------------------------------------


def test_all_recorded_games_are_here() -> None:
    assert (len(WHOLE), len(IMPOSSIBLE)) == (7, 5)
    assert {p.stem for p in [*WHOLE, *IMPOSSIBLE]} == {p.stem for p in (LOGS / "positions").glob("*.jsonl")}


@pytest.mark.parametrize("path", WHOLE, ids=lambda p: p.stem)
def test_a_game_equals_the_recorder_after_every_action_to_its_end(path: Path) -> None:
    game, compared, stop = compare(path)
    assert stop is None
    assert compared == len(json.loads(path.read_text(encoding="utf-8")))
    assert game.result is not None
    assert game.result.ending == "power"


@pytest.mark.parametrize("path", IMPOSSIBLE, ids=lambda p: p.stem)
def test_a_game_equals_the_recorder_up_to_its_first_impossible_action(path: Path) -> None:
    expected = len(recorded(path))
    _, compared, stop = compare(path, until=expected)
    assert stop is None
    assert compared == expected


@pytest.mark.parametrize("path", IMPOSSIBLE, ids=lambda p: p.stem)
def test_an_impossible_action_is_named_with_the_law_it_breaks(path: Path) -> None:
    divergence = replay_file(path, rules=f"{IMPERIAL}+playimperial").divergence
    assert divergence is not None
    assert divergence.foreign_index == len(recorded(path))
    assert divergence.action == json.loads(path.read_text(encoding="utf-8"))[divergence.foreign_index]
    assert "conservation of pieces" in divergence.refusal.reason
    assert "IMP-COM-15" in divergence.refusal.rules
    assert divergence.refusal.values
    assert "peace" in divergence.nearest


def test_the_reference_backend_comes_to_the_same_positions() -> None:
    _, compared, stop = compare(LOGS / "c004-standard-6p.json", "interpreter", until=24)
    assert stop is None
    assert compared == 24


@pytest.mark.parametrize("path", WHOLE[:1], ids=lambda p: p.stem)
def test_the_native_log_of_a_recorded_game_replays_without_the_dialect(path: Path, tmp_path: Path) -> None:
    game, importer, _ = opened(path)
    assert importer.run() is None
    native = tmp_path / "game.jsonl"
    with LogWriter(native, LogHeader.of(game)) as writer:
        for option in game.history:
            writer.add(option)
    again = replay_file(native, rules=f"{IMPERIAL}+playimperial")
    assert again.divergence is None
    assert again.game.hash == game.hash


def test_a_changed_action_is_found_and_explained(tmp_path: Path) -> None:
    entries = json.loads((LOGS / "c000-standard-2p.json").read_text(encoding="utf-8"))
    at = next(i for i, e in enumerate(entries) if e["type"] == "buildFactory")
    entries[at]["payload"]["province"] = "vienna"
    changed = tmp_path / "changed.json"
    changed.write_text(json.dumps(entries), encoding="utf-8")
    divergence = replay_file(changed, rules=f"{IMPERIAL}+playimperial").divergence
    assert divergence is not None
    assert divergence.foreign_index == at
    assert "IMP-FAC-04" in divergence.refusal.rules
    assert any(option.startswith("build(") for option in divergence.nearest)


# --- the publisher's quick-start game --------------------------------------------------------


def quickstart_facts() -> list[dict[str, Any]]:
    path = IMPERIAL / "logs" / "quickstart.facts.yaml"
    facts: list[dict[str, Any]] = to_plain(read_yaml(path, str(path)))["facts"]
    return facts


@cache
def quickstart() -> list[Game]:
    """The game under the rulebook's rules, after each of its decisions."""
    log = read_log(IMPERIAL / "logs" / "quickstart.jsonl")
    game = Game(load_ruleset(str(IMPERIAL)), log.header.seats, log.header.options)
    games = [game.clone()]
    for entry in log.entries:
        game.apply(game.parse(entry.option, entry.by))
        games.append(game.clone())
    return games


def test_the_quick_start_game_is_legal_by_the_rulebook_and_all_facts_are_there() -> None:
    assert len(quickstart()) == 109
    assert len(quickstart_facts()) == 129
    assert sum("but" in fact for fact in quickstart_facts()) == 8


@pytest.mark.parametrize("number", range(129))
def test_a_fact_about_the_quick_start_game_holds_or_the_rulebook_says_why_not(number: int) -> None:
    fact = quickstart_facts()[number]
    game = quickstart()[fact["ply"]]
    assert not game.check_invariants()
    for expression, value in fact.get("values", {}).items():
        assert game.value(expression) == str(value)
    if "by" in fact:
        assert game.decision is not None
        assert game.decision.by == fact["by"]
    if "decision" in fact:
        assert game.decision is not None
        assert game.decision.name == fact["decision"]
    for key, look in LISTS.items():
        if key in fact:
            other = fact.get("but", {})
            assert look(game) == other.get(key, fact[key])
            assert ("but" in fact) == (look(game) != fact[key])
            assert "but" not in fact or other["says"].startswith("IMP-")


def buyable(game: Game) -> dict[str, list[int]]:
    bonds = {o.arguments.get("b", o.arguments.get("new", "")) for o in game.options if o.name in ("buy", "upgrade")}
    found: dict[str, list[int]] = {}
    for owner, value in sorted(b.rsplit("_", 1) for b in bonds):
        found[owner] = sorted([*found.get(owner, []), int(value)])
    return found


def goals(game: Game) -> dict[str, list[str]]:
    """Where each unit may go, by convoy too; while fleets move, armies as if their step had come."""
    found: dict[str, set[str]] = {}
    here = game.clone()
    if here.decision is not None and here.decision.name == "fleets":
        for option in here.options:
            if option.name == "sail":
                found.setdefault(option.arguments["origin"], set()).add(option.arguments["goal"])
        here.apply(here.parse("armies"))
    for option in here.options:
        if option.name == "march":
            found.setdefault(option.arguments["origin"], set()).add(option.arguments["goal"])
        if option.name == "embark":
            found.setdefault(option.arguments["origin"], set()).update(landings(here, option))
    return {origin: sorted(reached) for origin, reached in found.items()}


def landings(game: Game, option: Option) -> set[str]:
    there = game.clone()
    there.apply(option)
    found = set()
    for further in there.options:
        if further.name == "land":
            found.add(further.arguments["goal"])
        if further.name == "sail_on":
            found |= landings(there, further)
    return found


LISTS: dict[str, Callable[[Game], Any]] = {
    "seats": lambda game: list(game.seats),
    "bonds": buyable,
    "sites": lambda game: sorted(o.arguments["site"] for o in game.options if o.name == "build"),
    "options": lambda game: sorted(str(o) for o in game.options if not o.interrupt),
    "moves": goals,
}


def test_the_quick_start_game_comes_to_the_same_under_the_rules_of_the_site() -> None:
    game, importer, log = opened(LOGS / "quickstart.json")
    facts = quickstart_facts()
    checked = 0

    def step(entry: int) -> None:
        nonlocal checked
        for fact in facts:
            if fact["entry"] == entry + 1:
                for expression, value in fact.get("values", {}).items():
                    assert game.value(expression) == str(value), expression
                    checked += 1
                assert "by" not in fact or (game.decision is not None and game.decision.by == fact["by"])

    assert importer.run(step=step) is None
    assert len(log.entries) == 61
    assert checked > 100
