"""Recorded games: those of playimperial.club, compared after every action, and the publisher's quick-start game."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from recorded_games import (
    ALL,
    BEGINNINGS,
    FOLDERS,
    IMPERIAL,
    IMPOSSIBLE,
    LOGS,
    WHOLE,
    dialect,
    folder_of,
    name_of,
    opened,
    ruleset,
)

from rulespec.documents.yaml_nodes import to_plain
from rulespec.documents.yaml_reader import read_yaml
from rulespec.engine.dialects.importer import Stop
from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import Backend
from rulespec.engine.game.numbered import every_option
from rulespec.engine.game.option import Option, TakenBack
from rulespec.engine.game.state_json import state_json
from rulespec.engine.logs.log_file import LogWriter
from rulespec.engine.logs.native import LogHeader, read_log
from rulespec.engine.replay.replay import ReplayRequest, replay_log
from rulespec.load import load_ruleset

TAX_START = 5
INTEREST = {"2": 1, "4": 2, "6": 3, "9": 4, "12": 5, "16": 6, "20": 7, "25": 8, "30": 9}

Position = dict[str, Any]


# --- positions -----------------------------------------------------------------------------


def lines(path: Path) -> list[dict[str, Any]]:
    """The changes made by each action; see games/imperial/logs/README.md."""
    text = (folder_of(path) / "positions" / f"{path.stem}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def recorded(path: Path) -> list[Position]:
    """The recorder's position after each action."""
    position: Position = {}
    positions = []
    for changes in lines(path):
        changes.pop("ignored", None)
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
    """Our position in the recorder's terms."""
    state = state_json(game)
    ref = game.ruleset.ref
    entities, pieces = state["entities"], state["pieces"]
    homes = facts(ref, "home")
    nation, region, space = (dialect_names(kind) for kind in ("nation", "region", "space"))

    def standing(piece: str, owner: str, place: str = "at") -> dict[str, int]:
        piles = pieces.get(piece, {}).get(owner, {})
        return {k[len(place) + 1 : -1]: n for k, n in piles.items() if k.startswith(f"{place}[")}

    nations, units, friendly, flags = {}, {}, {}, {}
    for name, record in entities["nation"].items():
        code = nation(name)
        nations[code] = {
            "treasury": record["treasury"],
            "power": record["power"],
            "rondel": record["position"] and space(record["position"]),
            "controller": record["government"],
        }
        if ref == "imperial+playimperial":  # the others have no tax track
            track = [s.name for s in game.ruleset.declarations.kinds["tax_space"].entities]
            nations[code]["tax"] = TAX_START + track.index(record["tax"])
        armies, fleets = standing("army", name), standing("fleet", name)
        for place, laid_down in standing("army", name, "guest").items():
            armies[place] = armies.get(place, 0) + laid_down
        places = sorted({*armies, *fleets})
        units[code] = {region(r): [armies.get(r, 0), fleets.get(r, 0)] for r in places}
        marks = sorted(region(r) for r in record["friendly"] if r in places and homes[r] != name)
        if marks:
            friendly[code] = marks
        flags.update({region(r): code for r in standing("flag", name)})
    cities = facts(ref, "city")
    factories = {region(r): cities[r] for owner in pieces["factory"] for r in standing("factory", owner)}
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
def facts(ref: str, fact: str) -> dict[str, str | None]:
    """The facts of each region as text; None for a missing one."""
    game = Game(ruleset(ref), [*"ABCD"])
    regions = ruleset(ref).declarations.kinds["region"].entities
    values = {r.name: game.omniscient.value(f"{r.name}.{fact}") for r in regions}
    return {name: None if value == "none" else value for name, value in values.items()}


def differences(ours: Any, theirs: Any, path: str = "") -> list[str]:
    if isinstance(ours, dict) and isinstance(theirs, dict):
        keys = sorted({*ours, *theirs})
        return [d for k in keys for d in differences(ours.get(k), theirs.get(k), f"{path}/{k}")]
    return [] if ours == theirs else [f"{path}: ours {ours}, recorded {theirs}"]


def compare(path: Path, backend: Backend = "python", until: int | None = None) -> tuple[Game, int, Stop | None]:
    """Replays a log and compares the position after every action; returns the number of comparisons."""
    game, importer, log = opened(path, backend)
    expected = recorded(path)
    seen: list[int] = []

    def step(entry: int) -> None:
        theirs = expected[entry]
        if game.is_over:
            theirs = {**theirs, "player": None}  # the recorder still names the last player
        result = differences(position_of(game), theirs)
        assert not result, f"after entry {entry} ({log.entries[entry]}): " + "; ".join(result[:5])
        assert not game.omniscient.broken_invariants()
        seen.append(entry)

    stop = importer.run(until, step)
    assert seen == list(range(len(seen)))
    # The recorder ignored entries that are meaningless here.
    ignored = [k for k, line in enumerate(lines(path)[: len(seen)]) if line.get("ignored")]
    meaningless = {k for k in ignored if log.entries[k]["type"] in dialect().ignore}
    assert [entry.foreign_index for entry in importer.ignored] == [k for k in ignored if k not in meaningless]
    return game, len(seen), stop


# --- the games -----------------------------------------------------------------------------


def test_all_recorded_games_are_here() -> None:
    assert (len(WHOLE), len(BEGINNINGS), len(IMPOSSIBLE)) == (15, 2, 5)
    for folder, ref in FOLDERS.items():
        games = {p.stem for p in [*ALL, *IMPOSSIBLE] if folder_of(p) == folder}
        assert games == {p.stem for p in (folder / "positions").glob("*.jsonl")}, ref
    kinds = {name_of(p).split("-")[1][0] for p in ALL}
    assert kinds == {"c", "v", "u", "d"}


@pytest.mark.parametrize("path", WHOLE, ids=name_of)
@pytest.mark.sampled(1)
def test_a_game_equals_the_recorder_after_every_action_to_its_end(path: Path) -> None:
    game, compared, stop = compare(path)
    assert stop is None
    assert compared == len(json.loads(path.read_text(encoding="utf-8")))
    assert game.ruleset.ref == FOLDERS[path.parent]
    assert game.result is not None
    assert game.result.ending == "power"


@pytest.mark.proof  # 0.4 s
@pytest.mark.parametrize("path", [p for p in ALL if p.stem in BEGINNINGS], ids=name_of)
def test_the_beginning_of_a_game_equals_the_recorder(path: Path) -> None:
    _, compared, stop = compare(path)
    assert stop is None
    assert compared == BEGINNINGS[path.stem]


@pytest.mark.proof  # 0.7 s
@pytest.mark.parametrize("path", IMPOSSIBLE, ids=lambda p: p.stem)
def test_a_game_equals_the_recorder_up_to_its_first_impossible_action(path: Path) -> None:
    expected = len(recorded(path))
    _, compared, stop = compare(path, until=expected)
    assert stop is None
    assert compared == expected


@pytest.mark.parametrize("path", IMPOSSIBLE, ids=lambda p: p.stem)
@pytest.mark.sampled(1)
def test_an_impossible_action_is_named_with_the_law_it_breaks(path: Path) -> None:
    divergence = replay_log(path, rules=f"{IMPERIAL}+playimperial").divergence
    assert divergence is not None
    assert divergence.foreign_index == len(recorded(path))
    assert divergence.action == json.loads(path.read_text(encoding="utf-8"))[divergence.foreign_index]
    assert "conservation of pieces" in divergence.refusal.reason
    assert "IMP-COM-15" in divergence.refusal.rules
    assert divergence.refusal.values
    assert "peace" in divergence.nearest


@pytest.mark.proof  # 0.4 s
def test_the_reference_backend_comes_to_the_same_positions() -> None:
    _, compared, stop = compare(LOGS / "c004-standard-6p.json", "interpreter", until=24)
    assert stop is None
    assert compared == 24


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["c000-standard-2p", "d000-standard-4p", "u000-standard-3p"])
def test_the_native_log_of_a_recorded_game_replays_without_the_dialect(name: str, tmp_path: Path) -> None:
    game, importer, _ = opened(LOGS / f"{name}.json")
    assert importer.run() is None
    assert any(isinstance(move, TakenBack) for move in importer.moves) == name.startswith("u")
    native = tmp_path / "game.jsonl"
    with LogWriter(native, LogHeader.of(game)) as writer:
        for move in importer.moves:
            writer.add(move)
    again = ReplayRequest(native, load=lambda _: ruleset()).replay()
    assert again.divergence is None
    assert again.game.hash == game.hash


def test_under_other_rules_nothing_is_ignored() -> None:
    path = LOGS / "d000-standard-4p.json"
    first = next(k for k, line in enumerate(lines(path)) if line.get("ignored"))
    divergence = replay_log(path, rules=str(IMPERIAL)).divergence
    assert divergence is not None
    assert divergence.foreign_index is not None
    assert divergence.foreign_index <= first


def old(entry: dict[str, Any], before: Position) -> dict[str, Any]:
    """An entry in the format of the site's old logs."""
    payload = dict(entry.get("payload") or {})
    if entry["type"] == "initialize":
        del payload["variant"], payload["baseGame"]
    if entry["type"] == "import":
        payload["placements"] = payload["placements"][::-1]
    if entry["type"] == "buildFactory":
        payload = {"province": payload["province"]}
    if entry["type"] == "bondPurchase":
        held = [bond.split(":") for bond in before["bonds"][payload["player"]]]
        of_nation = [int(interest) for nation, interest in held if nation == payload["nation"]["value"]]
        dearest = {v: int(k) for k, v in INTEREST.items()}[max(of_nation)] if of_nation else 0
        needed = dearest if payload["cost"] > before["cash"][payload["player"]] else 0
        if payload["tradeInValue"] == needed:
            del payload["tradeInValue"]
    if isinstance(payload.get("nation"), dict):
        payload["nation"] = {"value": payload["nation"]["value"]}
    return {"type": entry["type"], "payload": payload}


def test_a_log_of_an_old_form_comes_to_the_same(tmp_path: Path) -> None:
    path = LOGS / "c006-auction-3p.json"
    entries = json.loads(path.read_text(encoding="utf-8"))
    log = [old(entry, before) for entry, before in zip(entries, [{}, *recorded(path)], strict=False)]
    unsaid = [
        e for e, o in zip(entries, log, strict=True) if {*e.get("payload", {})} - {*o["payload"]} == {"tradeInValue"}
    ]
    assert {e["payload"]["tradeInValue"] > 0 for e in unsaid} == {False, True}
    again = tmp_path / "old.json"
    again.write_text(json.dumps([json.dumps(e) for e in log[:1] + log]), encoding="utf-8")  # first entry twice
    results = [ReplayRequest(p, load=lambda _: ruleset()).replay() for p in (path, again)]
    assert [r.divergence for r in results] == [None, None]
    assert results[0].game.hash == results[1].game.hash
    assert results[1].ignored == []


def test_a_changed_action_is_found_and_explained(tmp_path: Path) -> None:
    entries = json.loads((LOGS / "c000-standard-2p.json").read_text(encoding="utf-8"))
    at = next(i for i, e in enumerate(entries) if e["type"] == "buildFactory")
    entries[at]["payload"]["province"] = "vienna"
    changed = tmp_path / "changed.json"
    changed.write_text(json.dumps(entries), encoding="utf-8")
    divergence = replay_log(changed, rules=f"{IMPERIAL}+playimperial").divergence
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
    """The game under the published rules, after each of its decisions."""
    log = read_log(IMPERIAL / "logs" / "quickstart.jsonl")
    game = Game(load_ruleset(str(IMPERIAL)), log.header.seats, log.header.settings)
    games = [game.copy()]
    for entry in log.entries:
        game.apply(game.parse(entry.option, entry.by))
        games.append(game.copy())
    return games


def test_the_quick_start_game_is_legal_by_the_rulebook_and_all_facts_are_there() -> None:
    assert len(quickstart()) == 113
    assert len(quickstart_facts()) == 129
    assert sum("but" in fact for fact in quickstart_facts()) == 8


@pytest.mark.parametrize("number", range(129))
def test_a_fact_about_the_quick_start_game_holds_or_the_rulebook_says_why_not(number: int) -> None:
    fact = quickstart_facts()[number]
    game = quickstart()[fact["ply"]]
    assert not game.omniscient.broken_invariants()
    for expression, value in fact.get("values", {}).items():
        assert game.omniscient.value(expression) == str(value)
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
    options = [o for o in every_option(game) if o.name in ("buy", "upgrade")]
    bonds = {o.arguments.get("b", o.arguments.get("new", "")) for o in options}
    results: dict[str, list[int]] = {}
    for owner, value in sorted(b.rsplit("_", 1) for b in bonds):
        results[owner] = sorted([*results.get(owner, []), int(value)])
    return results


def goals(game: Game) -> dict[str, list[str]]:
    """The destinations of each unit, including convoys; during moves of fleets, armies count as after their step."""
    results: dict[str, set[str]] = {}
    place = game.copy()
    if place.decision is not None and place.decision.name == "fleets":
        for option in place.legal_options:
            if option.name == "sail":
                results.setdefault(option.arguments["origin"], set()).add(option.arguments["goal"])
        place.apply(place.parse("armies"))
    for option in place.legal_options:
        if option.name == "march":
            results.setdefault(option.arguments["origin"], set()).add(option.arguments["goal"])
        if option.name == "embark":
            results.setdefault(option.arguments["origin"], set()).update(landings(place, option))
    return {origin: sorted(reached) for origin, reached in results.items()}


def landings(game: Game, option: Option) -> set[str]:
    there = game.copy()
    there.apply(option)
    results = set()
    for further in every_option(there):
        if further.name == "land":
            results.add(further.arguments["goal"])
        if further.name == "sail_on":
            results |= landings(there, further)
    return results


LISTS: dict[str, Callable[[Game], Any]] = {
    "seats": lambda game: list(game.seats),
    "bonds": buyable,
    "sites": lambda game: sorted(o.arguments["site"] for o in every_option(game) if o.name == "build"),
    "options": lambda game: sorted(str(o) for o in every_option(game) if not o.interrupt),
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
                    assert game.omniscient.value(expression) == str(value), expression
                    checked += 1
                assert "by" not in fact or (game.decision is not None and game.decision.by == fact["by"])

    assert importer.run(step=step) is None
    assert len(log.entries) == 61
    assert checked > 100
